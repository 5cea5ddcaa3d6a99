"""The standard error of an estimate from its differences between random halves of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from minerva_select.mi.inference import MeanEstimate


def estimate_with_halves(
    estimate: Callable[[NDArray[np.int64]], float], n_rows: int, halvings: Sequence[NDArray[np.int64]]
) -> MeanEstimate:
    """Estimate from all rows, with a standard error from halves of the rows.

    The two halves are independent and each has twice the variance of the estimate from all rows, so the difference of
    their estimates has four times that variance. An error that both halves share, such as a bias, is not part of it.

    Parameters
    ----------
    estimate : callable
        The estimate from the rows at these positions.
    n_rows : int
        Number of rows.
    halvings : sequence of ndarray of shape (n_rows,)
        Each has a 0 or a 1 for every row, the half that it is in.

    Returns
    -------
    MeanEstimate
        With one degree of freedom per halving.

    Examples
    --------
    >>> values = np.array([1.0, 1.0, 3.0, 3.0])
    >>> halves = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]  # differences 2 and 0
    >>> found = estimate_with_halves(lambda rows: float(values[rows].mean()), 4, halves)
    >>> found.mean, round(found.standard_error, 4), found.degrees_of_freedom
    (2.0, 0.7071, 2)
    """
    differences = [estimate(np.flatnonzero(half == 0)) - estimate(np.flatnonzero(half == 1)) for half in halvings]
    standard_error = float(np.sqrt(np.mean(np.square(differences)))) / 2
    return MeanEstimate(estimate(np.arange(n_rows)), standard_error, len(halvings))
