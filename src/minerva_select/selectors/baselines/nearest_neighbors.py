"""Nearest neighbours with fair ties: of all rows equally near, each is as likely to be the one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_EQUALLY_FAR = 1 + 1e-9  # equal steps of a grid differ by rounding once columns are divided by their spread
_LIST_FROM_DIMENSIONS = 3
_TREE_BELOW_DIMENSIONS = 7  # 50,000 rows in 9 dimensions: 54 s by tree, 13 s by all distances
_MOST_LISTED = 48
_LISTED_ENTRIES = 1 << 24


@dataclass(frozen=True, eq=False)
class Points:
    """Rows as points in space, and which of them coincide.

    Attributes
    ----------
    coordinates : ndarray of float64, shape (n_rows, n_dimensions)
        Where each row lies.
    places : ndarray of intp, shape (n_rows,)
        Numbers from 0, the same for rows that coincide.
    """

    coordinates: Floats
    places: Places

    @classmethod
    def of(cls, coordinates: Floats) -> Self:
        """Points with these coordinates."""
        places = np.zeros(len(coordinates), dtype=np.intp)
        for column in coordinates.T:
            places = _pair(places, np.unique(column, return_inverse=True)[1])
        return cls(coordinates, places)

    def beside(self, other: Points) -> Points:
        """The same rows with the coordinates of both."""
        return Points(np.hstack([self.coordinates, other.coordinates]), _pair(self.places, other.places))


def _pair(first: Places, second: Places) -> Places:
    """Number the pairs from 0."""
    numbers: Places = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1]
    return numbers


def nearest_neighbours(points: Points, rng: np.random.Generator) -> Places:
    """Nearest other row of every row, by Euclidean distance; ties and duplicates are broken uniformly at random.

    Examples
    --------
    >>> points = Points.of(np.array([[0.0], [1.0], [1.0], [5.0], [7.0]]))
    >>> neighbours = nearest_neighbours(points, np.random.default_rng(0))
    >>> neighbours[1:].tolist(), int(neighbours[0]) in (1, 2)
    ([2, 1, 4, 3], True)
    """
    return NeighbourSearch().nearest(points, rng)


class NeighbourSearch:
    """Nearest neighbours in some columns and one more, for many choices of the one.

    In many dimensions one search is slow, and a search for each choice would repeat most of the work: there the rows
    nearest in the columns that stay are listed once, and the lists answer for almost all rows.

    Parameters
    ----------
    points : Points or None
        The rows in the columns that stay, None for no columns.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, points: Points | None = None, *, n_jobs: int | None = None) -> None:
        self.points = points
        self.n_jobs = n_jobs
        self._lists = None if points is None or not _is_worth_listing(points) else _Lists.of(points, n_jobs)

    def add(self, column: Points) -> NeighbourSearch:
        """The same with one more column that stays."""
        return NeighbourSearch(self._with(column), n_jobs=self.n_jobs)

    def nearest(self, column: Points, rng: np.random.Generator) -> Places:
        """Nearest other row of every row in the columns that stay and this one.

        Rows that coincide draw among themselves, and only the others search, among places rather than rows: a tree
        that held every duplicate would visit thousands of points at distance 0 for each row.
        """
        points = self._with(column)
        rows_at = _Occupants.of(points.places)
        neighbours = rows_at.draw_companions(rng)
        unsure = np.flatnonzero(rows_at.counts[points.places] == 1)
        if self._lists is not None:
            neighbours[unsure], is_sure = self._lists.look_up(column, unsure, rng)
            unsure = unsure[~is_sure]
        if len(unsure):
            neighbours[unsure] = _search(points, rows_at, unsure, rng, self.n_jobs)
        return neighbours

    def _with(self, column: Points) -> Points:
        return column if self.points is None else self.points.beside(column)


def _is_worth_listing(points: Points) -> bool:
    """Many dimensions, and few duplicates: a list of duplicates says nothing about what is near."""
    n_rows, n_dimensions = points.coordinates.shape
    return bool(n_dimensions >= _LIST_FROM_DIMENSIONS and 2 * int(points.places.max()) >= n_rows)


