"""Run one task in a fresh process with a time limit, and measure the time and memory of a call."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

from minerva_select.codes import FailureCode
from minerva_select.evaluation.failures import Failure, attempt

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")


def run_in_process(function: Callable[[T], R], task: T, time_limit: float | None = None) -> R | Failure:
    """Call ``function(task)`` in a fresh process, and kill the process when the time is up.

    Importing the module of the function does not count. An error, a crash or a timeout is returned as a failure.
    """
    # Unlike multiprocessing, loky does not run the user's script again in a new process
    from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415

    executor = ProcessPoolExecutor(max_workers=1, initializer=_prepare_worker, initargs=(os.getpid(),))
    try:
        executor.submit(callable, function).result()  # imports its module
        result: R | Failure = executor.submit(attempt, function, task).result(time_limit)
        return result
    except TimeoutError:
        return Failure(FailureCode.OUT_OF_TIME, seconds=time_limit)
    except BrokenExecutor:
        return Failure(FailureCode.PROCESS_DIED)
    finally:
        executor.shutdown(kill_workers=True)


def measure_call(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[R, float, int]:
    """Call a function, and return its result, the seconds it took and the peak memory of this process in bytes.

    Memory is that of the whole process without its children. Only Linux can reset the peak; elsewhere it is the peak
    since the process started.
    """
    with contextlib.suppress(OSError):
        _CLEAR_REFS.write_text("5")  # not atomic: a kernel setting, which resets VmHWM
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return result, time.perf_counter() - start, _peak_bytes()


def _peak_bytes() -> int:
    with contextlib.suppress(OSError):  # on Linux ru_maxrss starts with the memory of the parent, so it is not used
        fields = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _prepare_worker(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both processes; the parent kills this one
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: int) -> None:
    """End the process if its parent is killed: a task may take hours."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
