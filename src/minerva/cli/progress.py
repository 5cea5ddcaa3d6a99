"""The progress bar: what a running fit tells, on one line of stderr."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from minerva import results


class ProgressBar:
    """A callback for ``MinervaSelector``: draws stage, bound, features left and time, while it is entered.

    Draws nothing when stderr is not a terminal, so that logs and pipes stay clean.

    Examples
    --------
    >>> with ProgressBar() as bar:
    ...     bar(results.Progress("learn", 0.25, bound=0.31, n_features=30))
    """

    def __init__(self, console: Console | None = None, quiet: bool = False) -> None:
        console = console or Console(stderr=True)
        # The file itself is asked: FORCE_COLOR makes rich call anything a terminal.
        hidden = quiet or not console.file.isatty()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[found]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,  # else what is printed meanwhile would come out on stderr
            disable=hidden,
        )
        self._task = self._bar.add_task("start", total=1.0, found="")

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, progress: results.Progress) -> None:
        """Show where the fit is."""
        completed = min(1.0, max(0.0, progress.fraction))
        self._bar.update(self._task, description=progress.stage, completed=completed, found=found(progress))


def found(progress: results.Progress) -> str:
    """Say what a fit has found so far.

    Examples
    --------
    >>> found(results.Progress("sparsify", 0.5, bound=0.4971, n_features=12))
    '0.497 nats, 12 features'
    """
    parts = []
    if progress.bound is not None:
        parts.append(f"{progress.bound:.3f} nats")
    if progress.n_features is not None:
        parts.append(f"{progress.n_features:,} feature{'' if progress.n_features == 1 else 's'}")
    return ", ".join(parts)
