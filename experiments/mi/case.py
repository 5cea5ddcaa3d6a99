"""A case of the study: how its rows are drawn, and the information that they have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mi.distributions import Distribution, Floats

ROWS = (1_000, 5_000, 20_000)
N_SEEDS = 3


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of both sides, and of the condition if there is one."""

    X: pd.DataFrame
    y: pd.DataFrame
    given: pd.DataFrame | None = None


@dataclass(frozen=True)
class Case:
    """One line of the tables; ``draw`` takes the number of rows and a generator."""

    name: str
    group: str
    shape: tuple[int, int]  # columns of X and of y
    information: float  # nats; given the condition, if there is one
    draw: Callable[[int, np.random.Generator], Sample]
    rows: tuple[int, ...] = ROWS
    n_seeds: int = N_SEEDS
    is_numeric: bool = True  # whether the baselines can read it
    is_quick: bool = False
    original: str | None = None  # name of the case that has the same rows before a monotone map

    def sample(self, n_rows: int, seed: int) -> Sample:
        """Draw rows; the same arguments always give the same rows."""
        return self.draw(n_rows, np.random.default_rng([n_rows, seed]))


def as_case(name: str, group: str, distribution: Distribution, **rest: Any) -> Case:
    """Make a case of a distribution of continuous columns."""

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        x, y = distribution.draw(n_rows, rng)
        return Sample(frame(x, "x"), frame(y, "y"))

    return Case(name, group, (distribution.n_x, distribution.n_y), distribution.information, draw, **rest)


def frame(values: Floats, prefix: str) -> pd.DataFrame:  # (n_rows, n_columns)
    """Name columns by a prefix and their position."""
    return pd.DataFrame(values, columns=[f"{prefix}{k}" for k in range(values.shape[1])])
