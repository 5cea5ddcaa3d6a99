"""Faults: runs that are killed, disks that are full, tables that vanish, workers that die, limits that pass.

    python benchmarks/attack/faults.py [--quick]

Every trial is the real ``minerva select`` in processes of its own, with nothing replaced.
"""

import random
import signal
import sys
from collections.abc import Iterator
from functools import partial

import disks
import kills
import limits
import robberies
from prey import equal_columns, know
from result import Result
from victims import scene

SIGNALS = ((signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT))


def deaths(quick: bool) -> Iterator[Result]:
    """Runs, and one of two workers, that are killed or stopped by a signal at random moments."""
    rng, many = random.Random(0), partial(_fewer, quick)
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        yield kills.kill_and_resume(parquet, many(40), rng)
        csv = know(equal_columns(folder / "rows.csv"), cached=True)
        yield kills.kill_and_resume(csv, many(10), rng)
        for signals in SIGNALS:
            yield kills.signal_and_resume(parquet, signals, many(8), rng)
        yield kills.leave_handlers(parquet)
        both = know(parquet.table, launcher=kills.TORCHRUN, environment=kills.ONE_THREAD)
        yield kills.kill_a_worker(both, many(4), rng)


def full_disks(quick: bool) -> Iterator[Result]:
    """Disks without room, or that may not be written to."""
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        csv = know(equal_columns(folder / "rows.csv"), cached=True)
        yield from disks.results(parquet, csv, quick)


def vanishing_files(quick: bool) -> Iterator[Result]:
    """Folders and tables that are removed or changed while they are used."""
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        yield from robberies.remove_folders(parquet, _fewer(quick, 4), random.Random(0))
        yield from robberies.change_tables(folder, quick)


def time_limits(quick: bool) -> Iterator[Result]:
    """Limits that pass, on tables of every shape."""
    return limits.keep_time(*((limits.SHAPES[::3], (2.0,)) if quick else ()))


PARTS = {"deaths": deaths, "disks": full_disks, "files": vanishing_files, "limits": time_limits}


def _fewer(quick: bool, n_times: int) -> int:
    return max(1, n_times // 10) if quick else n_times


def main() -> None:
    for part in PARTS.values():
        for result in part("--quick" in sys.argv):
            print(result, flush=True)


if __name__ == "__main__":
    main()
