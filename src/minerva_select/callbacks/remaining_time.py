"""How long a task has taken, and about how long it still takes."""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable

_LEAST_SECONDS, _LEAST_FRACTION = 2.0, 0.03  # before, any estimate is a guess


class Clock:
    """Time of tasks that say now and then which fraction of them is done.

    Parameters
    ----------
    now
        Seconds, from any moment on.

    Examples
    --------
    >>> seconds = iter([0.0, 30.0, 30.0])
    >>> clock = Clock(lambda: next(seconds))
    >>> clock.note(0.25)
    >>> print(clock)
    0:30, about 2 min left
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._start = self._since = now()
        self._fraction = 0.0
        self._noted = 0.0
        self._total: float | None = None  # seconds that the task takes in all, about

    def note(self, fraction: float) -> None:
        """Correct the estimate by what is done by now; where that is less than before, another task has begun.

        Smoothly, over a tenth of the time so far: a stage that runs faster or slower than those before it shall not
        make the estimate hop.
        """
        now = self._now()
        if fraction < self._fraction:
            self._since, self._noted, self._total = now, 0.0, None
        self._fraction = fraction
        taken = now - self._since
        if taken < _LEAST_SECONDS or fraction < _LEAST_FRACTION:
            return
        total = taken / fraction
        if self._total is None:
            self._total = total
        else:
            self._total += (total - self._total) * -math.expm1(-(taken - self._noted) / (0.1 * taken))
        self._noted = taken

    @property
    def elapsed(self) -> str:
        """Hours, minutes and seconds so far."""
        return _digits(self._now() - self._start)

    def __str__(self) -> str:
        now = self._now()
        left = "" if self._total is None else f", about {spell(self._since + self._total - now)} left"
        return f"{_digits(now - self._start)}{left}"


def _digits(seconds: float) -> str:
    return str(datetime.timedelta(seconds=int(seconds))).removeprefix("0:").removeprefix("0")


def spell(seconds: float) -> str:
    """A time as roughly as it is known, and never none at all.

    Examples
    --------
    >>> [spell(seconds) for seconds in (-1, 12, 58, 3500, 9000)]
    ['5 s', '10 s', '1 min', '58 min', '2.5 h']
    """
    if seconds < 57.5:
        return f"{max(5, 5 * round(seconds / 5))} s"
    if seconds < 3570:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.1f} h"
