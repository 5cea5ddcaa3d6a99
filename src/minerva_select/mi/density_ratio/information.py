"""Mutual information of two sides from their density ratio: an estimate, and how far it may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from minerva_select.mi.density_ratio.cross_fit import cross_fit
from minerva_select.mi.density_ratio.fold import FoldInformation, FoldRows
from minerva_select.mi.density_ratio.gaussian_bound import gaussian_bound
from minerva_select.mi.density_ratio.neighbors import clear_excess, neighbor_information
from minerva_select.mi.density_ratio.pair_grids import is_pair
from minerva_select.mi.density_ratio.side import Side


@dataclass(frozen=True, eq=False)
class RatioEstimate:
    """An estimate of mutual information, with what its interval is made of."""

    nats: float
    pointwise: Tensor  # information of every held-out row, fold after fold
    bound: float  # their mean: a lower bound in expectation
    excess: float  # the part of the estimate that nearest neighbors add
    learned: float  # the part of the estimate that no closed form of the columns alone finds
    spread: float  # standard error of the estimate by the folds alone
    known_lacks: float = 0.0  # what may be missing in an estimate that was subtracted

    def __sub__(self, other: RatioEstimate) -> RatioEstimate:
        """What the first sides share beyond the second ones, on the same held-out rows."""
        return RatioEstimate(
            self.nats - other.nats,
            self.pointwise - other.pointwise,
            self.bound - other.bound,
            self.excess - other.excess,
            self.learned + other.learned,
            float(np.hypot(self.spread, other.spread)),
            max(0.0, other.nats - other.bound),
        )


def estimate_information(
    x: Side,
    y: Side,
    splits: Sequence[FoldRows],
    groups: NDArray[np.int64] | None,
    rng: np.random.Generator,
    generator: torch.Generator,
) -> RatioEstimate:
    """Estimate the mutual information of two sides.

    A bound on held-out rows is too small, since the density ratio is fitted to few rows; on training rows it is too
    large by about as much. The estimate is the mean of both. If the best closed form is Gaussian, its optimism is known
    exactly, and all rows are used. Of two columns, nearest neighbors may find more; of every group, they read one row.
    """
    folds = cross_fit(x, y, splits, rng, generator)
    exact = None
    if all(fold.is_gaussian for fold in folds):
        exact = gaussian_bound(x, y)
    weights = np.array([len(fold.closed) for fold in folds], dtype=np.float64)
    weights /= weights.sum()
    added = np.array([_added(fold) for fold in folds])
    added -= min(0.0, float(added @ weights))  # a mixture that finds less says nothing about the closed form
    by_fold = added + np.array([_closed(fold) if exact is None else exact for fold in folds])
    pointwise = torch.cat([fold.mixed for fold in folds])
    spread = float(np.sqrt((weights**2 * (by_fold - by_fold @ weights) ** 2).sum())) if len(folds) > 1 else 0.0
    nats = float(by_fold @ weights)
    excess = _neighbors_excess(x, y, splits, pointwise, nats, groups, rng) if is_pair(x, y) else 0.0
    learned = max(0.0, nats - float(np.array([fold.plain for fold in folds]) @ weights))
    return RatioEstimate(nats + excess, pointwise, float(pointwise.mean()), excess, learned, spread)


def _neighbors_excess(
    x: Side,
    y: Side,
    splits: Sequence[FoldRows],
    pointwise: Tensor,
    nats: float,
    groups: NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> float:
    """How much more nearest neighbors find. Copies of a row would be neighbors of each other."""
    rows = np.arange(x.n_rows) if groups is None else np.unique(groups, return_index=True)[1]
    found = neighbor_information(x.take_rows(rows), y.take_rows(rows), rng)
    if found is None:
        return 0.0
    neighbors = np.full(x.n_rows, np.nan)
    neighbors[rows] = found
    neighbors = neighbors[np.concatenate([own.held_out for own in splits])]
    is_used = ~np.isnan(neighbors)
    return clear_excess(neighbors[is_used], pointwise.numpy()[is_used], nats) if is_used.any() else 0.0


def _closed(fold: FoldInformation) -> float:
    """Information of the closed form, between training and held-out rows."""
    held_out = float(fold.closed.mean())
    return held_out + _half_gap(held_out, fold.closed_in_training)


def _added(fold: FoldInformation) -> float:
    """What critics and trees add to the closed form, between training and held-out rows."""
    held_out = float(fold.mixed.mean() - fold.closed.mean())
    return held_out + _half_gap(held_out, fold.mixed_in_training - fold.closed_in_training)


def _half_gap(held_out: float, in_training: float) -> float:
    """Half the difference between training and held-out rows, but no more than is found on held-out rows.

    What fits noise alone finds something on training rows only.
    """
    return min(max(0.0, in_training - held_out) / 2, max(0.0, held_out))
