"""Run one cell of the study, a method on one split of a table, and return its record."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minerva_select
from cases import Case, Limits, Split, split_rows
from contributions import check_contributions
from judges import judge
from methods import GIVEN_K, METHODS, OURS, run_method
from minerva_select.evaluation.failures import describe_error
from minerva_select.evaluation.records import provenance

CHECK = "contributions"  # not a method: the contributions that MINERVA reports, compared with separate estimates
NAMES = (*METHODS, GIVEN_K)
DEPENDENT = (GIVEN_K, CHECK)  # need the record of MINERVA on the same split

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A table, a split and a method; ``ours`` is the record of MINERVA, for the cells that depend on it."""

    case: Case
    split: int
    method: str
    limits: Limits = field(default_factory=Limits)
    ours: Record | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """Identifies the record of the cell."""
        return self.case.name, self.split, self.method

    @property
    def k(self) -> int | None:
        """Number of columns that is given to the method."""
        return len(self.ours["kept"]) if self.method == GIVEN_K and self.ours else None

    @property
    def source(self) -> Any:
        """What a dependent cell takes from MINERVA's record; another value makes its own record outdated."""
        if self.ours is None:
            return None
        return self.k if self.method == GIVEN_K else self.ours["found"]["contributions"]


@dataclass(frozen=True)
class Setting:
    """Data folder, seed of the first split, device of MINERVA, threads, commit, and most rows (train, test)."""

    data: Path
    first_seed: int
    device: str
    n_threads: int
    commit: str
    max_rows: tuple[int, int] | None = None


def run_cell(task: tuple[Cell, Setting]) -> Record:
    """Run a cell; an exception is recorded as an error."""
    cell, setting = task
    warnings.simplefilter("ignore")
    try:
        X, y = cell.case.load(setting.data)
        split = split_rows(
            X, y, is_classification=not cell.case.regression, seed=setting.first_seed + cell.split,
            max_rows=setting.max_rows,
        )  # fmt: skip
        run = _check if cell.method == CHECK else _run
        return describe_cell(cell, setting) | run(cell, setting, split)
    except Exception as error:
        return failure(cell, setting, describe_error(error))


def failure(cell: Cell, setting: Setting, error: str) -> Record:
    """Return the record of a cell that failed."""
    return describe_cell(cell, setting) | {"error": error}


def _run(cell: Cell, setting: Setting, split: Split) -> Record:
    selected, seconds, cpu_seconds = run_method(
        cell.method, split, cell.limits, setting.n_threads, setting.device, cell.k
    )
    scores, judge_seconds = judge(split, selected.columns, setting.n_threads)
    return {
        **describe_split(split),
        "kept": selected.columns,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "judge_seconds": judge_seconds,
        "scores": scores,
        "found": selected.found,
    }


def _check(cell: Cell, setting: Setting, split: Split) -> Record:
    checks = check_contributions(split, cell.ours["found"]["contributions"], setting.device)
    return {**describe_split(split), "checks": checks}


def describe_split(split: Split) -> Record:
    """Shape of a split and, for two classes, the share of the rarer one."""
    rarer = None
    if split.is_classification and split.n_classes == 2:
        rarer = float(np.bincount(split.y_train, minlength=2).min() / len(split.y_train))
    return {
        "n_train": len(split.y_train),
        "n_test": len(split.y_test),
        "n_columns": len(split.columns),
        "n_classes": split.n_classes if split.is_classification else None,
        "rarer_share": rarer,
    }


def describe_cell(cell: Cell, setting: Setting) -> Record:
    """Identify a run by its table, split, method, machine, versions and commit."""
    about = provenance()
    return {
        "table": cell.case.name,
        "split": cell.split,
        "seed": setting.first_seed + cell.split,
        "method": cell.method,
        "source": cell.source,
        "max_rows": cell.limits.max_rows,
        "sampled": setting.max_rows,
        "error": None,
        "versions": {"minerva": minerva_select.__version__, **about["versions"]},
        "machine": {**about["machine"], "threads": setting.n_threads, "device": _device_name(cell, setting.device)},
        "commit": setting.commit,
        "made": about["made"],
    }


def _device_name(cell: Cell, device: str) -> str:
    if cell.method not in (OURS, CHECK):
        return "cpu"
    import torch

    if device == "cpu" or (device == "auto" and not torch.cuda.is_available()):
        return "cpu"
    return torch.cuda.get_device_name() if torch.cuda.is_available() else device
