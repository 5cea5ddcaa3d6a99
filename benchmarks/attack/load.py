"""Many fits in one process: nothing may grow with them, and nothing may be left of them; and two fits at once.

    python benchmarks/attack/load.py [--fits 60]

Memory is compared with what it was after the tenth fit, when all libraries are loaded and all buffers have their size.
"""

import argparse
import gc
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from minerva_select import MinervaSelector, mutual_information
from minerva_select.problems import equality
from result import Result

N_FITS, N_QUICK = 200, 20
N_WARM = 10
MAX_GROWTH = 0.05
MOST_TIME = 1.1  # of two fits at once, against one after the other
N_ROWS, N_STREAMED_ROWS = 90, 9_000


@dataclass(frozen=True)
class Process:
    """What this process holds."""

    n_bytes: int  # resident
    n_threads: int
    files: frozenset[str]  # open ones, and connections
    temporary: frozenset[str]  # left in the temporary folder, whole or not

    @classmethod
    def now(cls, folder: Path) -> "Process":
        gc.collect()
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return cls(
            n_bytes=1024 * int(status["VmRSS"].split()[0]),
            n_threads=max(int(status["Threads"]), threading.active_count()),
            files=frozenset(_links(Path("/proc/self/fd"))),
            temporary=frozenset(path.name for path in folder.iterdir()),
        )

    def more_than(self, before: "Process") -> list[str]:
        """What has come on top, in words."""
        growth = self.n_bytes / before.n_bytes - 1
        found = [f"{growth:.0%} more memory"] if growth > MAX_GROWTH else []
        found += [f"{self.n_threads - before.n_threads} more threads"] if self.n_threads > before.n_threads else []
        found += [f"open: {name}" for name in sorted(self.files - before.files)]
        return found + [f"left: {name}" for name in sorted(self.temporary)]


def _links(folder: Path) -> Iterator[str]:
    for link in folder.iterdir():
        try:
            yield str(link.readlink())
        except FileNotFoundError:  # the one that lists the folder
            continue


