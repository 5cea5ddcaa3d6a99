"""Dependence coefficient T of Azadkia and Chatterjee (2021): 0 for independence, 1 for a function of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from minerva_select.selectors.baselines.nearest_neighbors import Indices

Coefficient = Callable[[Indices], float]
"""T of a target, given the nearest neighbor of each row in the columns."""


def make_ordered_coefficient(y: NDArray[Any]) -> Coefficient:
    """T of a target with an order.

    With R_i the number of y_j <= y_i, L_i the number of y_j >= y_i and M(i) the nearest neighbor of row i, the
    definition is T = sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i)). Since R and L have the same sum, this is
    1 - n sum(max(0, R_i - R_M(i))) / sum(L_i (n - L_i)), which is exactly 1 if no neighbor has a lower R.
    """
    n_at_most, n_at_least = (rankdata(values, method="max").astype(np.float64) for values in (y, -y))
    scale = float(n_at_least @ (len(y) - n_at_least)) / len(y)
    return lambda neighbors: 1 - float(np.maximum(n_at_most - n_at_most[neighbors], 0).sum()) / scale


def make_class_coefficient(classes: NDArray[np.integer[Any]]) -> Coefficient:
    """T of classes without an order: the weighted mean of T of each class against the rest.

    For one class the denominator of T is proportional to p (1 - p). With these weights the mean is
    1 - (share of neighbors of another class) / (the same share for neighbors drawn at random).
    """
    scale = 1 - float(np.sum((np.bincount(classes) / len(classes)) ** 2))
    return lambda neighbors: 1 - float(np.mean(classes != classes[neighbors])) / scale
