"""Training of cross-fitted critics, from scratch or from the parameters of others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Generator, Tensor

from minerva_select.config import STOPPING, Schedule
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.layers import Dropout
from minerva_select.mi.objective import Loss
from minerva_select.mi.pair_tables import encoding_part
from minerva_select.mi.sampling import RebalancedSampler, UniformSampler, make_sampler
from minerva_select.mi.training_loop import TrainingContext, TrainingOptions, TrainingResult, train
from minerva_select.runtime.cuda_graphs import BatchLoss, Draws

MaskSampler = Callable[[int, Generator], Tensor]


def warm_start(critics: CrossFitCritics, task: int, other: CrossFitCritics, other_task: int) -> None:
    """Copy the parameters of a task of other critics; features that those do not have keep their initial values."""
    own_index = {feature: k for k, feature in enumerate(critics.features)}
    other_index = {feature: k for k, feature in enumerate(other.features)}
    common = sorted(own_index.keys() & other_index.keys())
    to = critics.critic.tower.column_parameters([own_index[feature] for feature in common])
    of = other.critic.tower.column_parameters([other_index[feature] for feature in common])
    pairs = sorted({*critics.encoded_pairs()} & {*other.encoded_pairs()})
    to |= critics.critic.tower.pair_parameters([(own_index[a], own_index[b]) for a, b in pairs])
    of |= other.critic.tower.pair_parameters([(other_index[a], other_index[b]) for a, b in pairs])
    entries = {f"tower.{name}": (to[name], of[name]) for name in to.keys() & of.keys()}
    critics.ensemble.warm_start_(other.ensemble, (critics.members_of(task), other.members_of(other_task)), entries)


def fit_critics(
    critics: CrossFitCritics,
    schedule: Schedule,
    context: TrainingContext,
    *,
    stage: str,
    sample_masks: MaskSampler | None = None,
) -> TrainingResult:
    """Train until the bound on the tuning rows stops rising; ``sample_masks`` hides features row by row."""
    seen = [rows for task in critics.tasks for rows in task.fold.train]
    n_batch = min(schedule.batch_size, *map(len, seen))
    n_draws = n_batch * schedule.max_steps
    sampler = make_sampler(
        seen, critics.bins, critics.row_weights, critics.log_prior, is_discrete=critics.is_discrete, n_draws=n_draws
    )
    rows, weights = critics.tuning_rows()
    masks, ceiling = None, _largest_bound(critics, rows, weights)
    if sample_masks is not None:  # evaluated with masks too, or the full set alone would stop the training
        masks = sample_masks(rows.numel(), context.generator).to(critics.device).view(*rows.shape, -1)
        ceiling = torch.full_like(ceiling, torch.inf)

    def tuning_bound() -> Tensor:
        information = critics.member_information(rows, masks)
        return (information * weights).sum(1) / weights.sum(1)

    return train(
        critics.ensemble,
        make_batch_loss(critics, sampler, n_batch, context.generator, sample_masks),
        tuning_bound,
        schedule,
        replace(context, ranks=critics.sharding.ranks),  # the processes that share the rows
        stage=stage,
        options=TrainingOptions(
            n_features=lambda: max(len(task.features) for task in critics.tasks),
            ceiling=ceiling,
            # Batches with more rows of rare classes have another bound than the tuning rows
            learned=STOPPING.plateau_share * float(ceiling.mean()) if isinstance(sampler, UniformSampler) else math.inf,
        ),
    )


def make_batch_loss(
    critics: CrossFitCritics,
    sampler: UniformSampler | RebalancedSampler,
    n_batch: int,
    generator: Generator,
    sample_masks: MaskSampler | None = None,
) -> BatchLoss[Loss]:
    """Loss of a batch of ``n_batch`` training rows per member."""
    dropouts = [module for module in critics.critic.modules() if isinstance(module, Dropout)]

    def draw() -> Draws:
        rows = sampler.draw(n_batch, generator)
        if sample_masks is None:
            return (rows,)
        return rows, sample_masks(rows.numel(), generator).to(critics.device).view(*rows.shape, -1)

    def loss(rows: Tensor, masks: Tensor | None = None) -> Loss:
        own, weights = critics.sharding.shard(rows), critics.row_weights[rows]
        for dropout in dropouts:
            dropout.shard = own
        masks = critics.masks if masks is None else own.select(masks)
        scores = critics.scores(own.rows, masks, encoding_part(own.rows))
        information = pointwise_information(scores, critics.bins[own.rows], sampler.log_prior)
        return Loss(-(information * own.select(weights)).sum(1) / weights.sum(1))

    return BatchLoss(draw, loss)


def _largest_bound(critics: CrossFitCritics, rows: Tensor, weights: Tensor) -> Tensor:  # (n_members,)
    """Mean surprisal of the rows' targets, which no bound on these rows exceeds."""
    surprisal = -critics.log_prior.squeeze(1).gather(1, critics.bins[rows])
    return ((surprisal * weights).sum(1) / weights.sum(1)).cpu()
