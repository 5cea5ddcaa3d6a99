"""Information about a numeric target as ``mutual_information`` estimates it, for the figures of a selection.

The critics of a selection read a numeric target in bins, and what they find in one column is limited by counts of few
rows. ``mutual_information`` needs no bins, so both say the same if its estimates are used where they are affordable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from minerva_select.codes import EstimateDoubt
from minerva_select.config import ATTRIBUTION, EXPLANATION, INFERENCE
from minerva_select.mi.inference import IntervalEstimate
from minerva_select.results import Estimate, FeatureResult
from minerva_select.runtime.device import MAX_THREADS
from minerva_select.runtime.rng import seeded_rng
from minerva_select.schema import ColumnType
from minerva_select.selectors.continuous_estimate import configure_folds, estimate_continuous, read_question
from minerva_select.selectors.fit_context import FitContext
from minerva_select.solvers.vetting import VettingSolution


@dataclass(frozen=True)
class SetEstimates:
    """Information of the kept columns and of all columns."""

    kept: Estimate
    total: Estimate


def is_numeric_target(context: FitContext) -> bool:
    """Whether the target is one continuous number, whose rows are in memory and count alike."""
    types = list(context.target_types.column_types.values())
    in_memory = context.stream is None and context.ranks.size == 1
    has_gaps = any(bool(column.missing.any()) for column in context.target.columns)
    is_number = types == [ColumnType.NUMERIC] and not context.target_types.is_discrete and not has_gaps
    return is_number and in_memory and bool(np.ptp(context.weights) == 0)


def refine_columns(solution: VettingSolution, context: FitContext) -> VettingSolution:
    """Replace the information of single numeric columns by that of ``mutual_information``.

    Of the kept columns first, then of those that carry information by counts.
    """
    if not is_numeric_target(context):
        return solution
    marginal = dict(solution.columns.marginal)
    kept = [feature for unit in solution.selected for feature in context.units[unit]]
    informative = [feature for feature, found in marginal.items() if found.z > ATTRIBUTION.replaced_z]
    strongest = sorted(informative, key=lambda feature: -marginal[feature].mean)
    for feature in list(dict.fromkeys([*kept, *strongest]))[: EXPLANATION.max_pair_estimates]:
        column = context.table.select([context.order[feature]]).columns[0]
        if feature not in marginal or column.missing.any() or not context.deadline.allows(1.0):
            continue
        if context.columns.column_types[column.name] != ColumnType.NUMERIC:
            continue
        found = _estimate([column.name], context, EXPLANATION.max_pair_rows)
        if found.reliable:
            error = (found.nats - found.low or found.high) / INFERENCE.normal_quantile
            marginal[feature] = IntervalEstimate(found.nats, error, low=found.low, high=found.high)
    return replace(solution, columns=replace(solution.columns, marginal=marginal))


def refine_sets(sets: SetEstimates, kept: Sequence[str], context: FitContext) -> SetEstimates:
    """Raise the estimates, and the upper ends of their intervals, to those of ``mutual_information``.

    Both methods find too little rather than too much, so the larger estimate is nearer to the truth.
    """
    affordable = len(context.table.columns) and context.n_rows <= EXPLANATION.max_pair_rows
    if not kept or not affordable or not is_numeric_target(context) or not context.deadline.allows(5.0):
        return sets
    if len(kept) > EXPLANATION.max_joint_columns:
        return sets
    found = _estimate(kept, context, EXPLANATION.max_pair_rows)
    is_bound = found.reliable or found.doubt in (EstimateDoubt.DETERMINED, EstimateDoubt.TOO_STRONG)
    added = max(0.0, found.nats - sets.kept.nats) if is_bound else 0.0
    more = max(0.0, found.high - sets.kept.high)

    def raise_ends(estimate: Estimate) -> Estimate:
        nats = estimate.nats + added
        high = max(nats, estimate.high + more)  # that of all columns may have a narrower interval
        return replace(estimate, nats=nats, high=high, note=None, entropy=None, doubt=found.doubt)

    return SetEstimates(raise_ends(sets.kept), raise_ends(sets.total))


def raise_contributions(features: Sequence[FeatureResult], unlearned: float) -> tuple[FeatureResult, ...]:
    """Raise the upper ends of contributions by what the models of all kept columns may not have learned.

    A contribution is the bound of all kept columns minus that of the others. What the first lacks may be missing in it.
    """
    return tuple(
        replace(one, contribution_high=one.contribution_high + unlearned)
        if one.selected and one.contribution_high is not None
        else one
        for one in features
    )


def _estimate(names: Sequence[str], context: FitContext, max_rows: int) -> Estimate:
    """Estimate the information of columns of the table about its target, on a sample of its rows if they are many."""
    rng = np.random.default_rng(0)
    n_rows = context.n_rows
    rows = None if n_rows <= max_rows else np.sort(rng.choice(n_rows, max_rows, replace=False))
    row_metadata = context.row_metadata if rows is None else context.row_metadata.take(rows)
    table = context.table.select(list(names))
    types = {name: context.columns.column_types[name] for name in names}
    question = read_question(table, 0, types, context.target, context.target_types, rows)
    config = row_metadata.adapt(configure_folds(row_metadata.n_rows, MAX_THREADS))
    with seeded_rng(0, torch.device("cpu")) as generator:
        return estimate_continuous(question, row_metadata, config, rng, generator)
