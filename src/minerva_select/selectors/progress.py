"""Who hears of a running fit, and how far it is."""

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
    """A stage of a fit: about how much of the time it takes, and after how many steps most of it is over."""

    name: str
    share: float
    n_steps: float = 150.0


# Shares are those of fits of the problems with known answers on one core; that of encoding is of a streamed table
VETTING = (
    Stage("encode", 25),
    Stage("screen", 15),
    Stage("sparsify", 12),
    Stage("learn", 15),
    Stage("sparsify", 12),
    Stage("join", 2),
    Stage("sparsify", 2),
    Stage("vet", 25),
    Stage("estimate", 5),
    Stage("path", 5),
)
PAPER = (Stage("learn", 20, n_steps=300), Stage("sparsify", 80, n_steps=800))


class Course:
    """How far a fit is, between 0 and 1.

    Nobody knows beforehand which stages a fit will need, nor when their trainings will stop. So a stage that begins is
    given its share of what is left, as if all later ones were to come, and nears its end with every step without
    reaching it. A stage that is skipped or ends early leaves more to those that follow: the fraction never jumps.

    Examples
    --------
    >>> course = Course((Stage("learn", 1), Stage("vet", 1)))
    >>> course.step("learn", 25) < course.step("learn", 1_000) <= 0.5
    True
    >>> round(Course((Stage("learn", 1), Stage("vet", 1))).step("vet", 1_000), 2)  # what was skipped takes no room
    1.0
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.fraction = 0.0
        self._stages = stages
        self._place = -1
        self._start = self._end = 0.0
        self._steps = self._last_step = 0

    def step(self, stage: str, step: int) -> float:
        """Be at this step of a training of this stage; a stage may hold several, each counting from zero."""
        if self._enter(stage):
            self._steps = self._last_step = 0
        self._steps += step - self._last_step if step > self._last_step else step
        self._last_step = step
        return self._reach(-math.expm1(-self._steps / self._stages[max(0, self._place)].n_steps))

    def share(self, stage: str, share: float) -> float:
        """Be past this share of a stage that knows its length."""
        self._enter(stage)
        return self._reach(share)

    def at_least(self, fraction: float) -> float:
        """Be no less far than this."""
        self.fraction = max(self.fraction, min(1.0, fraction))
        return self.fraction

    def _enter(self, stage: str) -> bool:
        """Whether this is the beginning of a stage; one that the course has not ahead belongs to the present one."""
        if self._place >= 0 and self._stages[self._place].name == stage:
            return False
        ahead = [k for k in range(self._place + 1, len(self._stages)) if self._stages[k].name == stage]
        if not ahead:
            return False
        self._place = ahead[0]
        left = sum(later.share for later in self._stages[self._place :])
        self._start = self.fraction
        self._end = self._start + (1 - self._start) * self._stages[self._place].share / left
        return True

    def _reach(self, share: float) -> float:
        return self.at_least(self._start + (self._end - self._start) * min(1.0, share))


class Audience:
    """The log and the callbacks of one fit.

    A callback is any callable that takes a :class:`.Progress`; where it returns True, the fit is to
    end soon with the best answer so far. It may have ``on_begin(settings)`` and ``on_end(selection)`` as well, each
    called once, and ``on_end`` with None where the fit has failed.

    Parameters
    ----------
    callbacks
        Who hears of it.
    verbose
        Whether the log hears of it too.
    time_limit
        Seconds after which the fit will end.

    Examples
    --------
    >>> heard = []
    >>> with Audience([heard.append], verbose=0) as audience:
    ...     audience.begin({"solver": "vetting"})
    ...     audience.tell_record(TrainingRecord("learn", 25, bound=0.2, held_out_bound=0.1, n_features=6))
    >>> heard[0].stage, heard[0].bound, audience.stop_wanted
    ('learn', 0.1, False)
    """

    def __init__(
        self, callbacks: Sequence[Callable[[Progress], object]], verbose: int, time_limit: float | None = None
    ) -> None:
        self._callbacks = callbacks  # as they are: the fit has yet to check them
        self._verbose = verbose
        self._time_limit = time_limit
        self._start = time.monotonic()
        self._course = Course(VETTING)
        self._begun: list[Callable[[Progress], object]] = []
        self._stop_wanted = False

    @property
    def stop_wanted(self) -> bool:
        """Whether some callback has asked the fit to end."""
        return self._stop_wanted

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Tell the callbacks which parameters the fit has."""
        self._course = Course(PAPER if settings.get("solver") == "paper" else VETTING)
        for callback in self._callbacks:
            self._begun.append(callback)  # before it is told: what fails halfway hears of the end too
            if hasattr(callback, "on_begin"):
                callback.on_begin(settings)

    def tell_rows(self, n_done: int, n_rows: int) -> None:
        """Pass on how many of the rows are encoded."""
        self._course.share("encode", n_done / max(1, n_rows))
        self._tell(Progress("encode", self._fraction()))

    def tell_record(self, record: TrainingRecord) -> None:
        """Pass on a line of a training history."""
        if self._verbose:
            bound = record.bound if record.held_out_bound is None else record.held_out_bound
            logger.info(
                "%s: step %d, bound %.4f nats, %d features", record.stage, record.step, bound, record.n_features
            )
        self._course.step(record.stage, record.step)
        self._tell(Progress(record.stage, self._fraction(), record.held_out_bound, record.n_features, record))

    def end(self, selection: Selection | None) -> None:
        """Tell the callbacks that have heard of the beginning how it ended, once; None: the fit has failed."""
        with contextlib.ExitStack() as everyone:  # where one of them fails, the others are told before that is raised
            for callback in self._begun:
                if hasattr(callback, "on_end"):
                    everyone.callback(callback.on_end, selection)
            self._begun = []

    def __enter__(self) -> Audience:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(None)  # of no effect after an end with a selection

    def _fraction(self) -> float:
        if self._time_limit:
            self._course.at_least((time.monotonic() - self._start) / self._time_limit)
        return self._course.fraction

    def _tell(self, progress: Progress) -> None:
        for callback in self._callbacks:
            answer = callback(progress)
            # Only True asks for an end: what a callback happens to return, such as a count, does not
            self._stop_wanted |= isinstance(answer, bool | np.bool_) and bool(answer)
