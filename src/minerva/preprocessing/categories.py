"""Categorical columns as codes, with a code of its own for a missing value and one for a level never seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva.errors import InputError
from minerva.schema import Column

MISSING = 0
OTHER = 1
FIRST_LEVEL = 2
MAX_LEVELS = 254
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

    def fit(self, column: Column) -> LevelEncoder:
        """Store the levels of the training rows."""
        present = column.values[~column.missing]
        if column.levels is None:
            levels, counts = np.unique(present, return_counts=True)
        else:
            # Sorted, and spelled once: the order and the repeats of a dictionary say nothing about the rows.
            levels, place = np.unique(column.levels, return_inverse=True)
            counts = np.bincount(place[present], minlength=len(levels))
            levels, counts = levels[counts > 0], counts[counts > 0]
        most_frequent = np.argsort(-counts, kind="stable")[: self.max_levels]
        self.levels_ = levels[most_frequent]
        self._numeric = column.is_numeric
        return self

    @property
    def n_levels(self) -> int:
        """Number of codes, the two shared ones included."""
        return FIRST_LEVEL + len(self.levels_)

    def transform(self, column: Column) -> NDArray[np.int64]:
        """Code of each value."""
        missing = column.missing
        codes = np.full(len(column.values), OTHER, dtype=np.int64)
        codes[missing] = MISSING
        if len(self.levels_) == 0 or missing.all():
            return codes
        check_same_type(column, self._numeric)
        if column.levels is None:
            order = np.argsort(self.levels_)
            ascending = self.levels_[order]
            place = np.minimum(np.searchsorted(ascending, column.values), len(ascending) - 1)
            seen = ascending[place] == column.values
            codes[seen] = FIRST_LEVEL + order[place[seen]]
            return codes
        own = {level: FIRST_LEVEL + i for i, level in enumerate(self.levels_)}
        recode = np.array([own.get(level, OTHER) for level in column.levels], dtype=np.int64)
        codes[~missing] = recode[column.values[~missing]]
        return codes


def check_same_type(column: Column, numeric: bool) -> None:
    """Refuse a column that held numbers when fitted and holds text now, or the other way round."""
    if column.is_numeric != numeric and not column.missing.all():
        was, now = ("numbers", "text or categories") if numeric else ("text or categories", "numbers")
        raise InputError(f"Column {column.name!r} held {was} when fitted and holds {now} now; convert it first.")
