"""A process that does one task at a time, can be stopped when a task takes too long, and measures its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from minerva_select.errors import MinervaError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_ONE_START_AT_A_TIME = threading.Lock()


class WorkerError(Exception):
    """The task has no result; the message says why, in one line."""


class OutOfTimeError(WorkerError):
    """The task took longer than its limit and was stopped."""


class DiedError(WorkerError):
    """The process ended in the middle of a task: killed for memory, or a fault in native code."""


class FailedError(WorkerError):
    """The task raised an error."""


class Worker:
    """Runs ``perform(task)`` in a process of its own, and starts a new one after a task that gave no result.

    Parameters
    ----------
    perform : callable
        A function of one argument, found by its name in an importable module; tasks and results are pickled.

    Examples
    --------
    >>> import math
    >>> with Worker(math.sqrt) as worker:
    ...     worker.ask(16.0, limit=60)
    4.0
    """

    def __init__(self, perform: Callable[[Any], Any]) -> None:
        self._perform = perform
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, task: Any, limit: float | None = None) -> Any:
        """Return the task's result, or kill the process after that many seconds; the start of one does not count.

        Raises
        ------
        OutOfTimeError, DiedError, FailedError
            There is no result; the next task gets a new process, or after a plain error the same.
        """
        try:
            pipe = self._pipe or self._start()
            pipe.send(task)
            done = pipe.poll(limit)
            result, fault = pipe.recv() if done else (None, None)
        except (EOFError, OSError):
            raise self._died() from None
        except BaseException:  # an interrupt leaves nothing behind that still computes
            self.close()
            raise
        if not done:
            self.close()
            raise OutOfTimeError(f"out of time: stopped after {limit:g} s")
        if fault is not None:
            raise FailedError(fault)
        return result

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._perform), daemon=True)
        with _main_left_alone(self._perform):
            self._process.start()
        theirs.close()  # or the end of the process would not be seen here
        self._pipe.recv()  # the first message says that imports are done
        return self._pipe

    def _died(self) -> DiedError:
        code = None
        if self._process is not None:
            self._process.join()
            code = self._process.exitcode
        self.close()
        if code == -9:  # by name only where there are signals
            return DiedError("the process was killed, as when memory runs out")
        return DiedError(f"the process ended with exit code {code}")


def describe(error: BaseException) -> str:
    """An error in one line: the sentence of one of ours, else its type, its words and where it was raised.

    Examples
    --------
    >>> describe(MinervaError("Column 'a' is empty; drop it."))
    "Column 'a' is empty; drop it."
    >>> describe(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    if isinstance(error, MinervaError):
        return str(error)
    words = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    where = traceback.extract_tb(error.__traceback__)[-1:]
    return "".join([words, *(f" ({Path(frame.filename).name}:{frame.lineno})" for frame in where)])


def attempt(perform: Callable[[T], R], task: T) -> tuple[R | None, str | None]:
    """Do a task in this process; return its result, or why there is none in one line.

    Examples
    --------
    >>> attempt(len, "abc"), attempt(int, "abc")[1][:10]
    ((3, None), 'ValueError')
    """
    from joblib import parallel_config  # noqa: PLC0415 - what starts a worker need not load it

    try:
        with parallel_config(backend="threading"):  # a worker may have no processes of its own, and would use one core
            return perform(task), None
    except Exception as error:
        return None, describe(error)


def measured(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[R, float, int]:
    """Call a function, and measure the call.

    Returns
    -------
    result, seconds, peak_bytes
        What the function returned, the time it took, and the most memory this process held meanwhile: all of it, with
        what was there before the call, and without that of its children. Where the system cannot reset its mark (all
        but Linux), the most since the process started; so ask a fresh process.

    Examples
    --------
    >>> total, seconds, peak_bytes = measured(sum, [1, 2, 3])
    >>> total, seconds < 1, peak_bytes > 1_000_000
    (6, True, True)
    """
    with contextlib.suppress(OSError):
        # not atomic: a kernel setting
        _CLEAR_REFS.write_text("5")  # sets VmHWM back to what is held now
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return result, time.perf_counter() - start, _peak_bytes()


def _peak_bytes() -> int:
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@contextlib.contextmanager
def _main_left_alone(perform: Callable[[Any], Any]) -> Iterator[None]:
    """Keep a process that starts from running the user's script again, unless the task is defined there."""
    if getattr(perform, "__module__", None) == "__main__":
        yield
        return
    with _ONE_START_AT_A_TIME:  # or a second thread would take the stand-in for the script
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _serve(pipe: Connection, perform: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both processes; the one that asks ends the other
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the other side has ended
        pipe.send("ready")
        while True:
            pipe.send(attempt(perform, pipe.recv()))


def _end_with_parent() -> None:
    """A task may take hours; nobody waits for it once the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
