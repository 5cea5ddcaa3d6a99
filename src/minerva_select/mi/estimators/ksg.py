"""Mutual information by nearest neighbors: the first estimator of Kraskov, Stoegbauer and Grassberger (2004)."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.special import digamma

from minerva_select.config import KSG
from minerva_select.mi.estimators.standardization import Floats, standardize

_ROWS_PER_BLOCK = 512  # of the matrix of all distances


def ksg_information(x: Floats, y: Floats, rng: np.random.Generator, n_neighbors: int = KSG.n_neighbors) -> Floats:
    """Estimate the pointwise information of each row from its nearest neighbors.

    The distance of two rows is the larger one of their Euclidean distances in x and in y, as in the "Beyond Normal"
    benchmark. Columns are standardized, and noise far below the standard deviation breaks ties.

    Parameters
    ----------
    x, y : ndarray of shape (n_rows, n_columns)
        The two sides.
    rng : Generator
        Draws the noise.
    n_neighbors : int
        Number of neighbors; at most the number of other rows.

    Returns
    -------
    ndarray of shape (n_rows,)
        Pointwise information in nats; the mean is the estimate. It can be negative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((1000, 1))
    >>> y = 0.6 * x + 0.8 * rng.standard_normal((1000, 1))  # 0.223 nats
    >>> round(float(ksg_information(x, y, rng).mean()), 2)
    0.24
    """
    n_rows = len(x)
    n_neighbors = min(n_neighbors, n_rows - 1)
    x, y = (standardize(side) + KSG.noise * rng.standard_normal(side.shape) for side in (x, y))
    count = _count_by_tree if x.shape[1] == y.shape[1] == 1 else _count_by_distances
    n_x, n_y = count(x, y, n_neighbors)
    pointwise: Floats = digamma(n_neighbors) + digamma(n_rows) - digamma(n_x) - digamma(n_y)
    return pointwise


def _count_by_tree(x: Floats, y: Floats, n_neighbors: int) -> tuple[Floats, Floats]:
    """Count the rows that are closer in x, and in y, than the k-th neighbor in both; the row itself counts.

    For sides of one column; of 5,000 rows it takes 0.03 s, and all distances 0.6 s.
    """
    both = np.hstack([x, y])
    radius = cKDTree(both).query(both, [n_neighbors + 1], p=np.inf)[0][:, 0]
    closer = np.nextafter(radius, 0.0)  # a ball includes its border
    n_x, n_y = (cKDTree(side).query_ball_point(side, closer, p=np.inf, return_length=True) for side in (x, y))
    return n_x, n_y


def _count_by_distances(x: Floats, y: Floats, n_neighbors: int) -> tuple[Floats, Floats]:
    """The same by all distances, for sides of any number of columns."""
    counts = np.empty((2, len(x)))
    for start in range(0, len(x), _ROWS_PER_BLOCK):
        block = slice(start, start + _ROWS_PER_BLOCK)
        in_x, in_y = (cdist(side[block], side, "euclidean") for side in (x, y))
        radius = np.partition(np.maximum(in_x, in_y), n_neighbors, axis=1)[:, [n_neighbors]]
        counts[:, block] = (in_x < radius).sum(axis=1), (in_y < radius).sum(axis=1)
    return counts[0], counts[1]
