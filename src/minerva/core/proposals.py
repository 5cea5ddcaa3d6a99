"""Screen, learn, sparsify: which units of one fold are worth vetting."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from minerva.core.evidence import Evidence, weigh
from minerva.core.information import Critics, Fold
from minerva.core.plan import Plan
from minerva.core.runtime import Deadline
from minerva.core.screen import Screen, coarse_classes, coarse_codes, screen
from minerva.core.shuffling import falls_on_tune_rows
from minerva.results import TrainingRecord

N_PAIRS = 64  # pairs that the screen may propose
MAX_CANDIDATES = 64  # units that the screen may propose
MAX_LEARN = 2000  # more units than this, and the critic of all gets only the screen's best
SCREEN_CELLS = 2e12  # multiplications the screen may cost; beyond it fewer rows are counted
_PRUNE_ROWS = 4096


@dataclass(eq=False)
class Workshop:
    """What every move of one run shares."""

    units: list[list[int]]  # features of every unit
    kept: list[int]  # units kept on request
    plan: Plan
    generator: Generator
    deadline: Deadline
    records: list[TrainingRecord]
    on_record: Callable[[TrainingRecord], None]

    def features_of(self, units: list[int]) -> list[int]:
        """Features of these units, in order."""
        return sorted(feature for unit in units for feature in self.units[unit])

    def note(self, record: TrainingRecord) -> None:
        """Keep a training record and pass it on."""
        self.records.append(record)
        self.on_record(record)


@dataclass(eq=False)
class Candidate:
    """A set of units with critics fitted to it, and what they reach on the tuning rows."""

    units: list[int]
    critics: Critics
    information: Tensor  # of every tuning row
    evidence: Evidence

    def local_units(self, workshop: Workshop) -> list[list[int]]:
        """Features of every unit, as numbered within this candidate's own columns."""
        place = {feature: k for k, feature in enumerate(workshop.features_of(self.units))}
        return [[place[feature] for feature in workshop.units[unit]] for unit in self.units]


def fit_candidate(fold: Fold, units: list[int], workshop: Workshop, stage: str) -> Candidate:
    """Fit critics to these units alone."""
    plan, schedule = workshop.plan, workshop.plan.schedule
    if stage == "sparsify":  # interactions that need a lull to be found were found by the larger set, or never will be
        schedule = dataclasses.replace(schedule, patience_at_zero=schedule.patience)
    critics = Critics(fold.only(workshop.features_of(units)), plan.dropout, plan.width)
    critics.fit(schedule, workshop.generator, workshop.deadline, stage=stage, on_record=workshop.note)
    information = critics.tune_information()
    weights = fold.row_weights[torch.cat(fold.tune)]
    return Candidate(units, critics, information, weigh(information, weights))


