"""The default solver: screen, learn, sparsify, vet."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from minerva_select.mi.cross_fit import Fold, held_out_clusters
from minerva_select.mi.inference import MeanEstimate, estimate_mean, holm_bonferroni
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.training import TrainingContext
from minerva_select.solvers.attribution import ColumnAttribution, UnitAttribution, attribute_columns, attribute_units
from minerva_select.solvers.candidate_search import (
    CandidateSet,
    SearchContext,
    add_pair_tables,
    fit_candidates,
    screen_fold,
    search_candidates,
    sort_by_screen,
    units_by_critics,
)
from minerva_select.solvers.elimination import EliminationResult, MaskedCritics, eliminate
from minerva_select.solvers.fit_config import FitConfig
from minerva_select.solvers.permutation import held_out_importances
from minerva_select.solvers.subsample import subsample_folds

LEAST_SECONDS = 2.0  # for a test of what was proposed, however late it is
LEVEL = 0.05  # probability that anything at all is selected from pure noise


@dataclass(frozen=True)
class VettingSolution:
    """What the solver found, unit by unit."""

    screen: PairwiseInformation  # of the first fold
    permutation_importances: dict[int, MeanEstimate]  # fall under shuffling of every unit that was proposed
    survivors: list[int]
    elimination: EliminationResult | None  # None if nothing survived
    columns: ColumnAttribution
    information: MeanEstimate  # of the selected units
    total: MeanEstimate  # of the largest set that was vetted
    converged: bool  # False when the time ran out
    units: UnitAttribution = field(default_factory=UnitAttribution)
    importance_rounds: list[dict[int, float]] = field(
        default_factory=list
    )  # of sparsifying: nats each unit was missed by
    still_rising: bool = False  # whether longer training would find more information in the selected units

    @property
    def selected(self) -> list[int]:
        """Units that are kept."""
        return [] if self.elimination is None else self.elimination.kept


def solve_vetting(
    folds: list[Fold],
    units: list[list[int]],
    kept: list[int],
    plan: FitConfig,
    run: TrainingContext,
    *,
    n_wanted: int | None = None,
) -> VettingSolution:
    """Find the units that carry information together and that no others make superfluous."""
    deadline = run.deadline
    context = SearchContext(units, kept, plan, replace(run, deadline=deadline.fraction(0.7)))
    # Screen, learn, sparsify: every fold proposes from its own training rows
    screens = [screen_fold(fold, deadline.fraction(0.3 / (len(folds) - k))) for k, fold in enumerate(folds)]
    folds = add_pair_tables(subsample_folds(folds, run.generator, deadline.seconds), screens, plan.n_pairs)
    candidates = search_candidates(folds, screens, context)
    cut = context.run.deadline.expired
    # Vet, first by shuffling on rows that nothing has seen
    context.run = replace(run, deadline=deadline.fraction(0.6, at_least=LEAST_SECONDS))
    if math.isfinite(deadline.remaining):
        candidates = [
            replace(one, units=sort_by_screen(one.units, found, context))
            for one, found in zip(candidates, screens, strict=True)
        ]
    permutation_importances = _shuffle(candidates, context)
    survivors = _survivors(permutation_importances, kept, len(units), screens[0], context, n_wanted)
    if not survivors:
        in_time = not (cut or deadline.expired)
        nothing, columns = MeanEstimate(0.0, 0.0), attribute_columns(folds, screens[0], [], in_time=in_time)
        return VettingSolution(
            screens[0],
            permutation_importances,
            [],
            None,
            columns,
            nothing,
            nothing,
            in_time,
            importance_rounds=context.importance_rounds,
        )
    # Then by leaving one out, the least contribution first
    context.run = replace(run, deadline=deadline.fraction(0.5))
    vetting = MaskedCritics(candidates, survivors, context)
    cut = cut or context.run.deadline.expired
    context.run = run
    elimination = eliminate(vetting, context, LEVEL, n_wanted)
    cut = cut or not elimination.in_time
    information, total, still_rising = _measure(elimination, candidates, context)
    # Explain: who tells what alone, who works with whom, what fewer would tell
    in_time = not deadline.expired
    columns = attribute_columns(folds, screens[0], context.features_of(elimination.kept), in_time=in_time)
    together = attribute_units(vetting, elimination, context) if in_time else UnitAttribution(path=elimination.path)
    return VettingSolution(
        screens[0],
        permutation_importances,
        survivors,
        elimination,
        columns,
        information,
        total,
        in_time and not cut,
        together,
        context.importance_rounds,
        still_rising,
    )


def _measure(
    elimination: EliminationResult, candidates: list[CandidateSet], context: SearchContext
) -> tuple[MeanEstimate, MeanEstimate, bool]:
    """Information of what was kept and of all survivors, and whether training longer would find more of it.

    By critics of just these units; when the time is up, as the vet has found it.
    """
    if context.run.deadline.expired:
        return elimination.path[-1][1], elimination.path[0][1], False
    fitted = _fit_to(elimination.kept, candidates, context)
    information = _information(fitted)
    survivors = elimination.path[0][0]
    total = _information(_fit_to(survivors, candidates, context)) if elimination.dropped else information
    return information, total, information.z > 3.0 and not all(candidate.converged for candidate in fitted)


def _shuffle(candidates: list[CandidateSet], context: SearchContext) -> dict[int, MeanEstimate]:
    """Fall of every proposed unit over the vetting rows of all folds; 0 on rows whose fold did not propose it."""
    vetted = [candidate.fold.held_out for candidate in candidates]
    offsets = torch.tensor([0, *(len(rows) for rows in vetted)]).cumsum(0)
    weights = torch.cat([candidate.fold.row_weights[rows] for candidate, rows in zip(candidates, vetted, strict=True)])
    clusters = held_out_clusters([candidate.fold for candidate in candidates])
    falls: dict[int, Tensor] = {}
    for k, (candidate, of_units) in enumerate(zip(candidates, _falls(candidates, context), strict=True)):
        rows = slice(int(offsets[k]), int(offsets[k + 1]))
        for unit, fall in zip(candidate.units, of_units, strict=True):
            falls.setdefault(unit, torch.zeros_like(weights))[rows] = fall
    return {unit: estimate_mean(fall, weights, clusters) for unit, fall in sorted(falls.items())}


def _falls(candidates: list[CandidateSet], context: SearchContext) -> list[Tensor]:  # (n_units, n_rows) each
    """Falls of every candidate's units on its vetting rows, those of the same critics at once."""
    by_critics = {
        critics: held_out_importances(critics, units, context.run.generator, context.run.deadline)
        for critics, units in units_by_critics(candidates, context).items()
    }
    return [by_critics[candidate.critics][candidate.task] for candidate in candidates]


