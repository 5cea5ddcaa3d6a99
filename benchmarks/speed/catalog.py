"""The tables of the benchmark, with their goals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from minerva_select import open_source
from minerva_select.problems import card_fraud, equality, switching
from speed import generators

OURS, GAIN, BORUTA, PERMUTATION = "minerva", "gain", "boruta", "permutation"
BASELINES = (GAIN, BORUTA, PERMUTATION)
DATASETS = Path(__file__).parents[1] / "scale" / "datasets.py"
GROWTH_SIZES = {"rows": (1_000, 10_000, 100_000, 1_000_000), "columns": (10, 100, 1_000, 10_000)}


@dataclass(frozen=True)
class Folders:
    """Where tables are: real ones, if any, and large generated ones."""

    real: Path | None
    generated: Path


@dataclass(frozen=True)
class Case:
    """A table to select from. Times are in seconds; an empty goal means that there is none."""

    name: str
    title: str
    load: Callable[[Folders], tuple[Any, Any]]  # X and y
    group: str = "tables"  # or growth
    before: str = ""  # seconds of version 0.1
    goal: float | None = None
    methods: tuple[str, ...] = (OURS, *BASELINES)
    file: str = ""  # of a real table
    quick: bool = False
    needs_gpu: bool = False


def read_real(file: str, target: str, drop: tuple[str, ...], folders: Folders) -> tuple[pd.DataFrame, Any]:
    """A public table; the target as class codes."""
    if folders.real is None:
        raise FileNotFoundError(file)
    frame = pd.read_parquet(folders.real / file)
    return frame.drop(columns=[target, *drop]), pd.factorize(frame[target], sort=True)[0]


def draw_problem(make: Callable[[], Any], folders: Folders) -> tuple[pd.DataFrame, Any]:
    """A problem with a known answer."""
    problem = make()
    return problem.X, problem.y


def generate(make: Callable[..., generators.Table], n_rows: int, n_columns: int, folders: Folders) -> generators.Table:
    """A generated table."""
    return make(n_rows, n_columns)


def open_payments(n_rows: int, n_columns: int, folders: Folders) -> tuple[Any, Any]:
    """Card payments in a Parquet file, which is written if it is missing."""
    path = folders.generated / f"card_fraud-{n_rows}x{n_columns}-0.001.parquet"
    if not path.exists():
        arguments = ["card_fraud", str(n_rows), str(n_columns), "0.001", str(path)]
        subprocess.run([sys.executable, str(DATASETS), *arguments], check=True)
    source = open_source(path)
    return source.select([name for name in source.names if name != "is_fraud"]), source.select(["is_fraud"]).read()


def _real(name: str, title: str, file: str, target: str, *drop: str, before: str, goal: float) -> Case:
    return Case(name, title, partial(read_real, file, target, drop), before=before, goal=goal, file=file)


def _generated(
    name: str, title: str, make: Callable[..., generators.Table], size: tuple[int, int], **more: Any
) -> Case:
    return Case(name, f"{title}, {size[0]:,} x {size[1]:,}", partial(generate, make, *size), **more)


def _growth(direction: str, size: int) -> Case:
    make, shape = (
        (generators.credit, (size, 20)) if direction == "rows" else (generators.additive_numeric, (1_000, size))
    )
    title = "credit" if direction == "rows" else "sum of three columns"
    return _generated(f"{direction}-{size}", title, make, shape, group="growth", methods=(OURS,), quick=size <= 1_000)


CASES: tuple[Case, ...] = (
    _generated("credit-1000", "credit", generators.credit, (1_000, 20), before="16 s", goal=3, quick=True),
    _generated("credit-5000", "credit", generators.credit, (5_000, 20), before="16 s", goal=3),
    _generated("noise-400", "noise", generators.noise, (400, 31), before="19 s", goal=3, quick=True),
    _generated("categorical-1000", "interaction of two categorical columns", generators.wide_categorical,
               (1_600, 1_000), before="300 s", goal=15),
    _generated("numeric-2048", "product of two numeric columns", generators.wide_numeric, (833, 2_048),
               before="unfinished after 500 s", goal=30),
    Case("experiment-a", "Experiment A, 50,000 x 30",
         partial(draw_problem, partial(equality, n_levels=9, random_state=0)), before="2.3 s", goal=1.5, quick=True),
    Case("experiment-b", "Experiment B, 50,000 x 40", partial(draw_problem, partial(switching, random_state=0)),
         before="22 s", goal=8),
    _real("bank", "bank, 45,211 x 15", "bank_full.parquet", "y", "duration", before="12 s", goal=5),
    _real("adult", "adult, 48,842 x 14", "adult_raw.parquet", "target", "split", before="-", goal=5),
    _real("connect_4", "connect_4, 67,557 x 42", "connect_4.parquet", "target", before="-", goal=15),
    _real("creditcard_ulb", "creditcard_ulb, 284,807 x 30", "creditcard_ulb.parquet", "Class", before="70 s", goal=20),
    Case("payments-600000", "payments, 600,000 x 214, in memory",
         partial(draw_problem, partial(card_fraud, 600_000, 214, random_state=0)), before="536 s", goal=90,
         methods=(OURS, GAIN)),
    Case("payments-3000000", "payments, 3,000,000 x 214, from Parquet", partial(open_payments, 3_000_000, 214),
         before="161 s", goal=100, methods=(OURS,)),
    Case("gpu-payments-3000000", "payments, 3,000,000 x 214, from Parquet, on a GPU",
         partial(open_payments, 3_000_000, 214), before="58 s", goal=15, methods=(OURS,), needs_gpu=True),
    _generated("gpu-10000", "interaction, on a GPU", generators.wide_categorical, (50_000, 10_000), before="11.7 s",
               goal=4, methods=(OURS,), needs_gpu=True),
    _generated("gpu-100000", "interaction, on a GPU", generators.wide_categorical, (5_000, 100_000), before="91 s",
               goal=30, methods=(OURS,), needs_gpu=True),
    *(_growth(direction, size) for direction, sizes in GROWTH_SIZES.items() for size in sizes),
)  # fmt: skip

BY_NAME = {case.name: case for case in CASES}
