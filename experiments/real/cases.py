"""The tables of the study, from config.toml, and their splits into training and test rows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from minerva_select.problems import card_fraud

CONFIG = Path(__file__).with_name("config.toml")
TEST_SHARE = 1 / 3


@dataclass(frozen=True)
class Case:
    """A table, its target, and the columns that no method may see; or the parameters of simulated card payments."""

    name: str
    file: str = ""
    target: str = ""
    drop: tuple[str, ...] = ()
    regression: bool = False
    quick: bool = False
    card_fraud: Mapping[str, float] | None = None

    def load(self, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
        """Read the columns, and the target as numbers or as class codes from 0."""
        if self.card_fraud is not None:
            problem = card_fraud(**self.card_fraud)
            return problem.X, problem.y.to_numpy()
        frame = pd.read_parquet(folder / self.file)
        X, y = frame.drop(columns=[self.target, *self.drop]), frame[self.target]
        if self.regression:
            return X, y.to_numpy(dtype=np.float64)
        return X, pd.factorize(y, sort=True)[0]


@dataclass(frozen=True)
class Limits:
    """How many rows a method selects from, and on how many splits it runs; None: all."""

    max_rows: int | None = None
    n_splits: int | None = None


@dataclass(frozen=True)
class Study:
    """The configuration: tables, splits, and limits of slow methods."""

    tables: tuple[Case, ...]
    n_splits: int
    first_seed: int
    quick_train_rows: int
    quick_test_rows: int
    quick_splits: int
    quick_methods: tuple[str, ...]
    baseline_time_limit: float
    methods: Mapping[str, Limits] = field(default_factory=dict)

    @property
    def simulated(self) -> frozenset[str]:
        """Names of the tables that are not real."""
        return frozenset(case.name for case in self.tables if case.card_fraud is not None)

    def limits(self, method: str) -> Limits:
        """Limits of a method."""
        return self.methods.get(method, Limits())


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to select and train on, and rows that judge."""

    X_train: pd.DataFrame
    y_train: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    is_classification: bool
    seed: int

    @property
    def columns(self) -> list[str]:
        """All columns, in the order of the table."""
        return list(self.X_train.columns)

    @property
    def n_classes(self) -> int:
        """Number of classes, also of those without a training row."""
        return int(max(self.y_train.max(), self.y_test.max())) + 1


def load_study(path: Path = CONFIG) -> Study:
    """Read the configuration."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    document["tables"] = tuple(Case(**_freeze(entry)) for entry in document["tables"])
    document["methods"] = {name: Limits(**entry) for name, entry in document["methods"].items()}
    return Study(**_freeze(document))


def split_rows(
    X: pd.DataFrame, y: np.ndarray, *, is_classification: bool, seed: int, max_rows: tuple[int, int] | None = None
) -> Split:
    """Split at random, stratified by class: two thirds to select and train on, one third to judge.

    ``max_rows`` limits the training and test rows, by a stratified sample of each.
    """
    train, test = _draw(np.arange(len(y)), y, is_classification, TEST_SHARE, seed)
    if max_rows is not None:
        train, test = (
            sample_rows(y, rows, limit, is_classification=is_classification, seed=seed)
            for rows, limit in zip((train, test), max_rows, strict=True)
        )
    return Split(
        X.iloc[train].reset_index(drop=True), y[train], X.iloc[test].reset_index(drop=True), y[test],
        is_classification, seed,
    )  # fmt: skip


def sample_rows(
    y: np.ndarray, rows: np.ndarray, limit: int | None, *, is_classification: bool, seed: int
) -> np.ndarray:
    """Return the rows, or a stratified sample of at most ``limit`` of them."""
    if limit is None or len(rows) <= limit:
        return rows
    return _draw(rows, y[rows], is_classification, limit, seed)[1]


def _draw(
    rows: np.ndarray, y: np.ndarray, is_classification: bool, size: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import train_test_split

    rest, drawn = train_test_split(
        rows, test_size=size, stratify=_strata(y) if is_classification else None, random_state=seed
    )
    return np.sort(rest), np.sort(drawn)


def _strata(y: np.ndarray) -> np.ndarray:
    """Classes, with those of a single row merged into the most frequent one, since they cannot be split."""
    counts = np.bincount(y)
    return np.where(counts[y] < 2, counts.argmax(), y)


def _freeze(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
