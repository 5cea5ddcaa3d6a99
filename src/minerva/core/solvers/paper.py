"""Algorithm 1 of the paper: learn with all weights at one, then learn and sparsify together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from minerva.core.bounds import donsker_varadhan
from minerva.core.critics import ConcatenatedCritic
from minerva.core.ensemble import Ensemble
from minerva.core.evidence import Evidence, weigh_bound
from minerva.core.inputs import Rows, stack_rows
from minerva.core.objective import Loss, norm_drift, sparsity_ratio
from minerva.core.pairing import shuffled_pairs
from minerva.core.runtime import Deadline
from minerva.core.training import Schedule, train
from minerva.core.weights import FeatureWeights
from minerva.results import TrainingRecord


@dataclass(frozen=True)
class PaperSettings:
    """Coefficients of eq. 9 and of Algorithm 1."""

    sparsity: float = 0.05  # c1; the paper has 1
    norm_drift: float = 1.0  # c2
    target_norm: float = 1.0  # a
    learning_rate: float = 1e-3  # r of the network; the paper has 1e-4
    weight_rate: float = 0.02  # r of p: at 0.05 the norm falls faster than the network can follow
    threshold: float = 1e-5  # epsilon
    batch_size: int = 1000
    max_steps_learn: int = 2000
    max_steps_sparsify: int = 3000
    settled_after: int = 16  # evaluations in a row with the same weights above zero end the second stage


@dataclass(frozen=True)
class PaperSolution:
    """What Algorithm 1 ends with."""

    weights: Tensor  # (n_features,)
    total: Evidence  # held-out bound after the first stage, all weights at 1
    kept: Evidence  # held-out bound after the second
    converged: bool
    records: tuple[TrainingRecord, ...]


def solve_paper(
    x: Rows,
    y: Rows,
    held_out: tuple[Rows, Rows],
    units: Sequence[int],
    settings: PaperSettings,
    generator: Generator,
    deadline: Deadline,
    on_record: Callable[[TrainingRecord], None] = lambda _: None,
) -> PaperSolution:
    """Algorithm 1: returns the weights p, of which those above the threshold are the selection."""
    # Line 1: initialise the network
    critic = Ensemble(ConcatenatedCritic(x.layout, y.layout), x.device)
    p = FeatureWeights(units, x.device)
    x_held_out, y_held_out = held_out

    def score(x_rows: Rows, y_rows: Rows, weights: Tensor) -> Tensor:
        scores: Tensor = critic.critic(stack_rows([x_rows]), stack_rows([y_rows]), weights[None])
        return scores[0]

    def bound(x_rows: Rows, y_rows: Rows) -> Tensor:
        return donsker_varadhan(*shuffled_pairs(score, x_rows, y_rows, p.by_feature(), generator))

    @torch.no_grad()
    def held_out_evidence() -> Evidence:
        return weigh_bound(*shuffled_pairs(score, x_held_out, y_held_out, p.by_feature(), generator))

    def draw() -> tuple[Rows, Rows]:
        # Lines 3 and 9: draw n samples of the joint distribution
        rows = torch.randint(len(x), (min(settings.batch_size, len(x)),), generator=generator).to(x.device)
        return x.take(rows), y.take(rows)

    def held_out_bound() -> Tensor:
        return bound(x_held_out, y_held_out)[None]

    # Lines 2 to 6: theta <- theta - r grad v(theta, 1)
    def loss_learn() -> Loss:
        return Loss(-bound(*draw())[None])

    schedule = Schedule(
        max_steps=settings.max_steps_learn,
        batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        weight_decay=0.0,
        patience=8,
    )
    p.values.requires_grad_(False)
    learned = train(
        critic,
        loss_learn,
        held_out_bound,
        schedule,
        stage="learn",
        deadline=deadline.share(0.5),
        n_features=lambda: p.n_kept,
        on_record=on_record,
    )

    total = held_out_evidence()

    # Line 7: phi <- theta, p <- 1. Lines 8 to 13: phi and p descend on the loss of eq. 9
    p.values.requires_grad_(True)

    def loss_sparsify() -> Loss:
        return Loss(
            -bound(*draw())[None],
            settings.sparsity * sparsity_ratio(p.values),
            settings.norm_drift * norm_drift(p.values, settings.target_norm),
        )

    supports: list[tuple[bool, ...]] = []

    def settled() -> bool:
        supports.append(tuple((p.values > settings.threshold).tolist()))
        recent = {*supports[-settings.settled_after :]}
        return len(supports) >= settings.settled_after and len(recent) == 1 and not all(supports[-1])

    sparsified = train(
        critic,
        loss_sparsify,
        held_out_bound,
        dataclasses.replace(schedule, max_steps=settings.max_steps_sparsify),
        stage="sparsify",
        deadline=deadline,
        after_step=lambda: p.step_(settings.weight_rate),
        n_features=lambda: p.n_kept,
        keep_best=False,
        finished=settled,
        on_record=on_record,
    )
    # Line 14: return the features whose weight is not zero
    weights = p.by_feature().detach().cpu()
    return PaperSolution(
        weights=torch.where(weights > settings.threshold, weights, 0.0),
        total=total,
        kept=held_out_evidence(),
        converged=learned.converged and sparsified.converged,
        records=learned.records + sparsified.records,
    )
