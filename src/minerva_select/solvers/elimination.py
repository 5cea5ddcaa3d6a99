"""Backward elimination by contribution: critics trained with masked units estimate any subset of a set of units."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

import torch
from torch import Generator, Tensor

from minerva_select.config import ELIMINATION, INFERENCE, VETTING
from minerva_select.mi.critic_training import MaskSampler, fit_critics, warm_start
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.fold import held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.candidate_search import CandidateSet, SearchContext

Path = list[tuple[list[int], MeanEstimate]]  # nested sets of units with their information, largest first


def make_mask_sampler(local_units: list[list[int]]) -> MaskSampler:
    """Sampler of training masks, one per row: all units, all but one, or a random subset."""
    n_units = len(local_units)
    unit_of_feature = torch.empty(sum(len(features) for features in local_units), dtype=torch.int64)
    for unit, features in enumerate(local_units):
        unit_of_feature[features] = unit
    full, one_out_or_full = ELIMINATION.full_share, ELIMINATION.full_share + ELIMINATION.one_out_share

    def sample(n_rows: int, generator: Generator) -> Tensor:  # (n_rows, n_features)
        chance = torch.rand(n_rows, n_units, generator=generator)
        subset = chance > ELIMINATION.max_hidden_share * torch.rand(n_rows, 1, generator=generator)
        one_out = torch.randint(n_units, (n_rows, 1), generator=generator) != torch.arange(n_units)
        draw = torch.rand(n_rows, 1, generator=generator)
        masks = torch.where(draw < one_out_or_full, one_out, subset) | (draw < full)
        return masks.float()[:, unit_of_feature]

    return sample


class MaskedCritics:
    """Critics of a set of units, trained with random subsets of the set masked.

    Masking a unit for such a critic replaces refitting without it, so the fall of the bound is the conditional mutual
    information, row by row, of all units at the cost of one fit.
    """

    def __init__(self, candidates: Sequence[CandidateSet], units: list[int], context: SearchContext) -> None:
        self.units = units
        folds = [candidate.fold for candidate in candidates]
        self.weights = held_out_weights(folds)
        self.clusters = held_out_clusters(folds)
        self.features = {unit: context.units[unit] for unit in units}
        features, config = context.features_of(units), context.config
        self.critics = CrossFitCritics([CriticTask(fold, features) for fold in folds], config.dropout, config.width)
        for task, candidate in enumerate(candidates):
            warm_start(self.critics, task, candidate.critics, candidate.task)
        index = {feature: k for k, feature in enumerate(features)}
        masks = make_mask_sampler([[index[feature] for feature in self.features[unit]] for unit in units])
        fit_critics(self.critics, config.schedule, context.training, stage="vet", sample_masks=masks)

    def information(self, units: list[int]) -> Tensor:  # (n_rows,)
        """Information of every held-out row from these units; 0 without units."""
        if not units:
            return torch.zeros_like(self.weights)
        mask = self.critics.feature_mask([feature for unit in units for feature in self.features[unit]])
        return torch.cat(self.critics.held_out_information(mask))

    def mean(self, values: Tensor) -> MeanEstimate:
        """Mean over the held-out rows."""
        return estimate_mean(values, self.weights, self.clusters)

    def contributions(self, units: list[int]) -> dict[int, MeanEstimate]:
        """Conditional mutual information of each of these units given the others."""
        full = self.information(units)
        return {unit: self._contribution(full, [other for other in units if other != unit]) for unit in units}

    def _contribution(self, full: Tensor, rest: list[int]) -> MeanEstimate:
        without = self.information(rest)
        # A negative bound without the unit does not make its contribution larger than all information
        return self.mean(full if self.mean(without).mean < 0 else full - without)


@dataclass(frozen=True)
class DroppedUnit:
    """A unit that contributes nothing, and the unit that makes it redundant, if one does."""

    unit: int
    contribution: MeanEstimate
    replaced_by: int | None


@dataclass(frozen=True)
class EliminationResult:
    """The path from all surviving units down to those that each contribute."""

    kept: list[int]
    contributions: dict[int, MeanEstimate]
    dropped: list[DroppedUnit]  # in order
    path: Path
    completed: bool = True  # False if the time ran out before all units were tested


def eliminate(masked: MaskedCritics, context: SearchContext, n_to_select: int | None = None) -> EliminationResult:
    """Drop the unit with the least contribution, one at a time, until every remaining unit contributes.

    With ``n_to_select``, continue to that number of units, whatever they contribute. If there is no time for another
    round, all remaining units stay, or as many as were requested.
    """
    remaining, dropped, completed = list(masked.units), [], True
    path = [(list(remaining), masked.mean(masked.information(remaining)))]
    floor = ELIMINATION.min_share * path[0][1].mean
    start = time.monotonic()
    contributions = masked.contributions(remaining)
    round_seconds = 3 * (time.monotonic() - start)  # a round evaluates every unit again, and twice for a replacement
    while True:
        optional = [unit for unit in remaining if unit not in context.required]
        n_excess = 1 if n_to_select is None else len(remaining) - n_to_select
        if not optional or n_excess <= 0:
            break
        completed = context.training.deadline.allows(round_seconds)
        order = sorted(optional, key=lambda unit: (contributions[unit].mean > floor, contributions[unit].z))
        least = contributions[order[0]]
        contributes = least.mean > floor and least.p_value < VETTING.level / len(remaining)
        if n_to_select is None and (contributes or not completed):
            completed = completed or contributes
            break
        leaving = order[: 1 if completed else n_excess]
        remaining = [unit for unit in remaining if unit not in leaving]
        dropped += [
            DroppedUnit(unit, contributions[unit], _find_replacement(masked, remaining, unit) if completed else None)
            for unit in leaving
        ]
        path.append((list(remaining), masked.mean(masked.information(remaining))))
        contributions = masked.contributions(remaining)
    return EliminationResult(remaining, contributions, dropped, path, completed)


def _find_replacement(masked: MaskedCritics, remaining: list[int], dropped: int) -> int | None:
    """The remaining unit that the dropped one could replace best; None if it could replace none."""
    best, best_gain = None, 0.0
    for other in remaining:
        rest = [unit for unit in remaining if unit != other]
        gain = masked.mean(masked.information([*rest, dropped]) - masked.information(rest))
        if gain.z > INFERENCE.clear_z and gain.mean > best_gain:
            best, best_gain = other, gain.mean
    return best


def order_units(masked: MaskedCritics, elimination: EliminationResult) -> list[int]:
    """Order all units by when elimination drops them, last first, continuing beyond the selection.

    Where many units remain, each step drops several, since it evaluates every remaining unit.
    """
    dropped = [one.unit for one in elimination.dropped]
    remaining, contributions = list(elimination.kept), elimination.contributions
    while len(remaining) > 1:
        n_least = max(1, len(remaining) // ELIMINATION.drop_fraction)
        least = sorted(remaining, key=lambda unit: contributions[unit].mean)[:n_least]
        remaining = [unit for unit in remaining if unit not in least]
        dropped += least
        contributions = masked.contributions(remaining)
    return [*remaining, *dropped[::-1]]


def measure_nested_sets(masked: MaskedCritics, order: list[int], sizes: list[int], context: SearchContext) -> Path:
    """Information of the first units of an order, for each of these sizes.

    The critics were trained with few units masked and know little about small sets, so they are trained further on
    these sets. Afterwards they are unfit for other sets.
    """
    critics, features = masked.critics, [masked.features[unit] for unit in order]
    masks = torch.stack([critics.feature_mask(list(chain(*features[:size]))) for size in sizes]).cpu()

    def sample(n_rows: int, generator: Generator) -> Tensor:  # (n_rows, n_features)
        return masks[torch.randint(len(sizes), (n_rows,), generator=generator)]

    schedule = context.config.schedule
    schedule = replace(schedule, max_steps=min(ELIMINATION.nested_steps, schedule.max_steps))
    fit_critics(critics, schedule, context.training, stage="path", sample_masks=sample)
    return [(sorted(order[:size]), masked.mean(masked.information(order[:size]))) for size in sizes]


def estimate_interactions(
    masked: MaskedCritics, units: list[int], kept: list[int], deadline: Deadline
) -> dict[tuple[int, int], MeanEstimate]:
    """Interaction of every two of these units, until the deadline: synergy above 0, redundancy below.

    I(a; y | rest, b) - I(a; y | rest), where the rest is everything else that is kept.
    """
    full = masked.information(kept)
    without = {unit: masked.information([other for other in kept if other != unit]) for unit in units}
    found: dict[tuple[int, int], MeanEstimate] = {}
    for first, second in combinations(units, 2):
        if deadline.expired:
            break
        without_both = masked.information([unit for unit in kept if unit not in (first, second)])
        found[first, second] = masked.mean(full - without[first] - without[second] + without_both)
    return found


def find_partners(
    contributions: dict[int, MeanEstimate], interactions: dict[tuple[int, int], MeanEstimate]
) -> dict[int, list[int]]:
    """For every unit, the others without which it would contribute less than half."""
    found: dict[int, list[int]] = {unit: [] for unit in contributions}
    for pair, synergy in interactions.items():
        for unit, other in (pair, pair[::-1]):
            contribution = contributions[unit]
            if contribution.z > INFERENCE.clear_z and synergy.mean > ELIMINATION.partner_share * contribution.mean:
                found[unit].append(other)
    return found
