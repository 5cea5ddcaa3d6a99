"""The training loop: steps, evaluation, early stopping, checkpoints, divergence check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor

from minerva_select.config import STOPPING, Schedule
from minerva_select.errors import DivergenceError
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.objective import Loss
from minerva_select.mi.training_state import TrainingState
from minerva_select.results import TrainingRecord
from minerva_select.runtime.checkpoint import NO_CHECKPOINT, Checkpoint
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup


@dataclass(frozen=True, eq=False)
class TrainingContext:
    """What all trainings of one fit share."""

    generator: Generator  # of all draws of batches; on the CPU, so that all devices draw the same
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    checkpoint: Checkpoint = NO_CHECKPOINT
    on_record: Callable[[TrainingRecord], None] = lambda _: None  # called at every evaluation
    ranks: ProcessGroup = SINGLE_PROCESS  # processes that train together


@dataclass(frozen=True, eq=False)
class TrainingOptions:
    """Variations of the training loop."""

    after_step: Callable[[], None] = lambda: None  # for example to update feature weights
    n_features: Callable[[], int] = lambda: 0  # in use, for the records
    keep_best: bool = True  # stop early and restore the best parameters; otherwise the last parameters stay
    finished: Callable[[], bool] = lambda: False  # called at each evaluation; True ends the training as converged
    ceiling: Tensor | float = float("inf")  # largest possible bound of each member
    learned: float = float("inf")  # bound on training batches from which the critic is on no plateau
    extra_state: Mapping[str, Tensor] = field(default_factory=dict)  # other tensors that training changes in place


DEFAULT_OPTIONS = TrainingOptions()


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended."""

    n_steps: int
    tuning_bound: Tensor  # (n_members,) with the final parameters
    converged: bool
    records: tuple[TrainingRecord, ...]


def train(
    ensemble: Ensemble,
    batch_loss: Callable[[], Loss],
    tuning_bound: Callable[[], Tensor],
    schedule: Schedule,
    context: TrainingContext,
    *,
    stage: str,
    options: TrainingOptions = DEFAULT_OPTIONS,
) -> TrainingResult:
    """Train until the tuning bound of every member stops rising, and restore each member's best parameters.

    ``batch_loss`` draws a batch and returns its loss, ``tuning_bound`` the bound on the tuning rows without dropout;
    both have one entry per member. With several ranks, their losses add up to the loss of the batch, and their bounds
    are the same. ``stage`` names the training in records and checkpoints; records of a resumed training are reported
    again.
    """
    state = TrainingState(ensemble, batch_loss, schedule, context.ranks, options.extra_state)
    start = {"values": ensemble.values, **options.extra_state}
    entry = context.checkpoint.entry(f"{stage} {schedule}", start, state.accepts)
    if entry.saved is not None:
        state.restore_(entry.saved)
        for record in state.records:
            context.on_record(record)
    while not entry.is_finished and state.step < schedule.max_steps:
        loss = state.take_step()
        options.after_step()
        step = state.step
        # Asking for the deadline synchronizes the ranks, so several of them ask at evaluations only
        is_last = step >= schedule.max_steps or (context.ranks.size == 1 and context.deadline.expired)
        if step % schedule.evaluate_every and not is_last:  # .item() waits for the GPU, so not every step
            continue
        loss, bound = _sum_over_ranks(loss, context.ranks), _evaluate(ensemble, tuning_bound)
        _check_divergence(loss, bound, stage, step, state.records[-1].held_out_bound if state.records else None)
        state.records.append(_record(stage, step, loss, bound, options.n_features()))
        context.on_record(state.records[-1])
        has_learned = -float(loss.negative_bound.detach().mean()) > options.learned
        state.update_best(bound, options.keep_best, options.ceiling, has_learned=has_learned)
        state.converged = state.converged or options.finished()
        if state.converged or context.deadline.expired:
            break
        if entry.is_due:
            entry.save(step, state.to_save())
    if not entry.is_finished:
        is_complete = state.converged or state.step >= schedule.max_steps
        if not is_complete:  # out of time: a resumed run continues here
            entry.save(state.step, state.to_save())
        if options.keep_best:
            ensemble.restore_(state.best_parameters)
        else:
            state.best.copy_(_evaluate(ensemble, tuning_bound))
        if is_complete:
            entry.finish(state.result())
    ensemble.train(False)
    state.release_graph()
    return TrainingResult(state.step, state.best, state.converged, tuple(state.records))


def _evaluate(ensemble: Ensemble, tuning_bound: Callable[[], Tensor]) -> Tensor:
    ensemble.train(False)
    with torch.no_grad():
        return tuning_bound().cpu()


def _sum_over_ranks(loss: Loss, ranks: ProcessGroup) -> Loss:
    if ranks.size == 1:
        return loss
    zeros = torch.zeros_like(loss.negative_bound)
    terms = torch.stack([term + zeros for term in (loss.negative_bound, loss.sparsity_term, loss.drift_term)])
    return Loss(*ranks.sum_(terms.detach()))


def _check_divergence(loss: Loss, bound: Tensor, stage: str, step: int, last_bound: float | None) -> None:
    """Raise if the loss or the bound is not finite or too large."""
    finite = torch.isfinite(loss.total).all() and torch.isfinite(bound).all()
    if finite and (loss.negative_bound < STOPPING.diverged_nats).all():
        return
    last = "none yet" if last_bound is None else f"{last_bound:.4f} nats"
    raise DivergenceError(
        f"Training diverged in stage {stage!r} at step {step} (last finite held-out bound: {last}); "
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
