"""Groups and times of rows, and the splits that respect them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from minerva_select.config import FitConfig
from minerva_select.data.frames import as_column
from minerva_select.data.splits import assign_folds, split_by_time, split_rows
from minerva_select.errors import InputError

MIN_GROUPS = 4


@dataclass(frozen=True, eq=False)
class RowMetadata:
    """Groups and times of rows."""

    n_rows: int
    groups: NDArray[np.int64] | None = None  # (n_rows,) consecutive integers from 0; None: every row is its own group
    times: NDArray[np.float64] | None = None  # (n_rows,)
    n_duplicated: int = 0  # rows that copy an earlier one; copies share a group

    @property
    def n_independent(self) -> int:
        """Number of groups, or of rows if there are no groups."""
        return self.n_rows if self.groups is None else int(self.groups.max()) + 1

    def take(self, rows: NDArray[np.int64]) -> RowMetadata:
        """Groups and times of these rows."""
        groups = None if self.groups is None else _number(self.groups[rows])
        return RowMetadata(len(rows), groups, None if self.times is None else self.times[rows])

    def group_copies(self, copies: NDArray[np.int64] | None) -> RowMetadata:
        """Put copies of a row into one group, and join the groups that contain copies of the same row.

        ``copies`` numbers the distinct rows; None if there are no copies.
        """
        if copies is None:
            return self
        groups = copies if self.groups is None else _join(self.groups, copies)
        if (n_groups := int(groups.max()) + 1) < MIN_GROUPS:
            raise InputError(
                f"Groups with copies of the same rows stay together, which leaves {n_groups} groups, too few to train, "
                "tune and test on different ones; drop duplicated rows, or omit groups."
            )
        return dataclasses.replace(self, groups=groups, n_duplicated=self.n_rows - int(copies.max()) - 1)

    def adapt(self, plan: FitConfig) -> FitConfig:
        """Adapt the number of folds: a single split in order of time, and at most a third as many parts as groups."""
        if self.times is not None:  # never train on later rows
            return dataclasses.replace(plan, n_folds=1, n_members=1)
        most = max(2, self.n_independent // 3)
        sizes = {name: min(getattr(plan, name), most) for name in ("n_folds", "n_members", "n_tune_parts")}
        return plan if self.groups is None else dataclasses.replace(plan, **sizes)

    def split(
        self, shares: Sequence[float], strata: NDArray[np.int64] | None, rng: np.random.Generator
    ) -> list[NDArray[np.int64]]:
        """Split rows into parts of these shares: in order of time, or at random and stratified."""
        if self.times is not None:
            return split_by_time(self.times, shares, self.groups)
        return split_rows(self.n_rows, shares, strata, rng, self.groups)

    def assign_folds(
        self, n_folds: int, strata: NDArray[np.int64] | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Assign every row to a fold; rows of a group share a fold."""
        return assign_folds(self.n_rows, n_folds, strata, rng, self.groups)


def read_row_metadata(groups: Any, times: Any, n_rows: int) -> RowMetadata:
    """Check and number the groups and times that a user passes."""
    numbers = None if groups is None else _number(as_column(groups, n_rows, "groups").values)
    if numbers is not None and (n_groups := int(numbers.max()) + 1) < MIN_GROUPS:
        raise InputError(
            f"groups has {n_groups} distinct values, too few to train, tune and test on different ones; give rows "
            f"of at least {MIN_GROUPS} groups, or omit groups."
        )
    if times is None:
        return RowMetadata(n_rows, numbers)
    column = as_column(times, n_rows, "times")
    if column.levels is not None:
        raise InputError(
            f"{column.name!r} must be numbers or dates to order rows by time, but it holds text such as "
            f"{column.levels[0]!r}; convert it first, for example with pandas.to_datetime."
        )
    return RowMetadata(n_rows, numbers, column.values.astype(np.float64))


def _join(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Group rows that are connected by labels of either kind."""
    n_first = int(first.max()) + 1
    n_nodes = n_first + int(second.max()) + 1
    edges = coo_array((np.ones(len(first), dtype=bool), (first, n_first + second)), shape=(n_nodes, n_nodes))
    component = connected_components(edges, directed=False)[1]
    return _number(component[first])


def _number(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Number the labels from 0 without gaps."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
