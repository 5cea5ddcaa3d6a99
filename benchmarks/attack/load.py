"""Run many fits in one process, which must not leak memory, threads or files, and two fits concurrently.

    python benchmarks/attack/load.py [--fits 60]

Memory is compared with that after the tenth fit, when all libraries are loaded and all buffers allocated.
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
N_WARMUP = 10
MAX_GROWTH = 0.05
MAX_TIME_RATIO = 1.1  # of two concurrent fits to two sequential ones
N_ROWS, N_STREAMED_ROWS = 90, 9_000


@dataclass(frozen=True)
class Resources:
    """Memory, threads and files of this process."""

    n_bytes: int  # resident
    n_threads: int
    open_files: frozenset[str]  # and sockets
    temporary: frozenset[str]  # files in the temporary folder

    @classmethod
    def now(cls, folder: Path) -> "Resources":
        gc.collect()
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return cls(
            n_bytes=1024 * int(status["VmRSS"].split()[0]),
            n_threads=max(int(status["Threads"]), threading.active_count()),
            open_files=frozenset(_links(Path("/proc/self/fd"))),
            temporary=frozenset(path.name for path in folder.iterdir()),
        )

    def growth_since(self, before: "Resources") -> list[str]:
        """Describe what has grown."""
        growth = self.n_bytes / before.n_bytes - 1
        found = [f"{growth:.0%} more memory"] if growth > MAX_GROWTH else []
        found += [f"{self.n_threads - before.n_threads} more threads"] if self.n_threads > before.n_threads else []
        found += [f"open: {name}" for name in sorted(self.open_files - before.open_files)]
        return found + [f"left behind: {name}" for name in sorted(self.temporary)]


def _links(folder: Path) -> Iterator[str]:
    for link in folder.iterdir():
        try:
            yield str(link.readlink())
        except FileNotFoundError:  # the descriptor of the listing itself
            continue


def table(seed: int, n_rows: int = N_ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Draw a table of mixed types with different columns for every seed, so that an unbounded cache would grow."""
    rng = np.random.default_rng(seed)
    n_columns = 3 + seed % 5
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=[f"{seed} {k}" for k in range(n_columns)])
    X["level"] = rng.choice([f"level {seed} {k}" for k in range(2 + seed % 7)], n_rows)
    X.iloc[rng.random(n_rows) < 0.1, 0] = np.nan
    return X, (X.iloc[:, 1] > 0).astype(int) if seed % 2 else X.iloc[:, 1]


def fit_in_memory(seed: int) -> None:
    MinervaSelector(random_state=seed, device="cpu").fit(*table(seed))


def fit_streamed(seed: int) -> None:
    """Fit with encoded rows and checkpoints in files; the time limit keeps it short."""
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
    """Abort a fit with an error from a callback."""

    def stop(progress: object) -> None:
        raise InterruptedError

    selector = MinervaSelector(random_state=seed, device="cpu", max_memory="1MiB", callbacks=[stop])
    try:
        selector.fit(*table(seed, N_ROWS if seed % 2 else N_STREAMED_ROWS))
    except InterruptedError:
        return
    raise AssertionError("the fit continued")


def repeat(attack: str, fit: Callable[[int], None], n_fits: int) -> Result:
    """Run many fits; every fit that raises and every leaked resource is a failure."""
    start, failures = time.monotonic(), []
    before = None
    with tempfile.TemporaryDirectory() as folder:
        original, tempfile.tempdir = tempfile.tempdir, folder
        try:
            for seed in range(n_fits):
                try:
                    fit(seed)
                except Exception as error:
                    failures.append(f"fit {seed}: {type(error).__name__}: {error}")
                if seed + 1 == min(N_WARMUP, n_fits // 2):
                    before = Resources.now(Path(folder))
            after = Resources.now(Path(folder))
        finally:
            tempfile.tempdir = original
    assert before is not None
    failures += after.growth_since(before)
    megabytes = [resources.n_bytes / 1e6 for resources in (before, after)]
    note = f"{megabytes[0]:,.0f} MB after {min(N_WARMUP, n_fits // 2)} fits, {megabytes[1]:,.0f} MB at the end"
    note = f"{failures[0]}; {note}" if failures else note
    return Result(attack, n_fits, len(failures), time.monotonic() - start, note)


PARTS: dict[str, tuple[Callable[[int], None], float]] = {  # with their share of the fits
    "consecutive fits in one process": (fit_in_memory, 1.0),
    "streamed fits with checkpoints": (fit_streamed, 0.2),
    "fits with saved selection and report": (fit_and_write, 0.2),
    "estimates of mutual information": (estimate, 0.2),
    "fits aborted by a callback": (fail, 0.5),
}


def selected_columns(n_rows: int, seed: int) -> tuple[str, ...]:
    problem = equality(n_rows, 12, n_levels=3, relevant=(2, 7), random_state=seed)
    return MinervaSelector(random_state=seed, device="cpu").fit(problem.X, problem.y).selection_.selected


def fit_concurrently(backend: str, n_rows: int) -> Result:
    """Run two fits at once in warm joblib workers; a different answer or too much time is a failure."""
    start, jobs = time.monotonic(), [delayed(selected_columns)(n_rows, seed) for seed in (0, 1)]
    with Parallel(n_jobs=2, backend=backend) as workers:
        workers(delayed(selected_columns)(N_ROWS, seed) for seed in (0, 1))
        seconds, found = [], []
        for run in (lambda: [selected_columns(n_rows, seed) for seed in (0, 1)], lambda: workers(jobs)):
            before = time.monotonic()
            found.append(run())
            seconds.append(time.monotonic() - before)
    ratio = seconds[1] / seconds[0]
    failures = [] if found[0] == found[1] else [f"{found[1]} instead of {found[0]}"]
    failures += [f"{ratio:.2f} times the sequential time"] if ratio > MAX_TIME_RATIO else []
    note = f"{seconds[1]:.1f} s concurrently, {seconds[0]:.1f} s sequentially"
    attack = f"two concurrent fits of {n_rows:,} rows, joblib backend {backend}"
    return Result(attack, 2, len(failures), time.monotonic() - start, "; ".join([*failures, note]))


def results(quick: bool, n_fits: int | None = None) -> Iterator[Result]:
    """Repeat every kind of fit many times."""
    n_fits = n_fits or (N_QUICK if quick else N_FITS)
    for attack, (fit, share) in PARTS.items():
        yield repeat(attack, fit, max(10, round(n_fits * share)))


def concurrent_results(quick: bool) -> Iterator[Result]:
    """Run two fits at once with every joblib backend."""
    for n_rows in (3_000,) if quick else (3_000, 30_000):  # one thread each, and all threads
        for backend in ("threading", "loky", "multiprocessing"):
            yield fit_concurrently(backend, n_rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--fits", type=int, default=N_FITS, help="number of fits of the first kind; fewer of the others"
    )
    for result in results(quick=False, n_fits=parser.parse_args().fits):
        print(f"{result.attack}: {result.n_failures} failures, {result.seconds:.0f} s; {result.note}", flush=True)


if __name__ == "__main__":
    main()
