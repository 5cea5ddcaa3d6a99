"""How the target goes with each kept feature: bins, observed and adjusted curves, and the map of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import BinKind, EffectShape
from minerva_select.config import EFFECTS, INFERENCE, JUDGE
from minerva_select.preprocessing.effect_bins import BinnedColumn, bin_column
from minerva_select.preprocessing.tree_bins import encode_for_trees
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.results import EffectCurve, EffectPoint, Effects, FeatureEffect, FeatureResult, PairMap, PairResult
from minerva_select.schema import Column, Table
from minerva_select.selectors.fit_context import FitContext
from minerva_select.selectors.fold_splits import RowSplit
from minerva_select.selectors.row_sample import sample_rows
from minerva_select.solvers.local_effects import (
    BinMeans,
    EffectRows,
    FittedFold,
    adjusted_means,
    fit_fold,
    means_by_bin,
    residuals_by_bin,
)
from minerva_select.text.feature_order import sort_features

_NO_VARIANCE = 1e-300
_LARGEST = float(np.finfo(np.float64).max)

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]


def measure_effects(
    context: FitContext, splits: Sequence[RowSplit], results: Sequence[FeatureResult], pairs: Sequence[PairResult]
) -> Effects | None:
    """Measure how the target goes with each selected feature; None with several targets or without a feature.

    The observed means are of all rows, or of a sample; the adjusted ones of held-out rows, by models of other rows.
    """
    names = [one.feature for one in sort_features(results) if one.selected][: EFFECTS.max_features]
    if len(context.target.columns) != 1 or not names:
        return None
    sample = _draw(context)
    if sample is None:
        return None
    table = Table(tuple(column.take(sample.at) for column in context.table.select(names).columns), len(sample.at))
    target = context.target.columns[0].take(sample.rows)
    binned = [bin_column(column, sample.weights) for column in table.columns]
    y, outcomes, classes = _read_target(target, binned, sample.weights, is_class=context.target_types.is_discrete)
    unit = _unit(y)
    y = y / unit
    used = [k for k, name in enumerate(names) if name in context.order]
    order = sorted(used, key=lambda k: context.order.index(names[k]))  # the same model whatever the order of columns
    encoded = encode_for_trees(
        table.select([names[k] for k in order]), context.columns.column_types, JUDGE.tree_max_bins
    )
    rows = EffectRows(*encoded, y, classes, sample.weights, sample.clusters)
    folds = _fit_folds(rows, splits, sample, context) if len(order) > 1 else []
    observed = [means_by_bin(y, one.index, len(one.bins), sample.weights, sample.clusters) for one in binned]
    for k, one in enumerate(binned):
        binned[k], observed[k] = _sort_levels(one, observed[k])
    adjusted: dict[int, BinMeans] = {}
    if folds:
        residuals = residuals_by_bin(rows, folds, [(binned[k].index, len(binned[k].bins)) for k in order])
        for position, (k, residual) in enumerate(zip(order, residuals, strict=True)):
            neighbors = _find_neighbors(binned[k], observed[k].mean[:, 0])
            adjusted[k] = adjusted_means(rows, folds, position, binned[k].index, neighbors, residual)
    everything = means_by_bin(y, np.zeros(len(y), dtype=np.int64), 1, sample.weights, sample.clusters)
    effects = []
    for k, name in enumerate(names):
        curves = _make_curves(binned[k], observed[k], adjusted.get(k), everything, is_share=bool(outcomes))
        effects.append(FeatureEffect(name, binned[k].bins, curves))
    pair = _map_pair(names, table, pairs, rows, sample.weights)
    measured = Effects(tuple(outcomes), tuple(map(_number, everything.mean[0])), tuple(effects), len(sample.at), pair)
    return measured if unit == 1.0 else _convert(measured, unit)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows of the table of a fit: their positions in it, and among all rows."""

    at: Indices
    rows: Indices
    weights: Floats
    clusters: Indices | None


