"""Means by bin, and accumulated local effects of fitted trees."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.solvers.local_effects import EffectRows, adjusted_means, fit_fold, means_by_bin, residuals_by_bin

N_ROWS = 6000
N_BINS = 8


def effect_rows(seed=0, correlation=0.0):
    """y = a + 3 b; both are uniform on eight bins, and b follows a with this share."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(N_BINS, size=(2, N_ROWS))
    b = np.where(rng.random(N_ROWS) < correlation, a, b)
    x = np.stack([a, b], axis=1).astype(np.float32)
    y = (a + 3.0 * b + rng.normal(size=N_ROWS))[:, None]
    return EffectRows(x, np.zeros(2, dtype=bool), y, None, np.ones(N_ROWS))


def three_folds(rows):
    part = np.arange(N_ROWS) % 3
    found = []
    for k in range(3):
        rest = np.flatnonzero(part != k)
        found.append(fit_fold(rows, rest[500:], rest[:500], np.flatnonzero(part == k), seed=0))
    return found


def adjusted(rows, folds):
    """Effect of the first column given the second one."""
    binned = [(column.astype(np.int64), N_BINS) for column in rows.x.T]
    residual, _ = residuals_by_bin(rows, folds, binned)
    return adjusted_means(rows, folds, 0, binned[0][0], np.arange(-1, N_BINS - 1), residual)


@pytest.mark.parametrize("weights", [np.ones(6), np.array([1.0, 3.0, 1.0, 1.0, 2.0, 2.0])])
def test_means_by_bin_are_weighted_means(weights):
    values, index = np.array([[0.0], [4.0], [1.0], [1.0], [2.0], [6.0]]), np.array([0, 0, 1, 1, 2, 2])
    found = means_by_bin(values, index, 3, weights)
    expected = [np.average(values[index == k, 0], weights=weights[index == k]) for k in range(3)]
    assert found.mean[:, 0] == pytest.approx(expected)
    assert (found.standard_error > 0).all()  # also of two equal values


def test_the_standard_error_of_many_rows_is_the_usual_one():
    values = np.random.default_rng(0).normal(scale=2.0, size=(1000, 1))
    found = means_by_bin(values, np.zeros(1000, dtype=np.int64), 1, np.ones(1000))
    assert found.standard_error[0, 0] == pytest.approx(2.0 / np.sqrt(1000), rel=0.1)  # 5 standard errors


def test_copies_of_rows_in_a_cluster_do_not_make_a_mean_more_certain():
    values = np.random.default_rng(0).normal(size=(100, 1))
    once = means_by_bin(values, np.zeros(100, dtype=np.int64), 1, np.ones(100))
    copies = np.repeat(values, 4, axis=0), np.zeros(400, dtype=np.int64), 1, np.ones(400), np.repeat(np.arange(100), 4)
    assert means_by_bin(*copies).standard_error == pytest.approx(once.standard_error)


def test_a_bin_without_rows_has_no_mean():
    found = means_by_bin(np.ones((3, 1)), np.array([0, 0, 2]), 3, np.ones(3))
    assert np.isnan(found.mean[:, 0]).tolist() == [False, True, False]


def test_adjusted_means_of_independent_columns_are_those_of_the_formula():
    rows = effect_rows()
    found = adjusted(rows, three_folds(rows))
    error = found.mean[:, 0] - (np.arange(N_BINS) - rows.x[:, 0].mean())
    # Two of eight intervals may miss: they have 95% each and share the errors of the models
    assert (np.abs(error) < 1.96 * found.standard_error[:, 0]).sum() >= 6


def test_adjusted_means_of_correlated_columns_leave_out_the_effect_of_the_other_column():
    rows = effect_rows(correlation=0.7)
    index = rows.x[:, 0].astype(np.int64)
    truth = np.arange(N_BINS) - rows.x[:, 0].mean()
    observed = means_by_bin(rows.y - rows.y.mean(), index, N_BINS, rows.weights).mean[:, 0]
    found = adjusted(rows, three_folds(rows)).mean[:, 0]
    # Trees give a small part of the effect of a column to the one that follows it
    assert np.abs(found - truth).max() < 0.1 * np.abs(observed - truth).max()


def test_what_trees_do_not_learn_is_found_in_their_residuals():
    rows = effect_rows(correlation=0.5)

    class Constant:
        n_rounds, gains = 1, None

        def predict(self, x):
            return np.zeros(len(x))

    folds = three_folds(rows)
    for fold in folds:
        object.__setattr__(fold, "model", Constant())
    found = adjusted(rows, folds)
    # The regression of the residuals finds a + 3 b alone; noise has a standard error of 0.04 per bin
    assert found.mean[:, 0] == pytest.approx(np.arange(N_BINS) - rows.x[:, 0].mean(), abs=0.15)


def test_rows_of_a_single_class_have_no_model():
    rows = effect_rows()
    single = EffectRows(rows.x, rows.is_categorical, rows.y, np.zeros(N_ROWS, dtype=np.int64), rows.weights)
    assert fit_fold(single, np.arange(100), np.arange(100, 200), np.arange(200, 300), seed=0) is None
