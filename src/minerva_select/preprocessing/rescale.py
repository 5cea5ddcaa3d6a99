"""Numbers in a unit in which they can be squared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_EXPONENT = 50  # a sum of 2**28 squares of numbers up to two to this power is within single precision


def within_reach(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give amounts in another unit where they are so large or so small that methods could not square them.

    The unit is a power of two, so that nothing is rounded but what is next to zero beside the largest.

    Examples
    --------
    >>> within_reach(np.array([3.0, np.nan, -5.0])).tolist()
    [3.0, nan, -5.0]
    >>> within_reach(np.array([2.0**1000, np.nan, -(2.0**999)])).tolist()
    [0.5, nan, -0.25]
    """
    exponent = int(np.frexp(np.nanmax(np.abs(amounts)))[1])
    return amounts if abs(exponent) <= MAX_EXPONENT else np.ldexp(amounts, -exponent)