def _draw(context: FitContext) -> _Sample | None:
    """Draw rows with a target from those in memory; of many, a sample with rare classes whole."""
    target = context.target.columns[0]
    rows = np.arange(context.target.n_rows) if context.table_rows is None else context.table_rows.rows
    shares = np.ones(len(rows)) if context.table_rows is None else context.table_rows.shares
    at = np.flatnonzero(~target.missing[rows] & (context.weights[rows] > 0))
    if len(at) > EFFECTS.max_rows:
        strata = np.zeros(len(at), dtype=np.int64)
        if context.target_types.is_discrete:
            strata = np.unique(target.values[rows[at]], return_inverse=True)[1]
        drawn = sample_rows(strata, EFFECTS.max_rows)
        shares = shares.copy()
        shares[at[drawn.rows]] *= drawn.shares
        at = at[drawn.rows]
    if not len(at):
        return None
    chosen, groups = rows[at], context.row_metadata.groups
    weights = context.weights[chosen] / shares[at]
    clusters = None if groups is None else np.unique(groups[chosen], return_inverse=True)[1]
    return _Sample(at, chosen, weights / weights.mean(), clusters)


def _read_target(
    target: Column, binned: Sequence[BinnedColumn], weights: Floats, *, is_class: bool
) -> tuple[Floats, list[str], Indices | None]:
    """Outcomes of each row (n_rows, n_outcomes), their names, and the class of each row for the model."""
    if not is_class:
        return target.values.astype(np.float64)[:, None], [], None
    values, _ = count_values(target)
    names = [_class_name(value) for value in values]
    texts = target.values if target.levels is None else target.levels[target.values.astype(np.int64)]
    codes = np.searchsorted(values, texts)
    if len(names) <= 2:
        chosen = np.array([len(names) - 1])
    elif len(names) <= EFFECTS.max_outcomes:
        chosen = np.arange(len(names))
    else:
        changes = sum(_changes(codes, one, weights, len(names)) for one in binned)
        chosen = np.sort(np.argsort(-np.asarray(changes), kind="stable")[: EFFECTS.max_outcomes])
    y = (codes[:, None] == chosen).astype(np.float64)
    classes = np.where(y.any(axis=1), y.argmax(axis=1), len(chosen))
    return y, [names[k] for k in chosen], classes


def _unit(y: Floats) -> float:
    """Unit in which a target of extreme size is measured: its square would overflow, or be 0."""
    largest = float(np.abs(y).max())
    return 1.0 if largest == 0.0 or 1e-15 < largest < 1e15 else float(10.0 ** np.floor(np.log10(largest)))


def _convert(effects: Effects, unit: float) -> Effects:
    """Effects on a target that was measured in a unit. The end of an interval may exceed the largest float."""

    def number(value: float) -> float:
        return _number(min(max(value * unit, -_LARGEST), _LARGEST))

    def points(own: Sequence[EffectPoint | None]) -> tuple[Any, ...]:
        return tuple(None if p is None else EffectPoint(*map(number, astuple(p))) for p in own)

    def convert(one: FeatureEffect) -> FeatureEffect:
        curves = [replace(c, observed=points(c.observed), adjusted=points(c.adjusted)) for c in one.curves]
        return replace(one, curves=tuple(curves))

    pair = effects.pair
    if pair is not None:
        pair = replace(pair, values=tuple(tuple(None if v is None else number(v) for v in row) for row in pair.values))
    overall = tuple(map(number, effects.overall))
    return replace(effects, overall=overall, features=tuple(map(convert, effects.features)), pair=pair)


