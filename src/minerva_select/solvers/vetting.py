"""The default solver: screen, learn, sparsify, vet."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from minerva_select.config import INFERENCE, TIME_SHARES, VETTING, FitConfig
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean, holm_bonferroni
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.solvers.attribution import ColumnAttribution, UnitAttribution, attribute_columns, attribute_units
from minerva_select.solvers.candidate_search import (
    CandidateSet,
    SearchContext,
    fit_candidates,
    search_candidates,
    units_by_critics,
)
from minerva_select.solvers.elimination import EliminationResult, MaskedCritics, eliminate
from minerva_select.solvers.permutation import held_out_importances
from minerva_select.solvers.screen import add_pair_tables, marginal_z_of_units, screen_fold, sort_by_screen
from minerva_select.solvers.subsample import subsample_folds

_ZERO = MeanEstimate(0.0, 0.0)


@dataclass(frozen=True)
class VettingSolution:
    """What the solver found, by unit index."""

    screen: PairwiseInformation  # of the first fold
    permutation_importances: dict[int, MeanEstimate]  # of every unit in a candidate set, on held-out rows
    columns: ColumnAttribution
    converged: bool  # False if the time ran out
    survivors: list[int] = field(default_factory=list)
    elimination: EliminationResult | None = None  # None if nothing survived
    information: MeanEstimate = _ZERO  # of the selected units
    total: MeanEstimate = _ZERO  # of all survivors
    units: UnitAttribution = field(default_factory=UnitAttribution)
    importance_rounds: list[dict[int, float]] = field(default_factory=list)  # nats of each unit, by round of sparsify
    still_rising: bool = False  # whether longer training would find more information in the selected units

    @property
    def selected(self) -> list[int]:
        """Selected units."""
        return [] if self.elimination is None else self.elimination.kept


def solve_vetting(
    folds: list[Fold],
    units: list[list[int]],
    required: list[int],
    config: FitConfig,
    training: TrainingContext,
    *,
    n_to_select: int | None = None,
) -> VettingSolution:
    """Find the units that carry information together and that no other units make redundant.

    A unit is one feature, or a group of features that are selected together. Units in ``required`` are selected
    whatever they contribute; without ``n_to_select``, so are all others that contribute.
    """
    deadline = training.deadline

    def with_time(share: float, at_least: float = 0.0) -> TrainingContext:
        return replace(training, deadline=deadline.fraction(share, at_least=at_least))

    context = SearchContext(units, required, config, with_time(TIME_SHARES.search))
    # Screen: count columns and pairs of every fold
    screens = [
        screen_fold(fold, deadline.fraction(TIME_SHARES.screen / (len(folds) - k))) for k, fold in enumerate(folds)
    ]
    folds = add_pair_tables(subsample_folds(folds, training.generator, deadline.seconds), screens, config.n_pairs)

    # Learn and sparsify: every fold finds its candidate set on its training and tuning rows
    candidates = search_candidates(folds, screens, context)
    out_of_time = context.training.deadline.expired

    # Vet, step 1: permutation test on held-out rows
    context.training = with_time(TIME_SHARES.permutation, at_least=TIME_SHARES.min_vet_seconds)
    if math.isfinite(deadline.remaining):
        candidates = [
            replace(candidate, units=sort_by_screen(candidate.units, screen, units))
            for candidate, screen in zip(candidates, screens, strict=True)
        ]
    importances = _permutation_importances(candidates, context)
    survivors = _select_survivors(importances, screens[0], context, n_to_select)
    if not survivors:
        in_time = not (out_of_time or deadline.expired)
        columns = attribute_columns(folds, screens[0], [], in_time=in_time)
        return VettingSolution(
            screens[0], importances, columns, converged=in_time, importance_rounds=context.importance_rounds
        )

    # Vet, step 2: backward elimination, the least contribution first
    context.training = with_time(TIME_SHARES.masked_training)
    masked = MaskedCritics(candidates, survivors, context)
    out_of_time = out_of_time or context.training.deadline.expired
    context.training = training
    elimination = eliminate(masked, context, n_to_select)
    out_of_time = out_of_time or not elimination.completed
    information, total, still_rising = _measure_information(elimination, candidates, context)

    # Attribute: marginal information, interactions, nested subsets
    in_time = not deadline.expired
    columns = attribute_columns(folds, screens[0], context.features_of(elimination.kept), in_time=in_time)
    attributed = attribute_units(masked, elimination, context) if in_time else UnitAttribution(path=elimination.path)
    return VettingSolution(
        screens[0],
        importances,
        columns,
        converged=in_time and not out_of_time,
        survivors=survivors,
        elimination=elimination,
        information=information,
        total=total,
        units=attributed,
        importance_rounds=context.importance_rounds,
        still_rising=still_rising,
    )


def _permutation_importances(candidates: list[CandidateSet], context: SearchContext) -> dict[int, MeanEstimate]:
    """Importance of every candidate unit over the held-out rows of all folds; 0 on folds without it."""
    folds = [candidate.fold for candidate in candidates]
    weights, clusters = held_out_weights(folds), held_out_clusters(folds)
    generator, deadline = context.training.generator, context.training.deadline
    by_critics = {
        critics: held_out_importances(critics, units, generator, deadline)
        for critics, units in units_by_critics(candidates, context).items()
    }
    by_unit: dict[int, Tensor] = {}
    start = 0
    for candidate in candidates:
        rows = slice(start, start + len(candidate.fold.held_out))
        for unit, values in zip(candidate.units, by_critics[candidate.critics][candidate.task], strict=True):
            by_unit.setdefault(unit, torch.zeros_like(weights))[rows] = values
        start = rows.stop
    return {unit: estimate_mean(values, weights, clusters) for unit, values in sorted(by_unit.items())}


def _select_survivors(
    importances: dict[int, MeanEstimate], screen: PairwiseInformation, context: SearchContext, n_to_select: int | None
) -> list[int]:
    """Units with significant importance, and those required; at least ``n_to_select`` of them."""
    n_units = len(context.units)
    significant = holm_bonferroni([one.p_value for one in importances.values()], VETTING.level, n_tests=n_units)
    survivors = {*context.required, *(unit for unit, ok in zip(importances, significant, strict=True) if ok)}
    if n_to_select is not None and len(survivors) < n_to_select:
        screen_z = marginal_z_of_units(screen, context.units)
        order = sorted(
            range(n_units),
            key=lambda u: (u not in importances, -importances[u].z if u in importances else -screen_z[u]),
        )
        survivors.update([unit for unit in order if unit not in survivors][: n_to_select - len(survivors)])
    return sorted(survivors)


def _measure_information(
    elimination: EliminationResult, candidates: list[CandidateSet], context: SearchContext
) -> tuple[MeanEstimate, MeanEstimate, bool]:
    """Information of the kept units and of all survivors, and whether longer training would find more.

    Estimated by critics fitted to exactly these units; when time has run out, by those of the elimination.
    """
    if context.training.deadline.expired:
        return elimination.path[-1][1], elimination.path[0][1], False
    fitted = _fit_exactly(elimination.kept, candidates, context)
    information = _held_out_information(fitted)
    survivors = elimination.path[0][0]
    total = information
    if elimination.dropped:
        total = _held_out_information(_fit_exactly(survivors, candidates, context))
    still_rising = information.z > INFERENCE.clear_z and not all(candidate.converged for candidate in fitted)
    return information, total, still_rising


def _fit_exactly(units: list[int], candidates: list[CandidateSet], context: SearchContext) -> list[CandidateSet]:
    """Fit critics to exactly these units in every fold, starting from the fold's candidate."""
    folds = [candidate.fold for candidate in candidates]
    return fit_candidates(folds, [units] * len(folds), context, "estimate", candidates) if units else []


def _held_out_information(fitted: list[CandidateSet]) -> MeanEstimate:
    if not fitted:
        return _ZERO
    rows = [candidate.critics.held_out_information()[candidate.task] for candidate in fitted]
    folds = [candidate.fold for candidate in fitted]
    return estimate_mean(torch.cat(rows), held_out_weights(folds), held_out_clusters(folds))
