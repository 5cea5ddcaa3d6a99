"""Learn and sparsify: for every fold, the smallest set of units that loses no information on the tuning rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from minerva_select.config import ELIMINATION, INFERENCE, JUDGE, SEARCH, SUPPORT, FitConfig
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.critic_training import fit_critics, warm_start
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.families import ArrayCritics, ByFold, ColumnSet, join_folds
from minerva_select.mi.fold import Fold
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.stacking import mix_by_rows
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.solvers.permutation import tuning_importances
from minerva_select.solvers.screen import marginal_z_of_units, select_screened_units


@dataclass(eq=False)
class SearchContext:
    """What all steps of one fit share. A unit is a feature, or a group of features that are selected together."""

    units: list[list[int]]  # features of every unit
    required: list[int]  # units that the user wants to keep
    config: FitConfig
    training: TrainingContext
    fitted: dict[tuple[int, ...], CandidateSet] = field(default_factory=dict)  # by fold and units
    importance_rounds: list[dict[int, float]] = field(default_factory=list)  # nats of each unit, by round of sparsify

    def features_of(self, units: list[int]) -> list[int]:
        """Features of these units, in order."""
        return sorted(feature for unit in units for feature in self.units[unit])

    def features_of_set(self, units: ColumnSet) -> ColumnSet:
        """Features of these units, which may be others in every fold."""
        if isinstance(units, ByFold):
            return ByFold(tuple(tuple(self.features_of([*own])) for own in units.sets))
        return tuple(self.features_of([*units]))


class TrainedCritics(Protocol):
    """Trained critics of one fold, to start others from."""

    @property
    def critics(self) -> CrossFitCritics:
        """The critics, which may have other tasks too."""

    @property
    def task(self) -> int:
        """Index among the tasks of the critics."""


@dataclass(eq=False)
class CandidateSet:
    """A set of units with critics of one fold fitted to it, and their bound on the tuning rows."""

    units: list[int]
    fold: Fold
    critics: CrossFitCritics
    task: int  # index among the tasks of the critics
    information: Tensor  # (n_tuning_rows,)
    bound: MeanEstimate
    converged: bool = True

    @cached_property
    def held_out(self) -> Tensor:  # (n_held_out_rows,)
        """Information of the held-out rows of the fold."""
        return self.critics.trained_held_out_information[self.task]


def fit_candidates(
    folds: Sequence[Fold],
    sets: Sequence[list[int]],
    context: SearchContext,
    stage: str,
    parents: Sequence[TrainedCritics | None] = (),
    max_steps: int | None = None,
) -> list[CandidateSet]:
    """Fit critics to one set of units per fold, side by side; sets that were fitted before are reused.

    A parent is another set of the same fold, whose critics are the starting point. ``max_steps`` is for refits.
    """
    keys = [(id(fold), *units) for fold, units in zip(folds, sets, strict=True)]
    parents = parents or [None] * len(sets)
    new = [k for k, key in enumerate(keys) if key not in context.fitted]
    if new:
        config, schedule = context.config, context.config.schedule
        if max(len(sets[k]) for k in new) == 1:  # no interactions to find after a plateau
            schedule = dataclasses.replace(schedule, patience_at_zero=schedule.patience)
        if stage == "sparsify":  # interactions that take a plateau to find were found with the larger set, or never
            patience = ELIMINATION.refit_patience if all(parents[k] is not None for k in new) else schedule.patience
            schedule = dataclasses.replace(schedule, patience=patience, patience_at_zero=patience)
        elif stage == "refit":  # starts from critics that know these units, among others
            schedule = dataclasses.replace(
                schedule,
                max_steps=min(max_steps or ELIMINATION.refit_steps, schedule.max_steps),
                patience=ELIMINATION.refit_patience,
                patience_at_zero=ELIMINATION.refit_patience,
            )
        tasks = [CriticTask(folds[k], context.features_of(sets[k])) for k in new]
        critics = CrossFitCritics(tasks, config.dropout, config.width)
        for task, k in enumerate(new):
            if (parent := parents[k]) is not None:
                warm_start(critics, task, parent.critics, parent.task)
        result = fit_critics(critics, schedule, context.training, stage=stage)
        for task, (k, information) in enumerate(zip(new, critics.tuning_information(), strict=True)):
            bound = _tuning_mean(folds[k], information)
            context.fitted[keys[k]] = CandidateSet(
                sets[k], folds[k], critics, task, information, bound, result.converged
            )
    return [context.fitted[key] for key in keys]


def _tuning_mean(fold: Fold, values: Tensor) -> MeanEstimate:
    rows = torch.cat(fold.tune)
    return estimate_mean(values, fold.row_weights[rows], None if fold.clusters is None else fold.clusters[rows])


def search_candidates(
    folds: Sequence[Fold],
    screens: Sequence[PairwiseInformation],
    context: SearchContext,
    arrays: ArrayCritics | None = None,
) -> list[CandidateSet]:
    """Find the smallest sufficient set of every fold, starting from the screened units and from all units.

    If trees and additive models, where given, see all that the critics of all units see, those are not made sparse. If
    there are more units than these critics can learn, they are only trained if trees or additive models find something
    beyond the screened units.
    """
    screened = [select_screened_units(screen, context.units, context.required) for screen in screens]
    everything = [find_learnable(screen, context) for screen in screens]
    tried: list[list[CandidateSet]] = [[] for _ in folds]

    def try_sets(sets: dict[int, list[int]], stage: str) -> None:
        places = [k for k, units in sets.items() if units and not (tried[k] and context.training.deadline.expired)]
        if not places:
            return
        found = fit_candidates([folds[k] for k in places], [sets[k] for k in places], context, stage)
        by_fold = dict(zip(places, found, strict=True))
        if stage != "learn" or arrays is None or _adds_to(arrays, by_fold, context, len(folds)):
            found = sparsify(found, context)
        for k, candidate in zip(places, found, strict=True):
            tried[k].append(candidate)

    try_sets({k: units for k, units in enumerate(screened) if _is_smaller(units, everything[k])}, "screen")
    is_wide = len(context.units) > SEARCH.max_learned_units
    if arrays is None or not (is_wide and _is_exhausted(arrays, tried, everything, context)):
        try_sets({k: units for k, units in enumerate(everything) if not any(map(_explains_target, tried[k]))}, "learn")
    unions = [sorted(set().union(*(one.units for one in _useful(candidates)))) for candidates in tried]
    try_sets({k: unions[k] for k in range(len(folds)) if all(one.units != unions[k] for one in tried[k])}, "join")
    smallest = [_smallest_sufficient(candidates) for candidates in tried]
    return [_widened(smallest[0], tried[0])] if len(folds) == 1 else smallest


def _adds_to(
    arrays: ArrayCritics, candidates: Mapping[int, CandidateSet], context: SearchContext, n_folds: int
) -> bool:
    """Whether candidates, by fold, tell more of the tuning rows than trees and additive models of the same units."""
    if not _can_compare(arrays, candidates.values(), context):
        return True
    by_arrays = _fit_arrays(arrays, {k: one.units for k, one in candidates.items()}, context, n_folds)
    gain, bound = _gain(by_arrays, {k: [one.information] for k, one in candidates.items()}, candidates)
    return gain.z > JUDGE.min_family_z and gain.mean > JUDGE.min_family_gain * bound.mean


def _is_exhausted(
    arrays: ArrayCritics,
    tried: Sequence[list[CandidateSet]],
    everything: Sequence[list[int]],
    context: SearchContext,
) -> bool:
    """Whether trees and additive models of all learnable units tell no more of the tuning rows than what was tried."""
    if not all(tried):
        return False
    best = {k: max(found, key=lambda one: one.bound.mean) for k, found in enumerate(tried)}
    if not _can_compare(arrays, best.values(), context):
        return False
    more = _fit_arrays(arrays, dict(enumerate(everything)), context, len(tried))
    own = _fit_arrays(arrays, {k: one.units for k, one in best.items()}, context, len(tried))
    # A critic that knows nothing is among them: beside one that overfits, any other adds something
    base = {k: [one.information, *own[k], torch.zeros_like(one.information)] for k, one in best.items()}
    gain, bound = _gain(base, more, best)
    return gain.z < INFERENCE.clear_z or gain.mean < SEARCH.exhausted_share * bound.mean


def _can_compare(arrays: ArrayCritics, candidates: Iterable[CandidateSet], context: SearchContext) -> bool:
    are_few = all(len(one.units) <= SUPPORT.max_units for one in candidates)
    return bool(arrays.families) and are_few and not context.training.deadline.expired


def _fit_arrays(
    arrays: ArrayCritics, sets: Mapping[int, list[int]], context: SearchContext, n_folds: int
) -> dict[int, list[Tensor]]:
    """Information of tuning rows by trees and additive models of one set of units per fold; not all may have one."""
    any_set = next(iter(sets.values()))
    features = context.features_of_set(join_folds(sets.get(k, any_set) for k in range(n_folds)))
    arrays.fit_all([(family, features) for family in arrays.families])
    fits = [arrays.fit(family, features) for family in arrays.families]
    return {k: [fit[k].tuning for fit in fits] for k in sets}


def _gain(
    base: Mapping[int, list[Tensor]], more: Mapping[int, list[Tensor]], candidates: Mapping[int, CandidateSet]
) -> tuple[MeanEstimate, MeanEstimate]:
    """What more critics, by fold, add to a mixture on the tuning rows that all have, and its bound."""
    gains, weights, bounds = [], [], []
    for k, one in candidates.items():
        own_weights = one.fold.row_weights[shared_tuning_rows(one.fold)]
        before, after = ([values[: len(own_weights)] for values in critics[k]] for critics in (base, more))
        mixed = mix_by_rows([*after, *before], own_weights)
        gains.append(mixed - mix_by_rows(before, own_weights))
        bounds.append(mixed)
        weights.append(own_weights)
    return estimate_mean(torch.cat(gains), torch.cat(weights)), estimate_mean(torch.cat(bounds), torch.cat(weights))


def _explains_target(candidate: CandidateSet) -> bool:
    """Whether the bound reaches the entropy of the target on the tuning rows: nothing is left to learn."""
    target, rows = candidate.fold.target, torch.cat(candidate.fold.tune)
    entropy = _tuning_mean(candidate.fold, -target.log_prior[target.bins[rows]])
    return candidate.bound.mean > SEARCH.full_share * entropy.mean


def find_learnable(screen: PairwiseInformation, context: SearchContext) -> list[int]:
    """All units; if there are too many, those that were screened, and those with the best screen."""
    everything = list(range(len(context.units)))
    if len(everything) <= SEARCH.max_learned_units:
        return everything
    screened = select_screened_units(screen, context.units, context.required)
    unit_z = marginal_z_of_units(screen, context.units)
    best = sorted(everything, key=lambda unit: -unit_z[unit])
    return sorted(list(dict.fromkeys([*screened, *best]))[: max(len(screened), SEARCH.max_learned_units)])


def _is_smaller(screened: list[int], everything: list[int]) -> bool:
    """Whether critics of the screened units learn from much less than those of all units."""
    return len(screened) < SEARCH.max_screened_share * len(everything)


def _useful(candidates: list[CandidateSet]) -> list[CandidateSet]:
    """Candidates with a positive bound, or all if none has one."""
    return [one for one in candidates if one.bound.mean > 0] or candidates


def _smallest_sufficient(candidates: list[CandidateSet]) -> CandidateSet:
    """The smallest set that loses nothing compared with the best one."""
    useful = _useful(candidates)
    best = max(useful, key=lambda candidate: candidate.bound.mean)
    return min((candidate for candidate in useful if not _loses(candidate, best)), key=_size)


def _widened(chosen: CandidateSet, candidates: list[CandidateSet]) -> CandidateSet:
    """A superset of the chosen set with nearly the same bound, or the chosen set.

    Every candidate was pruned, so its additional units are important to its own critics, and the held-out rows decide
    about them. With several folds, another fold would propose them.
    """
    wider = [one for one in candidates if {*one.units} > {*chosen.units}]
    near = (one for one in wider if one.bound.mean > SEARCH.wider_share * chosen.bound.mean > 0)
    return min(near, key=_size, default=chosen)


def _size(candidate: CandidateSet) -> tuple[int, float]:
    return len(candidate.units), -candidate.bound.mean


def sparsify(candidates: Sequence[CandidateSet], context: SearchContext) -> list[CandidateSet]:
    """Drop units without permutation importance and refit, as long as the tuning rows lose no information."""
    best = list(candidates)
    active = list(range(len(best)))
    while active and not context.training.deadline.expired:
        important = _important_units([best[k] for k in active], context)
        smaller = {k: units for k, units in zip(active, important, strict=True) if len(units) < len(best[k].units)}
        parents = [best[k] if best[k].bound.z > INFERENCE.clear_z else None for k in smaller]
        folds = [best[k].fold for k in smaller]
        fitted = fit_candidates(folds, list(smaller.values()), context, "sparsify", parents)
        active = []
        for k, candidate in zip(smaller, fitted, strict=True):
            if not _loses(candidate, best[k]):
                best[k] = candidate
                active.append(k)
    return best


def _important_units(candidates: list[CandidateSet], context: SearchContext) -> list[list[int]]:
    """Units of each candidate with permutation importance on the tuning rows, and those required."""
    importances = {
        critics: tuning_importances(critics, units, context.training.generator, max_rows=SEARCH.prune_rows)
        for critics, units in units_by_critics(candidates, context).items()
    }
    means: dict[int, list[float]] = {}
    for one in candidates:
        for unit, importance in zip(one.units, importances[one.critics][one.task], strict=True):
            means.setdefault(unit, []).append(importance.mean)
    context.importance_rounds.append({unit: sum(of_unit) / len(candidates) for unit, of_unit in sorted(means.items())})
    return [_keep_important(one, importances[one.critics][one.task], context) for one in candidates]


def units_by_critics(
    candidates: list[CandidateSet], context: SearchContext
) -> dict[CrossFitCritics, list[list[list[int]]]]:
    """Features of each candidate's units, by critics and task; tasks without a candidate have no units."""
    found: dict[CrossFitCritics, list[list[list[int]]]] = {}
    for one in candidates:
        units = found.setdefault(one.critics, [[] for _ in one.critics.tasks])
        units[one.task] = [context.units[unit] for unit in one.units]
    return found


def _keep_important(candidate: CandidateSet, importances: list[MeanEstimate], context: SearchContext) -> list[int]:
    by_z = sorted(range(len(importances)), key=lambda k: -importances[k].z)
    # With several folds the held-out rows are more numerous than the tuning rows, so doubtful units are left to them
    threshold = SEARCH.missed_z_single_fold if context.config.n_folds == 1 else SEARCH.missed_z
    n_important = sum(importance.z > threshold for importance in importances)
    if candidate.bound.z < INFERENCE.clear_z:  # the critic has learned little, so its order justifies half a cut only
        n_important = max(n_important, len(by_z) // 2)
    important = {candidate.units[k] for k in by_z[: max(1, n_important)]}
    return sorted(important | {*context.required} & {*candidate.units})


def _loses(smaller: CandidateSet, larger: CandidateSet) -> bool:
    """Whether the smaller set carries less information on the tuning rows, beyond chance and beyond a small share."""
    loss = _tuning_mean(larger.fold, larger.information - smaller.information)
    return loss.z > SEARCH.loss_z and loss.mean > SEARCH.loss_share * larger.bound.mean
