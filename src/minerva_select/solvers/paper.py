"""Algorithm 1 of the paper: learn with all weights at one, then learn and sparsify together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from minerva_select.config import TIME_SHARES, PaperSettings, Schedule
from minerva_select.data.encoded_rows import Rows, stack_rows
from minerva_select.mi.bounds import donsker_varadhan, score_joint_and_marginal
from minerva_select.mi.critics import ConcatenatedCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.feature_weights import FeatureWeights
from minerva_select.mi.inference import MeanEstimate, estimate_bound
from minerva_select.mi.objective import Loss, norm_drift, sparsity_ratio
from minerva_select.mi.training_loop import TrainingContext, TrainingOptions, TrainingResult, train
from minerva_select.results import TrainingRecord


@dataclass(frozen=True)
class PaperSolution:
    """Result of Algorithm 1."""

    weights: Tensor  # (n_features,)
    total: MeanEstimate  # held-out bound after the first stage, with all weights at 1
    kept: MeanEstimate  # held-out bound after the second stage
    converged: bool
    records: tuple[TrainingRecord, ...]
    weight_path: Tensor  # (n_evaluations, n_features) weights at every evaluation of the second stage


def solve_paper(
    x: Rows,
    y: Rows,
    held_out: tuple[Rows, Rows],
    units: Sequence[int],
    settings: PaperSettings,
    context: TrainingContext,
) -> PaperSolution:
    """Run Algorithm 1; features with a weight above the threshold are selected.

    With several ranks, each has all rows and scores its slice of every batch.
    """
    # Line 1: initialize theta
    model = _Model(x, y, units, settings, context)
    schedule = Schedule(
        max_steps=settings.max_steps_learn,
        batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        weight_decay=0.0,
        patience=settings.patience,
    )

    def held_out_bound() -> Tensor:
        return model.bound(*held_out)[None]

    # Lines 2 to 6: theta <- theta - r grad v(theta, 1)
    model.p.values.requires_grad_(False)
    learned = train(
        model.critic,
        model.loss_learn,
        held_out_bound,
        schedule,
        replace(context, deadline=context.deadline.fraction(TIME_SHARES.paper_learning)),
        stage="learn",
        options=TrainingOptions(n_features=lambda: model.p.n_kept),
    )
    total = model.estimate(*held_out)

    # Lines 7 to 13
    learned_critic = model.critic.snapshot()
    for attempt in range(settings.max_attempts):
        model.restart(learned_critic, settings.sparsity / 2**attempt)
        sparsified, weight_path = _sparsify(model, held_out_bound, schedule, context)
        kept = model.estimate(*held_out)
        if not _has_lost_information(sparsified, total, settings) or context.deadline.expired:
            break
    # Line 14: return the features whose weight is not zero
    weights = model.p.by_feature().detach().cpu()
    return PaperSolution(
        weights=torch.where(weights > settings.threshold, weights, 0.0),
        total=total,
        kept=kept,
        converged=learned.converged and sparsified.converged,
        records=learned.records + sparsified.records,
        weight_path=weight_path,
    )


def _sparsify(
    model: _Model, held_out_bound: Callable[[], Tensor], schedule: Schedule, context: TrainingContext
) -> tuple[TrainingResult, Tensor]:
    """Lines 8 to 13: gradient steps of phi and p on the loss of eq. 9; returns the path of the weights too."""
    settings = model.settings
    support = _Support(model.p, settings, n_evaluations=settings.max_steps_sparsify // schedule.evaluate_every + 1)
    sparsified = train(
        model.critic,
        model.loss_sparsify,
        held_out_bound,
        replace(schedule, max_steps=settings.max_steps_sparsify),
        context,
        stage="sparsify",
        options=TrainingOptions(
            after_step=model.step_on_weights,
            n_features=lambda: model.p.n_kept,
            keep_best=False,
            finished=support.has_settled,
            extra_state={"weights": model.p.values, **support.state},
        ),
    )
    return sparsified, support.weight_path[: int(support.n_evaluated)]


def _has_lost_information(sparsified: TrainingResult, total: MeanEstimate, settings: PaperSettings) -> bool:
    """Whether the critic finds too little even on its training rows, where overfitting only raises the bound."""
    if not sparsified.records or total.interval[0] <= 0:
        return False
    return sparsified.records[-1].bound < settings.min_kept_share * total.mean


class _Model:
    """The critic and the weights p, with the bound and the losses of the paper."""

    def __init__(
        self, x: Rows, y: Rows, units: Sequence[int], settings: PaperSettings, context: TrainingContext
    ) -> None:
        self.x, self.y, self.settings = x, y, settings
        self.generator, self.ranks = context.generator, context.ranks
        self.critic = Ensemble(ConcatenatedCritic(x.layout, y.layout), x.device)
        self.units, self.p = units, FeatureWeights(units, x.device)

    def restart(self, learned_critic: Tensor, sparsity: float) -> None:
        """Line 7: phi <- theta, p <- 1; with this c1 from here on."""
        self.critic.restore_(learned_critic)
        self.p = FeatureWeights(self.units, self.x.device)
        self.settings = replace(self.settings, sparsity=sparsity)

    def score(self, x: Rows, y: Rows, weights: Tensor) -> Tensor:  # (n_rows,)
        """Score this rank's slice of the rows."""
        if self.ranks.size > 1:
            own = torch.arange(len(x), device=x.device)[self.ranks.own_slice(len(x))]
            x, y = x.take(own), y.take(own)
        scores: Tensor = self.critic.critic(stack_rows([x]), stack_rows([y]), weights[None])
        return scores[0]

    def bound(self, x: Rows, y: Rows) -> Tensor:
        """-v(theta, p) of eq. 8."""
        scores = score_joint_and_marginal(self.score, x, y, self.p.by_feature(), self.generator)
        return donsker_varadhan(*scores, self.ranks if self.ranks.size > 1 else None)

    @torch.no_grad()
    def estimate(self, x: Rows, y: Rows) -> MeanEstimate:
        """The bound on these rows with its standard error."""
        scores = score_joint_and_marginal(self.score, x, y, self.p.by_feature(), self.generator)
        return estimate_bound(*(self.ranks.gather_slices(own, len(x)) for own in scores))

    def _batch_bound(self) -> Tensor:  # (1,)
        # Lines 3 and 9: draw n samples of the joint distribution
        n_batch = min(self.settings.batch_size, len(self.x))
        rows = torch.randint(len(self.x), (n_batch,), generator=self.generator).to(self.x.device)
        bound = self.bound(self.x.take(rows), self.y.take(rows))
        if self.ranks.size > 1:  # the gradient is already that of this rank's pairs, the value that of all
            bound = bound - bound.detach() * (1 - 1 / self.ranks.size)
        return bound[None]

    def loss_learn(self) -> Loss:
        """v(theta, 1): the loss of line 5."""
        return Loss(-self._batch_bound())

    def loss_sparsify(self) -> Loss:
        """The loss of eq. 9 and lines 11 and 12."""
        p, settings = self.p.values, self.settings
        return Loss(
            -self._batch_bound(),
            settings.sparsity * sparsity_ratio(p) / self.ranks.size,
            settings.norm_drift * norm_drift(p, settings.target_norm) / self.ranks.size,
        )

    def step_on_weights(self) -> None:
        """Line 12: p <- p - r grad l(phi, p), projected onto p >= 0."""
        if self.p.values.grad is not None:
            self.ranks.sum_(self.p.values.grad)
        self.p.step_(self.settings.weight_rate, self.settings.max_weight_step)


