"""What counts tell: information of one column, or of two, on rows that were not counted.

A critic answers for all columns at once; how much one column tells alone needs no network. A table of the training
rows, cells of the column by classes of the target, gives every held-out row its information, and so a mean with an
error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows
from minerva_select.mi.cross_fit import Fold, held_out_clusters
from minerva_select.mi.discretization import coarsen_target
from minerva_select.mi.inference import MeanEstimate, estimate_mean

MAX_COUNTED = 100_000  # training rows that are counted, of all folds
MAX_CLASSES = 32  # classes of a continuous target
FINE = (8, 32, 128)  # cells of one column that are tried
COARSE = 12  # cells of a column beside another
_MASSES = (1.0, 8.0, 64.0)  # how many rows of the prior are mixed into a cell


@dataclass(frozen=True, eq=False)
class _Part:
    """Rows of one fold: those that are counted, then those that are judged."""

    x: Rows
    classes: Tensor  # (n_rows,)
    weights: Tensor  # (n_rows,)
    n_counted: int
    log_prior: Tensor  # (n_classes,)


class PluginEstimator:
    """Tables of a few features, from the training rows of every fold, read at its vetting rows.

    Parameters
    ----------
    folds
        Who may see which rows.
    features
        Columns that will be asked for.
    max_counted
        Training rows to count, of all folds.
    """

    def __init__(self, folds: Sequence[Fold], features: Sequence[int], max_counted: int = MAX_COUNTED) -> None:
        self.place = {feature: k for k, feature in enumerate(features)}
        self.weights = torch.cat([fold.row_weights[fold.held_out] for fold in folds])
        self.clusters = held_out_clusters(folds)
        self.parts = [_part(fold, list(features), max_counted // len(folds)) for fold in folds]

    @property
    def entropy(self) -> float:
        """Entropy of the classes of the target."""
        log_prior = self.parts[0].log_prior
        return -float((log_prior.exp() * log_prior).sum())

    def estimate_mean(self, information: Tensor) -> MeanEstimate:
        """Mean over the vetting rows."""
        return estimate_mean(information, self.weights, self.clusters)

    def alone(self, feature: int) -> MeanEstimate:
        """Information of one column, in as many cells as the training rows can fill."""
        return self.estimate_mean(torch.cat([self._best(part, feature) for part in self.parts]))

    def estimate_conditional(self, feature: int, known: int) -> tuple[MeanEstimate, MeanEstimate]:
        """Information of a column in few cells: alone, and beyond what another column tells."""
        alone, beyond = [], []
        for part in self.parts:
            cells, given = self._cells(part, feature, COARSE), self._cells(part, known, COARSE)
            alone.append(_read(part, cells)[1])
            beyond.append(_read(part, given * (int(cells.max()) + 1) + cells)[1] - _read(part, given)[1])
        return self.estimate_mean(torch.cat(alone)), self.estimate_mean(torch.cat(beyond))

    def normalized_information(self, first: int, second: int) -> float:
        """How nearly two columns say the same: their mutual information over the larger of their entropies."""
        part = self.parts[0]
        a, b = (self._cells(part, feature, COARSE)[: part.n_counted] for feature in (first, second))
        joint = a * (int(b.max()) + 1) + b
        entropies = [_entropy(cells) for cells in (a, b, joint)]
        largest = max(entropies[:2])
        return (entropies[0] + entropies[1] - entropies[2]) / largest if largest > 0 else 0.0

    def _best(self, part: _Part, feature: int) -> Tensor:
        """Information of the judged rows with the number of cells that serves the counted rows best."""
        tried = [_read(part, self._cells(part, feature, n_cells)) for n_cells in FINE]
        return max(tried, key=lambda one: one[0])[1]

    def _cells(self, part: _Part, feature: int, n_cells: int) -> Tensor:  # (n_rows,) int64
        """A column as few codes: bins of ranks or frequent levels, and one for missing."""
        values = part.x.column(self.place[feature])
        if values.dtype.is_floating_point:
            bins = (values.nan_to_num(0.0) * n_cells).long().clamp(0, n_cells - 1) + 1
            return bins.masked_fill(values.isnan(), 0)
        return values.long().clamp(max=n_cells)


def _part(fold: Fold, features: list[int], max_counted: int) -> _Part:
    train = torch.cat(fold.train).unique() if len(fold.train) > 1 else fold.train[0]
    train = train[:: max(1, math.ceil(len(train) / max_counted))]
    rows = torch.cat([train, fold.held_out])
    x, places = fold.sharding.gather_rows(
        fold.x.select(features), rows[None]
    )  # few rows and columns: every rank has them all
    target = fold.target
    n_bins = len(target.log_prior)
    classes = torch.arange(n_bins, device=rows.device)
    if not target.is_discrete:
        classes = coarsen_target(classes, target.order, MAX_CLASSES)
    prior = torch.zeros(int(classes.max()) + 1, device=rows.device).index_add_(0, classes, target.log_prior.exp())
    return _Part(x.take(places[0]), classes[target.bins[rows]], fold.row_weights[rows], len(train), prior.log())


def _read(part: _Part, cells: Tensor) -> tuple[float, Tensor]:
    """What a table of the counted rows is worth to these rows themselves, each left out in turn, and tells the others.

    Every cell holds some rows of the prior beside its own, so that one with few rows tells little; how many is chosen
    by the rows that were counted.
    """
    n_classes = len(part.log_prior)
    places = cells * n_classes + part.classes
    counted, judged = places[: part.n_counted], slice(part.n_counted, None)
    size = (int(cells.max()) + 1) * n_classes
    counts = torch.bincount(counted, part.weights[: part.n_counted].double(), minlength=size).view(-1, n_classes)
    prior, totals = part.log_prior.double().exp(), counts.sum(1, keepdim=True)
    best: tuple[float, Tensor] | None = None
    for mass in _MASSES:
        left_out = ((counts - 1).clamp(min=0) + mass * prior) / ((totals - 1).clamp(min=0) + mass)
        worth = float(torch.xlogy(counts, left_out).sum())
        if best is None or worth > best[0]:
            best = worth, ((counts + mass * prior) / (totals + mass)).log() - part.log_prior
    assert best is not None
    return best[0], best[1].float().flatten()[places[judged]]


def _entropy(cells: Tensor) -> float:
    shares = torch.bincount(cells).double() / len(cells)
    return -float(torch.xlogy(shares, shares).sum())
