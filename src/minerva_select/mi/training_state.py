"""Training state: optimizer steps, best parameters so far, early stopping, saving and restoring."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from minerva_select.config import STOPPING, Schedule
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.objective import Loss
from minerva_select.mi.optimizer import AdamW
from minerva_select.results import TrainingRecord
from minerva_select.results.parsing import ParseError, parse_as
from minerva_select.runtime.checkpoint_files import State
from minerva_select.runtime.cuda_graphs import BatchLoss, GraphedStep
from minerva_select.runtime.distributed import ProcessGroup


@dataclass(frozen=True)
class _Metadata:
    """The part of a saved state that is not tensors."""

    step: int
    waited: int
    peak: float
    n_decays: int
    rate: float
    converged: bool
    records: tuple[TrainingRecord, ...]


def _possible(ceiling: Tensor | float) -> float:
    """The largest possible bound in nats, up to 1; 0 if it is not known."""
    highest = float(torch.as_tensor(ceiling).mean())
    return min(1.0, highest) if math.isfinite(highest) else 0.0


class TrainingState:
    """Everything that the next training step depends on, except the random numbers."""

    def __init__(
        self,
        ensemble: Ensemble,
        batch_loss: Callable[[], Loss],
        schedule: Schedule,
        ranks: ProcessGroup,
        extra_state: Mapping[str, Tensor],
    ) -> None:
        self.ensemble = ensemble
        self.batch_loss = batch_loss
        self.ranks = ranks
        self.schedule = schedule
        self.extra_state = extra_state
        self.optimizer = AdamW(ensemble, schedule.learning_rate, schedule.weight_decay)
        self.best = torch.full((ensemble.n_members,), -torch.inf)  # bound on the tuning rows
        self.best_parameters = ensemble.snapshot()
        self.records: list[TrainingRecord] = []
        self.step, self.waited, self.n_decays, self.converged = 0, 0, schedule.n_decays, False
        self.peak = -STOPPING.max_scale  # highest mean bound of the members
        self._graph: GraphedStep[Loss] | None = None
        if isinstance(batch_loss, BatchLoss) and ensemble.values.is_cuda and ranks.size == 1:
            self._graph = GraphedStep(batch_loss, self._descend)

    def take_step(self) -> Loss:
        """Draw a batch and take one optimizer step."""
        self.step += 1
        self.ensemble.train()
        if self._graph is not None:
            return self._graph()
        loss = self.batch_loss()
        self._descend(loss)
        return loss

    def release_graph(self) -> None:
        """Free the CUDA graph now: freeing it while another graph is captured breaks that capture."""
        self._graph = None

    def _descend(self, loss: Loss) -> None:
        self.ensemble.gradient.zero_()
        loss.total.sum().backward()
        self.ranks.sum_(self.ensemble.gradient)
        self.ensemble.clip_gradients_(self.schedule.max_gradient_norm)
        self.optimizer.step()
        self.ensemble.project_()

    def update_best(
        self, bound: Tensor, keep_best: bool, ceiling: Tensor | float, *, has_learned: bool = False
    ) -> None:
        """Save the best parameters; when patience has run out, lower the learning rate or mark as converged.

        A critic that ``has_learned`` its training rows is not on a plateau: if its bound does not rise, it overfits.
        """
        self.ensemble.update_snapshot_(self.best_parameters, bound > self.best)
        torch.maximum(self.best, bound, out=self.best)
        if not keep_best:
            return
        # Mean over members: one of many always rises by chance, and so does the mean of their best bounds
        mean, before = float(bound.mean()), self.peak
        self.peak = max(mean, before)
        least = max(STOPPING.min_scale, STOPPING.ceiling_scale * _possible(ceiling))
        rises = self.peak - before > STOPPING.min_relative_rise * min(max(least, abs(before)), STOPPING.max_scale)
        falls = self.peak - mean > max(STOPPING.min_fall, STOPPING.fall_share * abs(self.peak))
        self.waited = 0 if rises else self.waited + (2 if falls and has_learned else 1)
        above_zero = bool((self.best > STOPPING.above_zero).all())
        patience = self.schedule.patience if above_zero or has_learned else self.schedule.patience_at_zero
        at_ceiling = bool((self.best > STOPPING.ceiling_share * torch.as_tensor(ceiling)).all())
        if self.waited < patience and not at_ceiling:
            return
        if self.n_decays and not at_ceiling:
            self.n_decays, self.waited = self.n_decays - 1, 0
            self.ensemble.restore_(self.best_parameters)
            self.optimizer.rate *= STOPPING.decay_factor
        else:
            self.converged = True

    @property
    def _tensors(self) -> dict[str, Tensor]:
        own = {"values": self.ensemble.values, "mean": self.optimizer.mean, "square": self.optimizer.square}
        return {**own, "best": self.best, "best_parameters": self.best_parameters, **self.extra_state}

    @property
    def _result_names(self) -> set[str]:
        return {"values", "best", *self.extra_state}

    def to_save(self) -> State:
        """State to resume training from."""
        counts = {"step": self.step, "waited": self.waited, "n_decays": self.n_decays}
        rates = {"peak": self.peak, "rate": self.optimizer.rate}
        records = [asdict(record) for record in self.records]
        return State(self._tensors, {**counts, **rates, "converged": self.converged, "records": records})

    def result(self) -> State:
        """State of a finished training, without the optimizer: a quarter of the size."""
        state, names = self.to_save(), self._result_names
        return State({name: value for name, value in state.tensors.items() if name in names}, state.metadata)

    def accepts(self, state: State) -> bool:
        """Whether a saved state or result fits this training."""
        tensors = self._tensors
        try:
            parse_as(_Metadata, state.metadata)
        except ParseError:
            return False
        alike = all(
            name in tensors and (value.dtype, value.shape) == (tensors[name].dtype, tensors[name].shape)
            for name, value in state.tensors.items()
        )
        return alike and self._result_names <= state.tensors.keys()

    @torch.no_grad()
    def restore_(self, state: State) -> None:
        """Continue from a saved state or result."""
        tensors, metadata = self._tensors, parse_as(_Metadata, state.metadata)
        for name, value in state.tensors.items():
            tensors[name].copy_(value)
        self.step = self.optimizer.n_steps = metadata.step
        self.waited, self.peak, self.n_decays = metadata.waited, metadata.peak, metadata.n_decays
        self.optimizer.rate = metadata.rate
        self.converged, self.records = metadata.converged, list(metadata.records)
