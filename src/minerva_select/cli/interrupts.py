"""Handle Ctrl-C and SIGTERM: end at once, or end the current fit with the best selection so far."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import typer

from minerva_select.results import Progress, Selection

INTERRUPTED, TERMINATED = 130, 143  # exit codes: 128 plus the number of the signal, as in shells
_STAGES_WITHOUT_RESULT = frozenset({"read", "encode"})


class Terminated(KeyboardInterrupt):
    """SIGTERM was received; schedulers send it a few seconds before they kill a process.

    A subclass of KeyboardInterrupt, so that all cleanup after Ctrl-C happens after SIGTERM too.
    """


class StopRequest:
    """Callback that ends its fit early after Ctrl-C."""

    def __init__(self, write: Callable[[str], object] | None = None) -> None:
        self.requested = False
        self._write = write or _write_to_stderr
        self._has_result = False

    def __call__(self, progress: Progress) -> bool:
        """Return True if the fit should end soon."""
        self._has_result = self._has_result or progress.stage not in _STAGES_WITHOUT_RESULT
        return self.requested

    def handle_signal(self, *_: Any) -> None:
        """Request a stop; raise KeyboardInterrupt on the second signal, or if the fit has no result yet."""
        if self.requested or not self._has_result:
            raise KeyboardInterrupt
        self.requested = True
        self._write("Ctrl-C: ending with the best selection so far; press Ctrl-C again to end at once.")

    def exit_if_requested(self, selection: Selection) -> None:
        """After Ctrl-C, print whether the fit was complete and exit with code 130."""
        if self.requested:
            state = "the fit was already complete" if selection.converged else "this is the best selection so far"
            typer.echo(f"Stopped by Ctrl-C: {state}.", err=True)
            raise typer.Exit(INTERRUPTED)


@contextlib.contextmanager
def stop_on_ctrl_c(*, single_process: bool = True) -> Iterator[StopRequest]:
    """Turn the first Ctrl-C into a request that the fit gets through the yielded callback.

    In a distributed run every process is interrupted at once: torchrun sends the signal again and kills soon after.
    """
    stop = StopRequest()
    with _signal_handler(signal.SIGINT, stop.handle_signal) if single_process else contextlib.nullcontext():
        yield stop


@contextlib.contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """Raise :exc:`Terminated` on SIGTERM, so that temporary files are removed."""

    def end(*_: Any) -> None:
        raise Terminated

    with _signal_handler(signal.SIGTERM, end):
        yield


@contextlib.contextmanager
def _signal_handler(number: signal.Signals, handler: Callable[..., None]) -> Iterator[None]:
    """Handle a signal, unless it is ignored (``nohup``, background jobs) or this is not the main thread."""
    previous = signal.getsignal(number)
    if threading.current_thread() is not threading.main_thread() or previous in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, previous)


def _write_to_stderr(sentence: str) -> None:
    # The signal may arrive while another line is being written, and the stream refuses a second writer
    with contextlib.suppress(RuntimeError, OSError, ValueError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
