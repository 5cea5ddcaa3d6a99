"""The default solver: screen, learn, sparsify, vet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from minerva_select.config import EXPLANATION, SUPPORT, TIME_SHARES, VETTING, FitConfig
from minerva_select.mi.families import ArrayCritics, ByFold, join_folds
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean, holm_bonferroni
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.solvers.attribution import ColumnAttribution, UnitAttribution, attribute_columns, attribute_units
from minerva_select.solvers.candidate_search import (
    CandidateSet,
    SearchContext,
    find_learnable,
    search_candidates,
    units_by_critics,
)
from minerva_select.solvers.elimination import EliminationResult, eliminate, find_proven
from minerva_select.solvers.judge import Judge
from minerva_select.solvers.permutation import held_out_importances
from minerva_select.solvers.ranking import Path, Ranking, find_best_sets, measure_path, rank_rest, rank_units
from minerva_select.solvers.screen import add_pair_tables, marginal_z_of_units, screen_fold, sort_by_screen
from minerva_select.solvers.subsample import subsample_folds
from minerva_select.solvers.supporting import SupportResult, add_supporting
from minerva_select.solvers.weak_members import add_weak_members

_ZERO = MeanEstimate(0.0, 0.0)


@dataclass(frozen=True)
class VettingSolution:
    """What the solver found, by unit index."""

    screen: PairwiseInformation  # of the first fold
    permutation_importances: dict[int, MeanEstimate]  # of every unit in a candidate set, on held-out rows
    columns: ColumnAttribution
    converged: bool  # False if the time ran out
    selected: list[int] = field(default_factory=list)
    contributions: dict[int, MeanEstimate] = field(default_factory=dict)  # of the selected units
    proven: frozenset[int] = frozenset()  # selected units whose contribution is significant
    additions: dict[int, MeanEstimate] = field(default_factory=dict)  # what some dropped units would add
    information: MeanEstimate = _ZERO  # of the selected units
    total: MeanEstimate = _ZERO  # of all columns
    left_behind: MeanEstimate | None = None  # what all columns add to the selected units; None: not measured
    units: UnitAttribution = field(default_factory=UnitAttribution)
    path: Path = field(default_factory=list)
    ranking: Ranking = field(default_factory=lambda: Ranking([]))  # the best set of every size
    filled_up: frozenset[int] = frozenset()  # selected units that were added to reach the smallest number
    importance_rounds: list[dict[int, float]] = field(default_factory=list)  # nats of each unit, by round of sparsify
    still_rising: bool = False  # whether longer training would find more information in the selected units


def solve_vetting(
    folds: list[Fold],
    units: list[list[int]],
    required: list[int],
    config: FitConfig,
    training: TrainingContext,
    *,
    n_to_select: int | None = None,
    min_to_select: int = 0,
    proven_only: bool = False,
) -> VettingSolution:
    """Find the units that carry information together and that no other units make redundant.

    A unit is one feature, or a group of features that are selected together. Units in ``required`` are selected
    whatever they contribute; without ``n_to_select``, so are all others that contribute, and at least
    ``min_to_select``. With ``proven_only``, units that are not proven on their own are left out. Neither number
    changes how units are ranked.
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
    arrays = ArrayCritics(folds, training.generator, deadline.remaining)
    candidates = search_candidates(folds, screens, context, arrays)
    out_of_time = context.training.deadline.expired

    # Vet, step 1: permutation test on held-out rows
    context.training = with_time(TIME_SHARES.permutation, at_least=TIME_SHARES.min_vet_seconds)
    if math.isfinite(deadline.remaining):
        candidates = [
            replace(candidate, units=sort_by_screen(candidate.units, screen, units))
            for candidate, screen in zip(candidates, screens, strict=True)
        ]
    importances = _permutation_importances(candidates, context)
    survivors = _select_survivors(importances, context)

    # Vet, step 2: refits drop what the others make redundant, and add what is left behind
    context.training = training
    judge = Judge(folds, candidates, context, arrays)
    by_fold = join_folds(find_learnable(screen, context) for screen in screens)
    everything = _comparable_units(screens[0], survivors, context)
    tested = _Tested(survivors, everything, by_fold if isinstance(by_fold, ByFold) else None, importances, screens[0])
    choice = _choose_units(judge, tested, proven_only=proven_only)
    if n_to_select is not None or len(choice.selected) < min_to_select:
        choice = choice.resize(min_to_select if n_to_select is None else n_to_select)

    # Measure: contributions, what is left behind, nested subsets, interactions
    solution = _measure(judge, tested, choice)
    return replace(
        solution,
        converged=solution.converged and not out_of_time,
        filled_up=choice.filled_up if n_to_select is None else frozenset(),
    )


@dataclass(frozen=True)
class _Tested:
    """What screen and permutation tests found."""

    survivors: list[int]  # units with significant importance
    everything: list[int]  # units that refits compare with the selected ones
    by_fold: ByFold | None  # the same as each fold would choose by its own training rows, if there are more
    importances: dict[int, MeanEstimate]
    screen: PairwiseInformation


@dataclass(frozen=True)
class _Choice:
    """Units that refits chose, and the order of all of them."""

    selected: list[int]
    elimination: EliminationResult
    order: list[int]
    ranking: Ranking
    filled_up: frozenset[int] = frozenset()

    def resize(self, size: int) -> _Choice:
        """The best set of this size."""
        selected = sorted(self.ranking.best(size))
        return replace(self, selected=selected, filled_up=frozenset(selected).difference(self.selected))


