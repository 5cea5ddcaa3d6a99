"""Steps of a training on a GPU, captured once and launched whole.

A small network is bound by the time it takes to launch its many kernels one by one. Captured as a graph they are one
launch: what a step draws is copied to where the graph reads it, and the graph is replayed.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from minerva_select.runtime.device import allow_tf32
from minerva_select.runtime.rng import network_generator

if TYPE_CHECKING:
    from minerva_select.mi.objective import Loss

logger = logging.getLogger("minerva_select")

_WARM_STEPS = 3  # done in the usual way first, so that whatever is set up on first use is there before the capture

_CAPTURE = threading.Lock()

Draws = tuple[Tensor, ...]


class BatchLoss:
    """The loss of a batch in two parts: what is drawn, and what is computed of it by the device alone.

    The second part is a bound alone; it must ask for no value of a tensor and send none to the device.
    """

    def __init__(self, draw: Callable[[], Draws], loss: Callable[..., Loss]) -> None:
        self.draw = draw
        self.loss = loss

    def __call__(self) -> Loss:
        """Draw a batch and compute its loss."""
        return self.loss(*self.draw())


class GraphedStep:
    """A step down the loss of a batch, as a graph from the fourth time on."""

    def __init__(self, batch: BatchLoss, descend: Callable[[Loss], None]) -> None:
        self.batch = batch
        self.descend = descend
        self.stream = torch.cuda.Stream()
        self.n_warm, self.gave_up = 0, False
        self.graph: Any = None
        self.inputs: Draws = ()
        self.outcome: Loss | None = None

    def __call__(self) -> Loss:
        """One step; the loss is overwritten by the next."""
        drawn = self.batch.draw()
        if self.n_warm < _WARM_STEPS:
            self.n_warm += 1
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                loss = self._compute(drawn)
            torch.cuda.current_stream().wait_stream(self.stream)
            return loss
        if self.graph is None and not self.gave_up:
            self.inputs = tuple(value.clone() for value in drawn)
            self._capture()
        if self.gave_up:
            return self._compute(drawn)
        for known, new in zip(self.inputs, drawn, strict=True):
            known.copy_(new)
        self.graph.replay()
        assert self.outcome is not None
        return self.outcome

    def _capture(self) -> None:
        """Record the step; nothing else may touch the device meanwhile, such as garbage that is collected there."""
        collects, graph = gc.isenabled(), torch.cuda.CUDAGraph()
        if (generator := network_generator(self.stream.device)) is not None:
            graph.register_generator_state(generator)  # or every replay would drop the values that the capture dropped
        gc.collect()
        gc.disable()
        try:
            # One at a time, each on a stream of its own: torch would take one stream for the captures of all threads
            with _CAPTURE, torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                self.outcome = self._compute(self.inputs)
            self.graph = graph
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # nothing of the step was done yet: it is done kernel by kernel, and takes longer
            self.gave_up = True
            logger.warning("A training step could not be captured as a graph: %s.", str(error).splitlines()[0])
        finally:
            if collects:
                gc.enable()

    def _compute(self, drawn: Draws) -> Loss:
        with allow_tf32():
            loss = self.batch.loss(*drawn)
            self.descend(loss)
        return Loss(
            *(torch.as_tensor(term).detach() for term in (loss.negative_bound, loss.sparsity_term, loss.drift_term))
        )
