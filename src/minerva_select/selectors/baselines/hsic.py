"""Block HSIC Lasso on plain arrays: kernels of a few rows at a time, two small sums, one path."""

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
Rows = NDArray[np.int64]

_MAX_KERNEL_VALUES = 2**20  # held at once, 8 MB; one block of all columns may need more


@dataclass(frozen=True, eq=False)
class KernelProducts:
    """Inner products of the kernels of all columns and, last, of the target: means over blocks.

    Attributes
    ----------
    products : ndarray of float64, shape (n_columns + 1, n_columns + 1)
        Mean of <K, L>, where every kernel is centred and has norm 1.
    shared : ndarray of float64, same shape
        Mean of trace(K) trace(L) / (block size - 1): what the kernels of two *independent* columns have in common.
    n_blocks : int
        Number of blocks.
    """

    products: Floats
    shared: Floats
    n_blocks: int

    @property
    def unbiased(self) -> Floats:
        """The products less what independent columns have in common; for those, 0 in expectation."""
        return self.products - self.shared


def pool(parts: Sequence[KernelProducts]) -> KernelProducts:
    """Means over the blocks of several parts together."""
    n_blocks = [part.n_blocks for part in parts]
    return KernelProducts(
        np.average([part.products for part in parts], axis=0, weights=n_blocks),
        np.average([part.shared for part in parts], axis=0, weights=n_blocks),
        sum(n_blocks),
    )


def kernel_products(
    columns: Sequence[NDArray[Any]], is_discrete: Sequence[bool] | NDArray[np.bool_], blocks: Iterable[Rows]
) -> KernelProducts:
    """Sum the products of the kernels of all columns, a few blocks at a time.

    Besides the sums, memory is for the kernels of one block, however many rows there are.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n_rows,)
        The columns and, last, the target. Amounts are divided by their standard deviation.
    is_discrete : sequence of bool
        Which of them are names: 1 / n_c where two rows are of one class c that n_c rows of the block have, else 0.
        Amounts have the Gaussian kernel of width 1.
    blocks : iterable of ndarray, shape (n_blocks, block_size)
        Positions of the rows of every block, in any number of portions.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> sums = kernel_products([x, x > 1], [False, True], [np.array([[0, 1, 2, 3]])])
    >>> sums.products.round(3).tolist()
    [[1.0, 0.853], [0.853, 1.0]]
    """
    scales = [1.0 if discrete else float(np.std(column)) for column, discrete in zip(columns, is_discrete, strict=True)]
    n_columns, n_blocks = len(columns), 0
    products, shared = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    for portion in blocks:
        at_once = max(1, _MAX_KERNEL_VALUES // (n_columns * portion.shape[1] ** 2))
        for start in range(0, len(portion), at_once):
            rows = portion[start : start + at_once]
            values = [column[rows] / scale for column, scale in zip(columns, scales, strict=True)]
            _add_blocks(values, is_discrete, products, shared)
        n_blocks += len(portion)
    return KernelProducts(products / n_blocks, shared / n_blocks, n_blocks)


def _add_blocks(
    values: Sequence[Floats], is_discrete: Sequence[bool] | NDArray[np.bool_], products: Floats, shared: Floats
) -> None:
    """Add a few blocks to the sums: values (n_blocks, size) of every column."""
    n_blocks, size = values[0].shape
    kernels = np.empty((len(values), n_blocks, size, size))
    for kernel, column, discrete in zip(kernels, values, is_discrete, strict=True):
        _fill(kernel, column, discrete)
    flat = kernels.reshape(len(values), -1)
    products += flat @ flat.T
    traces = np.trace(kernels, axis1=2, axis2=3)
    shared += traces @ traces.T / (size - 1)


def _fill(kernel: Floats, values: Floats, discrete: bool) -> None:
    """Write the centred kernels of norm 1 of one column: values (n_blocks, size) to kernel (n_blocks, size, size)."""
    if discrete:
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


def draw_blocks(groups: Sequence[Rows], sizes: Sequence[int], n_blocks: int, generator: np.random.Generator) -> Rows:
    """Draw blocks with so many rows of every group; no block has a row twice.

    A group is shuffled and cut; where it is used up it is shuffled again, and its rows come back in other company.

    Examples
    --------
    >>> draw_blocks([np.arange(8), np.arange(8, 10)], [3, 1], 4, np.random.default_rng(0)).shape
    (4, 4)
    """
    return np.hstack([_cut(rows, size, n_blocks, generator) for rows, size in zip(groups, sizes, strict=True)])


def _cut(rows: Rows, size: int, n_blocks: int, generator: np.random.Generator) -> Rows:
    n_pieces = len(rows) // size
    n_rounds = -(-n_blocks // n_pieces)
    rounds = [generator.permutation(rows)[: n_pieces * size] for _ in range(n_rounds)]
    return np.concatenate(rounds).reshape(-1, size)[:n_blocks]


def weight_path(products: Floats) -> Floats:
    """Weights of the columns, none of them negative, at every knot of the Lasso path: shape (n_knots, n_columns).

    Examples
    --------
    >>> weight_path(np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.2], [0.5, 0.2, 1.0]])).round(3).tolist()
    [[0.0, 0.0], [0.3, 0.0], [0.5, 0.2]]
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of two equal columns one stays out: as it should
        _, _, weights = lars_path_gram(
            Xy=products[:-1, -1], Gram=products[:-1, :-1], n_samples=1, method="lasso", positive=True
        )
    return np.asarray(weights.T, dtype=np.float64)


def last_knot(path: Floats, n_wanted: int) -> Floats:
    """Weights at the last knot of a path with at most so many columns.

    Examples
    --------
    >>> last_knot(np.array([[0.0, 0.0], [0.3, 0.0], [0.5, 0.2]]), 1).tolist()
    [0.3, 0.0]
    """
    knot: Floats = path[np.flatnonzero(np.count_nonzero(path, axis=1) <= n_wanted)[-1]]
    return knot


def held_out_errors(path: Floats, train: KernelProducts, test: KernelProducts) -> Floats:
    """Squared error in the target's kernel on other rows, for 0, 1, ... columns of a path: shape (n_columns + 1,).

    The columns of a knot are fitted anew by least squares, because the penalty shrinks a short list the most. Both
    fit and error leave out what independent columns have in common: with it, noise would lower the error.
    """
    n_columns = path.shape[1]
    seen, unseen = train.unbiased, test.unbiased
    errors = np.empty(n_columns + 1)
    for n_wanted in range(n_columns + 1):
        chosen = np.flatnonzero(last_knot(path, n_wanted))
        fitted = np.linalg.lstsq(seen[np.ix_(chosen, chosen)], seen[chosen, -1], rcond=None)[0]
        residual = np.append(-fitted, 1.0)  # the target's kernel less the fitted ones
        involved = np.append(chosen, n_columns)
        errors[n_wanted] = residual @ unseen[np.ix_(involved, involved)] @ residual
    return errors


def fewest_within_one_error(errors: Floats) -> int:
    """Lowest place whose mean over folds is within one standard error of the least; errors (n_folds, n_places).

    The standard error is of the difference to the least, fold by fold: the folds' own level does not count.

    Examples
    --------
    >>> fewest_within_one_error(np.array([[1.0, 0.5, 0.4], [2.0, 1.4, 1.5]]))
    1
    """
    excess = errors - errors[:, [errors.mean(axis=0).argmin()]]
    noise = excess.std(axis=0, ddof=1) / np.sqrt(len(errors))
    return int(np.flatnonzero(excess.mean(axis=0) <= noise)[0])
