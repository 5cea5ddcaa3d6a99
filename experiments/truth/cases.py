"""The cases of the study: the tables that config.toml describes, and what is known about them."""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from goals import Goal
from minerva_select.problems import PROBLEMS, Problem

CONFIG = Path(__file__).with_name("config.toml")


class MissingDataError(Exception):
    """The data folder lacks a file of the case."""


@dataclass(frozen=True)
class Case:
    """One line of the table: its data, seeds, baselines and goal."""

    name: str
    title: str
    goal: Goal
    n_seeds: int
    quick_seeds: int
    first_seed: int
    baselines: tuple[str, ...]
    quick_baselines: tuple[str, ...]
    baseline_seeds: int
    baseline_time_limit: float
    problem: Mapping[str, Any] | None = None
    file: str | None = None
    target: str = ""
    relevant: tuple[str, ...] = ()
    blankets: str | None = None
    determined: bool = False
    truth_nats: float | None = None
    information: str = ""
    measures: tuple[str, ...] = ()
    held_out: float = 0.0
    k: int | None = None
    needs_gpu: bool = False

    @classmethod
    def parse(cls, entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> "Case":
        values = {**defaults, **entry, "goal": Goal.parse(entry["goal"])}
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})

    @property
    def kind(self) -> str:
        """Name of the problem or of the file."""
        return self.problem["name"] if self.problem else Path(str(self.file)).stem

    @property
    def has_truth(self) -> bool:
        """Whether the relevant columns are known."""
        return bool(self.problem or self.relevant or self.blankets)

    @property
    def files(self) -> tuple[str, ...]:
        """Required files in the data folder."""
        return tuple(name for name in (self.file, self.blankets) if name)

    def seeds(self, quick: bool, baseline: bool = False) -> range:
        """Seeds of the runs; baselines use only the first few."""
        n_seeds = self.quick_seeds if quick else self.n_seeds
        return range(self.first_seed, self.first_seed + (min(n_seeds, self.baseline_seeds) if baseline else n_seeds))

    def arguments(self, seed: int) -> dict[str, Any]:
        """Arguments of the problem for a run; varying ones take their values in turn."""
        fixed = {key: value for key, value in (self.problem or {}).items() if key not in ("name", "vary")}
        varied = (self.problem or {}).get("vary", {})
        return fixed | {key: values[(seed - self.first_seed) % len(values)] for key, values in varied.items()}

    def missing_files(self, folder: Path | None) -> list[str]:
        """Required files that are not in the data folder."""
        return [name for name in self.files if folder is None or not (folder / name).exists()]

    def load(self, seed: int, folder: Path | None) -> Problem:
        """Draw or read the table of a run, with its known answer."""
        if self.problem:
            return PROBLEMS[self.problem["name"]](**self.arguments(seed), random_state=seed)
        if missing := self.missing_files(folder):
            raise MissingDataError(f"{' and '.join(missing)} not in the data folder {folder}")
        frame = pd.read_parquet(folder / self.file)
        target = self.target.format(seed=seed)
        X, y = frame.drop(columns=target), frame[target]
        relevant = json.loads((folder / self.blankets).read_text())[target] if self.blankets else self.relevant
        truth = _entropy(y) if self.determined else self.truth_nats
        return Problem(self.kind, X, y, relevant=tuple(relevant), mutual_information=truth)


def load_cases(path: Path = CONFIG) -> tuple[Case, ...]:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = document.pop("cases")
    return tuple(Case.parse(entry, document) for entry in entries)


def _entropy(y: pd.Series) -> float:
    return float(-sum(share * math.log(share) for share in y.value_counts(normalize=True)))
