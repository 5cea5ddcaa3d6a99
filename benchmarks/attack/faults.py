"""Attacks on running fits: signals, full disks, removed files and time limits.

    python benchmarks/attack/faults.py [--quick]

Every trial runs the real ``minerva select`` in its own process; nothing is mocked.
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
from processes import temporary_folder
from result import Result
from targets import run_uninterrupted, write_equality

SIGNALS = ((signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGINT))


def attack_with_signals(quick: bool) -> Iterator[Result]:
    rng, scale = random.Random(0), partial(_scale, quick)
    with temporary_folder() as folder:
        parquet = run_uninterrupted(write_equality(folder / "rows.parquet"))
        yield signals.kill_and_resume(parquet, scale(40), rng)
        csv = run_uninterrupted(write_equality(folder / "rows.csv"), cached=True)
        yield signals.kill_and_resume(csv, scale(10), rng)
        for numbers in SIGNALS:
            yield signals.signal_and_resume(parquet, numbers, scale(8), rng)
        yield signals.check_handlers(parquet)
        two_workers = run_uninterrupted(parquet.table, launcher=signals.TORCHRUN, environment=signals.ONE_THREAD)
        yield signals.kill_a_worker(two_workers, scale(4), rng)


def attack_disks(quick: bool) -> Iterator[Result]:
    with temporary_folder() as folder:
        parquet = run_uninterrupted(write_equality(folder / "rows.parquet"))
        csv = run_uninterrupted(write_equality(folder / "rows.csv"), cached=True)
        yield from full_disks.results(parquet, csv, quick)


def attack_files(quick: bool) -> Iterator[Result]:
    with temporary_folder() as folder:
        parquet = run_uninterrupted(write_equality(folder / "rows.parquet"))
        yield from removed_files.remove_folders(parquet, _scale(quick, 4), random.Random(0))
        yield from removed_files.change_tables(folder, quick)


def attack_with_time_limits(quick: bool) -> Iterator[Result]:
    return time_limits.results(*((time_limits.SHAPES[::3], (2.0,)) if quick else ()))


PARTS = {
    "signals": attack_with_signals,
    "disks": attack_disks,
    "files": attack_files,
    "limits": attack_with_time_limits,
}


def _scale(quick: bool, n_runs: int) -> int:
    return max(1, n_runs // 10) if quick else n_runs


def main() -> None:
    for part in PARTS.values():
        for result in part("--quick" in sys.argv):
            print(result, flush=True)


if __name__ == "__main__":
    main()
