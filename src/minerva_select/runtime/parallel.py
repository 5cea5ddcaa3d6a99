"""Independent jobs, side by side in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from minerva_select.runtime.device import available_threads

_Result = TypeVar("_Result")


def run_in_threads(jobs: Sequence[Callable[[], _Result]], n_threads: int) -> list[_Result]:
    """Run jobs that compute outside of Python's lock and return their results in order."""
    if n_threads < 2 or len(jobs) < 2:
        return [job() for job in jobs]
    pool = ThreadPoolExecutor(min(n_threads, len(jobs)))
    try:
        return [future.result() for future in [pool.submit(job) for job in jobs]]
    finally:
        pool.shutdown(cancel_futures=True)  # an exception, or Ctrl-C, leaves no jobs behind


def run_side_by_side(jobs: Sequence[Callable[[], _Result]], in_background: Sequence[bool]) -> list[_Result]:
    """Run jobs and return their results in order.

    Jobs ``in_background`` should compute outside of Python's lock; threads run them, while this one runs the others.
    """
    n_threads = min(available_threads(), sum(in_background))
    if n_threads < 1 or available_threads() < 2 or len(jobs) < 2:
        return [job() for job in jobs]
    pool = ThreadPoolExecutor(n_threads)
    try:
        futures = [pool.submit(job) if apart else None for job, apart in zip(jobs, in_background, strict=True)]
        own = [None if future else job() for job, future in zip(jobs, futures, strict=True)]
        return [future.result() if future else result for future, result in zip(futures, own, strict=True)]  # type: ignore[misc]
    finally:
        pool.shutdown(cancel_futures=True)  # an exception, or Ctrl-C, leaves no jobs behind
