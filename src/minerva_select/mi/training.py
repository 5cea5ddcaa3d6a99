"""The one training loop: steps, held-out bound, early stopping, gradient clipping, divergence guard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType

import torch
from torch import Generator, Tensor

from minerva_select.errors import DivergenceError
from minerva_select.mi.ensemble import AdamW, Ensemble
from minerva_select.mi.objective import Loss
from minerva_select.results import TrainingRecord
from minerva_select.results.parsing import ParseError, parse_as
from minerva_select.runtime.checkpoint import NO_CHECKPOINT, Checkpoint
from minerva_select.runtime.checkpoint_files import State
from minerva_select.runtime.cuda_graphs import BatchLoss, GraphedStep
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup

_HOPELESS = 1e3  # nats below zero, where a network that knows nothing is; no target holds a hundredth of it


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


@dataclass(frozen=True, eq=False)
class TrainingContext:
    """What all trainings of one run share."""

    generator: Generator  # of all draws, on the CPU whatever the device
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    checkpoint: Checkpoint = NO_CHECKPOINT
    on_record: Callable[[TrainingRecord], None] = lambda _: None
    ranks: ProcessGroup = SINGLE_PROCESS  # who trains together; critics know it from their rows


@dataclass(frozen=True)
class TrainingResult:
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
    run: TrainingContext,
    *,
    stage: str,
    after_step: Callable[[], None] = lambda: None,
    n_features: Callable[[], int] = lambda: 0,
    keep_best: bool = True,
    finished: Callable[[], bool] = lambda: False,
    ceiling: Tensor | float = float("inf"),
    changed: Mapping[str, Tensor] = MappingProxyType({}),
) -> TrainingResult:
    """Train until the held-out bound of every member has stopped rising; keep each member's best parameters.

    Parameters
    ----------
    loss_of_batch
        Draws a batch and gives its loss, one entry a member; of several ranks each gives its share, and their sum is
        the loss of the batch.
    held_out_bound
        The bound on held-out rows, one entry a member, with dropout off; the same on all ranks.
    run
        The time that is left, who is told of every evaluation (also of those in the checkpoint), and where to look
        for this training, whole or begun, and to keep it.
    after_step
        Called after the step on the networks; the place for a step on feature weights.
    keep_best
        Whether to stop early and go back to the best held-out bound; without it the last parameters stay.
    finished
        Looked at with every evaluation; True ends the training as converged.
    ceiling
        The most that each member's held-out bound can be: close to it nothing is left to learn.
    changed
        What else the training changes, in place, and depends on (feature weights): kept with the parameters.
    """
    training = _Training(ensemble, loss_of_batch, schedule, run.ranks, changed)
    entry = run.checkpoint.entry(f"{stage} {schedule}", {"values": ensemble.values, **changed}, training.accepts)
    if entry.saved is not None:
        training.restore_(entry.saved)
        for record in training.records:
            run.on_record(record)
    while not entry.is_finished and training.step < schedule.max_steps:
        loss = training.descend()
        after_step()
        step = training.step
        is_over = step >= schedule.max_steps or (run.ranks.size == 1 and run.deadline.expired)  # ranks ask one another
        if step % schedule.evaluate_every and not is_over:  # .item() waits for a GPU: not every step
            continue
        loss, bound = _joined(loss, run.ranks), _evaluate(ensemble, held_out_bound)
        _guard(loss, bound, stage, step, training.records[-1].held_out_bound if training.records else None)
        training.records.append(_record(stage, step, loss, bound, n_features()))
        run.on_record(training.records[-1])
        training.judge(bound, keep_best, ceiling)
        training.converged = training.converged or finished()
        if training.converged or run.deadline.expired:
            break
        if entry.is_due:
            entry.save(step, training.state())
    if not entry.is_finished:
        is_whole = training.converged or training.step >= schedule.max_steps
        if not is_whole:  # cut off by the time: a resumed run goes on with it
            entry.save(training.step, training.state())
        if keep_best:
            ensemble.restore_(training.best_parameters)
        else:
            training.best.copy_(_evaluate(ensemble, held_out_bound))
        if is_whole:
            entry.finish(training.result())
    ensemble.train(False)
    training.release()
    return TrainingResult(training.step, training.best, training.converged, tuple(training.records))


@dataclass(frozen=True)
class _StateMetadata:
    """What a state of a training tells beside its tensors."""

    step: int
    waited: int
    n_decays: int
    rate: float
    converged: bool
    records: tuple[TrainingRecord, ...]


class _Training:
    """Where a training is: all that its next step depends on, except the random numbers."""

    def __init__(
        self,
        ensemble: Ensemble,
        loss_of_batch: Callable[[], Loss],
        schedule: Schedule,
        ranks: ProcessGroup,
        changed: Mapping[str, Tensor],
    ) -> None:
        self.ensemble = ensemble
        self.loss_of_batch = loss_of_batch
        self.ranks = ranks
        self.schedule = schedule
        self.changed = changed
        self.descent = AdamW(ensemble, schedule.learning_rate, schedule.weight_decay)
        self.best = torch.full((ensemble.n_members,), -torch.inf)
        self.best_parameters = ensemble.snapshot()
        self.records: list[TrainingRecord] = []
        self.step, self.waited, self.n_decays, self.converged = 0, 0, schedule.n_decays, False
        self._graph: GraphedStep[Loss] | None = None
        if isinstance(loss_of_batch, BatchLoss) and ensemble.values.is_cuda and ranks.size == 1:
            self._graph = GraphedStep(loss_of_batch, self._descend)

    def descend(self) -> Loss:
        """One step of the networks down the loss of a batch."""
        self.step += 1
        self.ensemble.train()
        if self._graph is not None:
            loss = self._graph()
        else:
            loss = self.loss_of_batch()
            self._descend(loss)
        return loss

    def release(self) -> None:
        """Let go of the graph: to free it while another is captured would spoil that."""
        self._graph = None

    def _descend(self, loss: Loss) -> None:
        self.ensemble.gradient.zero_()
        loss.total.sum().backward()
        self.ranks.sum_(self.ensemble.gradient)
        self.ensemble.clip_gradients_(self.schedule.max_gradient_norm)
        self.descent.step()
        self.ensemble.project_()

    def judge(self, bound: Tensor, keep_best: bool, ceiling: Tensor | float) -> None:
        """Note the best parameters so far; once patience has run out, lower the rate or be converged."""
        schedule = self.schedule
        self.ensemble.update_snapshot_(self.best_parameters, bound > self.best)
        before = float(self.best.mean())
        torch.maximum(self.best, bound, out=self.best)
        rise = float(self.best.mean()) - before  # of all members together: some one of many always rises by accident
        self.waited = 0 if rise > 5e-3 * min(max(1e-2, abs(before)), 1e9) else self.waited + 1
        patience = schedule.patience if bool((self.best > 1e-3).all()) else schedule.patience_at_zero
        at_ceiling = bool((self.best > 0.998 * torch.as_tensor(ceiling)).all())
        if keep_best and self.waited >= patience and self.n_decays and not at_ceiling:
            self.n_decays, self.waited = self.n_decays - 1, 0
            self.ensemble.restore_(self.best_parameters)
            self.descent.rate *= 0.2
        elif keep_best and (self.waited >= patience or at_ceiling):
            self.converged = True

    @property
    def _tensors(self) -> dict[str, Tensor]:
        own = {"values": self.ensemble.values, "mean": self.descent.mean, "square": self.descent.square}
        return {**own, "best": self.best, "best_parameters": self.best_parameters, **self.changed}

    def state(self) -> State:
        """All of it, to go on from."""
        counts = {"step": self.step, "waited": self.waited, "n_decays": self.n_decays, "rate": self.descent.rate}
        records = [asdict(record) for record in self.records]
        return State(self._tensors, {**counts, "converged": self.converged, "records": records})

    def result(self) -> State:
        """What is left of it at the end: a quarter of the state."""
        state = self.state()
        left = {"values", "best", *self.changed}
        return State({name: value for name, value in state.tensors.items() if name in left}, state.metadata)

    def accepts(self, state: State) -> bool:
        """Whether it can be where a state or a result was taken: of its tensors, and with all metadata."""
        mine, left = self._tensors, {"values", "best", *self.changed}
        try:
            parse_as(_StateMetadata, state.metadata)
        except ParseError:
            return False
        alike = all(
            name in mine and (value.dtype, value.shape) == (mine[name].dtype, mine[name].shape)
            for name, value in state.tensors.items()
        )
        return alike and left <= state.tensors.keys()

    @torch.no_grad()
    def restore_(self, state: State) -> None:
        """Be where a state or a result was taken."""
        mine, metadata = self._tensors, parse_as(_StateMetadata, state.metadata)
        for name, value in state.tensors.items():
            mine[name].copy_(value)
        self.step = self.descent.n_steps = metadata.step
        self.waited, self.n_decays, self.descent.rate = metadata.waited, metadata.n_decays, metadata.rate
        self.converged, self.records = metadata.converged, list(metadata.records)


def _evaluate(ensemble: Ensemble, held_out_bound: Callable[[], Tensor]) -> Tensor:
    ensemble.train(False)
    with torch.no_grad():
        return held_out_bound().cpu()


def _joined(loss: Loss, ranks: ProcessGroup) -> Loss:
    """The loss of the batch, of which every rank has its share."""
    if ranks.size == 1:
        return loss
    nothing = torch.zeros_like(loss.negative_bound)
    terms = torch.stack([term + nothing for term in (loss.negative_bound, loss.sparsity_term, loss.drift_term)])
    return Loss(*ranks.sum_(terms.detach()))


def _guard(loss: Loss, bound: Tensor, stage: str, step: int, last_finite: float | None) -> None:
    """Stop a training that has left the finite numbers, or is on its way."""
    finite = torch.isfinite(loss.total).all() and torch.isfinite(bound).all()
    if finite and (loss.negative_bound < _HOPELESS).all():
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
