"""Distinct values of a column and their counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.schema import Column

_FEW = 10


def count_values(column: Column, rows: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct present values of all or some rows, ascending, and their counts.

    A level that occurs twice in the list of levels counts as one.
    """
    dictionary = column.dictionary
    if dictionary is None:
        values = column.values if rows is None else column.values[rows]
        return np.unique(values[~np.isnan(values)], return_counts=True)
    indices = dictionary.indices if rows is None else dictionary.indices[rows]
    counts = count_indices(indices, len(dictionary.values))
    occurring = np.flatnonzero(counts)
    found, counts = dictionary.values[occurring], counts[occurring]
    if column.is_numeric:
        return found.astype(column.values.dtype), counts
    # The order and the repeats of a list of levels do not matter
    levels, index = np.unique(found, return_inverse=True)
    return levels, np.bincount(index, weights=counts, minlength=len(levels)).astype(np.int64)


def count_indices(indices: NDArray[np.unsignedinteger[Any]], n_values: int) -> NDArray[np.int64]:
    """Count of each index from 1 to ``n_values``."""
    # Additions to the same few sums make bincount wait: it takes as long as 15 comparisons
    if n_values <= _FEW:
        return np.array([np.count_nonzero(indices == index) for index in range(1, n_values + 1)], dtype=np.int64)
    return np.bincount(indices, minlength=n_values + 1)[1:]
