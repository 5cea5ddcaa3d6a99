"""Algorithm 1 of the paper: learn with all weights at one, then learn and sparsify together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows, stack_rows
from minerva_select.mi.bounds import donsker_varadhan
from minerva_select.mi.critics import ConcatenatedCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.feature_weights import FeatureWeights
from minerva_select.mi.inference import MeanEstimate, estimate_bound
from minerva_select.mi.objective import Loss, norm_drift, sparsity_ratio
from minerva_select.mi.pairing import score_joint_and_marginal
from minerva_select.mi.training import Schedule, TrainingContext, train
from minerva_select.results import TrainingRecord


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
    total: MeanEstimate  # held-out bound after the first stage, all weights at 1
    kept: MeanEstimate  # held-out bound after the second
    converged: bool
    records: tuple[TrainingRecord, ...]
    weight_path: Tensor  # (n_evaluations, n_features) weights at every evaluation of the second stage


def solve_paper(
    x: Rows,
    y: Rows,
    held_out: tuple[Rows, Rows],
    units: Sequence[int],
    settings: PaperSettings,
    run: TrainingContext,
) -> PaperSolution:
    """Algorithm 1: returns the weights p, of which those above the threshold are the selection.

    Of several ranks each is given all rows, and scores its slice of every batch.
    """
    # Line 1: initialise the network
    critic = Ensemble(ConcatenatedCritic(x.layout, y.layout), x.device)
    p, generator, ranks = FeatureWeights(units, x.device), run.generator, run.ranks
    x_held_out, y_held_out = held_out

    def score(x_rows: Rows, y_rows: Rows, weights: Tensor) -> Tensor:
        if ranks.size > 1:
            mine = torch.arange(len(x_rows), device=x_rows.device)[ranks.own_slice(len(x_rows))]
            x_rows, y_rows = x_rows.take(mine), y_rows.take(mine)
        scores: Tensor = critic.critic(stack_rows([x_rows]), stack_rows([y_rows]), weights[None])
        return scores[0]

    def bound(x_rows: Rows, y_rows: Rows) -> Tensor:
        scores = score_joint_and_marginal(score, x_rows, y_rows, p.by_feature(), generator)
        return donsker_varadhan(*scores, ranks if ranks.size > 1 else None)

    def share(term: Tensor) -> Tensor:
        # The gradient of a bound is that of this rank's pairs already, its value that of all
        return term if ranks.size == 1 else term - term.detach() * (1 - 1 / ranks.size)

    @torch.no_grad()
    def held_out_evidence() -> MeanEstimate:
        scores = score_joint_and_marginal(score, x_held_out, y_held_out, p.by_feature(), generator)
        return estimate_bound(*(ranks.gather_slices(own, len(x_held_out)) for own in scores))

    def draw() -> tuple[Rows, Rows]:
        # Lines 3 and 9: draw n samples of the joint distribution
        rows = torch.randint(len(x), (min(settings.batch_size, len(x)),), generator=generator).to(x.device)
        return x.take(rows), y.take(rows)

    def held_out_bound() -> Tensor:
        return bound(x_held_out, y_held_out)[None]

    # Lines 2 to 6: theta <- theta - r grad v(theta, 1)
    def loss_learn() -> Loss:
        return Loss(-share(bound(*draw()))[None])

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
        dataclasses.replace(run, deadline=run.deadline.fraction(0.5)),
        stage="learn",
        n_features=lambda: p.n_kept,
    )

    total = held_out_evidence()

    # Line 7: phi <- theta, p <- 1. Lines 8 to 13: phi and p descend on the loss of eq. 9
    p.values.requires_grad_(True)

    def loss_sparsify() -> Loss:
        return Loss(
            -share(bound(*draw()))[None],
            settings.sparsity * sparsity_ratio(p.values) / ranks.size,
            settings.norm_drift * norm_drift(p.values, settings.target_norm) / ranks.size,
        )

    def step_on_weights() -> None:
        if p.values.grad is not None:
            ranks.sum_(p.values.grad)
        p.step_(settings.weight_rate)

    support = p.values.detach() > settings.threshold
    n_alike = torch.zeros((), dtype=torch.int64)  # evaluations in a row
    n_evaluations = settings.max_steps_sparsify // schedule.evaluate_every + 1
    weight_path, n_noted = torch.zeros(n_evaluations, len(units)), torch.zeros((), dtype=torch.int64)

    def settled() -> bool:
        weight_path[int(n_noted)] = p.by_feature().detach().cpu()
        n_noted.add_(1)
        now = p.values.detach() > settings.threshold
        n_alike.copy_(n_alike + 1 if now.equal(support) else torch.ones_like(n_alike))
        support.copy_(now)
        return int(n_alike) >= settings.settled_after and not bool(now.all())

    sparsified = train(
        critic,
        loss_sparsify,
        held_out_bound,
        dataclasses.replace(schedule, max_steps=settings.max_steps_sparsify),
        run,
        stage="sparsify",
        after_step=step_on_weights,
        n_features=lambda: p.n_kept,
        keep_best=False,
        finished=settled,
        changed={
            "weights": p.values,
            "support": support,
            "n_alike": n_alike,
            "weight_path": weight_path,
            "n_noted": n_noted,
        },
    )
    # Line 14: return the features whose weight is not zero
    weights = p.by_feature().detach().cpu()
    return PaperSolution(
        weights=torch.where(weights > settings.threshold, weights, 0.0),
        total=total,
        kept=held_out_evidence(),
        converged=learned.converged and sparsified.converged,
        records=learned.records + sparsified.records,
        weight_path=weight_path[: int(n_noted)],
    )
