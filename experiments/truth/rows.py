"""The rows of the study: what config.toml says, and the tables it describes."""

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
    """The data folder lacks a file of the row."""


@dataclass(frozen=True)
class Row:
    """One line of the table: how to make its data, how often, beside whom, and what to reach."""

    name: str
    title: str
    goal: Goal
    n_seeds: int
    quick_seeds: int
    first_seed: int
    rivals: tuple[str, ...]
    quick_rivals: tuple[str, ...]
    rival_seeds: int
    rival_time_limit: float
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
    def parse(cls, entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> "Row":
        values = {**defaults, **entry, "goal": Goal.parse(entry["goal"])}
        return cls(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})

    @property
    def kind(self) -> str:
        """The name of the sampler, or of the file."""
        return self.problem["name"] if self.problem else Path(str(self.file)).stem

    @property
    def has_truth(self) -> bool:
        """Whether the relevant columns are known."""
        return bool(self.problem or self.relevant or self.blankets)

    @property
    def files(self) -> tuple[str, ...]:
        """What the data folder must hold."""
        return tuple(name for name in (self.file, self.blankets) if name)

    def seeds(self, quick: bool, rival: bool = False) -> range:
        """The seeds of the runs; rivals see the first few."""
        n_seeds = self.quick_seeds if quick else self.n_seeds
        return range(self.first_seed, self.first_seed + (min(n_seeds, self.rival_seeds) if rival else n_seeds))

    def arguments(self, seed: int) -> dict[str, Any]:
        """The sampler's arguments for a run; those that vary take their values in turn."""
        fixed = {key: value for key, value in (self.problem or {}).items() if key not in ("name", "vary")}
        varied = (self.problem or {}).get("vary", {})
        return fixed | {key: values[(seed - self.first_seed) % len(values)] for key, values in varied.items()}

    def missing_files(self, folder: Path | None) -> list[str]:
        """The files of the row that the data folder lacks."""
        return [name for name in self.files if folder is None or not (folder / name).exists()]

    def make(self, seed: int, folder: Path | None) -> Problem:
        """Draw or read the run's table, with what is known about it."""
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


def load_rows(path: Path = CONFIG) -> tuple[Row, ...]:
    """Read the configuration."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = document.pop("rows")
    return tuple(Row.parse(entry, document) for entry in entries)


def _entropy(y: pd.Series) -> float:
    return float(-sum(share * math.log(share) for share in y.value_counts(normalize=True)))
