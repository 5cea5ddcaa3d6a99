"""Where a progress bar is drawn: a terminal, or the output of a notebook's cell."""

from __future__ import annotations

import html
import sys
import time
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.progress import Progress as RichProgress
from rich.table import Column
from rich.text import Text

from minerva_select.callbacks.remaining_time import Clock
from minerva_select.results import Progress

STAGES = {
    "read": "reading",
    "encode": "encoding rows",
    "screen": "screening",
    "learn": "learning",
    "sparsify": "pruning",
    "join": "joining sets",
    "vet": "vetting",
    "estimate": "measuring",
}
_WIDE = 100  # columns of a terminal that has room for a long bar
_REDRAW_SECONDS = 0.2  # a notebook keeps up with no more, and a GPU gives a hundred evaluations a second


class Screen(Protocol):
    """Something that shows where a task is, until it is closed."""

    def show(self, progress: Progress) -> None:
        """Show where the task is."""

    def close(self, done: bool) -> None:
        """Show no more: the task is done, or it was stopped."""


def find_screen(console: Console | None = None) -> Screen | None:
    """The notebook that this runs in, or the terminal of the console, stderr's unless given; None if there is none."""
    if console is None and _in_notebook():
        return NotebookScreen()
    console = console or Console(stderr=True)
    # The file itself is asked: FORCE_COLOR makes rich call anything a terminal
    return TerminalScreen(console) if console.file.isatty() else None


def _in_notebook() -> bool:
    """Whether outputs go to a front end that shows HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # noqa: PLC0415 - loaded already

    return getattr(get_ipython(), "kernel", None) is not None


class TerminalScreen:
    """One line that goes away at the end."""

    def __init__(self, console: Console) -> None:
        self._clock = Clock()
        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False, table_column=Column(min_width=13, no_wrap=True)),
            BarColumn(bar_width=24 if console.width >= _WIDE else 10),
            TaskProgressColumn(),
            TextColumn("{task.fields[found]}", markup=False),
            _TimeColumn(self._clock),
            console=console,
            transient=True,
            redirect_stdout=False,  # else what is printed meanwhile would come out on stderr
        )
        self._task = self._bar.add_task("starting", total=1.0, found="")
        self._bar.start()

    def show(self, progress: Progress) -> None:
        """Show where the task is."""
        self._clock.note(progress.fraction)
        self._bar.update(
            self._task, description=stage_of(progress), completed=done_of(progress), found=found_by(progress)
        )

    def close(self, done: bool) -> None:
        """Take the line away."""
        self._bar.stop()


class _TimeColumn(ProgressColumn):
    """Time, also while a task has nothing new to tell."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(Column(no_wrap=True))
        self._clock = clock

    def render(self, task: Task) -> Text:
        return Text(str(self._clock))


class NotebookScreen:
    """A bar under the cell that is redrawn in place; needs no widgets, and stays where it was when it is closed."""

    def __init__(self) -> None:
        from IPython.display import display  # noqa: PLC0415 - only where there is a notebook

        self._clock = Clock()
        self._drawn = time.monotonic()
        self._latest = Progress("starting", 0.0)
        self._handle: Any = display(  # type: ignore[no-untyped-call]
            _picture(self._latest, self._clock.elapsed), raw=True, display_id=True
        )

    def show(self, progress: Progress) -> None:
        """Show where the task is."""
        self._latest = progress
        self._clock.note(progress.fraction)
        if time.monotonic() - self._drawn > _REDRAW_SECONDS:
            self._handle.update(_picture(progress, str(self._clock)), raw=True)
            self._drawn = time.monotonic()

    def close(self, done: bool) -> None:
        """Leave a full bar, or the one that was reached."""
        last = Progress("done", 1.0) if done else Progress("stopped", self._latest.fraction)
        self._handle.update(_picture(last, self._clock.elapsed), raw=True)


def _picture(progress: Progress, times: str) -> dict[str, str]:
    """A bar as HTML, and as text for front ends that show none."""
    done = done_of(progress)
    text = " · ".join(part for part in (stage_of(progress), f"{done:.0%}", found_by(progress), times) if part)
    bar = f'<progress value="{done:.3f}" max="1" aria-label="progress of the fit"></progress>'
    words = f'<span style="font-variant-numeric: tabular-nums">{html.escape(text)}</span>'
    return {"text/html": f"<div>{bar} {words}</div>", "text/plain": text}


def stage_of(progress: Progress) -> str:
    """The stage in plain words.

    Examples
    --------
    >>> stage_of(Progress("sparsify", 0.5)), stage_of(Progress("fit 2 of 5", 0.5))
    ('pruning', 'fit 2 of 5')
    """
    return STAGES.get(progress.stage, progress.stage)


def done_of(progress: Progress) -> float:
    """The fraction, between 0 and 1 whatever it is said to be.

    Examples
    --------
    >>> done_of(Progress("learn", 1.7))
    1.0
    """
    return min(1.0, max(0.0, progress.fraction))


def found_by(progress: Progress) -> str:
    """What the task has found so far.

    Examples
    --------
    >>> found_by(Progress("sparsify", 0.5, bound=0.4971, n_features=12))
    '0.497 nats, 12 features'
    """
    parts = []
    if progress.bound is not None:
        parts.append(f"{progress.bound:.3f} nats")
    if progress.n_features is not None:
        parts.append(f"{progress.n_features:,} feature{'' if progress.n_features == 1 else 's'}")
    return ", ".join(parts)
