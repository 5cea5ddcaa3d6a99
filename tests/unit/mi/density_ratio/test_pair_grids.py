"""Claims about density ratios of two numeric columns on a grid, and about their nearest neighbors."""

import numpy as np
import pytest
import torch

from known_information import correlated, gaussian_information, side_in_order
from minerva_select.mi.density_ratio.fold import FoldRows
from minerva_select.mi.density_ratio.neighbors import clear_excess, neighbor_information
from minerva_select.mi.density_ratio.pair_grids import PairGrid, cross_fit_pair, is_pair

N_ROWS = 1200
ROWS = FoldRows(*np.split(np.arange(N_ROWS), [700, 900]))


def held_out_information(x, y):
    sides = side_in_order(x[:, None]), side_in_order(y[:, None])
    return float(cross_fit_pair(*sides, ROWS, np.random.default_rng(0)).mixed.mean())


def test_two_numeric_columns_are_a_pair():
    x, y = (side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.5))
    assert is_pair(x, y)
    assert not is_pair(x, x.join(y))


def test_every_ratio_has_mean_1_over_either_column():
    grid = PairGrid.of(*(side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.8)))
    x_shares, y_shares = grid.shares
    for ratio in grid.smooth(ROWS.train, len(ROWS.train)):
        torch.testing.assert_close(x_shares @ ratio.exp(), torch.ones(len(y_shares)), atol=0.01, rtol=0.0)
        torch.testing.assert_close(ratio.exp() @ y_shares, torch.ones(len(x_shares)), atol=0.01, rtol=0.0)


def test_narrow_kernels_need_more_rows():
    grid = PairGrid.of(*(side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.8)))
    n_kernels = [len(list(grid.smooth(ROWS.train, n_train))) for n_train in (30, 700, 10_000)]
    assert n_kernels == sorted(set(n_kernels))


def test_gaussian_information_is_found():
    x, y = correlated(N_ROWS, 1, 1, 0.8)
    # Two standard errors of 300 held-out rows
    assert held_out_information(x[:, 0], y[:, 0]) == pytest.approx(gaussian_information(0.8), abs=0.1)


def test_a_band_with_sharp_edges_is_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=N_ROWS)
    truth = 0.3 - np.log(0.6)  # of additive uniform noise
    assert held_out_information(x, x + rng.uniform(-0.3, 0.3, size=N_ROWS)) == pytest.approx(truth, abs=0.2)


def test_independent_columns_have_no_information():
    rng = np.random.default_rng(0)
    assert held_out_information(*rng.uniform(size=(2, N_ROWS))) == pytest.approx(0.0, abs=0.02)


def test_neighbors_read_columns_with_many_equal_values():
    x, y = (side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.8))
    rounded = side_in_order(np.rint(4 * x.normal_scores))
    for side in (x, rounded):
        found = neighbor_information(side, y, np.random.default_rng(0)).mean()
        assert found == pytest.approx(gaussian_information(0.8), abs=0.1)  # two standard errors


def test_equal_values_hold_no_information():
    x, y = (side_in_order(values) for values in correlated(N_ROWS, 1, 1, 0.0))
    zeros = side_in_order(np.where(x.normal_scores > 1.0, x.normal_scores, 0.0))
    assert neighbor_information(zeros, y, np.random.default_rng(0)).mean() == pytest.approx(0.0, abs=0.05)


def test_an_excess_within_its_error_is_0_and_a_clear_one_is_kept():
    rng = np.random.default_rng(0)
    pointwise, noise = np.full(N_ROWS, 0.5), rng.normal(size=N_ROWS)
    noise -= noise.mean()
    assert clear_excess(pointwise + 0.05 + noise, pointwise, 0.5) == 0.0  # the error is 1.4 / sqrt(1200) = 0.04
    assert clear_excess(pointwise + 0.5 + noise, pointwise, 0.5) == pytest.approx(0.5, abs=0.02)
    assert clear_excess(pointwise - 0.5 + noise, pointwise, 0.5) == 0.0
