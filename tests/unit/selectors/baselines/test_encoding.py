"""Bins of numeric columns, merged levels and standardized predictors."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.config import BASELINES
from minerva_select.selectors.baselines.encoding import bin_numeric, encode_predictors, merge_rare_levels


def test_bins_have_equal_weights():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=1000), rng.integers(1, 4, size=1000).astype(float)
    bins = bin_numeric(values, weights)
    shares = np.bincount(bins, weights=weights) / weights.sum()
    assert shares == pytest.approx(np.full(10, 0.1), abs=0.003)  # one row has at most 0.0015 of the weight
    assert (np.diff(bins[np.argsort(values)]) >= 0).all()


def test_rare_values_on_both_sides_of_a_frequent_one_keep_their_bins():
    values = np.repeat([-1.0, 0.0, 1.0], [5, 90, 5])
    assert bin_numeric(values, np.ones(100)).tolist() == np.repeat([0, 1, 2], [5, 90, 5]).tolist()


def test_the_levels_of_least_weight_are_merged():
    codes = merge_rare_levels(np.array(["a", "b", "c", "d"]), np.array([1.0, 5.0, 2.0, 4.0]), max_levels=3)
    assert codes.tolist() == [2, 0, 2, 1]


def test_predictors_have_mean_0_and_unit_scale_under_weights():
    rng = np.random.default_rng(3)
    X, weights = rng.normal(3, 5, size=(50, 2)), rng.random(50)
    predictors, column_of = encode_predictors(X, np.array([False, False]), weights)
    np.testing.assert_allclose(np.average(predictors, axis=0, weights=weights), 0, atol=1e-12)
    np.testing.assert_allclose(np.average(predictors**2, axis=0, weights=weights), 1)
    assert column_of.tolist() == [0, 1]


def test_rare_levels_are_merged():
    levels = np.concatenate([np.arange(200), np.arange(60)]).astype(float)[:, None]
    predictors, column_of = encode_predictors(levels, np.array([True]), np.ones(260))
    n_predictors = BASELINES.max_levels_linear - 1  # the intercept stands for the most frequent level
    assert predictors.shape == (260, n_predictors)
    assert (column_of == 0).all()
    n_rows = np.sort(np.count_nonzero(predictors.toarray(), axis=0))
    assert n_rows.tolist() == [2] * (n_predictors - 1) + [260 - 2 * n_predictors]
