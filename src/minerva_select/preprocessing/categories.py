"""Categorical columns as integer codes, with separate codes for missing values and for levels not seen in training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError
from minerva_select.preprocessing.value_counts import count_indices, count_values
from minerva_select.schema import Column

MISSING = 0
OTHER = 1
FIRST_LEVEL = 2
BYTE_CODES = 256
MAX_LEVELS = BYTE_CODES - FIRST_LEVEL  # levels with their own code; all codes then fit in a byte


class LevelEncoder:
    """Codes of the levels of a column: 0 missing, 1 unseen or rare, then the levels of the training rows.

    Levels are ordered by frequency, and equally frequent ones by their own order (text alphabetically, numbers by
    size), so that codes depend neither on the order of rows nor on that of a category dictionary. The levels of a
    column of numbers are its distinct numbers.
    """

    levels_: NDArray[Any]  # levels_[i] has code i + 2

    def __init__(self, max_levels: int = MAX_LEVELS) -> None:
        self.max_levels = max_levels  # rarer levels share code 1 with unseen ones

    def fit(self, column: Column, rows: NDArray[Any] | None = None) -> LevelEncoder:
        """Store the levels of the training rows: all, or those at these positions."""
        levels, counts = count_values(column, rows)
        most_frequent = np.argsort(-counts, kind="stable")[: self.max_levels]
        self.levels_ = levels[most_frequent]
        self._numeric = column.is_numeric
        return self

    def fit_codes(self, column: Column, rows: NDArray[Any]) -> NDArray[np.integer[Any]] | None:
        """Fit, and return the code of each index of the column's dictionary; None if there is none.

        As :meth:`fit`, and ``transform`` of the dictionary, without a search for the levels.
        """
        dictionary = column.dictionary
        if dictionary is None or not column.is_numeric:  # a list of levels may contain one twice
            self.fit(column, rows)
            return None
        counts = count_indices(dictionary.indices[rows], len(dictionary.values))
        occurring = np.flatnonzero(counts)
        most_frequent = occurring[np.argsort(-counts[occurring], kind="stable")[: self.max_levels]]
        self.levels_ = dictionary.values[most_frequent].astype(column.values.dtype)
        self._numeric = True
        codes = np.full(len(counts) + 1, OTHER, dtype=code_type(self.n_levels))
        codes[0] = MISSING
        codes[most_frequent + 1] = np.arange(FIRST_LEVEL, self.n_levels)
        return codes

    @property
    def n_levels(self) -> int:
        """Number of codes, including the two shared ones."""
        return FIRST_LEVEL + len(self.levels_)

    def transform(self, column: Column) -> NDArray[np.integer[Any]]:
        """Code of each value, as bytes if all codes fit."""
        dtype = code_type(self.n_levels)
        if len(self.levels_) and column.is_numeric != self._numeric:
            check_same_type(column, self._numeric)
            return np.full(len(column.values), MISSING, dtype=dtype)
        dictionary = column.dictionary
        if dictionary is None:
            return np.where(column.missing, MISSING, self._encode(column.values)).astype(dtype)
        code_of_index = np.append(MISSING, self._encode(dictionary.values)).astype(dtype)
        return code_of_index.take(dictionary.indices)

    @property
    def has_numbers(self) -> bool:
        """Whether the levels are numbers."""
        return len(self.levels_) > 0 and self._numeric

    def steps(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Levels that are numbers, ascending, and codes: entry 2i below level i, 2i + 1 of level i itself."""
        order = np.argsort(self.levels_)
        codes = np.full(2 * len(order) + 1, OTHER, dtype=dtype)
        codes[1::2] = FIRST_LEVEL + order
        return self.levels_[order], codes

    def _encode(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Code of each number or level; missing ones count as unseen."""
        codes = np.full(len(values), OTHER, dtype=np.int64)
        if len(self.levels_) == 0:
            return codes
        if not self._numeric:
            code_of = {level: FIRST_LEVEL + i for i, level in enumerate(self.levels_)}
            return np.array([code_of.get(level, OTHER) for level in values], dtype=np.int64)
        order = np.argsort(self.levels_)
        ascending = self.levels_[order]
        index = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
        seen = ascending[index] == values
        codes[seen] = FIRST_LEVEL + order[index[seen]]
        return codes


def code_type(n_codes: int) -> np.dtype[np.integer[Any]]:
    """Data type for this many codes: a byte if they fit."""
    return np.dtype(np.uint8 if n_codes <= BYTE_CODES else np.int64)


def check_same_type(column: Column, numeric: bool) -> None:
    """Raise if a column had numbers in training and has text now, or the other way round."""
    if column.is_numeric != numeric and not column.missing.all():
        before, now = ("numbers", "text or categories") if numeric else ("text or categories", "numbers")
        raise InputError(f"Column {column.name!r} had {before} in training and has {now} now; convert it first.")
