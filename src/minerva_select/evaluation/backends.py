"""Many fits by joblib: where the user's backend runs them, with their data sent once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from minerva_select.evaluation.worker import attempt, describe
from minerva_select.schema import Column

D = TypeVar("D")
R = TypeVar("R")

Outcome = tuple[R | None, str | None]  # what came back, or why nothing did


def user_backend() -> Any:
    """The backend that the user has chosen with ``joblib.parallel_config``, or None.

    Examples
    --------
    >>> import joblib
    >>> user_backend() is None
    True
    >>> with joblib.parallel_config(backend="threading"):
    ...     type(user_backend()).__name__
    'ThreadingBackend'
    """
    from joblib.parallel import get_active_backend  # noqa: PLC0415 - 0.1 s, only when methods run

    # Only a backend that was chosen is the same one whatever its caller prefers
    by_threads, by_processes = (get_active_backend(prefer=way)[0] for way in ("threads", "processes"))
    return by_threads if by_threads is by_processes else None


def perform_all(tasks: Sequence[Callable[[D], R]], data: D) -> Iterator[tuple[int, Outcome[R]]]:
    """Let the user's backend do tasks, and give what each came to as soon as it is there.

    A task that raises an error is told by its words. Where a worker is lost, and what it had at hand with it, what is
    not there yet is done one by one, so that only the task that ends its worker goes without a result.

    Parameters
    ----------
    tasks : sequence of callables
        Functions of the data; each is pickled.
    data : object
        What all tasks read. Its ``__sizeof__`` must tell its true size: from 1 kB Dask sends an argument to a worker
        once instead of with every task. Loky maps the large arrays in it from one file.

    Yields
    ------
    place, (result, fault)
        Place of the task, then its result or why there is none.
    """
    from joblib import Parallel, delayed, effective_n_jobs  # noqa: PLC0415

    n_at_once = effective_n_jobs(None)
    comes_by_itself = getattr(user_backend(), "supports_return_generator", False)  # not with multiprocessing and Ray

    def run(places: Iterable[int]) -> Iterable[tuple[int, Outcome[R]]]:
        parallel = Parallel(return_as="generator_unordered" if comes_by_itself else "list")
        done: Iterable[tuple[int, Outcome[R]]] = parallel(
            delayed(_perform)(place, tasks[place], data, n_at_once) for place in places
        )
        return done

    left = dict.fromkeys(range(len(tasks)))
    try:
        for place, outcome in run(list(left)):
            del left[place]
            yield place, outcome
    except Exception:  # a lost worker: every backend has an error of its own for it
        for place in left:
            try:
                yield from run([place])
            except Exception as error:
                yield place, (None, describe(error))


def share_of_threads(n_at_once: int) -> AbstractContextManager[Any]:
    """Hold a fit, one of so many at once, to its share of the cores, unless ``OMP_NUM_THREADS`` says what it may use.

    Loky and Dask set that variable for their workers, and so do users; threads, forks and Ray are left to this.
    """
    from joblib import cpu_count  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    if "OMP_NUM_THREADS" in os.environ:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(max(1, cpu_count() // n_at_once))
    return limits


def n_bytes(columns: Iterable[Column]) -> int:
    """Memory of columns' values."""
    return sum(column.values.nbytes for column in columns)


def _perform(place: int, task: Callable[[D], R], data: D, n_at_once: int) -> tuple[int, Outcome[R]]:
    with share_of_threads(n_at_once):
        return place, attempt(task, data)
