"""Distinct values of a column and how often each occurs, counted where that is possible and sorted where not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.schema import Column

_FEW = 10


def distinct(column: Column, rows: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values that are present, ascending, and their counts.

    Parameters
    ----------
    column : Column
        Numbers, or anything with levels; a level that its list repeats is one value.
    rows : ndarray of int, optional
        Positions of the rows to count; all if None.

    Returns
    -------
    values, counts : ndarray
        Values of the type of the column's, or levels; counts are above 0.

    Examples
    --------
    >>> import numpy as np
    >>> grade = Column("grade", np.array([3.0, 1.0, np.nan, 3.0]))
    >>> [array.tolist() for array in distinct(grade)]
    [[1.0, 3.0], [1, 2]]
    >>> [array.tolist() for array in distinct(grade, rows=np.array([0, 3]))]
    [[3.0], [2]]
    """
    coding = column.coding
    if coding is None:
        values = column.values if rows is None else column.values[rows]
        return np.unique(values[~np.isnan(values)], return_counts=True)
    places = coding.places if rows is None else coding.places[rows]
    counts = _count(places, len(coding.values))
    occurring = np.flatnonzero(counts)
    found, counts = coding.values[occurring], counts[occurring]
    if column.is_numeric:
        return found.astype(column.values.dtype), counts
    # Sorted, and spelled once: the order and the repeats of a list of levels say nothing about the rows.
    levels, place = np.unique(found, return_inverse=True)
    return levels, np.bincount(place, weights=counts, minlength=len(levels)).astype(np.int64)


def _count(places: NDArray[np.unsignedinteger[Any]], n_values: int) -> NDArray[np.int64]:
    """How often each place from 1 to ``n_values`` occurs."""
    # One addition at a time to one of few sums makes bincount wait: it takes as long as 15 comparisons.
    if n_values <= _FEW:
        return np.array([np.count_nonzero(places == place) for place in range(1, n_values + 1)], dtype=np.int64)
    return np.bincount(places, minlength=n_values + 1)[1:]
