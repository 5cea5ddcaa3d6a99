"""What a standard model loses with the kept columns alone: its scores on held-out rows with them, and with all."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode, ScoreMetric, ScoreModel
from minerva_select.config import INFERENCE, JUDGE, MODEL_COST
from minerva_select.mi.tree_models import has_lightgbm
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.preprocessing.tree_bins import encode_for_trees
from minerva_select.results import FeatureResult
from minerva_select.results.cost import ModelCost, ScoreEstimate
from minerva_select.selectors.fit_context import FitContext
from minerva_select.selectors.fold_splits import RowSplit
from minerva_select.selectors.row_sample import sample_rows
from minerva_select.solvers.model_cost import CostFold, CostRows, choose_metric, score_fold
from minerva_select.solvers.model_scores import Score, average, standard_error

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def measure_cost(context: FitContext, splits: Sequence[RowSplit], results: Sequence[FeatureResult]) -> ModelCost | None:
    """Score models of all usable columns and of the kept ones on the held-out rows of every fold.

    None with several targets, with very many classes, if a few rows have nearly all the variance of the target, or if
    there is no time.
    """
    target, usable = _read_target(context), _usable_columns(context)
    if target is None or not usable:
        return None
    y, n_classes = target
    n_wide = n_classes if n_classes > 2 else 1  # a tree per class
    n_most = MODEL_COST.max_cells // (len(splits) * MODEL_COST.min_rows * n_wide)
    names, kept = _choose_columns(usable, results, max(MODEL_COST.min_columns, n_most))
    n_cells = len(names) * n_wide * len(splits)
    n_training = min(MODEL_COST.max_rows, max(MODEL_COST.min_rows, MODEL_COST.max_cells // n_cells))
    seconds = MODEL_COST.seconds + MODEL_COST.seconds_per_cell * n_cells * min(n_training, context.n_rows)
    if not context.deadline.allows(seconds):
        return None
    strata = y.astype(np.int64) if n_classes else np.zeros(len(y), dtype=np.int64)
    n_scored = max(MODEL_COST.min_rows, min(MODEL_COST.max_held_out_rows, MODEL_COST.max_cells // len(names)))
    drawn = _draw(context, splits, strata, n_training, n_scored // len(splits))
    if not n_classes and _hardly_varies(y, context.weights, drawn):
        return None
    table = context.table.select(names).take(drawn.place[drawn.used])
    x, is_categorical = encode_for_trees(table, context.columns.column_types, JUDGE.tree_max_bins)
    rows = CostRows(x, is_categorical, y[drawn.used], n_classes)
    found = _score_folds(context, rows, drawn.folds, [names.index(name) for name in kept], choose_metric(y, n_classes))
    groups = context.row_metadata.groups
    counts = {"n_usable": len(usable), "n_columns": len(names), "n_kept": len(kept)}
    return None if found is None else found.estimate(None if groups is None else groups[drawn.used], counts)


def _read_target(context: FitContext) -> tuple[Indices | Floats, int] | None:
    """Classes from 0 on with their number, or numbers with mean 0 and variance 1 (and 0 classes)."""
    if len(context.target.columns) != 1:
        return None
    column = context.target.columns[0]
    if context.target_types.is_discrete:
        classes, y = np.unique(column.values, return_inverse=True)
        return (y, len(classes)) if 2 <= len(classes) <= JUDGE.max_classes else None
    values = rescale_extremes(column.values.astype(np.float64))
    spread = values.std()
    return ((values - values.mean()) / spread, 0) if spread > 0 else None


def _usable_columns(context: FitContext) -> list[str]:
    """All columns but constants, identifiers and those dropped on request; equivalent ones are among them.

    The order does not depend on that of the table, and so neither does the model.
    """
    reasons = context.columns.reasons
    equivalent = sorted(name for name, reason in reasons.items() if reason.code is ReasonCode.EQUIVALENT)
    return [*context.order, *equivalent]


def _choose_columns(usable: list[str], results: Sequence[FeatureResult], n_most: int) -> tuple[list[str], list[str]]:
    """Columns of the model of all columns, and the kept ones among them.

    Of more columns than can be fitted, those that carry most alone are used.
    """
    kept = {one.feature for one in results if one.selected}
    alone = {one.feature: one.marginal_nats or 0.0 for one in results}
    chosen = [name for name in usable if name in kept]
    strongest = sorted((name for name in usable if name not in kept), key=lambda name: -alone[name])
    names = {*chosen, *strongest[: max(0, n_most - len(chosen))]}
    return [name for name in usable if name in names], chosen


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Rows of all folds; the folds hold positions among ``used``."""

    used: Indices  # rows of the fit
    place: Indices  # of every row of the fit in the table; -1: not in it
    folds: list[CostFold]


