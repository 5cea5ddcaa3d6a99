"""Estimate the progress of a fit and pass it on to the log and the callbacks."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from minerva_select.results import Progress, Selection, TrainingRecord

logger = logging.getLogger("minerva_select")


class Stage(NamedTuple):
    """A stage of a fit, its typical share of the time, and the number of steps after which most of it is done."""

    name: str
    share: float
    n_steps: float = 150.0


# Sharding measured on the problems with known answers, on one core; "encode" on a streamed table
VETTING_STAGES = (
    Stage("encode", 25),
    Stage("screen", 15),
    Stage("sparsify", 12),
    Stage("learn", 15),
    Stage("sparsify", 12),
    Stage("join", 2),
    Stage("sparsify", 2),
    Stage("estimate", 10),
    Stage("vet", 10),
    Stage("refit", 15),
    Stage("path", 5),
)
PAPER_STAGES = (Stage("learn", 20, n_steps=300), Stage("sparsify", 80, n_steps=800))


class ProgressEstimate:
    """Estimate of the completed fraction of a fit.

    It is not known in advance which stages a fit needs or when their trainings stop. A stage that begins gets its share
    of the remaining fraction, as if all later stages were to follow, and approaches its end with every step. A skipped
    or short stage leaves more to the later ones, so the fraction never jumps.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.fraction = 0.0
        self._stages = stages
        self._current = -1
        self._start = self._end = 0.0
        self._steps = self._last_step = 0

    def step(self, stage: str, step: int) -> float:
        """Reach a step of a training in this stage; a stage may have several trainings, each counted from zero."""
        if self._enter(stage):
            self._steps = self._last_step = 0
        self._steps += step - self._last_step if step > self._last_step else step
        self._last_step = step
        return self._reach(-math.expm1(-self._steps / self._stages[max(0, self._current)].n_steps))

    def complete(self, stage: str, share: float) -> float:
        """Reach a share of a stage whose length is known."""
        self._enter(stage)
        return self._reach(share)

    def at_least(self, fraction: float) -> float:
        """Raise the fraction to at least this."""
        self.fraction = max(self.fraction, min(1.0, fraction))
        return self.fraction

    def _enter(self, stage: str) -> bool:
        """Whether a new stage begins; a stage that is not ahead belongs to the current one."""
        if self._current >= 0 and self._stages[self._current].name == stage:
            return False
        ahead = [k for k in range(self._current + 1, len(self._stages)) if self._stages[k].name == stage]
        if not ahead:
            return False
        self._current = ahead[0]
        left = sum(later.share for later in self._stages[self._current :])
        self._start = self.fraction
        self._end = self._start + (1 - self._start) * self._stages[self._current].share / left
        return True

    def _reach(self, share: float) -> float:
        return self.at_least(self._start + (self._end - self._start) * min(1.0, share))


class ProgressReporter:
    """Report the progress of one fit to the log and to callbacks.

    A callback is any callable that takes a :class:`~minerva_select.results.Progress`; if it returns True, the fit ends
    soon with the best selection so far. It may also have ``on_begin(settings)`` and ``on_end(selection)``, each called
    once; ``on_end`` gets None if the fit failed.
    """

    def __init__(
        self,
        callbacks: Sequence[Callable[[Progress], object]],
        verbose: int,
        time_limit: float | None = None,
        stages: Sequence[Stage] = VETTING_STAGES,
    ) -> None:
        self._callbacks = callbacks  # not checked yet
        self._verbose = verbose
        self._time_limit = time_limit
        self._start = time.monotonic()
        self._estimate = ProgressEstimate(stages)
        self._begun: list[Callable[[Progress], object]] = []
        self._stop_requested = False

    @property
    def stop_requested(self) -> bool:
        """Whether a callback asked the fit to end."""
        return self._stop_requested

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Pass the parameters of the fit to the callbacks."""
        for callback in self._callbacks:
            self._begun.append(callback)  # before the call, so that a callback that fails here gets its on_end too
            if hasattr(callback, "on_begin"):
                callback.on_begin(settings)

    def on_rows_encoded(self, n_done: int, n_rows: int) -> None:
        """Report how many rows are encoded."""
        self._estimate.complete("encode", n_done / max(1, n_rows))
        self._call(Progress("encode", self._fraction()))

    def on_record(self, record: TrainingRecord) -> None:
        """Report a line of the training history."""
        if self._verbose:
            bound = record.bound if record.held_out_bound is None else record.held_out_bound
            _say(f"{record.stage}: step {record.step}, bound {bound:.4f} nats, {record.n_features} features")
        self._estimate.step(record.stage, record.step)
        self._call(Progress(record.stage, self._fraction(), record.held_out_bound, record.n_features, record))

    def end(self, selection: Selection | None) -> None:
        """Call ``on_end`` of every callback that was begun, once; None: the fit failed."""
        with contextlib.ExitStack() as stack:  # calls all of them even if one raises
            for callback in self._begun:
                if hasattr(callback, "on_end"):
                    stack.callback(callback.on_end, selection)
            self._begun = []

    def __enter__(self) -> ProgressReporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(None)  # no effect after a successful end

    def _fraction(self) -> float:
        if self._time_limit:
            self._estimate.at_least((time.monotonic() - self._start) / self._time_limit)
        return self._estimate.fraction

    def _call(self, progress: Progress) -> None:
        for callback in self._callbacks:
            answer = callback(progress)
            # Only True ends the fit, not any truthy value that a callback happens to return
            self._stop_requested |= isinstance(answer, bool | np.bool_) and bool(answer)


def _say(line: str) -> None:
    """Log a line; without a log that shows it, print it, as scikit-learn does."""
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info("%s", line)
    else:
        print(line, flush=True)  # noqa: T201
