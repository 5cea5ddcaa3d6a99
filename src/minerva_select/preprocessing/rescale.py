"""Rescaling of extreme numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_EXPONENT = 50  # the sum of 2**28 squares of numbers up to 2**50 fits in single precision


def rescale_extremes(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rescale numbers so large or so small that their squares would overflow or underflow.

    The factor is a power of two, so that only numbers that are tiny relative to the largest are rounded.
    """
    exponent = int(np.frexp(np.nanmax(np.abs(values)))[1])
    return values if abs(exponent) <= MAX_EXPONENT else np.ldexp(values, -exponent)
