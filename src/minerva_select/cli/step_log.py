"""What a long command has done so far, a line each, where no progress bar can be drawn."""

from __future__ import annotations

import sys
import time
from types import TracebackType

import typer

from minerva_select.results import Progress


class Steps:
    """Tell on stderr of every step that is done: a log or a pipe would be silent for minutes otherwise.

    To be used in a ``with`` block; nothing is told in a terminal, which has a bar.

    Parameters
    ----------
    quiet : bool
        Tell nothing.

    Examples
    --------
    >>> with Steps(quiet=True) as steps:
    ...     steps(Progress("MINERVA", 0.0))
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and not sys.stderr.isatty()
        self._stage, self._start = "", 0.0

    def __call__(self, progress: Progress) -> None:
        """Begin a step, and tell of the one before it."""
        from minerva_select.callbacks.display import stage_of

        self._end_step(progress.fraction)
        self._stage, self._start = stage_of(progress), time.monotonic()

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._end_step(1.0)

    def _end_step(self, fraction: float) -> None:
        if self._shown and self._stage:
            from minerva_select.text.formatting import duration, printable

            seconds = duration(time.monotonic() - self._start)
            typer.echo(f"{fraction:4.0%} {printable(self._stage)}: {seconds}", err=True)
