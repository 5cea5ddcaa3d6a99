"""What each unit adds to the others: critics that answer for any part of a set of units."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

import torch
from torch import Generator, Tensor

from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics, MaskSampler, held_out_clusters
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.candidate_search import CandidateSet, SearchContext

FULL_SHARE = 0.4  # share of training rows that show every unit
LEAST_SHARE = 0.005  # of all information; a unit that adds less is not worth a column, however sure that little is
TRACE_STEPS = 150
MAX_AT_ONCE = 4  # from so many units on, a step beyond the selection takes more than one
ONE_OUT_SHARE = 0.3  # share that hide exactly one; the rest hide any number


def make_mask_sampler(local_units: list[list[int]]) -> MaskSampler:
    """Masks for training: all units, all but one, or a random part, one mask a row."""
    n_units = len(local_units)
    unit_of_feature = torch.empty(sum(len(features) for features in local_units), dtype=torch.int64)
    for unit, features in enumerate(local_units):
        unit_of_feature[features] = unit

    def sample(n_rows: int, generator: Generator) -> Tensor:  # (n_rows, n_features)
        part = torch.rand(n_rows, n_units, generator=generator) > 0.6 * torch.rand(n_rows, 1, generator=generator)
        one_out = torch.randint(n_units, (n_rows, 1), generator=generator) != torch.arange(n_units)
        draw = torch.rand(n_rows, 1, generator=generator)
        masks = torch.where(draw < FULL_SHARE + ONE_OUT_SHARE, one_out, part) | (draw < FULL_SHARE)
        return masks.float()[:, unit_of_feature]

    return sample


class MaskedCritics:
    """Critics of a set of units that were trained with parts of the set hidden.

    Hiding a unit from such a critic is as good as fitting another one without it, so the fall of the bound is the
    conditional mutual information itself, row by row, for all units at the price of one fit.
    """

    def __init__(self, candidates: Sequence[CandidateSet], units: list[int], context: SearchContext) -> None:
        self.units = units
        folds = [candidate.fold for candidate in candidates]
        self.weights = torch.cat([fold.row_weights[fold.held_out] for fold in folds])
        self.clusters = held_out_clusters(folds)
        self.features = {unit: context.units[unit] for unit in units}
        every_feature = context.features_of(units)
        self.critics = CrossFitCritics(
            [CriticTask(fold, every_feature) for fold in folds], context.plan.dropout, context.plan.width
        )
        place = {feature: k for k, feature in enumerate(every_feature)}
        for task, candidate in enumerate(candidates):
            self.critics.warm_start(task, candidate.critics, candidate.task)
        self.critics.fit(
            context.plan.schedule,
            context.run,
            stage="vet",
            sample_masks=make_mask_sampler([[place[feature] for feature in self.features[unit]] for unit in units]),
        )

    def information(self, units: list[int]) -> Tensor:  # (n_rows,)
        """Information of every vetting row from these units alone; of none, nothing."""
        if not units:
            return torch.zeros_like(self.weights)
        mask = self.critics.feature_mask([feature for unit in units for feature in self.features[unit]])
        return torch.cat(self.critics.held_out_information(mask))

    def estimate_mean(self, values: Tensor) -> MeanEstimate:
        """Mean over the vetting rows."""
        return estimate_mean(values, self.weights, self.clusters)

    def contributions(self, units: list[int]) -> dict[int, MeanEstimate]:
        """Fall of the information when each one of these units is left out."""
        full = self.information(units)
        return {unit: self._fall(full, [other for other in units if other != unit]) for unit in units}

    def _fall(self, full: Tensor, rest: list[int]) -> MeanEstimate:
        without = self.information(rest)
        # A critic that is worse than nothing without the unit does not make the unit worth more than everything
        return self.estimate_mean(full if self.estimate_mean(without).mean < 0 else full - without)


@dataclass(frozen=True)
class DroppedUnit:
    """A unit that adds nothing, and the unit that makes it superfluous (None if none does)."""

    unit: int
    contribution: MeanEstimate
    replaced_by: int | None


@dataclass(frozen=True)
class EliminationResult:
    """The way from all surviving units down to those that each add something."""

    kept: list[int]
    contributions: dict[int, MeanEstimate]
    dropped: list[DroppedUnit]  # in the order they went
    path: list[tuple[list[int], MeanEstimate]]
    in_time: bool = True  # False when the time ran out, and more might have gone


def eliminate(vetting: MaskedCritics, context: SearchContext, level: float, n_wanted: int | None) -> EliminationResult:
    """Take out the unit that contributes least, one at a time, until every one left contributes.

    With ``n_wanted`` go on (or stop) at that number of units, whatever they contribute. When there is no time for
    another round, all that are left stay, or as many as are wanted.
    """
    alive, dropped, in_time = list(vetting.units), [], True
    path = [(list(alive), vetting.estimate_mean(vetting.information(alive)))]
    floor = LEAST_SHARE * path[0][1].mean
    start = time.monotonic()
    contributions = vetting.contributions(alive)
    seconds = 3 * (time.monotonic() - start)  # of a round: it looks at every unit once again, and twice for a stand-in
    while True:
        free = [unit for unit in alive if unit not in context.kept]
        n_beyond = 1 if n_wanted is None else len(alive) - n_wanted
        if not free or n_beyond <= 0:
            break
        in_time = context.run.deadline.allows(seconds)
        order = sorted(free, key=lambda unit: (contributions[unit].mean > floor, contributions[unit].z))
        least = contributions[order[0]]
        adds = least.mean > floor and least.p_value < level / len(alive)
        if n_wanted is None and (adds or not in_time):
            in_time = in_time or adds
            break
        going = order[: 1 if in_time else n_beyond]
        alive = [unit for unit in alive if unit not in going]
        dropped += [
            DroppedUnit(unit, contributions[unit], _stand_in(vetting, alive, unit) if in_time else None)
            for unit in going
        ]
        path.append((list(alive), vetting.estimate_mean(vetting.information(alive))))
        contributions = vetting.contributions(alive)
    return EliminationResult(alive, contributions, dropped, path, in_time)


def _stand_in(vetting: MaskedCritics, alive: list[int], gone: int) -> int | None:
    """The unit without which the one that went would be missed most; None if it would not be missed at all."""
    best, best_gain = None, 0.0
    for other in alive:
        rest = [unit for unit in alive if unit != other]
        gain = vetting.estimate_mean(vetting.information([*rest, gone]) - vetting.information(rest))
        if gain.z > 3.0 and gain.mean > best_gain:
            best, best_gain = other, gain.mean
    return best


def order_units(vetting: MaskedCritics, elimination: EliminationResult) -> list[int]:
    """All units, those first that would go last: what was kept is taken apart further, the least contribution first.

    Where many are left, several go at once, as every step costs a look at each unit that is left.
    """
    gone = [one.unit for one in elimination.dropped]
    alive, contributions = list(elimination.kept), elimination.contributions
    while len(alive) > 1:
        n_least = max(1, len(alive) // MAX_AT_ONCE)
        least = sorted(alive, key=lambda unit: contributions[unit].mean)[:n_least]
        alive = [unit for unit in alive if unit not in least]
        gone += least
        contributions = vetting.contributions(alive)
    return [*alive, *gone[::-1]]


def measure_nested_sets(
    vetting: MaskedCritics, order: list[int], sizes: list[int], context: SearchContext
) -> list[tuple[list[int], MeanEstimate]]:
    """Information of the first units of an order, for each of these sizes.

    The critics were trained with few units hidden, so that they know little of small sets: they are trained on, with
    these sets alone. They are no good for other sets after that.
    """
    critics, features = vetting.critics, [vetting.features[unit] for unit in order]
    masks = torch.stack([critics.feature_mask(list(chain(*features[:size]))) for size in sizes]).cpu()

    def sample(n_rows: int, generator: Generator) -> Tensor:  # (n_rows, n_features)
        return masks[torch.randint(len(sizes), (n_rows,), generator=generator)]

    schedule = replace(context.plan.schedule, max_steps=min(TRACE_STEPS, context.plan.schedule.max_steps))
    critics.fit(schedule, context.run, stage="path", sample_masks=sample)
    return [(sorted(order[:size]), vetting.estimate_mean(vetting.information(order[:size]))) for size in sizes]


def estimate_interactions(
    vetting: MaskedCritics, units: list[int], kept: list[int], deadline: Deadline
) -> dict[tuple[int, int], MeanEstimate]:
    """For every two of these units, until the time is up, how much more each adds where it meets the other one.

    I(a; y | rest, b) - I(a; y | rest) with the rest of all that is kept: above 0 they work together, below 0 they say
    the same.
    """
    full = vetting.information(kept)
    without = {unit: vetting.information([other for other in kept if other != unit]) for unit in units}
    found: dict[tuple[int, int], MeanEstimate] = {}
    for first, second in combinations(units, 2):
        if deadline.expired:
            break
        neither = vetting.information([unit for unit in kept if unit not in (first, second)])
        found[first, second] = vetting.estimate_mean(full - without[first] - without[second] + neither)
    return found


def find_partners(
    contributions: dict[int, MeanEstimate], together: dict[tuple[int, int], MeanEstimate]
) -> dict[int, list[int]]:
    """For every unit those without which it would contribute less than half: they matter together."""
    found: dict[int, list[int]] = {unit: [] for unit in contributions}
    for pair, gain in together.items():
        for unit, other in (pair, pair[::-1]):
            if contributions[unit].z > 3.0 and gain.mean > 0.5 * contributions[unit].mean:
                found[unit].append(other)
    return found
