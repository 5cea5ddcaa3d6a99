"""Information of two numeric columns by nearest neighbors: what density ratios have not learned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side
from minerva_select.mi.estimators.ksg import ksg_information


def neighbor_information(x: Side, y: Side, rng: np.random.Generator) -> NDArray[np.float64] | None:  # (n_rows,)
    """Pointwise information by nearest neighbors in normal scores; None if values repeat or rows are few."""
    if x.n_rows < DENSITY_RATIO.few_rows:
        return None
    for side in (x, y):
        if len(np.unique(side.quantiles)) < DENSITY_RATIO.min_distinct_share * x.n_rows:
            return None
    found: NDArray[np.float64] = ksg_information(x.normal_scores, y.normal_scores, rng, DENSITY_RATIO.n_neighbors)
    return found


def clear_excess(neighbors: NDArray[np.float64], pointwise: NDArray[np.float64], nats: float) -> float:
    """How much more than ``nats`` the neighbors find, shrunk towards 0 by how uncertain the difference is."""
    excess = float(neighbors.mean()) - nats
    error = float((neighbors - pointwise).std() / np.sqrt(max(1, len(pointwise) - 1)))
    if excess <= DENSITY_RATIO.excess_z * error:
        return 0.0
    return excess - (DENSITY_RATIO.excess_z * error) ** 2 / excess
