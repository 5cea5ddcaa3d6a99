"""Signals that end a command: at once, or, while a fit is under way, with the best answer so far."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import typer

from minerva_select.results import Progress, Selection

INTERRUPTED, TERMINATED = 130, 143  # 128 and the number of the signal, as shells have it
_NOTHING_KNOWN = frozenset({"read", "encode"})  # stages of a fit in which there is no answer to end with


class Terminated(KeyboardInterrupt):
    """SIGTERM: whoever ends a process with it, such as a scheduler, waits some seconds and then kills it.

    A kind of :exc:`KeyboardInterrupt`, so that whatever cleans up after Ctrl-C does so after this too.
    """


def exit_code(interruption: KeyboardInterrupt) -> int:
    """What a command ends with that was interrupted so.

    Examples
    --------
    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated())
    (130, 143)
    """
    return TERMINATED if isinstance(interruption, Terminated) else INTERRUPTED


class Stop:
    """A callback that asks its fit to end with the best answer so far, once :meth:`hear` has heard a signal.

    Examples
    --------
    >>> stop = Stop(say=print)
    >>> stop(Progress("learn", 0.2))
    False
    >>> stop.hear()
    Ctrl-C: the fit ends with the best answer so far; press it again to end at once.
    >>> stop(Progress("learn", 0.3)), stop.asked
    (True, True)
    """

    def __init__(self, say: Callable[[str], object] | None = None) -> None:
        self.asked = False
        self._say = say or _say
        self._has_answer = False

    def __call__(self, progress: Progress) -> bool:
        """Whether the fit should end soon."""
        self._has_answer = self._has_answer or progress.stage not in _NOTHING_KNOWN
        return self.asked

    def hear(self, *_: Any) -> None:
        """Handle the signal: the first one asks, where there is an answer to end with; any other interrupts."""
        if self.asked or not self._has_answer:
            raise KeyboardInterrupt
        self.asked = True
        self._say("Ctrl-C: the fit ends with the best answer so far; press it again to end at once.")

    def conclude(self, selection: Selection) -> None:
        """If the fit was asked to end, say what the answer is worth and end with the exit code of Ctrl-C."""
        if self.asked:
            worth = (
                "the answer is whole, the fit was all but done" if selection.converged else "this is the best so far"
            )
            typer.echo(f"Stopped by Ctrl-C: {worth}.", err=True)
            raise typer.Exit(INTERRUPTED)


@contextlib.contextmanager
def stoppable(*, alone: bool = True) -> Iterator[Stop]:
    """Let the first Ctrl-C of the block ask the fit to end, by the callback that is given, and the second end it.

    Of several processes (``alone=False``) each is interrupted at once: torchrun passes the signal on to those that have
    heard it already, and kills them soon after.
    """
    stop = Stop()
    with _handled(signal.SIGINT, stop.hear) if alone else contextlib.nullcontext():
        yield stop


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM raise :exc:`Terminated` in the block, so that nothing half-written is left behind."""

    def end(*_: Any) -> None:
        raise Terminated

    with _handled(signal.SIGTERM, end):
        yield


@contextlib.contextmanager
def _handled(number: signal.Signals, handler: Callable[..., None]) -> Iterator[None]:
    """Handle a signal, and put back who did before; Python lets the main thread alone do so.

    A signal that is ignored stays so: ``nohup`` and shells that start a job in the background want it.
    """
    before = signal.getsignal(number)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _say(sentence: str) -> None:
    # The signal may have come in the midst of another line, which the stream refuses
    with contextlib.suppress(RuntimeError, OSError, ValueError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
