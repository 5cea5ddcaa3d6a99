"""Estimate the mutual information of columns and a continuous target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.codes import EstimateDoubt
from minerva_select.config import DENSITY_RATIO, INFERENCE, FitConfig
from minerva_select.mi.density_ratio.columns import max_columns
from minerva_select.mi.density_ratio.determined import find_determined, find_sums, has_equal_variables
from minerva_select.mi.density_ratio.fold import FoldRows
from minerva_select.mi.density_ratio.information import RatioEstimate, estimate_information
from minerva_select.mi.density_ratio.local_residuals import fit_locally
from minerva_select.mi.density_ratio.side import Side, read_side
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.preprocessing.column_types import TargetTypes
from minerva_select.results import Estimate
from minerva_select.schema import Column, ColumnType, Table
from minerva_select.selectors.fold_splits import split_into_folds
from minerva_select.selectors.row_metadata import RowMetadata


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked: the information of ``x`` about ``y``, given ``known``."""

    x: Side
    known: Side | None
    y: Side
    is_sum: bool = False  # whether a column of y is exactly a linear combination of x, and not of the known columns


def estimate_continuous(
    question: Question,
    row_metadata: RowMetadata,
    config: FitConfig,
    rng: np.random.Generator,
    generator: torch.Generator,
) -> Estimate:
    """Estimate by density ratios, with an interval that includes what may not have been learned.

    With known columns, the estimate is the information of all columns minus that of the known ones, row by row.
    """
    splits = _split(question.y, row_metadata, config, rng)
    x = question.x if question.known is None else question.known.join(question.x)
    groups = row_metadata.groups
    found = estimate_information(x, question.y, splits, groups, rng, generator)
    if question.known is not None:
        found -= estimate_information(question.known, question.y, splits, groups, rng, generator)
    held_out = np.concatenate([rows.held_out for rows in splits])
    clusters = None if groups is None else torch.as_tensor(groups[held_out])
    evidence = estimate_mean(found.pointwise, torch.ones(len(held_out)), clusters)
    # The error of correlations that are all 0, of which the held-out rows do not know
    chance = float(np.sqrt(question.x.n_columns * question.y.n_columns / 2)) / x.n_rows
    return _as_estimate(found, evidence, chance, _find_doubt(question, x, found, evidence, splits), x.n_rows)


def read_question(
    table: Table,
    n_given: int,
    column_types: dict[str, ColumnType],
    y_table: Table,
    target_types: TargetTypes,
    rows: NDArray[np.int64] | None,
) -> Question:
    """Rank the columns of these rows; the first ``n_given`` columns of the table are known."""
    if rows is not None:
        table, y_table = table.take(rows), y_table.take(rows)
    parts = table.select(table.names[:n_given]), table.select(table.names[n_given:])
    known, x = (read_side(part, column_types) for part in parts)
    y = read_side(y_table, target_types.column_types)
    return Question(x, known if n_given else None, y, _has_sums(table, n_given, y_table))


def _has_sums(table: Table, n_given: int, y_table: Table) -> bool:
    """Whether a numeric column of y is exactly a linear combination, which the known columns alone do not give."""
    values, known, y = (
        np.column_stack([np.empty((table.n_rows, 0)), *(column.values for column in columns if column.is_numeric)])
        for columns in (table.columns, table.columns[:n_given], y_table.columns)
    )
    return bool((find_sums(values, y) & ~find_sums(known, y)).any())


