"""Rows of a fold as plain arrays, for critics that are not neural networks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator, Tensor

from minerva_select.config import JUDGE
from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.fold import Fold, Target
from minerva_select.mi.sampling import draw_stratified


@dataclass(frozen=True, eq=False)
class ArrayTarget:
    """Target of the rows of a fold, as classes or as normal scores in intervals."""

    bins: NDArray[np.int64]  # (n_rows,)
    log_prior: NDArray[np.float64]  # (n_bins,)
    is_discrete: bool
    is_ordered: bool  # whether the bins are intervals or values of one numeric column

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return len(self.log_prior)

    @property
    def is_class(self) -> bool:
        """Whether to predict classes; otherwise the target is a number with an order."""
        return self.is_discrete and self.n_bins <= JUDGE.max_classes

    @cached_property
    def edges(self) -> NDArray[np.float64]:  # (n_bins + 1,)
        """Normal scores between the bins, in the order of the bins."""
        from scipy.special import ndtri  # noqa: PLC0415

        shares = np.exp(self.log_prior)
        edges: NDArray[np.float64] = ndtri(np.concatenate([[0.0], np.cumsum(shares / shares.sum())]).clip(0.0, 1.0))
        return edges

    @cached_property
    def scores(self) -> NDArray[np.float64]:  # (n_bins,)
        """Normal score of the middle of each bin."""
        from scipy.special import ndtri  # noqa: PLC0415

        shares = np.exp(self.log_prior)
        shares = shares / shares.sum()
        scores: NDArray[np.float64] = ndtri((np.cumsum(shares) - shares / 2).clip(1e-6, 1 - 1e-6))
        return scores


@dataclass(frozen=True, eq=False)
class FoldArrays:
    """All columns of the rows of one fold that array critics use: training and tuning rows, then held-out rows."""

    x: Rows  # (n_rows, n_features) in the memory of the CPU
    is_categorical: NDArray[np.bool_]  # (n_features,)
    target: ArrayTarget
    weights: NDArray[np.float64]  # (n_rows,)
    members: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]  # training and tuning positions of each member
    held_out: NDArray[np.int64]  # positions

    @cached_property
    def values(self) -> NDArray[np.float32]:  # (n_rows, n_features)
        """Quantiles (NaN: missing) or codes of all features; takes much time and memory if there are many."""
        return np.ascontiguousarray(self.read(np.arange(self.x.layout.n_features)))

    def read(
        self, features: NDArray[np.int64], rows: NDArray[np.int64] | slice = slice(None)
    ) -> NDArray[np.float32]:  # (n_rows, n_features)
        """Quantiles or codes of some features, in their order; of all rows or those at these positions."""
        values = np.empty((len(self.weights[rows]), len(features)), dtype=np.float32, order="F")
        for k, feature in enumerate(features):
            values[:, k] = self._column(int(feature))[rows]
        return values

    def column(self, feature: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:  # (n_rows,)
        """Quantiles or codes of one feature."""
        return self._column(feature)[rows].astype(np.float32, copy=False)

    def _column(self, feature: int) -> NDArray[Any]:
        quantiles, codes = self._tables
        k, n_numeric = int(self._columns[feature]), quantiles.shape[1]
        return quantiles[:, k] if k < n_numeric else codes[:, k - n_numeric]

    @cached_property
    def _tables(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self.x.quantiles.numpy(), self.x.codes.numpy()

    @cached_property
    def _columns(self) -> NDArray[np.int64]:  # (n_features,)
        """Column of each feature: numeric ones first."""
        return np.argsort(self.x.layout.positions)

    @cached_property
    def learnable(self) -> NDArray[np.int64]:
        """Positions of all rows that are not held out."""
        return np.unique(np.concatenate([rows for member in self.members for rows in member]))


@dataclass(frozen=True, eq=False)
class ArrayFit:
    """A critic of one member: pointwise information of rows that it did not train on."""

    tuning: NDArray[np.float64]  # of the member's tuning rows
    measure: Callable[[], NDArray[np.float64]]  # computes that of the held-out rows
    importances: Callable[[], NDArray[np.float64]]  # of each column, to the critic
    refit: Callable[[], NDArray[np.float64]] | None = None  # information of held-out rows, by a fit to all other rows
    n_rounds: int = 0  # of boosting

    @classmethod
    def of_nothing(cls, n_tuning: int, n_held_out: int, n_features: int) -> ArrayFit:
        """A critic that has learned nothing."""
        return cls(np.zeros(n_tuning), lambda: np.zeros(n_held_out), lambda: np.zeros(n_features))


@contextmanager
def quiet_fit() -> Iterator[None]:
    """Silence what scikit-learn says of a fit that the tuning rows judge anyway."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - takes half a second

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="The number of unique classes")  # of few rows with many classes
        yield