def screen_fold(fold: Fold) -> Screen:
    """Information of all columns and pairs, from rows that are not for vetting."""
    rows = torch.cat([fold.train[0], fold.tune[0]]).sort().values
    cells = 6.0 * fold.x.layout.n_features  # a guess at the one-hot width is enough for a budget
    n_rows = int(min(len(rows), max(2000, SCREEN_CELLS / (2 * cells**2))))
    rows = rows[:: max(1, len(rows) // n_rows)]
    atoms = fold.target.atom_rows
    order = atoms.ranks[:, 0] if atoms.ranks.shape[1] else torch.arange(len(atoms), device=rows.device)
    classes = coarse_classes(fold.target.atoms[rows], order)
    return screen(coarse_codes(fold.x.take(rows)), classes, n_pairs=N_PAIRS)


def screened_units(found: Screen, workshop: Workshop) -> list[int]:
    """Units of the columns and pairs that stand out: more than the luckiest of as many null ones would."""
    unit_of = {feature: unit for unit, features in enumerate(workshop.units) for feature in features}
    n_columns = len(found.marginal_z)
    lucky_column, lucky_pair = _luckiest(n_columns), _luckiest(n_columns * (n_columns - 1) / 2)
    singles: list[tuple[float, tuple[int, ...]]] = [
        (float(z), (feature,)) for feature, z in enumerate(found.marginal_z) if z > min(3.0, lucky_column)
    ]
    pairs: list[tuple[float, tuple[int, ...]]] = [
        (float(z), (int(a), int(b))) for (a, b), z in zip(found.pairs, found.pair_z, strict=True) if z > lucky_pair
    ]
    chosen: dict[int, None] = dict.fromkeys(workshop.kept)
    for _, features in sorted(singles + pairs, key=lambda item: -item[0]):
        if len(chosen) < MAX_CANDIDATES:
            chosen.update(dict.fromkeys(unit_of[feature] for feature in features if feature in unit_of))
    return sorted(chosen)


def _luckiest(n_tries: float) -> float:
    """About the largest z that so many skewed nulls give."""
    return math.sqrt(2.0 * math.log(max(2.0, n_tries))) + 2.0


def propose(fold: Fold, found: Screen, workshop: Workshop) -> Candidate:
    """The sparsest set of units that loses nothing on the tuning rows: from the screen, and from a critic of all."""
    everything = list(range(len(workshop.units)))
    screened = screened_units(found, workshop)
    if len(everything) > MAX_LEARN:
        unit_z = [max(float(found.marginal_z[f]) for f in features) for features in workshop.units]
        everything = sorted({*screened, *sorted(everything, key=lambda unit: -unit_z[unit])[:MAX_LEARN]})
    candidates = []
    if 0 < len(screened) < len(everything):
        candidates.append(sparsify(fit_candidate(fold, screened, workshop, "screen"), fold, workshop))
    if not (candidates and workshop.deadline.passed):
        candidates.append(sparsify(fit_candidate(fold, everything, workshop, "learn"), fold, workshop))
    useful = [candidate for candidate in candidates if candidate.evidence.mean > 0] or candidates
    union = sorted(set().union(*(candidate.units for candidate in useful)))
    if all(candidate.units != union for candidate in candidates) and not workshop.deadline.passed:
        useful.append(sparsify(fit_candidate(fold, union, workshop, "join"), fold, workshop))
    best = max(useful, key=lambda candidate: candidate.evidence.mean)
    within = [candidate for candidate in useful if not _loses(candidate, best, fold)]
    return min(within, key=lambda candidate: (len(candidate.units), -candidate.evidence.mean))


def sparsify(candidate: Candidate, fold: Fold, workshop: Workshop) -> Candidate:
    """Drop what is not missed when shuffled, fit again, and go on while the tuning rows lose nothing by it."""
    while len(candidate.units) > 1 and not workshop.deadline.passed:
        falls = falls_on_tune_rows(
            candidate.critics, candidate.local_units(workshop), workshop.generator, max_rows=_PRUNE_ROWS
        )
        by_z = sorted(range(len(falls)), key=lambda k: -falls[k].z)
        n_missed = sum(fall.z > 2.0 for fall in falls)
        if candidate.evidence.z < 3.0:  # the critic has learned little, so its ranking is worth half a cut only
            n_missed = max(n_missed, len(by_z) // 2)
        chosen = {candidate.units[k] for k in by_z[: max(1, n_missed)]} | {*workshop.kept} & {*candidate.units}
        if len(chosen) == len(candidate.units):
            break
        smaller = fit_candidate(fold, sorted(chosen), workshop, "sparsify")
        if _loses(smaller, candidate, fold):
            break
        candidate = smaller
    return candidate


def _loses(smaller: Candidate, larger: Candidate, fold: Fold) -> bool:
    """Whether the smaller set carries less than the larger one on the tuning rows, beyond its own uncertainty."""
    weights = fold.row_weights[torch.cat(fold.tune)]
    loss = weigh(larger.information - smaller.information, weights)
    return loss.z > 1.0 and loss.mean > 0.005 * larger.evidence.mean
