"""One cell of the study: a method on the table of a row and a seed, and the records it leaves."""

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
from measures import Study, judge, split
from rivals import RIVALS
from rows import Row

OURS = "minerva"
METHODS = (OURS, *RIVALS)
PACKAGES = ("numpy", "pandas", "scikit-learn", "torch", "lightgbm", "Boruta")

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A row, a seed and a method. A rival that can be told k leaves two records, from one fit."""

    row: Row
    seed: int
    method: str

    @property
    def key(self) -> tuple[str, int, str]:
        """What a finished cell is known by."""
        return self.row.name, self.seed, self.method

    @property
    def limit(self) -> float | None:
        """Seconds after which it is stopped."""
        return None if self.method == OURS else self.row.rival_time_limit


@dataclass(frozen=True)
class Setting:
    """Where the cells run: the data folder, MINERVA's device, threads, and the commit of the code."""

    data: Path | None
    device: str
    n_threads: int
    commit: str


def perform(task: tuple[Cell, Setting]) -> list[Record]:
    """Run a cell; a crash is a record like any other."""
    cell, setting = task
    warnings.simplefilter("ignore")
    try:
        study = split(cell.row.make(cell.seed, setting.data), cell.row, cell.seed)
        return (_run_ours if cell.method == OURS else _run_rival)(cell, setting, study)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return failures(cell, setting, f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})")


def failures(cell: Cell, setting: Setting, error: str) -> list[Record]:
    """The records of a cell that gave no answer."""
    if cell.method == OURS:
        origins = [_origin(cell, setting, given_k=False, device=setting.device)]
    else:
        origins = [
            _origin(cell, setting, given_k) for given_k in (False, True) if RIVALS[cell.method].takes_k or not given_k
        ]
    return [{**origin, "error": error, "figures": {}} for origin in origins]


def _run_ours(cell: Cell, setting: Setting, study: Study) -> list[Record]:
    from minerva_select import MinervaSelector

    device = _device_name(setting.device)  # also starts the GPU, which is not part of a fit
    selector = MinervaSelector(random_state=cell.seed, device=setting.device)
    start = time.perf_counter()
    selection = selector.fit(study.train.X, study.train.y).selection_
    seconds = time.perf_counter() - start
    bound = selection.mutual_information
    found = {
        "bound": {"nats": bound.nats, "low": bound.low, "high": bound.high},
        "converged": selection.converged,
        "warnings": list(selection.warnings),
    }
    return [_record(cell, setting, study, selection.selected, seconds, device=device) | found]


def _run_rival(cell: Cell, setting: Setting, study: Study) -> list[Record]:
    rival = RIVALS[cell.method]
    k = cell.row.k or len(study.train.relevant)
    start = time.perf_counter()
    ranking = rival.rank(study.train.X, study.train.y, cell.seed, setting.n_threads)
    seconds = time.perf_counter() - start
    records = [_record(cell, setting, study, ranking.keep(), seconds)]
    if rival.takes_k and k:  # told to keep nothing, everyone is right
        records.append(_record(cell, setting, study, ranking.keep(k), seconds, given_k=True))
    return records


def _record(
    cell: Cell, setting: Setting, study: Study, selected: Sequence[str], seconds: float, *,
    given_k: bool = False, device: str = "cpu",
) -> Record:  # fmt: skip
    judged = judge(cell.row, study, selected)
    judged["figures"]["seconds"] = seconds
    return {
        **_origin(cell, setting, given_k, device),
        "shape": list(study.train.X.shape),
        "selected": list(selected),
        "relevant": list(study.train.relevant) if cell.row.has_truth else None,
        "truth_nats": study.train.mutual_information,
        **judged,
        "error": None,
    }


def _origin(cell: Cell, setting: Setting, given_k: bool, device: str = "cpu") -> Record:
    """What ran, on what, and with which versions."""
    return {
        "row": cell.row.name,
        "problem": cell.row.kind,
        "arguments": cell.row.arguments(cell.seed),
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
