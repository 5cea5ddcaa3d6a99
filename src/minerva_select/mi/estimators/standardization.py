"""Columns with mean 0 and standard deviation 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def standardize(values: Floats) -> Floats:  # (n_rows, n_columns)
    """Return the columns with mean 0 and standard deviation 1; constant columns become 0.

    Examples
    --------
    >>> standardize(np.array([[1.0, 5.0], [3.0, 5.0]])).round(6).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    largest = np.abs(values).max(axis=0)
    scaled = values / np.where(largest > 0, largest, 1.0)  # squares of large values would overflow
    centered = scaled - scaled.mean(axis=0)
    deviation = centered.std(axis=0)
    is_constant = np.ptp(scaled, axis=0) == 0
    standardized: Floats = np.where(is_constant, 0.0, centered / np.where(is_constant, 1.0, deviation))
    return standardized
