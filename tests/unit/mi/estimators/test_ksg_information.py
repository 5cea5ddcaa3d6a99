"""The estimator by nearest neighbors: counts worked out by hand, and normal columns of known information."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.mi.estimators import ksg
from minerva_select.mi.estimators.ksg import ksg_information


def normal_pair(n_rows, correlation, n_columns=1, seed=0):
    rng = np.random.default_rng(seed)
    x, errors = rng.standard_normal((2, n_rows, n_columns))
    return x, correlation * x + np.sqrt(1 - correlation**2) * errors


def test_four_rows_give_the_value_worked_out_by_hand():
    # The nearest neighbors are rows 0 and 1, and rows 2 and 3. In units of the standard deviations (2.38 and 3.20) the
    # first two differ more in x, the last two more in y. In that column no row is closer, in the other the neighbor is.
    x = np.array([[0.0], [1.0], [4.0], [6.0]])
    y = np.array([[0.0], [1.0], [8.0], [5.0]])
    found = ksg_information(x, y, np.random.default_rng(0), n_neighbors=1)
    # psi(1) + psi(4) - psi(1) - psi(2) = 1/2 + 1/3
    np.testing.assert_allclose(found, 5 / 6, rtol=1e-12)


@pytest.mark.parametrize("count", [ksg._count_by_tree, ksg._count_by_distances])
def test_rows_on_the_border_do_not_count(count):
    # (0, 1) and (1, 3) are at distance 2, (3, 0) is at distance 3 from both, and (7, 8) at distance 6 from (1, 3)
    x, y = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([[1.0], [3.0], [0.0], [8.0]])
    n_x, n_y = count(x, y, 1)
    assert n_x.tolist() == [2, 2, 2, 2]
    assert n_y.tolist() == [2, 1, 2, 2]


def test_trees_and_distances_count_the_same_rows():
    x, y = normal_pair(300, 0.7)
    by_tree, by_distances = (count(x, y, 5) for count in (ksg._count_by_tree, ksg._count_by_distances))
    np.testing.assert_array_equal(by_tree, by_distances)


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9])
def test_normal_columns_have_the_information_of_their_correlation(correlation):
    x, y = normal_pair(2000, correlation)
    found = ksg_information(x, y, np.random.default_rng(0)).mean()
    # The standard deviation over seeds is 0.02 at most
    assert found == pytest.approx(-np.log(1 - correlation**2) / 2, abs=0.06)


def test_rotating_a_side_changes_nothing():
    # Distances within a side are Euclidean; both columns have the same variance before and after
    x, y = normal_pair(500, 0.7, n_columns=2)
    x, y = (np.linalg.svd(side - side.mean(axis=0), full_matrices=False)[0] for side in (x, y))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    plain, turned = (ksg._count_by_distances(side, y, 10) for side in (x, x @ turn))
    np.testing.assert_array_equal(turned, plain)


def test_ties_do_not_count_as_dependence():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, size=(2, 1500, 1)).astype(float)
    # Without noise all neighbors would be at distance 0
    assert ksg_information(x, y, rng).mean() == pytest.approx(0.0, abs=0.05)


def test_scale_and_location_do_not_matter():
    x, y = normal_pair(200, 0.5)
    plain, moved = (ksg_information(side, y, np.random.default_rng(0)).mean() for side in (x, 1e6 * x - 3e7))
    assert moved == pytest.approx(plain, abs=1e-6)


def test_fewer_rows_than_neighbors_use_all_other_rows():
    x, y = normal_pair(5, 0.5)
    assert np.isfinite(ksg_information(x, y, np.random.default_rng(0))).all()