@dataclass(frozen=True, eq=False)
class PermutedRows:
    """Rows that a permutation importance is measured on, and the rows that their permuted values come from."""

    rows: NDArray[np.int64]
    others: NDArray[np.int64]
    weights: NDArray[np.float64]  # of the rows

    @classmethod
    def draw(cls, arrays: FoldArrays, rows: NDArray[np.int64], seed: int, max_rows: int) -> PermutedRows:
        """Draw them from some rows of a fold; of many rows, a sample with rare classes whole."""
        if len(rows) > max_rows and arrays.target.is_class:
            bins, generator = torch.from_numpy(arrays.target.bins[rows]), Generator().manual_seed(seed)
            chosen, share = (values.numpy() for values in draw_stratified(bins, max_rows, generator))
            weights, chance = arrays.weights[rows], np.random.default_rng(seed).random(len(chosen))
            shares = weights.cumsum() / weights.sum()  # the sample has too many rows of rare classes to draw from
            return cls(rows[chosen], rows[np.searchsorted(shares, chance)], weights[chosen] / share)
        rng = np.random.default_rng(seed)
        own = rows[rng.permutation(len(rows))[:max_rows]]
        return cls(own, rng.permutation(own), arrays.weights[own])


def read_arrays(fold: Fold, generator: Generator, max_rows: int = JUDGE.max_training_rows) -> FoldArrays:
    """Copy the rows of a fold into arrays: of many training rows, a sample with rare classes whole."""
    n_members = n_array_members(fold)
    weights = fold.row_weights.clone()
    train = [_draw(fold, rows, max_rows, weights, generator) for rows in fold.train[:n_members]]
    tune = fold.tune[:n_members]
    parts = [*train, *tune, fold.held_out]
    rows, index = torch.cat(parts).unique(return_inverse=True)
    positions = np.split(index.cpu().numpy(), np.cumsum([len(part) for part in parts])[:-1])
    x, places = fold.sharding.gather_rows(fold.x, rows[None])
    block = x.take(places[0]).to(torch.device("cpu"))
    layout = block.layout
    is_categorical = np.zeros(layout.n_features, dtype=bool)
    is_categorical[list(layout.positions[layout.n_numeric :])] = True
    return FoldArrays(
        block,
        is_categorical,
        _read_target(fold, rows),
        weights[rows].double().cpu().numpy(),
        tuple(zip(positions[:n_members], positions[n_members:-1], strict=True)),
        positions[-1],
    )


def n_array_members(fold: Fold) -> int:
    """Number of members of a fold that array critics use: a single one if it has many rows."""
    return 1 if len(fold.held_out) + len(fold.train[0]) >= JUDGE.many_rows else len(fold.train)


def shared_tuning_rows(fold: Fold) -> Tensor:
    """Tuning rows that critics of all families have; they are the first ones of the fold."""
    return torch.cat(fold.tune[: n_array_members(fold)])


def is_supported(target: Target) -> bool:
    """Whether array critics can predict a target: a few classes, or one number."""
    n_bins = len(target.log_prior)
    return (target.is_discrete and n_bins <= JUDGE.max_classes) or _is_ordered(target)


def _is_ordered(target: Target) -> bool:
    """Whether the bins are intervals or values of one numeric column."""
    quantiles, codes = target.bin_rows.quantiles, target.bin_rows.codes
    return quantiles.shape[1] == 1 and codes.shape[1] == 0 and not bool(quantiles.isnan().any())


def _read_target(fold: Fold, rows: Tensor) -> ArrayTarget:
    target = fold.target
    return ArrayTarget(
        target.bins[rows].cpu().numpy(),
        target.log_prior.double().cpu().numpy(),
        target.is_discrete,
        _is_ordered(target),
    )


def _draw(fold: Fold, rows: Tensor, max_rows: int, weights: Tensor, generator: Generator) -> Tensor:
    """Draw rows if there are too many; each gets the weight of those that it represents."""
    if len(rows) <= max_rows:
        return rows
    chosen, share = draw_stratified(fold.target.bins[rows], max_rows, generator)
    weights[rows[chosen]] /= share
    return rows[chosen]
