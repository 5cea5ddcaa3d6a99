"""The target by the bins of a column: as observed, and given the other columns by accumulated local effects.

The effect given the other columns is that of boosted trees on held-out rows (Apley and Zhu, 2020): the change of the
prediction between neighboring bins, for the rows of both bins only, accumulated. It needs no rows with combinations of
values that do not occur, as partial dependence does. What the trees miss, such as a part of the effect of one of two
correlated columns, is corrected by a regression of their residuals on the bins of all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import EFFECTS, JUDGE
from minerva_select.mi.tree_models import LabeledRows, TreeModel, TreeSettings, fit_trees

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BinMeans:
    """Means by bin with their covariance, one table per outcome."""

    mean: Floats  # (n_bins, n_outcomes); NaN in bins without rows
    covariance: Floats  # (n_outcomes, n_bins, n_bins)
    n_effective: Floats  # (n_bins,) independent rows of equal weight with as much information

    @property
    def standard_error(self) -> Floats:  # (n_bins, n_outcomes)
        """Standard error of each mean."""
        errors: Floats = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2)).T
        return errors


def means_by_bin(
    values: Floats, index: Indices, n_bins: int, weights: Floats, clusters: Indices | None = None
) -> BinMeans:
    """Weighted mean of each column of values by bin; rows of a cluster count as one observation.

    The variance within a bin is mixed with that of all bins, so that a bin with a few equal values is not certain.
    """
    if clusters is None:
        groups, bin_of_group = np.arange(len(index)), index
    else:
        distinct, groups = np.unique(index * (int(clusters.max()) + 1) + clusters, return_inverse=True)
        bin_of_group = distinct // (int(clusters.max()) + 1)
    own = np.bincount(groups, weights, len(bin_of_group))
    total = np.bincount(index, weights, n_bins)
    n_effective = _ratio(total**2, np.bincount(bin_of_group, own**2, n_bins))
    mean, covariance = np.full((n_bins, values.shape[1]), np.nan), np.zeros((values.shape[1], n_bins, n_bins))
    for outcome, column in enumerate(values.T):
        mean[:, outcome] = _ratio(np.bincount(index, weights * column, n_bins), total)
        deviations = np.bincount(groups, weights * (column - mean[index, outcome]), len(bin_of_group))
        squares = np.bincount(bin_of_group, deviations**2, n_bins)
        within = _ratio(squares, total**2) * n_effective  # variance of one effective row
        pooled = float(np.average(within, weights=total))
        within = (n_effective * within + EFFECTS.prior_rows * pooled) / (n_effective + EFFECTS.prior_rows)
        np.fill_diagonal(covariance[outcome], _ratio(within, n_effective))
    mean[total == 0] = np.nan
    return BinMeans(mean, covariance, n_effective)


@dataclass(frozen=True, eq=False)
class EffectRows:
    """Rows of a table as trees read them, and their target."""

    x: NDArray[np.float32]  # (n_rows, n_features) bins of quantiles (NaN: missing) or codes
    is_categorical: NDArray[np.bool_]  # (n_features,)
    y: Floats  # (n_rows, n_outcomes) whether the row has the class, or numbers
    classes: Indices | None  # (n_rows,) index of the outcome, or n_outcomes for all other classes; None for numbers
    weights: Floats
    clusters: Indices | None = None


@dataclass(frozen=True, eq=False)
class FittedFold:
    """Trees, and rows that they were not fitted to."""

    model: TreeModel
    classes: Indices  # that the trees predict
    rows: Indices
    weights: Floats  # of these rows; if they were drawn, each stands for several

    def predict(self, x: NDArray[np.float32], n_outcomes: int) -> Floats:  # (n_rows, n_outcomes)
        """Probability of each outcome, or predicted numbers."""
        predicted = self.model.predict(x)
        if predicted.ndim == 1:
            return predicted[:, None]
        probability = np.zeros((len(x), n_outcomes + 1))
        probability[:, self.classes] = predicted
        return probability[:, :n_outcomes]


def fit_fold(rows: EffectRows, train: Indices, tune: Indices, held_out: Indices, seed: int) -> FittedFold | None:
    """Fit trees to the training rows, until the loss on the tuning rows stops falling; None if they have one class."""
    classes = np.empty(0, dtype=np.int64) if rows.classes is None else np.unique(rows.classes[train])
    if not len(train) or not len(held_out) or len(classes) == 1:
        return None
    settings = TreeSettings(
        n_classes=len(classes),
        is_categorical=rows.is_categorical,
        n_leaves=max(n_leaves for n_rows, n_leaves in JUDGE.tree_leaves if len(train) >= n_rows),
        seed=seed,
    )

    def labeled(chosen: Indices) -> LabeledRows:
        if rows.classes is None:
            return LabeledRows(rows.x[chosen], rows.y[chosen, 0], rows.weights[chosen])
        chosen = chosen[np.isin(rows.classes[chosen], classes)]
        return LabeledRows(rows.x[chosen], np.searchsorted(classes, rows.classes[chosen]), rows.weights[chosen])

    tuning = labeled(tune)
    n_rounds = min(EFFECTS.max_rounds, settings.max_rounds)
    model = fit_trees(settings, labeled(train), tuning if len(tuning) else None, n_rounds)
    return FittedFold(model, classes, held_out, rows.weights[held_out])


def residuals_by_bin(
    rows: EffectRows, folds: Sequence[FittedFold], binned: Sequence[tuple[Indices, int]]
) -> list[BinMeans]:
    """Regress the residuals of all folds on the bins of all columns, each given with its number of bins.

    A weak ridge penalty draws the coefficients to 0, which means that the trees are right.
    """
    evaluated = np.concatenate([fold.rows for fold in folds])
    weights = np.concatenate([fold.weights for fold in folds])
    predicted = np.concatenate([fold.predict(rows.x[fold.rows], rows.y.shape[1]) for fold in folds])
    residuals = rows.y[evaluated] - predicted
    residuals -= np.average(residuals, weights=weights, axis=0)
    sizes = [n_bins for _, n_bins in binned]
    starts = np.cumsum([0, *sizes])
    design = np.zeros((len(evaluated), starts[-1]))
    for (index, _), start in zip(binned, starts[:-1], strict=True):
        design[np.arange(len(evaluated)), start + index[evaluated]] = 1.0
    penalty = EFFECTS.prior_rows * weights.mean()
    inverse = np.linalg.inv((design * weights[:, None]).T @ design + penalty * np.eye(starts[-1]))
    coefficients = inverse @ (design * weights[:, None]).T @ residuals
    errors = residuals - design @ coefficients
    n_effective = _ratio((design.T @ weights) ** 2, design.T @ weights**2)
    spread = [
        inverse @ _outer(design * (weights * column)[:, None], rows.clusters, evaluated) @ inverse
        for column in errors.T
    ]
    # A bin with a few equal residuals is not certain
    pooled = np.average(errors**2, weights=weights, axis=0)
    unsure = _ratio(EFFECTS.prior_rows, n_effective * (n_effective + EFFECTS.prior_rows))
    found = []
    for start, size in zip(starts[:-1], sizes, strict=True):
        own = slice(start, start + size)
        covariance = [one[own, own] + np.diag(unsure[own] * level) for one, level in zip(spread, pooled, strict=True)]
        found.append(BinMeans(coefficients[own], np.array(covariance), n_effective[own]))
    return found


def _outer(scores: Floats, clusters: Indices | None, rows: Indices) -> Floats:
    """Sum of the squared scores of all rows, or of all clusters."""
    if clusters is not None:
        numbers = np.unique(clusters[rows], return_inverse=True)[1]
        order = np.argsort(numbers, kind="stable")
        scores = np.add.reduceat(scores[order], np.flatnonzero(np.diff(numbers[order], prepend=-1)), axis=0)
    product: Floats = scores.T @ scores
    return product


def adjusted_means(
    rows: EffectRows,
    folds: Sequence[FittedFold],
    feature: int,
    index: Indices,
    parent: Indices,
    residual: BinMeans,
) -> BinMeans:
    """Effect of a feature given the others, by bin: accumulated local effects on the rows of all folds.

    ``parent[b]`` is the neighbor from which bin b is reached, -1 for the first one; ``residual`` is added. The mean
    over all rows is 0.
    """
    n_bins, n_outcomes = len(parent), rows.y.shape[1]
    representative = _representatives(rows.x[:, feature], index, n_bins)
    edges = [(int(parent[child]), child) for child in range(n_bins) if parent[child] >= 0]
    steps, deviations = [_Steps() for _ in edges], []
    for fold in folds:
        bins = index[fold.rows]
        where = [np.flatnonzero((bins == start) | (bins == end)) for start, end in edges]
        others = [np.where(bins[at] == a, b, a) for at, (a, b) in zip(where, edges, strict=True)]
        at = np.concatenate([np.arange(len(bins)), *where])
        x = rows.x[fold.rows[at]]
        x[:, feature] = representative[np.concatenate([bins, *others])]
        predicted = fold.predict(np.concatenate([x, rows.x[fold.rows]]), n_outcomes)
        own, elsewhere, actual = np.split(predicted, [len(bins), len(at)])
        deviations.append(actual - own)  # of the rows from the middle of their bin
        stretches = np.split(elsewhere, np.cumsum([len(part) for part in where])[:-1]) if edges else []
        for step, part, moved, (start, _) in zip(steps, where, stretches, edges, strict=True):
            sign = np.where(bins[part] == start, 1.0, -1.0)[:, None]
            step.add(sign * (moved - own[part]), fold.weights[part])
    evaluated = np.concatenate([fold.rows for fold in folds])
    weights = np.concatenate([fold.weights for fold in folds])
    within = means_by_bin(np.concatenate(deviations), index[evaluated], n_bins, weights)
    found = BinMeans(within.mean + residual.mean, residual.covariance, within.n_effective)
    shares = np.bincount(index, rows.weights, n_bins).astype(np.float64)
    return _accumulate(found, steps, edges, shares)


@dataclass
class _Steps:
    """Changes of the prediction between two neighboring bins, by fold."""

    changes: list[Floats] = field(default_factory=list)  # each (n_rows, n_outcomes)
    weights: list[Floats] = field(default_factory=list)

    def add(self, changes: Floats, weights: Floats) -> None:
        """Add the rows of a fold, if there are any."""
        if len(changes):
            self.changes.append(changes)
            self.weights.append(weights)

    def mean(self, outcome: int) -> tuple[float, float]:
        """Mean change with its variance, within folds and between the models of the folds."""
        if not self.changes:
            return 0.0, 0.0
        values = np.concatenate([changes[:, outcome] for changes in self.changes])
        weights = np.concatenate(self.weights)
        mean = float(np.average(values, weights=weights))
        variance = float((weights**2 * (values - mean) ** 2).sum() / weights.sum() ** 2)
        pairs = zip(self.changes, self.weights, strict=True)
        by_fold = [float(np.average(changes[:, outcome], weights=own)) for changes, own in pairs]
        return mean, variance + (float(np.var(by_fold, ddof=1)) / len(by_fold) if len(by_fold) > 1 else 0.0)


def _representatives(x: NDArray[np.float32], index: Indices, n_bins: int) -> NDArray[np.float32]:
    """Middle value of each bin as the trees read it."""
    order = np.lexsort((x, index))
    starts = np.searchsorted(index[order], np.arange(n_bins))
    ends = np.searchsorted(index[order], np.arange(n_bins), side="right")
    middle = order[np.minimum((starts + ends) // 2, len(order) - 1)]
    found: NDArray[np.float32] = x[middle]
    return found


def _accumulate(residual: BinMeans, steps: Sequence[_Steps], edges: list[tuple[int, int]], shares: Floats) -> BinMeans:
    """Add the accumulated steps to the mean residuals; the mean over all rows becomes 0."""
    n_bins, n_outcomes = residual.mean.shape
    reach = np.zeros((n_bins, len(edges)))  # which steps lead to a bin
    done = set(range(n_bins)) - {child for _, child in edges}
    while len(done) < n_bins:
        for k, (start, child) in enumerate(edges):
            if start in done and child not in done:
                reach[child] = reach[start]
                reach[child, k] = 1.0
                done.add(child)
    shares = np.where(residual.n_effective > 0, shares, 0.0)
    center = np.eye(n_bins) - shares / shares.sum()
    mean, covariance = np.empty_like(residual.mean), np.empty_like(residual.covariance)
    for outcome in range(n_outcomes):
        found = np.array([step.mean(outcome) for step in steps]).reshape(len(steps), 2)
        mean[:, outcome] = center @ (reach @ found[:, 0] + np.nan_to_num(residual.mean[:, outcome]))
        spread = (reach * found[:, 1]) @ reach.T + residual.covariance[outcome]
        covariance[outcome] = center @ spread @ center.T
    mean[residual.n_effective == 0] = np.nan
    return BinMeans(mean, covariance, residual.n_effective)


def _ratio(value: NDArray[Any] | float, divisor: NDArray[Any]) -> Floats:
    """Quotient; 0 where the divisor is 0."""
    quotient: Floats = np.divide(value, divisor, out=np.zeros(divisor.shape), where=divisor > 0)
    return quotient
