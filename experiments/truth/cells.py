"""Run one cell of the study, a method on one case with one seed, and return its records."""

import importlib.metadata
import os
import platform
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minerva_select
from baselines import BASELINES
from cases import Case
from measures import SplitProblem, score, split

OURS = "minerva"
METHODS = (OURS, *BASELINES)
PACKAGES = ("numpy", "pandas", "scikit-learn", "torch", "lightgbm", "Boruta")

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A case, a seed and a method. A baseline that can select a given number k leaves two records of one fit."""

    case: Case
    seed: int
    method: str

    @property
    def key(self) -> tuple[str, int, str]:
        """Identifies the records of the cell."""
        return self.case.name, self.seed, self.method

    @property
    def time_limit(self) -> float | None:
        """Seconds after which a baseline is stopped."""
        return None if self.method == OURS else self.case.baseline_time_limit


@dataclass(frozen=True)
class Setting:
    """Data folder, device of MINERVA, number of threads, and commit of the code."""

    data: Path | None
    device: str
    n_threads: int
    commit: str


def run_cell(task: tuple[Cell, Setting]) -> list[Record]:
    """Run a cell; an exception is recorded as an error."""
    cell, setting = task
    warnings.simplefilter("ignore")
    try:
        data = split(cell.case.load(cell.seed, setting.data), cell.case, cell.seed)
        return (_run_ours if cell.method == OURS else _run_baseline)(cell, setting, data)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return failures(cell, setting, f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})")


def failures(cell: Cell, setting: Setting, error: str) -> list[Record]:
    """Return the records of a cell that failed."""
    if cell.method == OURS:
        provenances = [_provenance(cell, setting, given_k=False, device=setting.device)]
    else:
        provenances = [
            _provenance(cell, setting, given_k)
            for given_k in (False, True)
            if BASELINES[cell.method].takes_k or not given_k
        ]
    return [{**provenance, "error": error, "figures": {}} for provenance in provenances]


def _run_ours(cell: Cell, setting: Setting, data: SplitProblem) -> list[Record]:
    from minerva_select import MinervaSelector

    device = _device_name(setting.device)  # also initializes the GPU, outside of the measured time
    selector = MinervaSelector(random_state=cell.seed, device=setting.device)
    start = time.perf_counter()
    selection = selector.fit(data.train.X, data.train.y).selection_
    seconds = time.perf_counter() - start
    bound = selection.mutual_information
    found = {
        "bound": {"nats": bound.nats, "low": bound.low, "high": bound.high},
        "converged": selection.converged,
        "warnings": [str(warning.code) for warning in selection.warnings],
    }
    return [_record(cell, setting, data, selection.selected, seconds, device=device) | found]


def _run_baseline(cell: Cell, setting: Setting, data: SplitProblem) -> list[Record]:
    baseline = BASELINES[cell.method]
    k = cell.case.k or len(data.train.relevant)
    start = time.perf_counter()
    ranking = baseline.rank(data.train.X, data.train.y, cell.seed, setting.n_threads)
    seconds = time.perf_counter() - start
    records = [_record(cell, setting, data, ranking.select(), seconds)]
    if baseline.takes_k and k:  # with k = 0 every baseline would be exact
        records.append(_record(cell, setting, data, ranking.select(k), seconds, given_k=True))
    return records


def _record(
    cell: Cell, setting: Setting, data: SplitProblem, selected: Sequence[str], seconds: float, *,
    given_k: bool = False, device: str = "cpu",
) -> Record:  # fmt: skip
    scores = score(cell.case, data, selected)
    scores["figures"]["seconds"] = seconds
    return {
        **_provenance(cell, setting, given_k, device),
        "shape": list(data.train.X.shape),
        "selected": list(selected),
        "relevant": list(data.train.relevant) if cell.case.has_truth else None,
        "truth_nats": data.train.mutual_information,
        **scores,
        "error": None,
    }


def _provenance(cell: Cell, setting: Setting, given_k: bool, device: str = "cpu") -> Record:
    """Identify a run by its case, method, machine, versions and commit."""
    return {
        "case": cell.case.name,
        "problem": cell.case.kind,
        "arguments": cell.case.arguments(cell.seed),
        "seed": cell.seed,
        "method": cell.method,
        "given_k": given_k,
        "versions": {"python": platform.python_version(), "minerva": minerva_select.__version__, **_versions()},
        "machine": {"cpus": os.cpu_count(), "threads": setting.n_threads, "device": device},
        "commit": setting.commit,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _device_name(device: str) -> str:
    import torch

    if device == "cpu" or (device == "auto" and not torch.cuda.is_available()):
        return "cpu"
    torch.zeros(1, device="cuda" if device == "auto" else device)
    return torch.cuda.get_device_name() if torch.cuda.is_available() else device
