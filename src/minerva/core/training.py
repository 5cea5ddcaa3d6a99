"""The one training loop: steps, held-out bound, early stopping, gradient clipping, divergence guard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva.core.ensemble import Descent, Ensemble
from minerva.core.objective import Loss
from minerva.core.runtime import Deadline
from minerva.errors import DivergenceError
from minerva.results import TrainingRecord


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train."""

    max_steps: int = 1000
    batch_size: int = 1024
    learning_rate: float = 2e-3
    weight_decay: float = 0.01
    evaluate_every: int = 25
    patience: int = 4  # evaluations in a row without a better held-out bound
    patience_at_zero: int = 8  # the same while the bound is not above zero: interactions are found after a lull
    n_decays: int = 0  # how often to go on at a fifth of the learning rate once patience has run out
    max_gradient_norm: float = 5.0


@dataclass(frozen=True)
class Outcome:
    """How a training ended."""

    n_steps: int
    held_out_bound: Tensor  # (n_members,) of the parameters that were kept
    converged: bool
    records: tuple[TrainingRecord, ...]


def train(
    ensemble: Ensemble,
    loss_of_batch: Callable[[], Loss],
    held_out_bound: Callable[[], Tensor],
    schedule: Schedule,
    *,
    stage: str,
    deadline: Deadline,
    after_step: Callable[[], None] = lambda: None,
    n_features: Callable[[], int] = lambda: 0,
    keep_best: bool = True,
    finished: Callable[[], bool] = lambda: False,
    ceiling: Tensor | float = float("inf"),
    on_record: Callable[[TrainingRecord], None] = lambda _: None,
) -> Outcome:
    """Train until the held-out bound of every member has stopped rising; keep each member's best parameters.

    Parameters
    ----------
    loss_of_batch
        Draws a batch and gives its loss, one entry a member.
    held_out_bound
        The bound on held-out rows, one entry a member, with dropout off.
    after_step
        Called after the step on the networks; the place for a step on feature weights.
    keep_best
        Whether to stop early and go back to the best held-out bound; without it the last parameters stay.
    finished
        Looked at with every evaluation; True ends the training as converged.
    ceiling
        The most that each member's held-out bound can be: close to it nothing is left to learn.
    """
    descent = Descent(ensemble, schedule.learning_rate, schedule.weight_decay)
    best = torch.full((ensemble.n_members,), -torch.inf)
    best_parameters = ensemble.snapshot()
    records: list[TrainingRecord] = []
    waited, step, converged, n_decays = 0, 0, False, schedule.n_decays
    for step in range(1, schedule.max_steps + 1):
        ensemble.train()
        loss = loss_of_batch()
        ensemble.gradient.zero_()
        loss.total.sum().backward()
        ensemble.clip_gradients_(schedule.max_gradient_norm)
        descent.step()
        ensemble.project_()
        after_step()
        if step % schedule.evaluate_every and step < schedule.max_steps:  # .item() waits for a GPU: not every step
            continue
        bound = _evaluate(ensemble, held_out_bound)
        last_finite = records[-1].held_out_bound if records else None
        _guard(loss, bound, stage, step, last_finite)
        records.append(_record(stage, step, loss, bound, n_features()))
        on_record(records[-1])
        ensemble.note_members_(best_parameters, bound > best)
        before, best = float(best.mean()), torch.maximum(best, bound)
        rise = float(best.mean()) - before  # of all members together: some one of many always rises by accident
        waited = 0 if rise > 5e-3 * min(max(1e-2, abs(before)), 1e9) else waited + 1
        patience = schedule.patience if bool((best > 1e-3).all()) else schedule.patience_at_zero
        at_ceiling = bool((best > 0.998 * torch.as_tensor(ceiling)).all())
        if keep_best and waited >= patience and n_decays and not at_ceiling:
            n_decays, waited = n_decays - 1, 0
            ensemble.restore_(best_parameters)
            descent.rate *= 0.2
        elif keep_best and (waited >= patience or at_ceiling):
            converged = True
            break
        if finished():
            converged = True
            break
        if deadline.passed:
            break
    if keep_best:
        ensemble.restore_(best_parameters)
    ensemble.train(False)
    return Outcome(step, best if keep_best else _evaluate(ensemble, held_out_bound), converged, tuple(records))


def _evaluate(ensemble: Ensemble, held_out_bound: Callable[[], Tensor]) -> Tensor:
    ensemble.train(False)
    with torch.no_grad():
        return held_out_bound().cpu()


def _guard(loss: Loss, bound: Tensor, stage: str, step: int, last_finite: float | None) -> None:
    """Stop a training that has left the finite numbers."""
    if torch.isfinite(loss.total).all() and torch.isfinite(bound).all():
        return
    known = "none yet" if last_finite is None else f"{last_finite:.4f} nats"
    raise DivergenceError(
        f"Training diverged in stage {stage!r} at step {step} (last finite held-out bound: {known}); "
        "lower learning_rate."
    )


def _record(stage: str, step: int, loss: Loss, bound: Tensor, n_features: int) -> TrainingRecord:
    return TrainingRecord(
        stage=stage,
        step=step,
        bound=-float(loss.negative_bound.detach().mean()),
        held_out_bound=float(bound.mean()),
        sparsity_term=float(torch.as_tensor(loss.sparsity_term).detach().mean()),
        drift_term=float(torch.as_tensor(loss.drift_term).detach().mean()),
        n_features=n_features,
    )