def _survivors(
    permutation_importances: dict[int, MeanEstimate],
    kept: list[int],
    n_units: int,
    found: PairwiseInformation,
    context: SearchContext,
    n_wanted: int | None,
) -> list[int]:
    """Units whose fall is no accident, and those kept on request; with a number wanted, at least that many."""
    passed = holm_bonferroni(
        [evidence.p_value for evidence in permutation_importances.values()], LEVEL, n_tests=n_units
    )
    survivors = {*kept, *(unit for unit, ok in zip(permutation_importances, passed, strict=True) if ok)}
    if n_wanted is not None and len(survivors) < n_wanted:
        screen_z = [max(float(found.marginal_z[feature]) for feature in features) for features in context.units]
        ranking = sorted(
            range(n_units),
            key=lambda u: (
                u not in permutation_importances,
                -permutation_importances[u].z if u in permutation_importances else -screen_z[u],
            ),
        )
        survivors.update([unit for unit in ranking if unit not in survivors][: n_wanted - len(survivors)])
    return sorted(survivors)


def _fit_to(units: list[int], candidates: list[CandidateSet], context: SearchContext) -> list[CandidateSet]:
    """Critics of exactly these units, in every fold."""
    folds = [candidate.fold for candidate in candidates]
    return fit_candidates(folds, [units] * len(folds), context, "estimate", candidates) if units else []


def _information(fitted: list[CandidateSet]) -> MeanEstimate:
    """Information of the units that these critics know, on the vetting rows."""
    if not fitted:
        return MeanEstimate(0.0, 0.0)
    rows = [candidate.critics.held_out_information()[candidate.task] for candidate in fitted]
    folds = [candidate.fold for candidate in fitted]
    weights = torch.cat([fold.row_weights[fold.held_out] for fold in folds])
    return estimate_mean(torch.cat(rows), weights, held_out_clusters(folds))
