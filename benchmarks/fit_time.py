"""Compare the expected time of a fit with the time that it takes, and fit the coefficients of the estimate.

    python benchmarks/fit_time.py fit_times.jsonl            run the fits that are missing in the file, print the ratios
    python benchmarks/fit_time.py fit_times.jsonl --fit      print coefficients for minerva_select.config.FIT_TIME

Times are seconds of one thread. Tables of the study of real tables are added with ``--data FOLDER``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn import datasets

from minerva_select import MinervaSelector, problems
from minerva_select.preflight.fit_time import FitWork, relative_speed
from minerva_select.preflight.table_check import read_input

Case = Callable[[], tuple[Any, Any]]

REAL = {  # file: target, columns to leave out, rows
    "churn": ("target", ["phone number"], None),
    "537_houses": ("target", [], None),
    "adult_raw": ("target", ["split"], None),
    "splice": ("target", [], None),
    "bank_full": ("y", ["duration"], 10_000),
    "197_cpu_act": ("target", [], None),
    "spambase": ("target", [], None),
    "coil2000": ("target", [], None),
    "sylva": ("target", [], None),
    "krkopt": ("target", [], None),
    "creditcard_ulb": ("Class", [], 60_000),
    "sba_loans_120k": ("MIS_Status", ["ChgOffDate", "ChgOffPrinGr"], 80_000),
    "connect_4": ("target", [], None),
}


def noise(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(n_rows, n_columns))).add_prefix("f"), rng.integers(2, size=n_rows)


def drawn(name: str, n_rows: int) -> tuple[Any, Any]:
    problem = problems.PROBLEMS[name](n_samples=n_rows, random_state=0)
    return problem.X, problem.y


def bundled(load: Callable[..., Any]) -> tuple[Any, Any]:
    bunch = load(as_frame=True)
    return bunch.data, bunch.target


def real(path: Path, target: str, drop: list[str], n_rows: int | None) -> tuple[Any, Any]:
    frame = pd.read_parquet(path)
    frame = frame if n_rows is None else frame.sample(n_rows, random_state=0)
    return frame.drop(columns=[target, *drop]), frame[target]


def cases(folder: Path | None) -> Iterator[tuple[str, Case]]:
    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits"):
        yield name, lambda name=name: bundled(getattr(datasets, f"load_{name}"))
    for n_rows, n_columns in ((400, 30), (1000, 20), (5000, 30)):
        yield f"noise {n_rows} x {n_columns}", lambda size=(n_rows, n_columns): noise(*size)
    for name, n_rows in (
        ("equality", 5_000),
        ("redundant", 2_000),
        ("additive", 2_000),
        ("additive", 20_000),
        ("switching", 20_000),
        ("bayesian_network", 5_000),
        ("card_fraud", 5_000),
    ):
        yield f"{name} {n_rows}", lambda name=name, n_rows=n_rows: drawn(name, n_rows)
    for name, (target, drop, n_rows) in REAL.items() if folder is not None else ():
        yield name, lambda path=folder / f"{name}.parquet", rest=(target, drop, n_rows): real(path, *rest)


def measure(name: str, case: Case) -> dict[str, Any]:
    X, y = case()
    read = read_input(X, y)
    work, speed = FitWork.of(read.data, read.target.n_rows, read.sampled.n_columns), relative_speed()
    start = time.process_time()
    MinervaSelector(random_state=0).fit(X, y)
    return {"case": name, "work": asdict(work), "speed": speed, "seconds": time.process_time() - start}


def fit_coefficients(records: list[dict[str, Any]]) -> dict[str, float]:
    """Least squares of the logarithm of the time on a processor of relative speed 1."""
    design = np.array([[1.0, *FitWork(**one["work"]).terms] for one in records])
    logarithms = np.log([one["seconds"] / one["speed"] for one in records])
    found = np.linalg.lstsq(design, logarithms, rcond=None)[0]
    names = ("constant", "of_rows", "of_columns", "of_informative", "of_outcomes")
    return {name: round(float(value), 2) for name, value in zip(names, found, strict=True)}


def print_ratios(records: list[dict[str, Any]]) -> None:
    n_within = 0
    for one in records:
        expected = one["speed"] * FitWork(**one["work"]).seconds
        ratio = expected / one["seconds"]
        n_within += 1 / 3 <= ratio <= 3
        print(f"{one['case']:24} {one['seconds']:8.1f} s   expected {expected:8.1f} s   ratio {ratio:.2f}")
    print(f"within a factor of 3: {n_within} of {len(records)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--data", type=Path, help="folder of the Parquet files of the study of real tables")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = arguments.records.read_text().splitlines() if arguments.records.exists() else []
    records = [json.loads(line) for line in lines]
    for name, case in cases(arguments.data):
        if name not in {one["case"] for one in records}:
            records.append(measure(name, case))
            with arguments.records.open("a") as file:
                file.write(json.dumps(records[-1]) + "\n")
            print(records[-1], flush=True)
    if arguments.fit:
        print(fit_coefficients(records))
    print_ratios(records)


if __name__ == "__main__":
    main()
