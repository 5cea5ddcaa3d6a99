"""Nearest neighbors: the nearest row, and ties at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from minerva_select.selectors.baselines.nearest_neighbors import NeighborSearch, PointCloud


def column(*values):
    return np.array(values, dtype=float)[:, None]


def generator(seed=0):
    return np.random.default_rng(seed)


def find_neighbors(coordinates, rng):
    return NeighborSearch().find(PointCloud.from_coordinates(coordinates), rng)


def test_neighbors_are_nearest():
    rng = generator(4)
    Z = np.column_stack([rng.normal(size=300), rng.integers(0, 4, size=300), rng.normal(size=300)])
    distances = cdist(Z, Z)
    np.fill_diagonal(distances, np.inf)
    neighbors = find_neighbors(Z, rng)
    assert distances[np.arange(300), neighbors] == pytest.approx(distances.min(axis=1))


@pytest.mark.parametrize("n_columns", [4, 8])
def test_lists_find_the_same_neighbors_as_a_search(n_columns):
    rng = generator(5)
    Z = rng.normal(size=(400, n_columns))
    Z[:50] *= 5  # far from all others, where lists are too short
    fixed, last = PointCloud.from_coordinates(Z[:, :-1]), PointCloud.from_coordinates(Z[:, -1:])
    assert NeighborSearch(fixed).find(last, rng).tolist() == find_neighbors(Z, rng).tolist()


def test_rows_equally_near_are_equally_likely():
    # Row 0 is one step from two rows on its left and one on its right
    points = column(0.0, -1.0, -1.0, 1.0, 5.0)
    drawn = np.array([find_neighbors(points, generator(seed))[0] for seed in range(600)])
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] == counts[4] == 0
    # Binomial with mean 200 and standard deviation 11.5
    assert (np.abs(counts[1:4] - 200) < 50).all()


def test_rows_that_coincide_draw_from_each_other():
    points = column(3.0, 3.0, 3.0, 8.0, 8.0)
    drawn = np.array([find_neighbors(points, generator(seed)) for seed in range(400)])
    assert (drawn != np.arange(5)).all()
    assert set(drawn[:, 3]) == {4}
    # Binomial with mean 200 and standard deviation 10
    assert abs((drawn[:, 0] == 1).sum() - 200) < 45
    assert set(drawn[:, 0]) == {1, 2}


def test_ties_are_uniform_in_many_columns_too():
    # The middle of a grid in five columns, with a neighbor on either side along each
    grid = np.vstack([np.zeros(5), np.eye(5), -np.eye(5)])
    far = 100 + 10 * generator(6).normal(size=(60, 5))
    points = np.vstack([grid, far])
    search = NeighborSearch(PointCloud.from_coordinates(points[:, :-1]))
    last = PointCloud.from_coordinates(points[:, -1:])
    drawn = np.bincount([search.find(last, generator(seed))[0] for seed in range(600)], minlength=11)
    assert drawn[0] == drawn[11:].sum() == 0
    # Binomial with mean 60 and standard deviation 7.3
    assert (np.abs(drawn[1:11] - 60) < 33).all()