def configure_folds(n_rows: int, max_threads: int) -> FitConfig:
    """Number of folds and of tuning parts."""
    config = FitConfig.for_rows(n_rows)
    return replace(
        config,
        n_folds=max(2, min(DENSITY_RATIO.n_folds, n_rows // 6)),
        n_members=1,
        n_tune_parts=max(2, min(DENSITY_RATIO.n_tune_parts, n_rows // 6)),
        max_threads=max_threads,
    )


def sample_rows(n_rows: int, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """Rows to estimate from, in order; None for all."""
    if n_rows <= DENSITY_RATIO.max_rows:
        return None
    return np.sort(rng.choice(n_rows, DENSITY_RATIO.max_rows, replace=False))


def _split(y: Side, row_metadata: RowMetadata, config: FitConfig, rng: np.random.Generator) -> list[FoldRows]:
    """Split the rows, stratified by the first column of y."""
    first = Table((Column("y", y.values[:, 0]),), y.n_rows)
    splits = split_into_folds(first, TargetTypes({"y": ColumnType.NUMERIC}), config, rng, row_metadata)
    return [
        FoldRows(rng.permutation(train), rng.permutation(tune), split.held_out)
        for split in splits
        for train, tune in split.members[:1]
    ]


def _as_estimate(
    found: RatioEstimate, evidence: MeanEstimate, chance: float, doubt: EstimateDoubt | None, n_rows: int
) -> Estimate:
    """An interval around the estimate: its sampling error, and what the density ratio may lack.

    It may lack more than held-out rows show, so the interval reaches further up than down. What nearest neighbors add
    is not proven by held-out rows, so the lower end does without it. If the known columns have
    more information than was found, X adds less to it.
    """
    settings, nats = DENSITY_RATIO, max(0.0, found.nats)
    half = (evidence.interval[1] - evidence.interval[0]) / 2
    half = float(np.hypot(half, INFERENCE.normal_quantile * max(chance, found.spread)))
    lacking = max(0.0, found.nats - found.excess - found.bound)
    unlearned = settings.unlearned_share * found.learned * (settings.unlearned_rows / n_rows) ** 0.5
    low = max(0.0, nats - half - settings.lacking_below * lacking - max(0.0, found.excess) - found.known_lacks)
    up = half + settings.lacking_above * lacking + max(0.0, found.excess) + unlearned
    is_open = doubt in (EstimateDoubt.DETERMINED, EstimateDoubt.TOO_STRONG) or up > INFERENCE.max_half_width
    high = nats + (INFERENCE.max_half_width if is_open else up)
    if doubt == EstimateDoubt.NOTHING_LEFT:
        nats = low = 0.0
    return Estimate(nats, low, high, n_rows, doubt=doubt)


def _find_doubt(
    question: Question, x: Side, found: RatioEstimate, evidence: MeanEstimate, splits: Sequence[FoldRows]
) -> EstimateDoubt | None:
    """The first check that the estimate fails."""
    settings, n_train = DENSITY_RATIO, min(len(rows.train) for rows in splits)
    n_compared = max(len(splits[0].held_out), min(settings.min_block_rows, x.n_rows))
    ceiling = np.log(min(n_compared, settings.block_rows)) - settings.ceiling_distance
    lacking = max(settings.max_lacking_nats, settings.max_lacking_share * found.nats)
    sampling = max(evidence.standard_error, settings.negligible_nats)
    checks = {
        EstimateDoubt.NOTHING_LEFT: _leaves_nothing(question),
        EstimateDoubt.DETERMINED: _is_infinite(question, x),
        EstimateDoubt.TOO_STRONG: found.bound > ceiling or _is_unresolved(question, x, found),
        EstimateDoubt.FEW_ROWS: x.n_rows < settings.few_rows,
        EstimateDoubt.COLUMNS_LEFT_OUT: x.n_columns + question.y.n_columns > max_columns(n_train),
        EstimateDoubt.PARTS_DISAGREE: found.spread > settings.max_spread * sampling,
        EstimateDoubt.NOT_LEARNED: found.nats - found.excess - found.bound > lacking,
    }
    return next((doubt for doubt, is_failed in checks.items() if is_failed), None)


def _leaves_nothing(question: Question) -> bool:
    """Whether the known columns determine all of y."""
    known, y = question.known, question.y
    return known is not None and y.is_numeric and bool(find_determined(known, y).all())


def _is_infinite(question: Question, x: Side) -> bool:
    """Whether x determines a column of y, or y one of x, that the known columns do not; ``x`` includes these."""
    known, y = question.known, question.y
    if question.is_sum:
        return True
    if known is None:
        return has_equal_variables(x, y) or bool(find_determined(x, y).any() or find_determined(y, x).any())
    of_y = find_determined(x, y) & ~find_determined(known, y)
    of_x = find_determined(known.join(y), question.x) & ~find_determined(known, question.x)
    return (has_equal_variables(x, y) and not has_equal_variables(known, y)) or bool(of_y.any() or of_x.any())


def _is_unresolved(question: Question, x: Side, found: RatioEstimate) -> bool:
    """Whether neighboring rows know more of y the more rows there are; ``x`` includes the known columns."""
    return question.known is None and x.n_columns > 1 and fit_locally(x, question.y).is_unresolved(found.nats)
