"""Categorical columns as codes, with a code of its own for a missing value and one for a level never seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError
from minerva_select.preprocessing.value_counts import distinct
from minerva_select.schema import Column

MISSING = 0
OTHER = 1
FIRST_LEVEL = 2
BYTE_CODES = 256
MAX_LEVELS = BYTE_CODES - FIRST_LEVEL
"""Levels of a column that get a code of their own by default; with the two shared codes they fill a byte."""


class LevelEncoder:
    """Codes of the levels of a column: 0 missing, 1 unseen or rare, then the levels of the training rows.

    The most frequent level comes first; levels equally frequent come in their own order (text by characters, numbers by
    size), so that neither the order of rows nor that of a category dictionary changes a code. A column of numbers has
    its distinct numbers for levels.

    Parameters
    ----------
    max_levels : int
        Most levels with a code of their own; the rarer ones share code 1 with the unseen.

    Attributes
    ----------
    levels_ : ndarray
        The levels with a code of their own: numbers or strings. ``levels_[i]`` has code ``i + 2``.

    Examples
    --------
    >>> import numpy as np
    >>> fruit = Column("fruit", np.array([0, 1, 1, -1]), np.array(["apple", "pear"], dtype=object))
    >>> encoder = LevelEncoder().fit(fruit)
    >>> encoder.transform(fruit).tolist(), encoder.n_levels
    ([3, 2, 2, 0], 4)
    >>> encoder.transform(Column("fruit", np.array([0, 1]), np.array(["pear", "fig"], dtype=object))).tolist()
    [2, 1]
    """

    levels_: NDArray[Any]

    def __init__(self, max_levels: int = MAX_LEVELS) -> None:
        self.max_levels = max_levels

    def fit(self, column: Column, rows: NDArray[Any] | None = None) -> LevelEncoder:
        """Store the levels of the training rows: all, or those at these positions."""
        levels, counts = distinct(column, rows)
        most_frequent = np.argsort(-counts, kind="stable")[: self.max_levels]
        self.levels_ = levels[most_frequent]
        self._numeric = column.is_numeric
        return self

    @property
    def n_levels(self) -> int:
        """Number of codes, the two shared ones included."""
        return FIRST_LEVEL + len(self.levels_)

    def transform(self, column: Column) -> NDArray[np.integer[Any]]:
        """Code of each value, in a byte where all codes fit one."""
        dtype = code_type(self.n_levels)
        if len(self.levels_) and column.is_numeric != self._numeric:
            check_same_type(column, self._numeric)
            return np.full(len(column.values), MISSING, dtype=dtype)
        coding = column.coding
        if coding is None:
            return np.where(column.missing, MISSING, self._code(column.values)).astype(dtype)
        code_of_place = np.append(MISSING, self._code(coding.values)).astype(dtype)
        return code_of_place.take(coding.places)

    def _code(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Code of each of these numbers or levels; a missing one is like any unseen."""
        codes = np.full(len(values), OTHER, dtype=np.int64)
        if len(self.levels_) == 0:
            return codes
        if not self._numeric:
            own = {level: FIRST_LEVEL + i for i, level in enumerate(self.levels_)}
            return np.array([own.get(level, OTHER) for level in values], dtype=np.int64)
        order = np.argsort(self.levels_)
        ascending = self.levels_[order]
        place = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
        seen = ascending[place] == values
        codes[seen] = FIRST_LEVEL + order[place[seen]]
        return codes


def code_type(n_codes: int) -> np.dtype[np.integer[Any]]:
    """Type of the codes of a column, or of columns of at most so many: a byte where they fit one."""
    return np.dtype(np.uint8 if n_codes <= BYTE_CODES else np.int64)


def check_same_type(column: Column, numeric: bool) -> None:
    """Refuse a column that held numbers when fitted and holds text now, or the other way round."""
    if column.is_numeric != numeric and not column.missing.all():
        was, now = ("numbers", "text or categories") if numeric else ("text or categories", "numbers")
        raise InputError(f"Column {column.name!r} held {was} when fitted and holds {now} now; convert it first.")
