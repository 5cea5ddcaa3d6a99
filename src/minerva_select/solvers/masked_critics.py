"""Critics trained with masked units: the information of any subset of a set of units, at the cost of one training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import torch
from torch import Generator, Tensor

from minerva_select.config import ELIMINATION, EXPLANATION
from minerva_select.mi.critic_training import MaskSampler, fit_critics, warm_start
from minerva_select.mi.cross_fit import CriticTask, CrossFitCritics
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.sampling import draw_stratified
from minerva_select.solvers.candidate_search import SearchContext, TrainedCritics


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

    They estimate the information of every subset at the cost of one fit: enough to compare pairs of units, of which
    there are too many to refit. They underestimate what one unit can do in place of a masked one that is similar, so
    contributions come from refits.
    """

    def __init__(
        self, folds: Sequence[Fold], candidates: Sequence[TrainedCritics], units: list[int], context: SearchContext
    ) -> None:
        self.units = units
        rows, self.weights, self.clusters = _sample_held_out(
            folds, _n_interaction_rows(units), context.training.generator
        )
        self.rows = rows  # held-out rows of each fold that ``information`` is measured on
        self.features = {unit: context.units[unit] for unit in units}
        features, config = context.features_of(units), context.config
        self.critics = CrossFitCritics([CriticTask(fold, features) for fold in folds], config.dropout, config.width)
        for task, candidate in enumerate(candidates):
            warm_start(self.critics, task, candidate.critics, candidate.task)
        index = {feature: k for k, feature in enumerate(features)}
        masks = make_mask_sampler([[index[feature] for feature in self.features[unit]] for unit in units])
        schedule = replace(config.schedule, max_steps=min(ELIMINATION.masked_steps, config.schedule.max_steps))
        fit_critics(self.critics, schedule, context.training, stage="vet", sample_masks=masks)

    def information(self, units: list[int]) -> Tensor:  # (n_rows,)
        """Information of a sample of the held-out rows from these units; 0 without units."""
        if not units:
            return torch.zeros_like(self.weights)
        mask = self.critics.feature_mask([feature for unit in units for feature in self.features[unit]])
        return torch.cat(self.critics.information(self.rows, mask))

    def information_of(self, units: list[int]) -> tuple[list[Tensor], list[Tensor]]:
        """Information of every fold's tuning rows, and of its held-out rows, from these units."""
        mask = self.critics.feature_mask([feature for unit in units for feature in self.features[unit]])
        return self.critics.tuning_information(mask), self.critics.held_out_information(mask)

    def tuning_bound(self, units: list[int]) -> float:
        """Information of these units on the tuning rows."""
        if not units:
            return 0.0
        rows = [torch.cat(task.fold.tune) for task in self.critics.tasks]
        weights = torch.cat([self.critics.row_weights[of_fold] for of_fold in rows])
        return estimate_mean(torch.cat(self.information_of(units)[0]), weights).mean

    def mean(self, values: Tensor) -> MeanEstimate:
        """Mean over the sampled held-out rows."""
        return estimate_mean(values, self.weights, self.clusters)

    def order(self, units: Sequence[int]) -> list[int]:
        """Order units by what they add to the others, the most important first; where many remain, several at once."""
        remaining, dropped = list(units), []
        while len(remaining) > 1:
            bounds = {unit: self.tuning_bound([other for other in remaining if other != unit]) for unit in remaining}
            least = sorted(remaining, key=lambda unit: -bounds[unit])[
                : max(1, len(remaining) // ELIMINATION.drop_fraction)
            ]
            remaining = [unit for unit in remaining if unit not in least]
            dropped += least
        return [*remaining, *dropped[::-1]]

    def train_on(self, sets: Sequence[Sequence[int]], context: SearchContext) -> None:
        """Train further on exactly these sets; afterwards the critics are unfit for others."""
        features = [list(chain(*(self.features[unit] for unit in units))) for units in sets]
        masks = torch.stack([self.critics.feature_mask(of_set) for of_set in features]).cpu()

        def sample(n_rows: int, generator: Generator) -> Tensor:  # (n_rows, n_features)
            return masks[torch.randint(len(sets), (n_rows,), generator=generator)]

        schedule = context.config.schedule
        schedule = replace(schedule, max_steps=min(ELIMINATION.nested_steps, schedule.max_steps))
        fit_critics(self.critics, schedule, context.training, stage="path", sample_masks=sample)


def _n_interaction_rows(units: Sequence[int]) -> int:
    """Number of held-out rows that the pairs of these units are measured on."""
    n_measured = min(len(units), EXPLANATION.max_interacting_units)
    in_proportion = EXPLANATION.interaction_work // max(1, n_measured * (n_measured - 1) // 2)
    return max(EXPLANATION.min_interaction_rows, min(EXPLANATION.max_interaction_rows, in_proportion))


def _sample_held_out(
    folds: Sequence[Fold], max_rows: int, generator: Generator
) -> tuple[list[Tensor], Tensor, Tensor | None]:  # rows of each fold; weights and clusters of all
    """Draw held-out rows of every fold, with rare classes whole: many pairs of units are measured on them."""
    n_rows = sum(len(fold.held_out) for fold in folds)
    if n_rows <= max_rows:
        return [fold.held_out for fold in folds], held_out_weights(folds), held_out_clusters(folds)
    rows, weights = [], []
    for fold in folds:
        n_drawn = max_rows * len(fold.held_out) // n_rows
        chosen, share = draw_stratified(fold.target.bins[fold.held_out], n_drawn, generator)
        rows.append(fold.held_out[chosen])
        weights.append(fold.row_weights[rows[-1]] / share)
    drawn = [replace(fold, held_out=own) for fold, own in zip(folds, rows, strict=True)]
    return rows, torch.cat(weights), held_out_clusters(drawn)
