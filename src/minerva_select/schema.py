"""The vocabulary of tables: what a column is, and of which kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion

Array = NDArray[Any]

_PROBE_ROWS = 256
_BYTE, _SHORT = np.iinfo(np.uint8).max, np.iinfo(np.uint16).max
_MAX_WHOLE = 2.0**53  # beyond, neighbouring floats are more than 1 apart


class ColumnKind(StrEnum):
    """How a column is read: as an amount with an order, or as a name out of several."""

    CONTINUOUS = "continuous"
    CATEGORICAL = "categorical"


class TargetKind(StrEnum):
    """How a target is read: as classes, or as an amount."""

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, eq=False)
class Coding:
    """A column as places in a short list of values: place 0 where missing, place ``k + 1`` for ``values[k]``.

    Values may be listed that no row has.
    """

    places: NDArray[np.unsignedinteger[Any]]  # (n_rows,)
    values: Array  # (n_values,) whole numbers, ascending, or levels


@dataclass(frozen=True, eq=False)
class Column:
    """One named column in plain arrays.

    A column of numbers holds floats in ``values``, NaN where missing. A column of anything else (text, booleans,
    categories) holds whole-number codes into ``levels`` in ``values``, -1 where missing. Where the values are not those
    of the user's cells, ``conversion`` says how they were converted.
    """

    name: str
    values: Array  # (n_rows,)
    levels: Array | None = None  # (n_levels,) of str
    conversion: Conversion | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers rather than codes of levels."""
        return self.levels is None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing values."""
        return np.isnan(self.values) if self.is_numeric else np.asarray(self.values < 0)

    @cached_property
    def coding(self) -> Coding | None:
        """The column as places in a list: of its levels, or of whole numbers of small range; None for other numbers.

        Found once and kept, for an eighth of the memory of the values: places are counted and looked up without a sort.

        Examples
        --------
        >>> coding = Column("grade", np.array([3.0, np.nan, 5.0])).coding
        >>> coding.places.tolist(), coding.values.tolist()
        ([1, 0, 3], [3.0, 4.0, 5.0])
        >>> Column("height", np.array([1.62, 1.80])).coding is None
        True
        """
        return _code_numbers(self.values) if self.levels is None else _code_levels(self.values, self.levels)

    def take(self, rows: Array) -> Column:
        """Return the same column with only these rows."""
        return Column(self.name, self.values[rows], self.levels, self.conversion)


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length; names are distinct strings."""

    columns: tuple[Column, ...]
    n_rows: int

    @cached_property
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


def _code_numbers(values: Array) -> Coding | None:
    if values.dtype not in (np.float32, np.float64) or len(values) == 0 or _has_fraction(values[:_PROBE_ROWS]):
        return None
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))  # of those present
    n_values = high - low + 1  # NaN where none is present
    # A list longer than the column would take more time than a sort of the column.
    if not n_values <= max(_BYTE, min(_SHORT, len(values))) or max(-low, high) > _MAX_WHOLE or _has_fraction(values):
        return None
    offsets = values - values.dtype.type(low)  # exact, since all are whole
    missing = np.isnan(offsets)
    any_missing = bool(missing.any())
    if any_missing:
        offsets[missing] = 0
    places = offsets.astype(_short_type(int(n_values)))
    places += 1
    if any_missing:
        places[missing] = 0
    return Coding(places, low + np.arange(int(n_values)))


def _code_levels(values: Array, levels: Array) -> Coding:
    places = np.maximum(values.astype(np.int64), -1) + 1
    return Coding(places.astype(_short_type(len(levels))), levels)


def _short_type(highest: int) -> np.dtype[np.unsignedinteger[Any]]:
    return np.dtype(np.uint8 if highest <= _BYTE else np.uint16 if highest <= _SHORT else np.uint32)


def _has_fraction(values: Array) -> bool:
    n_not_whole = int(np.count_nonzero(np.floor(values) != values))  # NaN is not, but is no fraction either
    return n_not_whole > 0 and n_not_whole > int(np.count_nonzero(np.isnan(values)))
