"""A process that does one task at a time, and can be stopped when a task takes too long."""

import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class OutOfTimeError(Exception):
    """The task took longer than its limit and was stopped."""


class DiedError(Exception):
    """The process ended in the middle of a task: killed for memory, or a fault in native code."""


class Worker:
    """Runs ``perform(task)`` in a spawned process of its own, and starts a new one after a task that was stopped."""

    def __init__(self, perform: Callable[[Any], Any]) -> None:
        self._perform = perform
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def ask(self, task: Any, limit: float | None = None) -> Any:
        """Return the task's result, or kill the process after that many seconds; the start of one does not count."""
        if self._process is None:
            self._start()
        try:
            self._pipe.send(task)
            if self._pipe.poll(limit):
                return self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.close()
            raise DiedError(f"the process ended with exit code {code}") from None
        self.close()
        raise OutOfTimeError(f"out of time: stopped after {limit:g} s")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._perform), daemon=True)
        self._process.start()
        theirs.close()  # or the end of the process would not be seen here
        self._pipe.recv()  # the first message says that imports are done


def _serve(pipe: Connection, perform: Callable[[Any], Any]) -> None:
    with contextlib.suppress(EOFError, KeyboardInterrupt):  # the other side has ended, or is being ended
        pipe.send("ready")
        while True:
            pipe.send(perform(pipe.recv()))
