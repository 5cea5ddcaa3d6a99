"""Nearest neighbors with ties broken uniformly at random."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_TIE_TOLERANCE = 1 + 1e-9  # equal steps of a grid differ by rounding once columns are standardized
_MIN_LIST_DIMENSIONS = 3
_MIN_BRUTE_DIMENSIONS = 7  # 50,000 rows in 9 dimensions: 54 s with a tree, 13 s with all distances
_MAX_LIST_LENGTH = 48
_MAX_LIST_ENTRIES = 1 << 24


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Rows as points, and which of them coincide."""

    coordinates: Floats  # (n_rows, n_dimensions)
    point_ids: Indices  # (n_rows,) numbers from 0, equal for rows with equal coordinates

    @classmethod
    def from_coordinates(cls, coordinates: Floats) -> Self:
        """Find the rows that coincide."""
        point_ids = np.zeros(len(coordinates), dtype=np.intp)
        for column in coordinates.T:
            point_ids = _number_pairs(point_ids, np.unique(column, return_inverse=True)[1])
        return cls(coordinates, point_ids)

    def join(self, other: PointCloud) -> PointCloud:
        """Return the same rows with the coordinates of both."""
        return PointCloud(
            np.hstack([self.coordinates, other.coordinates]), _number_pairs(self.point_ids, other.point_ids)
        )


def _number_pairs(first: Indices, second: Indices) -> Indices:
    numbers: Indices = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return numbers


class NeighborSearch:
    """Nearest neighbors in fixed columns plus one more, for many choices of the one.

    In many dimensions a search is slow, and a search for each choice would repeat most of the work. There the nearest
    rows in the fixed columns are listed once, and the lists answer for almost all rows.
    """

    def __init__(self, fixed: PointCloud | None = None, *, n_jobs: int | None = None) -> None:
        self.fixed = fixed
        self.n_jobs = n_jobs
        self._lists = None if fixed is None or not _should_list(fixed) else _NeighborLists.of(fixed, n_jobs)

    def add(self, column: PointCloud) -> NeighborSearch:
        """Return a search with one more fixed column."""
        return NeighborSearch(self._join(column), n_jobs=self.n_jobs)

    def find(self, column: PointCloud, rng: np.random.Generator) -> Indices:
        """Nearest other row of each row in the fixed columns and this one, by Euclidean distance.

        Rows that coincide draw from each other. Only the rest search, among distinct points: in a tree of all rows
        each search would visit thousands of points at distance 0.
        """
        points = self._join(column)
        rows_at = _RowsAtPoints.of(points.point_ids)
        neighbors = rows_at.draw_duplicates(rng)
        open_rows = np.flatnonzero(rows_at.counts[points.point_ids] == 1)
        if self._lists is not None:
            neighbors[open_rows], is_certain = self._lists.find(column, open_rows, rng)
            open_rows = open_rows[~is_certain]
        if len(open_rows):
            neighbors[open_rows] = _search_tree(points, rows_at, open_rows, rng, self.n_jobs)
        return neighbors

    def _join(self, column: PointCloud) -> PointCloud:
        return column if self.fixed is None else self.fixed.join(column)


def _should_list(points: PointCloud) -> bool:
    """Many dimensions and few duplicates, which would fill the lists."""
    n_rows, n_dimensions = points.coordinates.shape
    return bool(n_dimensions >= _MIN_LIST_DIMENSIONS and 2 * int(points.point_ids.max()) >= n_rows)