def _choose_units(judge: Judge, tested: _Tested, *, proven_only: bool) -> _Choice:
    """Drop units that the others make redundant, add those that support them, and rank all units."""
    required = judge.context.required
    if judge.has_time:
        judge.choose_families(tested.survivors)
    elimination = eliminate(judge, tested.survivors, required, proven_only=proven_only)
    kept, support = elimination.kept, SupportResult()
    if not proven_only:
        kept = [*kept, *add_weak_members(judge, kept, tested.everything)]
        support = add_supporting(judge, kept, tested.everything, tested.by_fold)
    selected = [*kept, *support.added]
    if judge.has_time_for(2):
        judge.choose_families(selected)
    order = _order_units(judge, selected, support.order, tested)
    ranking = find_best_sets(judge, order, len(selected), required)
    return _Choice(sorted(selected), elimination, order, ranking)


def _measure(judge: Judge, tested: _Tested, choice: _Choice) -> VettingSolution:
    """Measure the selected units on held-out rows, and what all columns add to them."""
    selected, elimination, context = choice.selected, choice.elimination, judge.context
    in_time = judge.has_time_for(len(selected) + 3)
    contributions = (
        judge.contributions(selected) if in_time else {u: tested.importances.get(u, _ZERO) for u in selected}
    )
    can_compare = judge.arrays.families and judge.has_time_for(3)
    rest = tested.by_fold or tested.everything
    left_behind = judge.left_behind(selected, rest) if can_compare else None
    features = context.features_of(selected)
    columns = attribute_columns(judge.folds, tested.screen, features, judge.arrays, in_time=in_time)
    additions = _add_one(judge, selected, choice.order, columns.marginal)
    if selected == sorted(elimination.kept):  # otherwise those were measured given other units
        additions |= elimination.dropped
    attributed = attribute_units(judge, selected, contributions) if judge.has_time else UnitAttribution()
    path = measure_path(judge, choice.ranking, selected, context.required)
    information = judge.measure(selected)
    # All columns carry at least as much as some of them, even if a model of all drowns in noise
    adds_more = left_behind is not None and left_behind.mean > 0
    return VettingSolution(
        tested.screen,
        tested.importances,
        columns,
        converged=in_time and elimination.completed,
        selected=selected,
        contributions=contributions,
        proven=find_proven(contributions),
        additions=additions,
        information=information,
        total=judge.measure_total(selected, rest) if adds_more else information,
        left_behind=left_behind,
        units=attributed,
        path=path,
        ranking=choice.ranking,
        importance_rounds=context.importance_rounds,
        still_rising=judge.still_rising(selected),
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


def _select_survivors(importances: dict[int, MeanEstimate], context: SearchContext) -> list[int]:
    """Units with significant importance, and those required."""
    p_values = [one.p_value for one in importances.values()]
    significant = holm_bonferroni(p_values, VETTING.permutation_level, n_tests=len(context.units))
    return sorted({*context.required, *(unit for unit, ok in zip(importances, significant, strict=True) if ok)})


def _comparable_units(screen: PairwiseInformation, survivors: list[int], context: SearchContext) -> list[int]:
    """All units; if there are too many for a refit, the survivors and those with the best screen."""
    everything = range(len(context.units))
    if len(everything) <= SUPPORT.max_units:
        return list(everything)
    unit_z = marginal_z_of_units(screen, context.units)
    best = sorted(everything, key=lambda unit: -unit_z[unit])[: SUPPORT.max_units]
    return sorted({*survivors, *best})


def _order_units(
    judge: Judge,
    selected: Sequence[int],
    ranked: Sequence[int],
    tested: _Tested,
) -> list[int]:
    """All units in order of importance: the selected ones first, then those that can be compared, then by their tests.

    ``ranked`` are the units that were ranked as candidates to support the others; without them, the rest is ranked.
    """
    unit_z, importances = marginal_z_of_units(tested.screen, judge.context.units), tested.importances
    others = sorted(
        (unit for unit in range(len(unit_z)) if unit not in {*selected, *ranked}),
        key=lambda unit: (unit not in importances, -importances[unit].z if unit in importances else -unit_z[unit]),
    )
    first = [unit for unit in ranked if unit not in selected]
    if not ranked:
        comparable = frozenset(tested.everything)
        first = rank_rest(judge, selected, [unit for unit in others if unit in comparable])
    return list(dict.fromkeys([*rank_units(judge, [], selected), *first, *others]))


def _add_one(
    judge: Judge, selected: Sequence[int], order: Sequence[int], marginal: dict[int, MeanEstimate]
) -> dict[int, MeanEstimate]:
    """What each of the strongest dropped units would add to the selected ones."""
    strongest = [unit for unit in order if unit not in selected][: EXPLANATION.max_additions]
    if not selected:  # what they carry alone
        features = {unit: judge.context.units[unit] for unit in strongest}
        return {unit: marginal[own[0]] for unit, own in features.items() if len(own) == 1 and own[0] in marginal}
    if not judge.arrays_in_use or not judge.has_time_for(len(strongest)):
        return {}
    judge.fit_arrays([[*selected, unit] for unit in strongest])
    return {unit: judge.addition(unit, selected) for unit in strongest}
