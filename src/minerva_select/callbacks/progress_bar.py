"""Progress bar in a terminal or a notebook."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from minerva_select.callbacks.base import Callback
from minerva_select.results import Progress, Selection

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

STAGE_NAMES = {
    "read": "reading",
    "check": "checking",
    "encode": "encoding rows",
    "screen": "screening",
    "learn": "learning",
    "sparsify": "pruning",
    "join": "joining sets",
    "estimate": "vetting",
    "vet": "vetting",
    "refit": "refitting",
    "path": "measuring sets",
}
_NOTEBOOK_SECONDS = 0.2  # between updates; a GPU reports a hundred times per second, more than a notebook can draw
_SPEED_SECONDS = 600.0  # the time left follows from the mean speed of this period


class ProgressBar(Callback):
    """Show stage, percentage, held-out bound, number of features, elapsed time and time left.

    In a terminal, the bar is one line on stderr that disappears at the end. In a Jupyter notebook, it is drawn below
    the cell and needs no widgets. Anywhere else nothing is drawn, which keeps log files and pipes clean. As a callback,
    the bar starts and ends with each fit. Other code that reports :class:`~minerva_select.results.Progress` can use it
    in a ``with`` block.

    Parameters
    ----------
    console : rich.console.Console, optional
        Console to draw on if it is a terminal. Default: stderr.
    quiet : bool
        Draw nothing.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> selector = MinervaSelector(callbacks=[ProgressBar()])

    >>> with ProgressBar() as bar:
    ...     bar(Progress("learn", 0.25, bound=0.31, n_features=30))
    """

    _bar: _TerminalBar | _NotebookBar | None = None
    _entered = False

    def __init__(self, console: Console | None = None, quiet: bool = False) -> None:
        self.console = console
        self.quiet = quiet

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Start drawing."""
        self._open()

    def __call__(self, progress: Progress) -> None:
        """Show the progress of the fit."""
        if self._bar is not None:
            self._bar.show(progress)

    def on_end(self, selection: Selection | None) -> None:
        """Stop drawing, unless a ``with`` block is open: more fits may follow in it."""
        if not self._entered:
            self._close(completed=selection is not None)

    def __enter__(self) -> ProgressBar:
        self._entered = True
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        self._close(completed=error is None)

    def _open(self) -> None:
        if self._bar is not None or self.quiet:
            return
        from rich.console import Console  # noqa: PLC0415 - a fit without a bar does not need rich

        console = self.console or Console(stderr=True)
        if self.console is None and console.is_jupyter:
            self._bar = _NotebookBar(console)
        elif console.file.isatty():  # not console.is_terminal: FORCE_COLOR makes rich treat any file as a terminal
            self._bar = _TerminalBar(console)

    def _close(self, completed: bool) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.close(completed)


class _TerminalBar:
    """One line that is removed when the bar is closed."""

    def __init__(self, console: Console) -> None:
        self._rich = _make_rich_bar(console)
        self._rich.add_task("starting", total=1.0, found="")
        self._task = self._rich.tasks[0]
        self._start()

    def show(self, progress: Progress) -> None:
        """Show the progress; a fraction below the last one means that another task has begun."""
        if progress.fraction < self._task.completed:
            self._rich.reset(self._task.id)
        self._rich.update(
            self._task.id, description=stage_name(progress), completed=progress.fraction, found=_describe(progress)
        )

    def close(self, completed: bool) -> None:
        """Remove the line."""
        self._rich.stop()

    def _start(self) -> None:
        self._rich.start()


class _NotebookBar(_TerminalBar):
    """The same line below the cell. With rich alone it would need widgets, which a saved notebook does not show."""

    def _start(self) -> None:
        from IPython.display import display  # noqa: PLC0415 - only in a notebook

        self._drawn = time.monotonic()
        self._handle: Any = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def show(self, progress: Progress) -> None:
        """Show the progress, at most once per ``_NOTEBOOK_SECONDS``."""
        super().show(progress)
        if time.monotonic() - self._drawn > _NOTEBOOK_SECONDS:
            self._handle.update(self._bundle(), raw=True)
            self._drawn = time.monotonic()

    def close(self, completed: bool) -> None:
        """Leave a full bar, or the last one if the fit failed."""
        reached = 1.0 if completed else self._task.completed
        self._rich.update(self._task.id, description="done" if completed else "stopped", completed=reached, found="")
        self._handle.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        table = self._rich.make_tasks_table(self._rich.tasks)
        plain = f"{self._task.description}: {self._task.percentage:.0f}%"  # rich's own contains terminal codes
        return {**table._repr_mimebundle_((), ()), "text/plain": plain}


def _make_rich_bar(console: Console) -> RichProgress:
    from rich import progress  # noqa: PLC0415 - a fit without a bar does not need rich
    from rich.table import Column  # noqa: PLC0415

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False, table_column=Column(min_width=13, no_wrap=True)),
        progress.BarColumn(bar_width=24 if console.width >= 100 else 10),
        progress.TaskProgressColumn(),
        *([progress.TextColumn("{task.fields[found]}", markup=False)] if console.width >= 80 else []),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(compact=True),
        progress.TextColumn("left"),
        console=console,
        transient=True,
        redirect_stdout=False,  # otherwise what is printed meanwhile would appear on stderr
        speed_estimate_period=_SPEED_SECONDS,
    )


def stage_name(progress: Progress) -> str:
    """Name of the stage for readers.

    Examples
    --------
    >>> stage_name(Progress("sparsify", 0.5)), stage_name(Progress("fit 2 of 5", 0.5))
    ('pruning', 'fit 2 of 5')
    """
    return STAGE_NAMES.get(progress.stage, progress.stage)


def _describe(progress: Progress) -> str:
    parts = []
    if progress.bound is not None:
        parts.append(f"{progress.bound:.3f} nats")
    if progress.n_features is not None:
        parts.append(f"{progress.n_features:,} feature{'' if progress.n_features == 1 else 's'}")
    return ", ".join(parts)
