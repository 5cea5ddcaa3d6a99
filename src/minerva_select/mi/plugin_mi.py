"""Plug-in estimates from counts: information of one or two columns on rows that were not counted.

A table of training rows, bins of the column by classes of the target, gives every held-out row its pointwise
information, and so a mean with a standard error. No model is fitted. Tuning rows are among those that are counted, and
are left out of their own counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.config import PLUGIN
from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.discretization import coarsen_target
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.stacking import FoldInformation


@dataclass(frozen=True, eq=False)
class _FoldRows:
    """Counted training rows of a fold, followed by its tuning and its held-out rows."""

    x: Rows
    classes: Tensor  # (n_rows,)
    weights: Tensor  # (n_rows,)
    n_counted: int
    n_tuning: int
    log_prior: Tensor  # (n_classes,)

    @property
    def tuning(self) -> slice:
        """Tuning rows."""
        return slice(self.n_counted, self.n_counted + self.n_tuning)

    @property
    def held_out(self) -> slice:
        """Held-out rows."""
        return slice(self.n_counted + self.n_tuning, None)


class PluginEstimator:
    """Tables of these features from the training rows of every fold, evaluated on its held-out rows."""

    def __init__(
        self, folds: Sequence[Fold], features: Sequence[int], max_counted_rows: int = PLUGIN.max_counted_rows
    ) -> None:
        self.index = {feature: k for k, feature in enumerate(features)}
        self.weights = held_out_weights(folds)
        self.clusters = held_out_clusters(folds)
        self.folds = [_take_rows(fold, list(features), max_counted_rows // len(folds)) for fold in folds]

    @property
    def target_entropy(self) -> float:
        """Entropy of the target's classes."""
        log_prior = self.folds[0].log_prior
        return -float((log_prior.exp() * log_prior).sum())

    def information(self, feature: int) -> list[FoldInformation]:
        """Pointwise information of one column in each fold; the number of bins is the one that fits best."""
        return [self._best_information(rows, feature) for rows in self.folds]

    def conditional(self, feature: int, given: int) -> tuple[MeanEstimate, MeanEstimate]:
        """Information of a coarsely binned column: marginal, and conditional on another column."""
        marginal, conditional = [], []
        for rows in self.folds:
            bins, given_bins = (self._bins(rows, column, PLUGIN.n_pair_bins) for column in (feature, given))
            marginal.append(_fit_table(rows, bins).held_out)
            joint = _fit_table(rows, given_bins * (int(bins.max()) + 1) + bins).held_out
            conditional.append(joint - _fit_table(rows, given_bins).held_out)
        return self._mean(marginal), self._mean(conditional)

    def mean(self, information: Sequence[FoldInformation]) -> MeanEstimate:
        """Mean over the held-out rows."""
        return self._mean([one.held_out for one in information])

    def similarity(self, first: int, second: int) -> float:
        """Normalized mutual information of two columns: over the larger of their entropies."""
        rows = self.folds[0]
        a, b = (self._bins(rows, feature, PLUGIN.n_pair_bins)[: rows.n_counted] for feature in (first, second))
        joint = a * (int(b.max()) + 1) + b
        entropies = [_entropy(bins) for bins in (a, b, joint)]
        largest = max(entropies[:2])
        return (entropies[0] + entropies[1] - entropies[2]) / largest if largest > 0 else 0.0

    def _mean(self, information: list[Tensor]) -> MeanEstimate:
        return estimate_mean(torch.cat(information), self.weights, self.clusters)

    def _best_information(self, rows: _FoldRows, feature: int) -> FoldInformation:
        tables = (_fit_table(rows, self._bins(rows, feature, n_bins)) for n_bins in PLUGIN.bin_counts)
        best = max(tables, key=lambda table: table.likelihood)
        return FoldInformation.of_values(best.tuning, best.held_out)

    def _bins(self, rows: _FoldRows, feature: int, n_bins: int) -> Tensor:  # (n_rows,) int64
        """Bin a numeric column, or merge the rare levels of a categorical one; 0 is missing."""
        values = rows.x.column(self.index[feature])
        if values.dtype.is_floating_point:
            bins = (values.nan_to_num(0.0) * n_bins).long().clamp(0, n_bins - 1) + 1
            return bins.masked_fill(values.isnan(), 0)
        return values.long().clamp(max=n_bins)


def _take_rows(fold: Fold, features: list[int], max_counted_rows: int) -> _FoldRows:
    train = fold.all_training_rows
    train = train[:: max(1, math.ceil(len(train) / max_counted_rows))]
    tune = shared_tuning_rows(fold)
    rows = torch.cat([train, tune, fold.held_out])
    # Few rows and columns, so that every rank can have them all
    x, places = fold.sharding.gather_rows(fold.x.select(features), rows[None])
    target = fold.target
    classes = torch.arange(len(target.log_prior), device=rows.device)
    if not target.is_discrete:
        classes = coarsen_target(classes, target.order, PLUGIN.max_classes)
    prior = torch.zeros(int(classes.max()) + 1, device=rows.device).index_add_(0, classes, target.log_prior.exp())
    weights = fold.row_weights[rows]
    return _FoldRows(x.take(places[0]), classes[target.bins[rows]], weights, len(train), len(tune), prior.log())


@dataclass(frozen=True, eq=False)
class _Table:
    """Counts of training rows as a conditional distribution of the target."""

    likelihood: float  # leave-one-out log likelihood of the counted rows
    tuning: Tensor  # pointwise information of the tuning rows, each left out of the counts
    held_out: Tensor  # pointwise information of the held-out rows


def _fit_table(rows: _FoldRows, bins: Tensor) -> _Table:
    """Count the training rows.

    Rows of the prior are mixed into every cell, so that cells with few rows carry little information. Their number is
    the one with the best likelihood.
    """
    n_classes = len(rows.log_prior)
    cells = bins * n_classes + rows.classes
    size = (int(bins.max()) + 1) * n_classes
    weights = rows.weights[: rows.n_counted].double()
    counts = torch.bincount(cells[: rows.n_counted], weights, minlength=size).view(-1, n_classes)
    prior, totals = rows.log_prior.double().exp(), counts.sum(1, keepdim=True)
    best: tuple[float, Tensor, Tensor] | None = None
    for n_prior in PLUGIN.prior_rows:
        left_out = ((counts - 1).clamp(min=0) + n_prior * prior) / ((totals - 1).clamp(min=0) + n_prior)
        likelihood = float(torch.xlogy(counts, left_out).sum())
        if best is None or likelihood > best[0]:
            best = likelihood, left_out, (counts + n_prior * prior) / (totals + n_prior)
    assert best is not None
    tuning, held_out = ((one.log() - rows.log_prior).float().flatten() for one in best[1:])
    return _Table(best[0], tuning[cells[rows.tuning]], held_out[cells[rows.held_out]])


def _entropy(bins: Tensor) -> float:
    shares = torch.bincount(bins).double() / len(bins)
    return -float(torch.xlogy(shares, shares).sum())
