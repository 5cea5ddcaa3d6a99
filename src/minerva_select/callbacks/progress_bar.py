"""The progress bar."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Console

from minerva_select.callbacks.base import Callback
from minerva_select.callbacks.display import Screen, find_screen
from minerva_select.results import Progress, Selection


class ProgressBar(Callback):
    """Show the stage, how far the fit is, the held-out bound, the features left, the time and about how much is left.

    In a terminal it is one line on stderr that goes away at the end, in a Jupyter notebook a bar under the cell.
    Elsewhere nothing is drawn, so that logs and pipes stay clean. Among the callbacks of a fit it begins and ends with
    the fit; anything else that tells its :class:`~minerva_select.results.Progress` can use it in a ``with`` block.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw, if it is a terminal; stderr unless given.
    quiet : bool
        Draw nothing.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> selector = MinervaSelector(callbacks=[ProgressBar()])

    >>> with ProgressBar() as bar:
    ...     bar(Progress("learn", 0.25, bound=0.31, n_features=30))
    """

    _screen: Screen | None = None
    _entered = False

    def __init__(self, console: Console | None = None, quiet: bool = False) -> None:
        self.console = console
        self.quiet = quiet

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Begin to draw."""
        self._open()

    def __call__(self, progress: Progress) -> None:
        """Show where the fit is."""
        if self._screen is not None:
            self._screen.show(progress)

    def on_end(self, selection: Selection | None) -> None:
        """Draw no more; within a ``with`` block that is left to its end, as other fits may follow."""
        if not self._entered:
            self._close(done=selection is not None)

    def __enter__(self) -> ProgressBar:
        self._entered = True
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        self._close(done=error is None)

    def _open(self) -> None:
        if self._screen is None and not self.quiet:
            self._screen = find_screen(self.console)

    def _close(self, done: bool) -> None:
        screen, self._screen = self._screen, None
        if screen is not None:
            screen.close(done)
