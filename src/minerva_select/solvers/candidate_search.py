"""Screen, learn, sparsify: which units of one fold are worth vetting."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics, Fold
from minerva_select.mi.discretization import coarsen_target, discretize_columns
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.pairwise_mi import PairwiseInformation, screen
from minerva_select.mi.training import TrainingContext
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.fit_config import FitConfig
from minerva_select.solvers.permutation import tuning_importances

N_PAIRS = 64  # pairs that the screen may propose
MAX_CANDIDATES = 64  # units that the screen may propose
MAX_LEARN = 2000  # more units than this, and the critic of all gets only the screen's best
SCREEN_CELLS = {"cpu": 1e12, "cuda": 5e14}  # multiplications the screen may cost; beyond it fewer rows are counted
SCREEN_CELLS_A_SECOND = {"cpu": 1e10, "cuda": 1e13}  # where the time is limited; columns of many levels cost several
_LEAST_SCREEN_SECONDS = 0.5
_PRUNE_ROWS = 4096
_SCREEN_CHUNK = 16384  # rows made coarse at once


@dataclass(eq=False)
class SearchContext:
    """What every move of one run shares."""

    units: list[list[int]]  # features of every unit
    kept: list[int]  # units kept on request
    plan: FitConfig
    run: TrainingContext
    known: dict[tuple[int, ...], CandidateSet] = field(default_factory=dict)  # by fold and units
    importance_rounds: list[dict[int, float]] = field(
        default_factory=list
    )  # of sparsifying: nats each unit was missed by

    def features_of(self, units: list[int]) -> list[int]:
        """Features of these units, in order."""
        return sorted(feature for unit in units for feature in self.units[unit])


@dataclass(eq=False)
class CandidateSet:
    """A set of units with critics of one fold fitted to it, and what they reach on the tuning rows."""

    units: list[int]
    fold: Fold
    critics: CrossFitCritics
    task: int  # among those of the critics
    information: Tensor  # of every tuning row
    evidence: MeanEstimate
    converged: bool = True  # whether the bound had stopped rising when training ended


def fit_candidates(
    folds: Sequence[Fold],
    sets: Sequence[list[int]],
    context: SearchContext,
    stage: str,
    parents: Sequence[CandidateSet | None] = (),
) -> list[CandidateSet]:
    """Fit critics to one set of units a fold, all side by side; a set that its fold knows already is not fitted again.

    A parent is where to start from: critics of the same fold and another set.
    """
    keys = [(id(fold), *units) for fold, units in zip(folds, sets, strict=True)]
    new = [k for k, key in enumerate(keys) if key not in context.known]
    if new:
        plan, schedule = context.plan, context.plan.schedule
        if stage == "sparsify":  # interactions that need a lull to be found were found by the larger set, or never
            schedule = dataclasses.replace(schedule, patience_at_zero=schedule.patience)
        tasks = [CriticTask(folds[k], context.features_of(sets[k])) for k in new]
        critics = CrossFitCritics(tasks, plan.dropout, plan.width)
        for task, k in enumerate(new):
            parent = parents[k] if parents else None
            if parent is not None:
                critics.warm_start(task, parent.critics, parent.task)
        outcome = critics.fit(schedule, context.run, stage=stage)
        for task, (k, information) in enumerate(zip(new, critics.tuning_information(), strict=True)):
            evidence = _estimate_tuning_mean(folds[k], information)
            context.known[keys[k]] = CandidateSet(
                sets[k], folds[k], critics, task, information, evidence, outcome.converged
            )
    return [context.known[key] for key in keys]


def _estimate_tuning_mean(fold: Fold, values: Tensor) -> MeanEstimate:
    rows = torch.cat(fold.tune)
    return estimate_mean(values, fold.row_weights[rows], None if fold.clusters is None else fold.clusters[rows])


def screen_fold(fold: Fold, deadline: Deadline | None = None) -> PairwiseInformation:
    """Information of all columns and, until the time is up, of pairs, from rows that are not for vetting."""
    rows = torch.cat([fold.train[0], fold.tune[0]]).sort().values
    cells = 6.0 * fold.x.layout.n_features  # a guess at the one-hot width is enough for a budget
    device, sharding = rows.device.type, fold.sharding
    most_cells = SCREEN_CELLS.get(device, 1e12)
    if deadline is not None:
        seconds = max(_LEAST_SCREEN_SECONDS, deadline.remaining)
        most_cells = min(most_cells, SCREEN_CELLS_A_SECOND.get(device, 1e10) * seconds)
    n_rows = sharding.ranks.broadcast(int(min(len(rows), max(2000, most_cells / (2 * cells**2)))))
    rows = rows[:: max(1, len(rows) // n_rows)]
    classes = coarsen_target(fold.target.bins[rows], fold.target.order)
    codes, own_classes = _coarse(fold, sharding.select_own(rows)), classes[sharding.owns(rows)]
    return screen(codes, own_classes, n_pairs=N_PAIRS, ranks=sharding.ranks, deadline=deadline)


def _coarse(fold: Fold, rows: Tensor) -> Tensor:  # (n_rows, n_features) uint8
    """Rows of this process with few codes a column, a chunk of them at a time."""
    codes = torch.empty(len(rows), fold.x.layout.n_features, dtype=torch.uint8, device=rows.device)
    for start in range(0, len(rows), _SCREEN_CHUNK):
        chunk = slice(start, start + _SCREEN_CHUNK)
        codes[chunk] = discretize_columns(fold.sharding.take(fold.x, rows[chunk]))
    return codes


def add_pair_tables(folds: Sequence[Fold], screens: Sequence[PairwiseInformation], n_pairs: int) -> list[Fold]:
    """Folds that know what their training rows say of the pairs that stand out in any of them."""
    strongest: dict[tuple[int, int], float] = {}
    for found in screens:
        for pair, z in _standing_out(found):
            strongest[pair] = max(z, strongest.get(pair, z))
    pairs = sorted(strongest, key=lambda pair: -strongest[pair])[:n_pairs]
    if not pairs:
        return list(folds)
    told = []
    for fold in folds:
        classes = coarsen_target(fold.target.bins, fold.target.order)
        rows = torch.cat(fold.train).unique() if len(fold.train) > 1 else fold.train[0]
        tables = build_pair_tables(fold.x, classes, fold.row_weights, rows, pairs, fold.sharding)
        told.append(dataclasses.replace(fold, pairs=tables))
    return told


def _standing_out(found: PairwiseInformation) -> list[tuple[tuple[int, int], float]]:
    """Pairs with more synergy than the luckiest of as many null ones would have."""
    n_columns = len(found.marginal_z)
    lucky = _luckiest(n_columns * (n_columns - 1) / 2)
    pairs = found.pairs.sort(dim=1).values.tolist()  # the screen of another fold may name the same in the other order
    return [((a, b), z) for (a, b), z in zip(pairs, found.pair_z.tolist(), strict=True) if z > lucky]


def select_screened_units(found: PairwiseInformation, context: SearchContext) -> list[int]:
    """Units of the columns and pairs that stand out: more than the luckiest of as many null ones would."""
    unit_of = {feature: unit for unit, features in enumerate(context.units) for feature in features}
    lucky_column = _luckiest(len(found.marginal_z))
    singles: list[tuple[float, tuple[int, ...]]] = [
        (float(z), (feature,)) for feature, z in enumerate(found.marginal_z) if z > min(3.0, lucky_column)
    ]
    pairs: list[tuple[float, tuple[int, ...]]] = [(z, pair) for pair, z in _standing_out(found)]
    chosen: dict[int, None] = dict.fromkeys(context.kept)
    for _, features in sorted(singles + pairs, key=lambda item: -item[0]):
        if len(chosen) < MAX_CANDIDATES:
            chosen.update(dict.fromkeys(unit_of[feature] for feature in features if feature in unit_of))
    return sorted(chosen)


def sort_by_screen(units: list[int], found: PairwiseInformation, context: SearchContext) -> list[int]:
    """Units with those first that stand out most in the screen, alone or in a pair: the time may not reach the last."""
    promise = found.marginal_z.clone()
    for (first, second), z in zip(found.pairs.tolist(), found.pair_z.tolist(), strict=True):
        promise[first], promise[second] = max(float(promise[first]), z), max(float(promise[second]), z)
    return sorted(units, key=lambda unit: -max(float(promise[feature]) for feature in context.units[unit]))


def _luckiest(n_tries: float) -> float:
    """About the largest z that so many skewed nulls give."""
    return math.sqrt(2.0 * math.log(max(2.0, n_tries))) + 2.0


def search_candidates(
    folds: Sequence[Fold], screens: Sequence[PairwiseInformation], context: SearchContext
) -> list[CandidateSet]:
    """For every fold the sparsest set of units that loses nothing: from the screen, and from a critic of all."""
    screened = [select_screened_units(found, context) for found in screens]
    everything = [_learnable(found, chosen, context) for found, chosen in zip(screens, screened, strict=True)]
    tried: list[list[CandidateSet]] = [[] for _ in folds]

    def try_sets(sets: dict[int, list[int]], stage: str) -> None:
        places = [k for k, units in sets.items() if units and not (tried[k] and context.run.deadline.expired)]
        if places:
            fitted = fit_candidates([folds[k] for k in places], [sets[k] for k in places], context, stage)
            for k, candidate in zip(places, sparsify(fitted, context), strict=True):
                tried[k].append(candidate)

    try_sets({k: units for k, units in enumerate(screened) if len(units) < len(everything[k])}, "screen")
    try_sets({k: units for k, units in enumerate(everything) if not any(map(_tells_all, tried[k]))}, "learn")
    useful = [[one for one in candidates if one.evidence.mean > 0] or candidates for candidates in tried]
    joined = [sorted(set().union(*(one.units for one in candidates))) for candidates in useful]
    try_sets({k: joined[k] for k in range(len(folds)) if all(one.units != joined[k] for one in tried[k])}, "join")
    candidates = [_sparsest(candidates) for candidates in tried]
    return [_widened(candidates[0], tried[0])] if len(folds) == 1 else candidates


def _tells_all(candidate: CandidateSet) -> bool:
    """Whether the target of the tuning rows holds no more than the candidate tells: nothing is left to learn."""
    target, rows = candidate.fold.target, torch.cat(candidate.fold.tune)
    held = _estimate_tuning_mean(candidate.fold, -target.log_prior[target.bins[rows]])
    return candidate.evidence.mean > 0.99 * held.mean


def _learnable(found: PairwiseInformation, screened: list[int], context: SearchContext) -> list[int]:
    """Units for the critic of all: all, or where they are too many, those that the screen puts first."""
    everything = list(range(len(context.units)))
    if len(everything) <= MAX_LEARN:
        return everything
    unit_z = [max(float(found.marginal_z[f]) for f in features) for features in context.units]
    return sorted({*screened, *sorted(everything, key=lambda unit: -unit_z[unit])[:MAX_LEARN]})


def _sparsest(candidates: list[CandidateSet]) -> CandidateSet:
    """The smallest set among those that lose nothing against the best."""
    useful = [one for one in candidates if one.evidence.mean > 0] or candidates
    best = max(useful, key=lambda candidate: candidate.evidence.mean)
    within = [candidate for candidate in useful if not _loses(candidate, best)]
    return min(within, key=_size)


def _widened(chosen: CandidateSet, candidates: list[CandidateSet]) -> CandidateSet:
    """A set that holds the chosen one and falls hardly behind it, or the chosen one.

    Every candidate is pruned to what it misses, so that such a set was learned a little worse, and what it holds beyond
    the other is for the vet to judge. Of several folds some other would propose it; where there is one, none would.
    """
    wider = [one for one in candidates if {*one.units} > {*chosen.units}]
    return min((one for one in wider if one.evidence.mean > 0.95 * chosen.evidence.mean > 0), key=_size, default=chosen)


def _size(candidate: CandidateSet) -> tuple[int, float]:
    return len(candidate.units), -candidate.evidence.mean


def sparsify(candidates: Sequence[CandidateSet], context: SearchContext) -> list[CandidateSet]:
    """Drop what is not missed when shuffled, fit again, and go on while the tuning rows lose nothing by it."""
    best = list(candidates)
    going = list(range(len(best)))
    while going and not context.run.deadline.expired:
        missed = _missed([best[k] for k in going], context)
        smaller = {k: units for k, units in zip(going, missed, strict=True) if len(units) < len(best[k].units)}
        parents = [best[k] if best[k].evidence.z > 3.0 else None for k in smaller]
        folds = [best[k].fold for k in smaller]
        fitted = fit_candidates(folds, list(smaller.values()), context, "sparsify", parents)
        going = []
        for k, candidate in zip(smaller, fitted, strict=True):
            if not _loses(candidate, best[k]):
                best[k] = candidate
                going.append(k)
    return best


def _missed(candidates: list[CandidateSet], context: SearchContext) -> list[list[int]]:
    """Units of each candidate that it misses when they are shuffled on tuning rows, and those kept on request."""
    falls = {
        critics: tuning_importances(critics, units, context.run.generator, max_rows=_PRUNE_ROWS)
        for critics, units in units_by_critics(candidates, context).items()
    }
    missed: dict[int, list[float]] = {}
    for one in candidates:
        for unit, fall in zip(one.units, falls[one.critics][one.task], strict=True):
            missed.setdefault(unit, []).append(fall.mean)
    context.importance_rounds.append({unit: sum(means) / len(candidates) for unit, means in sorted(missed.items())})
    return [_keep_missed(one, falls[one.critics][one.task], context) for one in candidates]


def units_by_critics(
    candidates: list[CandidateSet], context: SearchContext
) -> dict[CrossFitCritics, list[list[list[int]]]]:
    """For the critics of these candidates, the units of each of their tasks; none where no candidate is meant."""
    found: dict[CrossFitCritics, list[list[list[int]]]] = {}
    for one in candidates:
        units = found.setdefault(one.critics, [[] for _ in one.critics.tasks])
        units[one.task] = [context.units[unit] for unit in one.units]
    return found


def _keep_missed(candidate: CandidateSet, falls: list[MeanEstimate], context: SearchContext) -> list[int]:
    by_z = sorted(range(len(falls)), key=lambda k: -falls[k].z)
    # Where every row is vetted in turn, the vet sees more than the tuning rows: it shall decide about what they doubt
    n_missed = sum(fall.z > (2.0 if context.plan.n_folds == 1 else 1.0) for fall in falls)
    if candidate.evidence.z < 3.0:  # the critic has learned little, so its ranking is worth half a cut only
        n_missed = max(n_missed, len(by_z) // 2)
    missed = {candidate.units[k] for k in by_z[: max(1, n_missed)]}
    return sorted(missed | {*context.kept} & {*candidate.units})


def _loses(smaller: CandidateSet, larger: CandidateSet) -> bool:
    """Whether the smaller set carries less than the larger one on the tuning rows, beyond its own uncertainty."""
    loss = _estimate_tuning_mean(larger.fold, larger.information - smaller.information)
    return loss.z > 1.0 and loss.mean > 0.005 * larger.evidence.mean
