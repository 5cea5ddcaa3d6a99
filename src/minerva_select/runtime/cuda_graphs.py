"""Training steps on a GPU, captured as CUDA graphs.

The time of a step of a small network is mostly that of launching its many kernels. Captured as a graph, they are a
single launch: the inputs of a step are copied to where the graph reads them, and the graph is replayed.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor

from minerva_select.runtime.device import allow_tf32
from minerva_select.runtime.rng import network_generator

logger = logging.getLogger("minerva_select")

_N_WARM_UP = 3  # ordinary steps first, so that everything set up on first use exists before the capture

_CAPTURE = threading.Lock()

Draws = tuple[Tensor, ...]


class Detachable(Protocol):
    """A loss: one tensor or several."""

    def detach(self) -> Self:
        """The same values without their gradient."""


LossT = TypeVar("LossT", bound=Detachable)


class BatchLoss(Generic[LossT]):
    """The loss of a batch in two parts: drawing the batch, and computing its loss on the device.

    The second part must neither read the value of a tensor nor copy one to the device.
    """

    def __init__(self, draw: Callable[[], Draws], loss: Callable[..., LossT]) -> None:
        self.draw = draw
        self.loss = loss

    def __call__(self) -> LossT:
        """Draw a batch and compute its loss."""
        return self.loss(*self.draw())


class GraphedStep(Generic[LossT]):
    """A gradient step on the loss of a batch, captured as a graph after a few ordinary steps."""

    def __init__(self, batch: BatchLoss[LossT], descend: Callable[[LossT], None]) -> None:
        self.batch = batch
        self.descend = descend
        self.stream = torch.cuda.Stream()
        self.n_warm_up, self.has_failed = 0, False
        self.graph: Any = None
        self.inputs: Draws = ()
        self.output: LossT | None = None

    def __call__(self) -> LossT:
        """Take one step; the next one overwrites the loss."""
        drawn = self.batch.draw()
        if self.n_warm_up < _N_WARM_UP:
            self.n_warm_up += 1
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                loss = self._compute(drawn)
            torch.cuda.current_stream().wait_stream(self.stream)
            return loss
        if self.graph is None and not self.has_failed:
            self.inputs = tuple(value.clone() for value in drawn)
            self._capture()
        if self.has_failed:
            return self._compute(drawn)
        for known, new in zip(self.inputs, drawn, strict=True):
            known.copy_(new)
        self.graph.replay()
        assert self.output is not None
        return self.output

    def _capture(self) -> None:
        """Record the step. Nothing else may use the device meanwhile, including the garbage collector."""
        collects, graph = gc.isenabled(), torch.cuda.CUDAGraph()
        if (generator := network_generator(self.stream.device)) is not None:
            graph.register_generator_state(generator)  # or every replay would repeat the dropout of the capture
        gc.collect()
        gc.disable()
        try:
            # One at a time, each on its own stream: by default torch uses one stream for the captures of all threads
            with _CAPTURE, torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                self.output = self._compute(self.inputs)
            self.graph = graph
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # nothing was computed yet, so the ordinary, slower step still works
            self.has_failed = True
            logger.warning("A training step could not be captured as a graph: %s.", str(error).splitlines()[0])
        finally:
            if collects:
                gc.enable()

    def _compute(self, drawn: Draws) -> LossT:
        with allow_tf32():
            loss = self.batch.loss(*drawn)
            self.descend(loss)
        return loss.detach()
