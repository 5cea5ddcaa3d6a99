"""The measurements and their goals."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from commands import libraries_peak, measure
from datasets import Dataset
from select_command import HERE, Figures, Options, select, select_dataset

MIN_ROWS = 20_000  # of a table in a trial run
CREDITCARD = "real/creditcard_ulb.parquet"


@dataclass(frozen=True)
class Setting:
    """Options of all tasks."""

    folder: Path  # of generated tables
    data: Path | None = None  # folder of the real data set
    share: float = 1.0  # of the rows, for a trial run
    precision: str = "tf32"  # of the training step on a GPU

    def dataset(self, problem: str, n_rows: int, n_columns: int, rate: float = 0.001) -> Dataset:
        n_rows = n_rows if self.share == 1.0 else max(MIN_ROWS, int(n_rows * self.share))
        return Dataset(problem, n_rows, n_columns, rate)


@dataclass(frozen=True)
class Goal:
    """A figure and its maximum or minimum."""

    figure: str
    text: str
    maximum: float | None = None
    minimum: float | None = None

    def is_met(self, figures: Figures) -> bool:
        value = figures[self.figure]
        value = len(value) if isinstance(value, list) else value
        return (self.maximum is None or value <= self.maximum) and (self.minimum is None or value >= self.minimum)


@dataclass(frozen=True)
class Task:
    """One measurement; ``group`` is the table of the page it belongs to."""

    name: str
    group: str
    title: str
    run: Callable[[Setting], Figures]
    goals: tuple[Goal, ...] = ()
    needs_gpu: bool = False
    needs_file: str | None = None


ALL_FOUND = Goal("missed", "all patterns found", maximum=0)
NO_NOISE = Goal("noise", "no noise kept", maximum=0)


def run_select(
    problem: str, n_rows: int, n_columns: int, options: Options, setting: Setting, rate: float = 0.001
) -> Figures:
    return select_dataset(setting.dataset(problem, n_rows, n_columns, rate), setting.folder, options)


def run_memory(n_rows: int, memory: str, n_bytes: int, setting: Setting) -> Figures:
    """Measure the memory of a fit beyond that of the libraries, relative to its limit."""
    baseline = libraries_peak()
    figures = run_select("card_fraud", n_rows, 214, Options(max_memory=memory), setting)
    above = figures["peak_bytes"] - baseline
    return {**figures, "libraries_bytes": baseline, "above_bytes": above, "share_of_memory": above / n_bytes}


def run_creditcard(setting: Setting) -> Figures:
    return select(setting.data / CREDITCARD, "Class", Options())


def run_script(name: str, *arguments: str) -> Figures:
    """Run a script of this folder that prints its figures as JSON."""
    measured = measure([sys.executable, str(HERE / name), *arguments])
    return {"command": " ".join(["python", f"benchmarks/scale/{name}", *arguments]), **json.loads(measured.output)}


def run_throughput(setting: Setting) -> Figures:
    n_rows = str(setting.dataset("card_fraud", 1_000_000, 214).n_rows)
    return run_script("throughput.py", "--device", "cuda", "--rows", n_rows, "--precision", setting.precision, "--json")


def run_formats(setting: Setting) -> Figures:
    return run_script("formats.py", "--rows", "20000" if setting.share == 1.0 else "1000", "--json")


def _rows_tasks() -> list[Task]:
    return [
        Task(
            f"rows-{problem}-{n_rows}",
            "growth",
            f"{problem}, {n_columns} columns",
            partial(run_select, problem, n_rows, n_columns, Options(max_memory="2GB")),
        )
        for problem, n_columns in (("card_fraud", 40), ("equality", 10))
        for n_rows in (30_000, 300_000, 3_000_000)
    ]


def _columns_tasks() -> list[Task]:
    run = partial(run_select, "card_fraud", 100_000)
    return [
        Task(f"columns-{n}", "growth", "card_fraud, 100,000 rows", partial(run, n, Options(max_memory="2GB")))
        for n in (21, 214, 2140)
    ]


def _processes_tasks() -> list[Task]:
    """One process with one thread per core, and two processes that share the cores."""
    n_cores = os.cpu_count() or 1
    run = partial(run_select, "card_fraud", 300_000, 60)
    return [
        Task(
            f"processes-{n}",
            "processes",
            f"{n} process{'' if n == 1 else 'es'}",
            partial(run, Options(max_memory="500MB", n_processes=n, threads=max(1, n_cores // n))),
        )
        for n in (1, 2)
    ]


def _fraud(name: str, title: str, device: str, goals: tuple[Goal, ...], needs_gpu: bool = False) -> Task:
    run = partial(run_select, "card_fraud", 3_000_000, 214, Options(max_memory="3GB", device=device))
    return Task(name, "tables", title, run, (*goals, ALL_FOUND, NO_NOISE), needs_gpu)


TASKS = (
    _fraud(
        "fraud",
        "payments, 3,000,000 x 214, 0.1% frauds",
        "cpu",
        (Goal("seconds", "under 15 min", maximum=900), Goal("peak_bytes", "under 4 GB", maximum=4e9)),
    ),
    _fraud(
        "fraud-gpu",
        "payments, 3,000,000 x 214, on a GPU",
        "cuda",
        (Goal("after_loading_seconds", "under 30 s after encoding", maximum=30),),
        needs_gpu=True,
    ),
    Task(
        "rate",
        "tables",
        "payments, 1,000,000 x 60, 0.01% frauds",
        partial(run_select, "card_fraud", 1_000_000, 60, Options(max_memory="3GB"), rate=1e-4),
        (ALL_FOUND, NO_NOISE),
    ),
    Task(
        "memory",
        "tables",
        "payments, 3,000,000 x 214 (1.6 GB), with --memory 500MB",
        partial(run_memory, 3_000_000, "500MB", 500_000_000),
        (Goal("share_of_memory", "within 500 MB", maximum=1.0), ALL_FOUND, NO_NOISE),
    ),
    Task(
        "creditcard",
        "tables",
        "creditcard_ulb, 284,807 x 30",
        run_creditcard,
        (Goal("seconds", "under 2 min", maximum=120),),
        needs_file=CREDITCARD,
    ),
    *_rows_tasks(),
    *_columns_tasks(),
    *_processes_tasks(),
    Task(
        "formats",
        "formats",
        "the same rows in every format",
        run_formats,
        (Goal("differing", "same answer in all", maximum=0),),
    ),
    Task(
        "throughput",
        "throughput",
        "throughput of the training step",
        run_throughput,
        (Goal("best_rows_per_second", "10 M rows/s", minimum=1e7),),
        needs_gpu=True,
    ),
)
