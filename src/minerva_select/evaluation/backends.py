"""Run tasks on the joblib backend that the user chose."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from minerva_select.codes import FailureCode
from minerva_select.evaluation.failures import Failure, attempt, describe_error
from minerva_select.schema import Column

D = TypeVar("D")
R = TypeVar("R")


def user_backend() -> Any:
    """Return the backend that the user chose with ``joblib.parallel_config``, or None."""
    from joblib.parallel import get_active_backend  # noqa: PLC0415 - takes 0.1 s, only needed when methods run

    # A backend that the user chose does not depend on what the caller prefers
    by_threads, by_processes = (get_active_backend(prefer=way)[0] for way in ("threads", "processes"))
    return by_threads if by_threads is by_processes else None


def run_on_backend(tasks: Sequence[Callable[[D], R | Failure]], data: D) -> Iterator[tuple[int, R | Failure]]:
    """Run tasks on the user's backend, and yield the index and result of each as soon as it is there.

    If a worker dies, the tasks that are left run one by one, so that only the task that kills its worker fails.
    """
    from joblib import Parallel, delayed, effective_n_jobs  # noqa: PLC0415

    n_jobs = effective_n_jobs(None)
    streams = getattr(user_backend(), "supports_return_generator", False)  # multiprocessing and Ray do not

    def run(indices: Iterable[int]) -> Iterable[tuple[int, R | Failure]]:
        parallel = Parallel(return_as="generator_unordered" if streams else "list")
        done: Iterable[tuple[int, R | Failure]] = parallel(
            delayed(_run_task)(index, tasks[index], data, n_jobs) for index in indices
        )
        return done

    left = dict.fromkeys(range(len(tasks)))
    try:
        for index, outcome in run(list(left)):
            del left[index]
            yield index, outcome
    except Exception:  # a dead worker; every backend raises an error of its own
        for index in left:
            try:
                yield from run([index])
            except Exception as error:
                yield index, Failure(FailureCode.PROCESS_DIED, describe_error(error))


def limit_threads(n_jobs: int) -> AbstractContextManager[Any]:
    """Limit a fit, one of ``n_jobs`` at a time, to its share of the cores, unless ``OMP_NUM_THREADS`` is set.

    Loky and Dask set that variable in their workers; threads, forks and Ray do not.
    """
    from joblib import cpu_count  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    if "OMP_NUM_THREADS" in os.environ:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(max(1, cpu_count() // n_jobs))
    return limits


def n_bytes(columns: Iterable[Column]) -> int:
    """Memory of the values of columns."""
    return sum(column.values.nbytes for column in columns)


def _run_task(index: int, task: Callable[[D], R | Failure], data: D, n_jobs: int) -> tuple[int, R | Failure]:
    with limit_threads(n_jobs):
        return index, attempt(task, data)
