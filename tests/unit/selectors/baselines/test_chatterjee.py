"""Dependence coefficient T: known values and its definition."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.selectors.baselines.chatterjee import make_class_coefficient, make_ordered_coefficient
from minerva_select.selectors.baselines.nearest_neighbors import NeighborSearch, PointCloud


def column(*values):
    return np.array(values, dtype=float)[:, None]


def generator(seed=0):
    return np.random.default_rng(seed)


def estimate_dependence(y, Z, rng):
    return make_ordered_coefficient(y)(NeighborSearch().find(PointCloud.from_coordinates(Z), rng))


@pytest.mark.parametrize(
    ("y", "z", "expected"),
    [
        # Worked out by hand: ranks of y, neighbors along z, T = sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i))
        ([1, 2, 3, 4, 5], [7, 1, 11, 2, 4], -0.25),
        ([1, 2, 3, 4, 5], [1, 2, 4, 7, 11], 0.0),
        ([3, 1, 4, 1, 5, 9], [0, 1, 3, 6, 10, 15], -0.4),
    ],
)
def test_t_has_known_values(y, z, expected):
    assert estimate_dependence(np.array(y), column(*z), generator()) == pytest.approx(expected, abs=1e-12)


def test_t_equals_its_definition_also_with_ties_in_y():
    rng = generator(1)
    y, neighbors = rng.integers(0, 5, size=60), rng.permutation(60)
    n_rows = 60
    up = np.array([(y <= value).sum() for value in y])
    down = np.array([(y >= value).sum() for value in y])
    numerator = (n_rows * np.minimum(up, up[neighbors]) - down**2).sum()
    assert make_ordered_coefficient(y)(neighbors) == pytest.approx(
        numerator / (down * (n_rows - down)).sum(), abs=1e-12
    )


def test_t_of_two_classes_counts_positives_with_a_positive_neighbor():
    rng = generator(2)
    y, neighbors = rng.integers(0, 2, size=60), rng.permutation(60)
    n_pairs, n_ones = int((y & y[neighbors]).sum()), int(y.sum())
    expected = (60 * n_pairs - n_ones**2) / ((60 - n_ones) * n_ones)
    assert make_ordered_coefficient(y)(neighbors) == pytest.approx(expected, abs=1e-12)


def test_t_of_classes_is_the_weighted_mean_of_one_against_the_rest():
    rng = generator(3)
    classes, neighbors = rng.integers(0, 4, size=80), rng.permutation(80)
    shares = np.bincount(classes) / 80
    each = [make_ordered_coefficient((classes == k).astype(int))(neighbors) for k in range(4)]
    expected = np.average(each, weights=shares * (1 - shares))
    assert make_class_coefficient(classes)(neighbors) == pytest.approx(expected, abs=1e-12)


def test_t_of_an_independent_column_is_about_zero_also_if_rows_are_sorted_by_y():
    found = []
    for seed in range(20):
        rng = generator(seed)
        y = np.sort(rng.integers(0, 2, size=2000))
        found.append(estimate_dependence(y, rng.integers(0, 2, size=(2000, 1)).astype(float), rng))
    # The standard deviation of one is about 0.03, so that of the mean of 20 is 0.007
    assert abs(np.mean(found)) < 0.03
    assert np.std(found) < 0.06