def _draw(context: FitContext, splits: Sequence[RowSplit], strata: Indices, n_training: int, n_scored: int) -> _Drawn:
    """Draw training, tuning and held-out rows of every fold from those in memory, with rare classes whole."""
    sample = context.table_rows
    in_table = np.arange(context.n_rows) if sample is None else sample.rows
    place, shares = np.full(context.n_rows, -1), np.ones(context.n_rows)
    place[in_table] = np.arange(len(in_table))
    if sample is not None:
        shares[in_table] = sample.shares

    def draw(rows: Indices, most: int) -> tuple[Indices, Floats]:
        rows = rows[(place[rows] >= 0) & (context.weights[rows] > 0)]
        weights = context.weights[rows] / shares[rows]
        if len(rows) <= most:
            return rows, weights
        drawn = sample_rows(strata[rows], most)
        return rows[drawn.rows], weights[drawn.rows] / drawn.shares

    parts = []
    for split in splits:
        train, tune = split.members[0]
        parts.append([draw(train, n_training), draw(tune, n_training // 2), draw(split.held_out, n_scored)])
    used = np.unique(np.concatenate([rows for fold in parts for rows, _ in fold]))
    folds = []
    for fold in parts:
        weights, positions = np.zeros(len(used)), [np.searchsorted(used, rows) for rows, _ in fold]
        for own, (_, of_rows) in zip(positions, fold, strict=True):
            weights[own] = of_rows / of_rows.mean() if len(own) else of_rows
        train, tune, held_out = positions
        folds.append(CostFold(train, tune, held_out, weights))
    return _Drawn(used, place, folds)


def _hardly_varies(y: Indices | Floats, weights: Floats, drawn: _Drawn) -> bool:
    """Whether the held-out rows of a fold have next to none of the variance, which R2 is relative to."""
    own, smallest = y[drawn.used], MODEL_COST.min_variance_share * float(np.var(y[weights > 0]))

    def variance(fold: CostFold) -> float:
        of_rows, values = fold.weights[fold.held_out], own[fold.held_out]
        return float(np.average((values - np.average(values, weights=of_rows)) ** 2, weights=of_rows))

    return any(variance(fold) <= smallest for fold in drawn.folds if len(fold.held_out))


@dataclass(frozen=True, eq=False)
class _FoldScores:
    """Scores of all columns and of the kept ones on the held-out rows of some folds."""

    metric: ScoreMetric
    folds: list[CostFold]
    scores: list[tuple[Score, Score]]

    def estimate(self, groups: Indices | None, counts: Mapping[str, int]) -> ModelCost:
        """Means over the folds, with intervals over rows or groups of rows."""
        held_out = [fold.held_out for fold in self.folds]
        weights = [fold.weights[own] for fold, own in zip(self.folds, held_out, strict=True)]
        clusters = None if groups is None else np.unique(groups[np.concatenate(held_out)], return_inverse=True)[1]
        with_all, with_kept = (average([pair[k] for pair in self.scores], weights) for k in (0, 1))

        def half(score: Score) -> float:
            return INFERENCE.normal_quantile * standard_error(score, np.concatenate(weights), clusters)

        def estimate(score: Score) -> ScoreEstimate:
            low = score.value - half(score)  # no area is below 0, no score above 1
            low = low if self.metric is ScoreMetric.R2 else max(0.0, low)
            return ScoreEstimate(score.value, low, min(1.0, score.value + half(score)))

        lost = with_kept - with_all
        return ModelCost(
            metric=self.metric,
            model=ScoreModel.LIGHTGBM if has_lightgbm() else ScoreModel.HIST_GRADIENT_BOOSTING,
            all_columns=estimate(with_all),
            kept=estimate(with_kept),
            difference=ScoreEstimate(lost.value, lost.value - half(lost), lost.value + half(lost)),
            n_training_rows=round(np.mean([len(fold.rest) for fold in self.folds])),
            n_rows=sum(map(len, held_out)),
            **counts,
        )


def _score_folds(
    context: FitContext, rows: CostRows, folds: Sequence[CostFold], kept: list[int], metric: ScoreMetric
) -> _FoldScores | None:
    """Scores on the folds that there is time for; None if there is none."""
    everything, slowest = list(range(rows.x.shape[1])), 0.0
    found = _FoldScores(metric, [], [])
    for fold in folds:
        if not context.deadline.allows(slowest):
            break
        start = time.monotonic()
        with_all = score_fold(rows, fold, everything, metric)
        with_kept = with_all if kept == everything else score_fold(rows, fold, kept, metric)
        slowest = max(slowest, time.monotonic() - start)
        if with_all is not None and with_kept is not None:
            found.folds.append(fold)
            found.scores.append((with_all, with_kept))
    return found if found.folds else None