class _Support:
    """The set of weights above the threshold, to decide when it no longer changes (line 13)."""

    def __init__(self, p: FeatureWeights, settings: PaperSettings, n_evaluations: int) -> None:
        self.p, self.settings = p, settings
        self.support = p.values.detach() > settings.threshold
        self.n_unchanged = torch.zeros((), dtype=torch.int64)  # evaluations in a row
        self.weight_path = torch.zeros(n_evaluations, len(p.units))
        self.n_evaluated = torch.zeros((), dtype=torch.int64)

    @property
    def state(self) -> dict[str, Tensor]:
        """Tensors that a resumed training needs."""
        return {
            "support": self.support,
            "n_unchanged": self.n_unchanged,
            "weight_path": self.weight_path,
            "n_evaluated": self.n_evaluated,
        }

    def has_settled(self) -> bool:
        """Record the weights; True when some are zero and the others have stayed above it for a while."""
        self.weight_path[int(self.n_evaluated)] = self.p.by_feature().detach().cpu()
        self.n_evaluated.add_(1)
        now = self.p.values.detach() > self.settings.threshold
        self.n_unchanged.copy_(self.n_unchanged + 1 if now.equal(self.support) else torch.ones_like(self.n_unchanged))
        self.support.copy_(now)
        return int(self.n_unchanged) >= self.settings.settled_after and not bool(now.all())