@dataclass(frozen=True, eq=False)
class _Lists:
    """For every row the rows nearest to it, the nearest first."""

    rows: Places  # (n_rows, n_listed), the row itself among them
    squares: Floats  # (n_rows, n_listed) squared distances, infinite to the row itself
    reach: Floats  # (n_rows,) squared distance within which no row is missing

    @classmethod
    def of(cls, points: Points, n_jobs: int | None) -> Self:
        coordinates = points.coordinates
        n_rows, n_dimensions = coordinates.shape
        n_listed = min(n_rows, max(8, min(_MOST_LISTED, _LISTED_ENTRIES // n_rows)))
        if n_dimensions < _TREE_BELOW_DIMENSIONS:
            distances, rows = KDTree(coordinates).query(coordinates, k=n_listed, workers=n_jobs or 1)
        else:
            search = NearestNeighbors(n_neighbors=n_listed, algorithm="brute").fit(coordinates)
            distances, rows = search.kneighbors(coordinates)
        everyone = np.arange(n_rows)
        squares = _squared_distances(coordinates, everyone, rows)
        squares[rows == everyone[:, None]] = np.inf
        return cls(rows, squares, distances[:, -1] ** 2)

    def look_up(self, column: Points, rows: Places, rng: np.random.Generator) -> tuple[Places, NDArray[np.bool_]]:
        """Nearest listed row with one more column, and whether no row that is not listed can be as near.

        With one more column a distance can only grow: what is not listed stays beyond the reach of the list.
        """
        listed = self.rows[rows]
        squares = self.squares[rows] + _squared_distances(column.coordinates, rows, listed)
        radius = squares.min(axis=1) * _EQUALLY_FAR**2
        is_tied = squares <= radius[:, None]
        choice = np.argmax(is_tied, axis=1)
        several = np.flatnonzero(is_tied.sum(axis=1) > 1)
        choice[several] = np.argmax(is_tied[several] * rng.random((len(several), listed.shape[1])), axis=1)
        return listed[np.arange(len(rows)), choice], radius < self.reach[rows]


def _squared_distances(coordinates: Floats, rows: Places, others: Places) -> Floats:
    """From each row to each of its others, (n_rows, n_others)."""
    squares = np.zeros(others.shape)
    for values in coordinates.T:
        squares += (values[others] - values[rows, None]) ** 2
    return squares


@dataclass(frozen=True, eq=False)
class _Occupants:
    """The rows at each place: those of place p are ``rows[starts[p] : starts[p] + counts[p]]``."""

    places: Places
    rows: Places
    starts: Places
    counts: Places

    @classmethod
    def of(cls, places: Places) -> Self:
        counts = np.bincount(places)
        return cls(places, np.argsort(places, kind="stable"), np.cumsum(counts) - counts, counts)

    def draw_companions(self, rng: np.random.Generator) -> Places:
        """Another row at the same place, for every row; the row itself where it is alone."""
        starts, counts = self.starts[self.places], self.counts[self.places]
        position = np.empty(len(self.places), dtype=np.intp)
        position[self.rows] = np.arange(len(self.places))
        steps = 1 + (rng.random(len(self.places)) * (counts - 1)).astype(np.intp)
        return self.rows[starts + (position - starts + steps) % counts]

    def draw(self, places: Places, n_each: Places, rng: np.random.Generator) -> Places:
        """One of all the rows at the first ``n_each[0]`` places, one of those at the next ``n_each[1]``, and so on."""
        ends = np.cumsum(self.counts[places])
        lasts = ends[np.cumsum(n_each) - 1]
        firsts = np.append(0, lasts[:-1])
        drawn = firsts + (rng.random(len(n_each)) * (lasts - firsts)).astype(np.intp)
        chosen = np.searchsorted(ends, drawn, side="right")
        at = places[chosen]
        rows: Places = self.rows[self.starts[at] + self.counts[at] - (ends[chosen] - drawn)]
        return rows


def _search(points: Points, rows_at: _Occupants, alone: Places, rng: np.random.Generator, n_jobs: int | None) -> Places:
    """Nearest other row of these rows, each alone at its place."""
    at = points.coordinates[rows_at.rows[rows_at.starts]]  # (n_places, n_dimensions)
    own = points.places[alone]
    tree = KDTree(at)
    distances, nearest = tree.query(at[own], k=3, workers=n_jobs or 1)
    distances[nearest == own[:, None]] = np.inf
    choice = np.argmin(distances, axis=1)[:, None]
    radius = np.take_along_axis(distances, choice, axis=1) * _EQUALLY_FAR
    neighbours = rows_at.draw(np.take_along_axis(nearest, choice, axis=1)[:, 0], np.ones_like(alone), rng)
    tied = np.flatnonzero((distances <= radius).sum(axis=1) > 1)
    if len(tied):
        balls = tree.query_ball_point(at[own[tied]], radius[tied, 0], workers=n_jobs or 1)
        sizes = np.fromiter(map(len, balls), dtype=np.intp, count=len(tied))
        places = np.fromiter(chain.from_iterable(balls), dtype=np.intp, count=int(sizes.sum()))
        is_other = places != np.repeat(own[tied], sizes)
        neighbours[tied] = rows_at.draw(places[is_other], sizes - 1, rng)
    return neighbours
