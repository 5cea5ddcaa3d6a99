"""Block HSIC Lasso on plain arrays: kernels of small blocks of rows, their inner products, and the Lasso path."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_MAX_KERNEL_VALUES = 2**20  # in memory at once, 8 MB; one block of all columns may need more


@dataclass(frozen=True, eq=False)
class KernelProducts:
    """Inner products of the kernels of all columns and, last, of the target: means over blocks.

    Kernels K and L are centered and have norm 1. The expected product of *independent* columns is the bias, the mean of
    trace(K) trace(L) / (block size - 1).
    """

    products: Floats  # (n_columns + 1, n_columns + 1), means of <K, L>
    bias: Floats  # same shape
    n_blocks: int

    @property
    def unbiased(self) -> Floats:
        """Products whose expectation is 0 for independent columns."""
        return self.products - self.bias


def pool_products(parts: Sequence[KernelProducts]) -> KernelProducts:
    """Means over the blocks of several parts together."""
    n_blocks = [part.n_blocks for part in parts]
    return KernelProducts(
        np.average([part.products for part in parts], axis=0, weights=n_blocks),
        np.average([part.bias for part in parts], axis=0, weights=n_blocks),
        sum(n_blocks),
    )


def compute_products(
    columns: Sequence[NDArray[Any]], is_categorical: Sequence[bool] | NDArray[np.bool_], blocks: Iterable[Indices]
) -> KernelProducts:
    """Compute the inner products of the kernels of all columns and, last, of the target.

    Numeric columns are divided by their standard deviation and have a Gaussian kernel of width 1. The kernel of
    categorical columns is 1 / n_c for two rows of the same level c, which n_c rows of the block have, and otherwise 0.
    The blocks are row indices (n_blocks, block_size), in any number of portions. Memory holds the products and the
    kernels of a few blocks, whatever the number of rows.
    """
    scales = [1.0 if flag else float(np.std(column)) for column, flag in zip(columns, is_categorical, strict=True)]
    n_columns, n_blocks = len(columns), 0
    products, bias = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    for portion in blocks:
        n_at_once = max(1, _MAX_KERNEL_VALUES // (n_columns * portion.shape[1] ** 2))
        for start in range(0, len(portion), n_at_once):
            rows = portion[start : start + n_at_once]
            values = [column[rows] / scale for column, scale in zip(columns, scales, strict=True)]
            _add_blocks(values, is_categorical, products, bias)
        n_blocks += len(portion)
    return KernelProducts(products / n_blocks, bias / n_blocks, n_blocks)


def _add_blocks(
    values: Sequence[Floats], is_categorical: Sequence[bool] | NDArray[np.bool_], products: Floats, bias: Floats
) -> None:
    """Add a few blocks to the sums: values (n_blocks, size) of every column."""
    n_blocks, size = values[0].shape
    kernels = np.empty((len(values), n_blocks, size, size))
    for kernel, column, flag in zip(kernels, values, is_categorical, strict=True):
        _fill_kernels(kernel, column, flag)
    flat = kernels.reshape(len(values), -1)
    products += flat @ flat.T
    traces = np.trace(kernels, axis1=2, axis2=3)
    bias += traces @ traces.T / (size - 1)


def _fill_kernels(kernel: Floats, values: Floats, is_categorical: bool) -> None:
    """Write centered kernels of norm 1: values (n_blocks, size) to kernel (n_blocks, size, size)."""
    if is_categorical:
        np.equal(values[:, :, None], values[:, None, :], out=kernel, casting="unsafe")
        kernel /= kernel.sum(axis=2, keepdims=True)
    else:
        np.subtract(values[:, :, None], values[:, None, :], out=kernel)
        np.square(kernel, out=kernel)
        kernel *= -0.5
        np.exp(kernel, out=kernel)
    means = kernel.mean(axis=2)  # of rows and of columns, since a kernel is symmetric
    kernel -= means[:, :, None]
    kernel -= (means - means.mean(axis=1, keepdims=True))[:, None, :]
    norms = np.sqrt(np.einsum("bij,bij->b", kernel, kernel))
    kernel /= (norms + 1e-9)[:, None, None]


def draw_blocks(groups: Sequence[Indices], sizes: Sequence[int], n_blocks: int, rng: np.random.Generator) -> Indices:
    """Draw blocks with a given number of rows from each group, without repeating a row within a block.

    Each group is permuted and cut into pieces; when it is used up it is permuted again.
    """
    pieces = []
    for rows, size in zip(groups, sizes, strict=True):
        n_pieces = len(rows) // size
        rounds = [rng.permutation(rows)[: n_pieces * size] for _ in range(-(-n_blocks // n_pieces))]
        pieces.append(np.concatenate(rounds).reshape(-1, size)[:n_blocks])
    return np.hstack(pieces)


def fit_path(products: Floats) -> Floats:
    """Nonnegative weights of the columns at each knot of the Lasso path: shape (n_knots, n_columns)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # raised because one of two equal columns gets no weight
        _, _, weights = lars_path_gram(
            Xy=products[:-1, -1], Gram=products[:-1, :-1], n_samples=1, method="lasso", positive=True
        )
    return np.asarray(weights.T, dtype=np.float64)


def find_last_knot(path: Floats, max_columns: int) -> Floats:
    """Weights at the last knot of a path with at most ``max_columns`` columns."""
    knot: Floats = path[np.flatnonzero(np.count_nonzero(path, axis=1) <= max_columns)[-1]]
    return knot


def compute_test_errors(path: Floats, train: KernelProducts, test: KernelProducts) -> Floats:
    """Squared error in the target's kernel on test rows, for 0, 1, ... columns of a path: shape (n_columns + 1,).

    The columns of a knot are refitted by least squares, because the penalty shrinks small sets most. Both the fit and
    the error use unbiased products; otherwise noise would lower the error.
    """
    n_columns = path.shape[1]
    train_products, test_products = train.unbiased, test.unbiased
    errors = np.empty(n_columns + 1)
    for count in range(n_columns + 1):
        chosen = np.flatnonzero(find_last_knot(path, count))
        fitted = np.linalg.lstsq(train_products[np.ix_(chosen, chosen)], train_products[chosen, -1], rcond=None)[0]
        residual = np.append(-fitted, 1.0)  # the target's kernel minus the fitted ones
        involved = np.append(chosen, n_columns)
        errors[count] = residual @ test_products[np.ix_(involved, involved)] @ residual
    return errors


def choose_within_one_error(errors: Floats) -> int:
    """First column whose mean over folds is within one standard error of the smallest; errors (n_folds, n_choices).

    The standard error is that of the difference to the smallest, fold by fold, so that differences between folds do not
    count.
    """
    excess = errors - errors[:, [errors.mean(axis=0).argmin()]]
    standard_error = excess.std(axis=0, ddof=1) / np.sqrt(len(errors))
    return int(np.flatnonzero(excess.mean(axis=0) <= standard_error)[0])
