"""The vocabulary of tables: what a column is, and of which kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class ColumnKind(StrEnum):
    """How a column is read: as an amount with an order, or as a name out of several."""

    CONTINUOUS = "continuous"
    CATEGORICAL = "categorical"


class TargetKind(StrEnum):
    """How a target is read: as classes, or as an amount."""

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, eq=False)
class Column:
    """One named column in plain arrays.

    A column of numbers holds floats in ``values``, NaN where missing. A column of anything else (text, booleans,
    categories) holds whole-number codes into ``levels`` in ``values``, -1 where missing.
    """

    name: str
    values: Array  # (n_rows,)
    levels: Array | None = None  # (n_levels,) of str

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers rather than codes of levels."""
        return self.levels is None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing values."""
        return np.isnan(self.values) if self.is_numeric else np.asarray(self.values < 0)

    def take(self, rows: Array) -> Column:
        """Return the same column with only these rows."""
        return Column(self.name, self.values[rows], self.levels)


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length; names are distinct strings."""

    columns: tuple[Column, ...]
    n_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in order."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: Array) -> Table:
        """Return the same table with only these rows (positions)."""
        return Table(tuple(column.take(rows) for column in self.columns), len(rows))

    def select(self, names: tuple[str, ...] | list[str]) -> Table:
        """Return the same rows with only these columns, in the order given."""
        by_name = {column.name: column for column in self.columns}
        return Table(tuple(by_name[name] for name in names), self.n_rows)