def _class_name(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def _changes(codes: Indices, binned: BinnedColumn, weights: Floats, n_classes: int) -> Floats:
    """Variance of the share of each class between the bins of a column."""
    n_bins = len(binned.bins)
    table = np.bincount(binned.index * n_classes + codes, weights, n_bins * n_classes).reshape(n_bins, n_classes)
    totals = table.sum(axis=1, keepdims=True)
    variance: Floats = (totals * (table / totals - table.sum(axis=0) / totals.sum()) ** 2).sum(axis=0) / totals.sum()
    return variance


def _fit_folds(rows: EffectRows, splits: Sequence[RowSplit], sample: _Sample, context: FitContext) -> list[FittedFold]:
    """Fit a model per fold to its training rows, to be evaluated on its held-out rows; none after the deadline."""
    n_features, n_folds = rows.x.shape[1], len(splits)
    n_evaluated = max(EFFECTS.min_evaluated_rows, EFFECTS.max_predictions // (3 * n_features * n_folds))
    place, strata = np.full(context.n_rows, -1), np.zeros(len(sample.at), dtype=np.int64)
    place[sample.rows] = np.arange(len(sample.rows))
    strata = strata if rows.classes is None else rows.classes

    def take(chosen: Indices, most: int, weights: Floats) -> Indices:
        """Positions in the sample of some rows of the fit; each of a few drawn ones gets the weight of several."""
        positions = place[chosen]
        positions = positions[positions >= 0]
        if len(positions) <= most:
            return positions
        drawn = sample_rows(strata[positions], most)
        weights[positions[drawn.rows]] = rows.weights[positions[drawn.rows]] / drawn.shares
        return positions[drawn.rows]

    found = []
    for split in splits:
        if context.deadline.expired:
            break
        train, tune = split.members[0]
        n_training = EFFECTS.max_training_rows // n_folds
        weights = rows.weights.copy()
        train, tune = take(train, n_training, weights), take(tune, n_training // 4, weights)
        held_out = take(split.held_out, n_evaluated, weights)
        found.append(fit_fold(replace(rows, weights=weights), train, tune, held_out, seed=0))
    return [fold for fold in found if fold is not None]


def _sort_levels(binned: BinnedColumn, observed: BinMeans) -> tuple[BinnedColumn, BinMeans]:
    """Sort levels, highest first; rare levels and missing values stay last. Numbers keep their order."""
    if binned.is_ordered:
        return binned, observed
    is_last = np.array([one.kind is not BinKind.LEVEL for one in binned.bins])
    order = np.lexsort((-observed.mean[:, 0], is_last))
    covariance = observed.covariance[:, order][:, :, order]
    return binned.sort(order), BinMeans(observed.mean[order], covariance, observed.n_effective[order])


def _make_curves(
    binned: BinnedColumn, observed: BinMeans, adjusted: BinMeans | None, everything: BinMeans, *, is_share: bool
) -> tuple[EffectCurve, ...]:
    """One curve per outcome."""
    curves = []
    for k in range(observed.mean.shape[1]):
        points = () if adjusted is None else _adjusted_points(adjusted, everything, k, is_share=is_share)
        shape = _find_shape(binned, observed if adjusted is None else adjusted, k)
        curves.append(EffectCurve(_observed_points(observed, k, is_share=is_share), points, shape))
    return tuple(curves)


def _find_neighbors(binned: BinnedColumn, means: Floats) -> Indices:
    """The bin from which each bin is reached: the one before it, in order of the numbers or of the means.

    Missing values are next to the bin with the most similar mean.
    """
    n_bins, n_in_order = len(binned.bins), binned.n_in_order
    parent = np.full(n_bins, -1)
    order = np.arange(n_in_order) if n_in_order else np.argsort(-means, kind="stable")
    parent[order[1:]] = order[:-1]
    if n_in_order and n_in_order < n_bins:
        parent[n_in_order] = int(np.argmin(np.abs(means[:n_in_order] - means[n_in_order])))
    return parent


def _observed_points(found: BinMeans, k: int, *, is_share: bool) -> tuple[EffectPoint, ...]:
    means, errors, z = found.mean[:, k], found.standard_error[:, k], INFERENCE.normal_quantile
    if not is_share:
        return tuple(
            _point(mean, mean - z * error, mean + z * error) for mean, error in zip(means, errors, strict=True)
        )
    # Wilson's interval, which has a width at 0 and 1 too
    n_rows = found.n_effective
    center = (means + z**2 / (2 * n_rows)) / (1 + z**2 / n_rows)
    half = z / (1 + z**2 / n_rows) * np.sqrt(means * (1 - means) / n_rows + z**2 / (4 * n_rows**2))
    return tuple(_point(*ends) for ends in zip(means, center - half, center + half, strict=True))


def _adjusted_points(
    found: BinMeans, everything: BinMeans, k: int, *, is_share: bool
) -> tuple[EffectPoint | None, ...]:
    """Points around the mean of all rows, which is uncertain too."""
    ends = (0.0, 1.0) if is_share else (-np.inf, np.inf)
    half = INFERENCE.normal_quantile * np.hypot(found.standard_error[:, k], everything.standard_error[0, k])
    middle = found.mean[:, k] + everything.mean[0, k]
    points = zip(*(np.clip(values, *ends) for values in (middle, middle - half, middle + half)), strict=True)
    return tuple(None if np.isnan(value) else _point(value, low, high) for value, low, high in points)


def _find_shape(binned: BinnedColumn, found: BinMeans, k: int) -> EffectShape:
    """Whether the means rise or fall, between any two bins or along all of them, by more than chance."""
    mean, covariance = found.mean[:, k], found.covariance[k]
    known = np.flatnonzero(~np.isnan(mean))
    if binned.is_ordered:
        known = known[known < binned.n_in_order]
    if len(known) < 2:
        return EffectShape.FLAT
    contrasts = [_pairwise(len(known))]
    if binned.is_ordered:  # the trend has more power than any two bins
        shares = np.array([binned.bins[k].share for k in known])
        ranks = np.cumsum(shares) - shares / 2
        contrasts.append((shares * (ranks - np.average(ranks, weights=shares)))[None])
    contrast = np.concatenate(contrasts)
    variance = np.einsum("ci,ij,cj->c", contrast, covariance[np.ix_(known, known)], contrast)
    z = contrast @ mean[known] / np.sqrt(np.maximum(variance, _NO_VARIANCE))
    rises, falls = z.max() > EFFECTS.shape_z, z.min() < -EFFECTS.shape_z
    if (rises and falls) or ((rises or falls) and not binned.is_ordered):
        return EffectShape.VARYING
    return EffectShape.INCREASING if rises else EffectShape.DECREASING if falls else EffectShape.FLAT


def _pairwise(n_bins: int) -> Floats:  # (n_pairs, n_bins)
    """Differences of all pairs of bins, the later one minus the earlier one."""
    first, second = np.triu_indices(n_bins, 1)
    identity = np.eye(n_bins)
    difference: Floats = identity[second] - identity[first]
    return difference


def _map_pair(
    names: Sequence[str], table: Table, pairs: Sequence[PairResult], rows: EffectRows, weights: Floats
) -> PairMap | None:
    """Map of the pair with the strongest interaction; synergy that is certain comes first."""
    known = [pair for pair in pairs if pair.first in names and pair.second in names]
    if not known:
        return None
    pair = max(known, key=lambda pair: (pair.low > 0, abs(pair.nats)))
    columns = table.select([pair.first, pair.second]).columns
    first, second = (bin_column(column, weights, EFFECTS.map_bins) for column in columns)
    shape = len(first.bins), len(second.bins)
    cells, n_cells = first.index * shape[1] + second.index, shape[0] * shape[1]
    n_rows = np.bincount(cells, minlength=n_cells).reshape(shape)
    means = means_by_bin(rows.y, cells, n_cells, weights).mean
    outcome = int(np.argmax(np.nanvar(means, axis=0)))
    values = [[_number(value) for value in row] for row in means[:, outcome].reshape(shape)]
    return PairMap(
        pair.first,
        pair.second,
        outcome,
        first.bins,
        second.bins,
        tuple(tuple(None if np.isnan(value) else value for value in row) for row in values),
        tuple(map(tuple, n_rows.tolist())),
    )


def _point(value: float, low: float, high: float) -> EffectPoint:
    return EffectPoint(*map(_number, (value, low, high)))


def _number(value: float) -> float:
    """Six significant digits: a saved selection with many features stays small."""
    return float(f"{value:.6g}")
