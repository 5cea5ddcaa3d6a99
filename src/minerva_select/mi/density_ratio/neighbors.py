"""Information of two numeric columns by nearest neighbors: what density ratios have not learned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side
from minerva_select.mi.estimators.ksg import ksg_information

Array = NDArray[np.float64]


def neighbor_information(x: Side, y: Side, rng: np.random.Generator) -> Array | None:  # (n_rows,)
    """Pointwise information by nearest neighbors in normal scores; None if rows are few.

    Equal values are ranked in random order: this adds noise that is independent of the other column.
    """
    if x.n_rows < DENSITY_RATIO.few_rows:
        return None
    scores = [_distinct_scores(side.quantiles[:, 0], rng) for side in (x, y)]
    return ksg_information(scores[0], scores[1], rng, DENSITY_RATIO.n_neighbors)


def _distinct_scores(quantiles: Array, rng: np.random.Generator) -> Array:  # (n_rows, 1)
    """Normal scores of ranks without ties."""
    n_rows = len(quantiles)
    ranks = np.empty(n_rows)
    ranks[np.lexsort((rng.random(n_rows), quantiles))] = np.arange(n_rows)
    scores: Array = ndtri((ranks[:, None] + 0.5) / n_rows)
    return scores


def clear_excess(neighbors: Array, pointwise: Array, nats: float) -> float:
    """How much more than ``nats`` the neighbors find, shrunk towards 0 by how uncertain the difference is."""
    excess = float(neighbors.mean()) - nats
    error = float((neighbors - pointwise).std() / np.sqrt(max(1, len(pointwise) - 1)))
    error *= DENSITY_RATIO.neighbor_error
    if excess <= DENSITY_RATIO.excess_z * error:
        return 0.0
    return excess - (DENSITY_RATIO.excess_z * error) ** 2 / excess
