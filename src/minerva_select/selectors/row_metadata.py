"""Where rows come from: which of them belong together, and when each happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.data.frames import as_column
from minerva_select.data.splits import assign_folds, split_by_time, split_rows
from minerva_select.errors import InputError
from minerva_select.solvers.fit_config import FitConfig

MIN_GROUPS = 4


@dataclass(frozen=True, eq=False)
class Origins:
    """Groups and times of rows: how the rows may be divided."""

    n_rows: int
    groups: NDArray[np.int64] | None = None  # (n_rows,) numbers from 0 without gaps; None: every row is on its own
    times: NDArray[np.float64] | None = None  # (n_rows,)

    @property
    def n_independent(self) -> int:
        """Number of groups, or of rows where every row is on its own."""
        return self.n_rows if self.groups is None else int(self.groups.max()) + 1

    def take(self, rows: NDArray[np.int64]) -> Origins:
        """Origins of these rows alone."""
        groups = None if self.groups is None else _number(self.groups[rows])
        return Origins(len(rows), groups, None if self.times is None else self.times[rows])

    def adapt(self, plan: FitConfig) -> FitConfig:
        """The same plan with one split only in order of time, and with no more parts than a few groups can fill."""
        if self.times is not None:  # what comes later is never trained on
            return dataclasses.replace(plan, n_folds=1, n_members=1)
        most = max(2, self.n_independent // 3)
        sizes = {name: min(getattr(plan, name), most) for name in ("n_folds", "n_members", "n_tune_parts")}
        return plan if self.groups is None else dataclasses.replace(plan, **sizes)

    def split(
        self, shares: Sequence[float], strata: NDArray[np.int64] | None, rng: np.random.Generator
    ) -> list[NDArray[np.int64]]:
        """Parts of these shares: earlier rows in earlier parts, or at random and each stratum in proportion."""
        if self.times is not None:
            return split_by_time(self.times, shares, self.groups)
        return split_rows(self.n_rows, shares, strata, rng, self.groups)

    def assign_folds(
        self, n_folds: int, strata: NDArray[np.int64] | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """A fold for every row, the same for all rows of a group."""
        return assign_folds(self.n_rows, n_folds, strata, rng, self.groups)


def read_origins(groups: Any, times: Any, n_rows: int) -> Origins:
    """What a user says of the rows, checked: one group and one time a row, where given.

    Examples
    --------
    >>> times = np.array(["2024", "2021", "2023", "2025", "2022"], dtype="datetime64[Y]")
    >>> origins = read_origins(["d", "a", "c", "d", "b"], times, n_rows=5)
    >>> origins.groups.tolist(), origins.times.argsort().tolist()
    ([3, 0, 2, 3, 1], [1, 4, 2, 0, 3])
    """
    numbers = None if groups is None else _number(as_column(groups, n_rows, "groups").values)
    if numbers is not None and (n_groups := int(numbers.max()) + 1) < MIN_GROUPS:
        raise InputError(
            f"groups has {n_groups} different values, too few to train, tune and vet on different ones; give rows "
            f"of at least {MIN_GROUPS} groups, or leave groups out."
        )
    if times is None:
        return Origins(n_rows, numbers)
    column = as_column(times, n_rows, "times")
    if column.levels is not None:
        raise InputError(
            f"{column.name!r} must be numbers or dates to order rows by time, but it holds text such as "
            f"{column.levels[0]!r}; convert it first, for example with pandas.to_datetime."
        )
    return Origins(n_rows, numbers, column.values.astype(np.float64))


def _number(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers from 0 without gaps, one a label."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
