"""The time limit of a fit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable


class Deadline:
    """A time limit, which a request to stop can bring forward."""

    def __init__(
        self,
        seconds: float | None,
        broadcast: Callable[[bool], bool] = lambda decision: decision,
        stop: Callable[[], bool] = lambda: False,
        start: float | None = None,
        grace: float = 0.0,
    ) -> None:
        self.stop = stop
        self.start = time.monotonic() if start is None else start
        self.seconds = seconds
        self.broadcast = broadcast
        self.grace = grace
        self._end = math.inf if seconds is None else self.start + seconds
        self._is_stopped = False

    @property
    def remaining(self) -> float:
        """Seconds until the end; infinite without a limit."""
        now = time.monotonic()
        if not self._is_stopped and self.stop():
            self._is_stopped, self._end = True, min(self._end, now + self.grace)
        return self._end - now

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return not self.allows(0.0)

    def allows(self, seconds: float) -> bool:
        """Whether at least this many seconds remain."""
        remaining = self.remaining
        return self.broadcast(remaining >= seconds and not (self._is_stopped and not self.grace))

    def fraction(self, share: float, at_least: float = 0.0) -> Deadline:
        """Deadline after a share of the remaining time, but no sooner than ``at_least`` seconds from now.

        A later request to stop ends it at once; an earlier one has already shortened the remaining time.
        """
        remaining = self.remaining
        seconds = max(at_least, remaining * share) if math.isfinite(remaining) else None
        return Deadline(seconds, self.broadcast, (lambda: False) if self._is_stopped else self.stop)
