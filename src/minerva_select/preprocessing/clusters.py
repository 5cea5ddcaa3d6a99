"""Clusters of encoded rows, for targets with several columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import TARGET_BINS
from minerva_select.preprocessing.table_encoder import EncodedTable

_CHUNK_ROWS = 8192


@dataclass(frozen=True, eq=False)
class Clusters:
    """Assign rows to the nearest center, in the space of :func:`_embed`."""

    centers: NDArray[np.float64]  # (n_clusters, n_dimensions)

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        """Cluster of each row."""
        nearest = np.empty(encoded.n_rows, dtype=np.int64)
        for start in range(0, encoded.n_rows, _CHUNK_ROWS):
            rows = np.arange(start, min(start + _CHUNK_ROWS, encoded.n_rows))
            nearest[rows] = np.argmin(_distances(_embed(encoded.take(rows)), self.centers), axis=1)
        return nearest


def fit_clusters(
    encoded: EncodedTable, max_clusters: int, rng: np.random.Generator
) -> tuple[Clusters, NDArray[np.int64]]:
    """Cluster rows with k-means; returns the non-empty clusters and the most central row of each."""
    from scipy.cluster.vq import kmeans2  # noqa: PLC0415 - few targets need it, and it takes 0.2 s to load

    n_fit = min(TARGET_BINS.cluster_sample_rows, encoded.n_rows)
    rows = np.sort(rng.choice(encoded.n_rows, n_fit, replace=False))
    sample = encoded.take(rows)
    points = _embed(sample)
    n_distinct = len(np.unique(np.hstack([np.nan_to_num(sample.quantiles, nan=-1), sample.codes]), axis=0))
    n_clusters = min(max_clusters, n_distinct, max(2, n_fit // TARGET_BINS.rows_per_cluster))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="One of the clusters is empty")  # they are dropped below
        centers, _ = kmeans2(points, n_clusters, minit="++", seed=rng)
    distances = _distances(points, centers)
    nearest = np.argmin(distances, axis=1)
    own = np.full(distances.shape, np.inf)
    own[np.arange(n_fit), nearest] = (points**2).sum(axis=1) + distances.min(axis=1)
    used = np.unique(nearest)
    return Clusters(centers[used]), rows[np.argmin(own[:, used], axis=0)]


def _embed(encoded: EncodedTable) -> NDArray[np.float64]:
    """Rows as points: one axis per quantile and one for whether it is missing; levels are at distance 1."""
    missing = np.isnan(encoded.quantiles)
    parts: list[NDArray[np.float64]] = [np.where(missing, 0.5, encoded.quantiles).astype(np.float64), missing * 1.0]
    for column, n_levels in zip(encoded.codes.T, encoded.n_levels, strict=True):
        corners = np.zeros((encoded.n_rows, n_levels))
        corners[np.arange(encoded.n_rows), column] = np.sqrt(0.5)
        parts.append(corners)
    return np.hstack(parts)


def _distances(points: NDArray[np.float64], centers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distance of each point to each center, up to a constant per point."""
    distances: NDArray[np.float64] = (centers**2).sum(axis=1) - 2 * points @ centers.T
    return distances