@dataclass(frozen=True, eq=False)
class _NeighborLists:
    """The nearest rows of each row, in order of distance."""

    rows: Indices  # (n_rows, length), including the row itself
    squares: Floats  # (n_rows, length) squared distances, infinite to the row itself
    reach: Floats  # (n_rows,) squared distance within which all rows are listed

    @classmethod
    def of(cls, points: PointCloud, n_jobs: int | None) -> Self:
        coordinates = points.coordinates
        n_rows, n_dimensions = coordinates.shape
        length = min(n_rows, max(8, min(_MAX_LIST_LENGTH, _MAX_LIST_ENTRIES // n_rows)))
        if n_dimensions < _MIN_BRUTE_DIMENSIONS:
            distances, rows = KDTree(coordinates).query(coordinates, k=length, workers=n_jobs or 1)
        else:
            search = NearestNeighbors(n_neighbors=length, algorithm="brute").fit(coordinates)
            distances, rows = search.kneighbors(coordinates)
        all_rows = np.arange(n_rows)
        squares = _squared_distances(coordinates, all_rows, rows)
        squares[rows == all_rows[:, None]] = np.inf
        return cls(rows, squares, distances[:, -1] ** 2)

    def find(self, column: PointCloud, rows: Indices, rng: np.random.Generator) -> tuple[Indices, NDArray[np.bool_]]:
        """Nearest listed row with one more column, and whether no unlisted row can be as near.

        One more column can only increase a distance, so unlisted rows stay beyond the reach of the list.
        """
        listed = self.rows[rows]
        squares = self.squares[rows] + _squared_distances(column.coordinates, rows, listed)
        radius = squares.min(axis=1) * _TIE_TOLERANCE**2
        is_tied = squares <= radius[:, None]
        choice = np.argmax(is_tied, axis=1)
        several = np.flatnonzero(is_tied.sum(axis=1) > 1)
        choice[several] = np.argmax(is_tied[several] * rng.random((len(several), listed.shape[1])), axis=1)
        return listed[np.arange(len(rows)), choice], radius < self.reach[rows]


def _squared_distances(coordinates: Floats, rows: Indices, others: Indices) -> Floats:
    """From each row to each of its others, (n_rows, n_others)."""
    squares = np.zeros(others.shape)
    for values in coordinates.T:
        squares += (values[others] - values[rows, None]) ** 2
    return squares


@dataclass(frozen=True, eq=False)
class _RowsAtPoints:
    """The rows at each distinct point p: ``rows[starts[p] : starts[p] + counts[p]]``."""

    point_ids: Indices
    rows: Indices
    starts: Indices
    counts: Indices

    @classmethod
    def of(cls, point_ids: Indices) -> Self:
        counts = np.bincount(point_ids)
        return cls(point_ids, np.argsort(point_ids, kind="stable"), np.cumsum(counts) - counts, counts)

    def draw_duplicates(self, rng: np.random.Generator) -> Indices:
        """Another row at the same point, for each row; the row itself if there is no other."""
        starts, counts = self.starts[self.point_ids], self.counts[self.point_ids]
        position = np.empty(len(self.point_ids), dtype=np.intp)
        position[self.rows] = np.arange(len(self.point_ids))
        steps = 1 + (rng.random(len(self.point_ids)) * (counts - 1)).astype(np.intp)
        return self.rows[starts + (position - starts + steps) % counts]

    def draw(self, points: Indices, sizes: Indices, rng: np.random.Generator) -> Indices:
        """Draw one row from the first ``sizes[0]`` points, one from the next ``sizes[1]``, and so on."""
        ends = np.cumsum(self.counts[points])
        lasts = ends[np.cumsum(sizes) - 1]
        firsts = np.append(0, lasts[:-1])
        drawn = firsts + (rng.random(len(sizes)) * (lasts - firsts)).astype(np.intp)
        chosen = np.searchsorted(ends, drawn, side="right")
        at = points[chosen]
        rows: Indices = self.rows[self.starts[at] + self.counts[at] - (ends[chosen] - drawn)]
        return rows


def _search_tree(
    points: PointCloud, rows_at: _RowsAtPoints, rows: Indices, rng: np.random.Generator, n_jobs: int | None
) -> Indices:
    """Nearest other row of rows that coincide with no other."""
    distinct = points.coordinates[rows_at.rows[rows_at.starts]]  # (n_points, n_dimensions)
    own = points.point_ids[rows]
    tree = KDTree(distinct)
    distances, nearest = tree.query(distinct[own], k=3, workers=n_jobs or 1)
    distances[nearest == own[:, None]] = np.inf
    choice = np.argmin(distances, axis=1)[:, None]
    radius = np.take_along_axis(distances, choice, axis=1) * _TIE_TOLERANCE
    neighbors = rows_at.draw(np.take_along_axis(nearest, choice, axis=1)[:, 0], np.ones_like(rows), rng)
    tied = np.flatnonzero((distances <= radius).sum(axis=1) > 1)
    if len(tied):
        balls = tree.query_ball_point(distinct[own[tied]], radius[tied, 0], workers=n_jobs or 1)
        sizes = np.fromiter(map(len, balls), dtype=np.intp, count=len(tied))
        candidates = np.fromiter(chain.from_iterable(balls), dtype=np.intp, count=int(sizes.sum()))
        is_other = candidates != np.repeat(own[tied], sizes)
        neighbors[tied] = rows_at.draw(candidates[is_other], sizes - 1, rng)
    return neighbors
