"""Rescaling of extreme numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_EXPONENT = 50  # the sum of 2**28 squares of numbers up to 2**50 fits in single precision


def rescale_extremes(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rescale numbers so large or so small that their squares would overflow or underflow.

    The factor is a power of two, so that only numbers that are tiny relative to the largest are rounded.

    Examples
    --------
    >>> rescale_extremes(np.array([3.0, np.nan, -5.0])).tolist()
    [3.0, nan, -5.0]
    >>> rescale_extremes(np.array([2.0**1000, np.nan, -(2.0**999)])).tolist()
    [0.5, nan, -0.25]
    """
    exponent = int(np.frexp(np.nanmax(np.abs(values)))[1])
    return values if abs(exponent) <= MAX_EXPONENT else np.ldexp(values, -exponent)
