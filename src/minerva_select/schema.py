"""Tables and columns, and their types."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion

Array = NDArray[Any]

_PROBE_ROWS = 256
_DIGEST_ROWS = 1024
_BYTE, _SHORT = np.iinfo(np.uint8).max, np.iinfo(np.uint16).max
_MAX_INTEGER = 2.0**53  # larger floats are more than 1 apart


class ColumnType(StrEnum):
    """How a column is encoded: by its quantiles, or by codes of its levels."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class TargetType(StrEnum):
    """How a target is modeled: as classes, or as a quantity."""

    DISCRETE = "discrete"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, eq=False)
class DictionaryEncoding:
    """A column as indices into a short list of values: 0 where missing, ``k + 1`` for ``values[k]``.

    The list may contain values that no row has.
    """

    indices: NDArray[np.unsignedinteger[Any]]  # (n_rows,)
    values: Array  # (n_values,) ascending integers, or levels


@dataclass(frozen=True, eq=False)
class Column:
    """One named column in plain arrays.

    A column of numbers has floats in ``values``, NaN where missing. Any other column (text, booleans, categories) has
    integer codes into ``levels`` in ``values``, -1 where missing. ``conversion`` says how the user's values were
    converted, if they were.
    """

    name: str
    values: Array  # (n_rows,)
    levels: Array | None = None  # (n_levels,) of str
    conversion: Conversion | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers and not codes of levels."""
        return self.levels is None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing values."""
        return np.isnan(self.values) if self.is_numeric else np.asarray(self.values < 0)

    @cached_property
    def dictionary(self) -> DictionaryEncoding | None:
        """Dictionary encoding of levels, or of integers in a small range; None for other numbers.

        Computed once and cached, in an eighth of the memory of the values. Counting and lookup then need no sort.

        Examples
        --------
        >>> dictionary = Column("grade", np.array([3.0, np.nan, 5.0])).dictionary
        >>> dictionary.indices.tolist(), dictionary.values.tolist()
        ([1, 0, 3], [3.0, 4.0, 5.0])
        >>> Column("height", np.array([1.62, 1.80])).dictionary is None
        True
        """
        return _encode_numbers(self.values) if self.levels is None else _encode_levels(self.values, self.levels)

    @cached_property
    def probe_digest(self) -> bytes:
        """Hash of the values in about a thousand rows from all parts of the column, and of the levels."""
        return self.digest(max(1, len(self.values) // _DIGEST_ROWS))

    def digest(self, step: int = 1) -> bytes:
        """Hash of the values in every ``step``-th row, and of the levels."""
        dtype = np.float64 if self.is_numeric else np.int64
        hasher = hashlib.blake2b(np.ascontiguousarray(self.values[::step], dtype=dtype).data)
        for level in () if self.levels is None else self.levels:
            hasher.update(repr(level).encode())
        return hasher.digest()

    def take(self, rows: Array) -> Column:
        """The same column with only these rows."""
        return Column(self.name, self.values[rows], self.levels, self.conversion)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length; their names are unique strings."""

    columns: tuple[Column, ...]
    n_rows: int

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names, in order."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: Array) -> Table:
        """The same table with only the rows at these positions."""
        return Table(tuple(column.take(rows) for column in self.columns), len(rows))

    def select(self, names: tuple[str, ...] | list[str]) -> Table:
        """The same rows with only these columns, in the given order."""
        by_name = {column.name: column for column in self.columns}
        return Table(tuple(by_name[name] for name in names), self.n_rows)


def _encode_numbers(values: Array) -> DictionaryEncoding | None:
    if values.dtype not in (np.float32, np.float64) or len(values) == 0 or _has_fraction(values[:_PROBE_ROWS]):
        return None
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))  # of present values
    n_values = high - low + 1  # NaN if all are missing
    # Sorting the column is faster than a list longer than the column
    if not n_values <= max(_BYTE, min(_SHORT, len(values))) or max(-low, high) > _MAX_INTEGER or _has_fraction(values):
        return None
    offsets = values - values.dtype.type(low)  # exact, since all are integers
    missing = np.isnan(offsets)
    any_missing = bool(missing.any())
    if any_missing:
        offsets[missing] = 0
    indices = offsets.astype(_index_type(int(n_values)))
    indices += 1
    if any_missing:
        indices[missing] = 0
    return DictionaryEncoding(indices, low + np.arange(int(n_values)))


def _encode_levels(values: Array, levels: Array) -> DictionaryEncoding:
    indices = np.maximum(values.astype(np.int64), -1) + 1
    return DictionaryEncoding(indices.astype(_index_type(len(levels))), levels)


def _index_type(highest: int) -> np.dtype[np.unsignedinteger[Any]]:
    return np.dtype(np.uint8 if highest <= _BYTE else np.uint16 if highest <= _SHORT else np.uint32)


def _has_fraction(values: Array) -> bool:
    n_unequal = int(np.count_nonzero(np.floor(values) != values))  # includes NaN
    return n_unequal > 0 and n_unequal > int(np.count_nonzero(np.isnan(values)))