def table(seed: int, n_rows: int = N_ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Columns of all kinds, others with every seed: a cache that keeps what it has seen would grow."""
    rng = np.random.default_rng(seed)
    n_columns = 3 + seed % 5
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=[f"{seed} {k}" for k in range(n_columns)])
    X["level"] = rng.choice([f"level {seed} {k}" for k in range(2 + seed % 7)], n_rows)
    X.iloc[rng.random(n_rows) < 0.1, 0] = np.nan
    return X, (X.iloc[:, 1] > 0).astype(int) if seed % 2 else X.iloc[:, 1]


def fit_in_memory(seed: int) -> None:
    MinervaSelector(random_state=seed, device="cpu").fit(*table(seed))


def fit_streamed(seed: int) -> None:
    """With rows in files, and states of trainings beside them; cut short, since many rows take long."""
    with tempfile.TemporaryDirectory() as cache:
        selector = MinervaSelector(random_state=seed, device="cpu", max_memory="1MiB", cache_dir=cache, time_limit=1.0)
        selector.fit(*table(seed, N_STREAMED_ROWS))


def fit_and_write(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        selection = MinervaSelector(random_state=seed, device="cpu").fit(*table(seed)).selection_
        selection.save(Path(folder) / "selection.json")
        selection.report(Path(folder) / "report.html")


def estimate(seed: int) -> None:
    X, y = table(seed)
    mutual_information(X.iloc[:, :2], y, random_state=seed, device="cpu")


def fail(seed: int) -> None:
    """End a fit in its midst, by an error of somebody else's."""

    def stop(progress: object) -> None:
        raise InterruptedError

    selector = MinervaSelector(random_state=seed, device="cpu", max_memory="1MiB", callbacks=[stop])
    try:
        selector.fit(*table(seed, N_ROWS if seed % 2 else N_STREAMED_ROWS))
    except InterruptedError:
        return
    raise AssertionError("the fit went on")


def repeat(what: str, work: Callable[[int], None], n_fits: int) -> Result:
    """Do it so often; lost is every fit that failed, and every thing that is left of them at the end."""
    start, lost = time.monotonic(), []
    before = None
    with tempfile.TemporaryDirectory() as folder:
        known, tempfile.tempdir = tempfile.tempdir, folder
        try:
            for seed in range(n_fits):
                try:
                    work(seed)
                except Exception as error:
                    lost.append(f"fit {seed}: {type(error).__name__}: {error}")
                if seed + 1 == min(N_WARM, n_fits // 2):
                    before = Process.now(Path(folder))
            after = Process.now(Path(folder))
        finally:
            tempfile.tempdir = known
    assert before is not None
    lost += after.more_than(before)
    megabytes = [process.n_bytes / 1e6 for process in (before, after)]
    note = f"{megabytes[0]:,.0f} MB after {min(N_WARM, n_fits // 2)} fits, {megabytes[1]:,.0f} MB at the end"
    return Result(what, n_fits, len(lost), time.monotonic() - start, f"{lost[0]}; {note}" if lost else note)


PARTS: dict[str, tuple[Callable[[int], None], float]] = {  # and their share of the fits
    "fits in one process, one after the other": (fit_in_memory, 1.0),
    "fits of rows in files, with states of trainings": (fit_streamed, 0.2),
    "fits that are saved and drawn": (fit_and_write, 0.2),
    "estimates": (estimate, 0.2),
    "fits that fail halfway": (fail, 0.5),
}


def columns_of(n_rows: int, seed: int) -> tuple[str, ...]:
    problem = equality(n_rows, 12, n_levels=3, relevant=(2, 7), random_state=seed)
    return MinervaSelector(random_state=seed, device="cpu").fit(problem.X, problem.y).selection_.selected


def side_by_side(backend: str, n_rows: int) -> Result:
    """Two fits at once, by workers of joblib that have started before; lost is a wrong answer, or time."""
    start, jobs = time.monotonic(), [delayed(columns_of)(n_rows, seed) for seed in (0, 1)]
    with Parallel(n_jobs=2, backend=backend) as workers:
        workers(delayed(columns_of)(N_ROWS, seed) for seed in (0, 1))
        seconds, found = [], []
        for run in (lambda: [columns_of(n_rows, seed) for seed in (0, 1)], lambda: workers(jobs)):
            before = time.monotonic()
            found.append(run())
            seconds.append(time.monotonic() - before)
    ratio = seconds[1] / seconds[0]
    lost = [] if found[0] == found[1] else [f"{found[1]} instead of {found[0]}"]
    lost += [f"{ratio:.2f} of the time of one after the other"] if ratio > MOST_TIME else []
    told = f"{seconds[1]:.1f} s at once, {seconds[0]:.1f} s one after the other"
    what = f"two fits at once of {n_rows:,} rows, workers: {backend}"
    return Result(what, 2, len(lost), time.monotonic() - start, "; ".join([*lost, told]))


def results(quick: bool, n_fits: int | None = None) -> Iterator[Result]:
    """Every kind of work, many times over."""
    n_fits = n_fits or (N_QUICK if quick else N_FITS)
    for what, (work, share) in PARTS.items():
        yield repeat(what, work, max(10, round(n_fits * share)))


def beside(quick: bool) -> Iterator[Result]:
    """Two fits at once, by workers of every kind."""
    for n_rows in (3_000,) if quick else (3_000, 30_000):  # on one thread each, and on all
        for backend in ("threading", "loky", "multiprocessing"):
            yield side_by_side(backend, n_rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fits", type=int, default=N_FITS, help="of the first kind; of the others, some of that")
    for result in results(quick=False, n_fits=parser.parse_args().fits):
        print(f"{result.what}: {result.lost} of {result.tried} lost, {result.seconds:.0f} s; {result.note}", flush=True)


if __name__ == "__main__":
    main()
