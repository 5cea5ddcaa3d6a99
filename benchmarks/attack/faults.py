"""Faults: runs that are killed, disks that are full, tables that vanish, workers that die, limits that pass.

    python benchmarks/attack/faults.py [--quick]

Every trial is the real ``minerva select`` in processes of its own, with nothing replaced.
"""

import random
import signal
import sys
from collections.abc import Iterator
from functools import partial

import full_disks
import removed_files
import signals
import time_limits
from processes import scene
from result import Result
from targets import equal_columns, know

SIGNALS = ((signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT))


def attack_by_signals(quick: bool) -> Iterator[Result]:
    """Runs, and one of two workers, that are killed or stopped by a signal at random moments."""
    rng, many = random.Random(0), partial(_fewer, quick)
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        yield signals.kill_and_resume(parquet, many(40), rng)
        csv = know(equal_columns(folder / "rows.csv"), cached=True)
        yield signals.kill_and_resume(csv, many(10), rng)
        for numbers in SIGNALS:
            yield signals.signal_and_resume(parquet, numbers, many(8), rng)
        yield signals.leave_handlers(parquet)
        both = know(parquet.table, launcher=signals.TORCHRUN, environment=signals.ONE_THREAD)
        yield signals.kill_a_worker(both, many(4), rng)


def attack_disks(quick: bool) -> Iterator[Result]:
    """Disks without room, or that may not be written to."""
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        csv = know(equal_columns(folder / "rows.csv"), cached=True)
        yield from full_disks.results(parquet, csv, quick)


def attack_files(quick: bool) -> Iterator[Result]:
    """Folders and tables that are removed or changed while they are used."""
    with scene() as folder:
        parquet = know(equal_columns(folder / "rows.parquet"))
        yield from removed_files.remove_folders(parquet, _fewer(quick, 4), random.Random(0))
        yield from removed_files.change_tables(folder, quick)


def attack_by_time_limits(quick: bool) -> Iterator[Result]:
    """Limits that pass, on tables of every shape."""
    return time_limits.keep_time(*((time_limits.SHAPES[::3], (2.0,)) if quick else ()))


PARTS = {"deaths": attack_by_signals, "disks": attack_disks, "files": attack_files, "limits": attack_by_time_limits}


def _fewer(quick: bool, n_times: int) -> int:
    return max(1, n_times // 10) if quick else n_times


def main() -> None:
    for part in PARTS.values():
        for result in part("--quick" in sys.argv):
            print(result, flush=True)


if __name__ == "__main__":
    main()
