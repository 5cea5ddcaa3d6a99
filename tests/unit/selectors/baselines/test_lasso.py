"""Lasso: agreement with scikit-learn, and tables of all types."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Lasso

from minerva_select.codes import WarningCode
from minerva_select.config import BASELINES
from minerva_select.problems import additive, independent
from minerva_select.selectors import LassoSelector


def test_a_requested_number_takes_the_largest_coefficients():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 5))
    y = X @ [0.0, 3.0, 1.0, 0.0, 2.0] + rng.normal(size=400)
    selected = [np.flatnonzero(LassoSelector(k, random_state=0).fit(X, y).get_support()).tolist() for k in (1, 2, 3)]
    assert selected == [[1], [1, 4], [1, 2, 4]]
    assert LassoSelector(5, random_state=0).fit(X, y).get_support().all()


def test_scores_are_the_coefficients_of_scikit_learn():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = X @ [2.0, 0.0, -1.0, 0.0] + rng.normal(size=300)
    scores = LassoSelector(random_state=0).fit(X, y).scores_
    Z, z = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    # Correlations of the residual with predictors of nonzero coefficients equal the penalty
    signs = np.array([1, 0, -1, 0])
    penalty = abs(Z[:, 0] @ (z - Z @ (signs * scores))) / 300
    np.testing.assert_allclose(scores, np.abs(Lasso(alpha=penalty, tol=1e-8).fit(Z, z).coef_), atol=2e-3)


def test_the_linear_columns_of_a_sum_are_found():
    problem = additive(n_samples=2000, random_state=0)
    # f2 enters as a square, which a linear model cannot use
    assert LassoSelector(random_state=0).fit(problem.X, problem.y).selection_.selected == ("f0", "f1", "f3", "f4")


def test_nothing_is_selected_from_noise():
    problem = independent(n_samples=2000, random_state=0)
    assert LassoSelector(random_state=0).fit(problem.X, problem.y).selection_.selected == ()


def test_each_of_three_classes_is_compared_with_the_rest():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, size=600)
    X = rng.normal(size=(600, 5))
    X[:, 1] += 2.0 * (y == 0)
    X[:, 4] += 2.0 * (y == 2)
    assert np.flatnonzero(LassoSelector(2, random_state=0).fit(X, y).get_support()).tolist() == [1, 4]


def test_text_and_missing_values_are_accepted():
    rng = np.random.default_rng(7)
    color = rng.choice(["red", "green", "blue"], size=600)
    X = pd.DataFrame(
        {
            "color": pd.Series(color).mask(rng.random(600) < 0.1),
            "size": np.where(rng.random(600) < 0.1, np.nan, rng.normal(size=600)),
        }
    )
    selector = LassoSelector(random_state=0).fit(X, (color == "red") + 0.1 * rng.normal(size=600))
    assert selector.selection_.selected == ("color",)


def test_large_tables_are_sampled_with_all_rows_of_rare_classes(monkeypatch):
    small = dataclasses.replace(BASELINES, max_lasso_rows=1000)
    monkeypatch.setattr("minerva_select.selectors.baselines.lasso.BASELINES", small)
    rng = np.random.default_rng(8)
    X = rng.normal(size=(5000, 4))
    y = np.zeros(5000, dtype=int)
    y[:60] = 1
    X[:60, 2] += 2.0
    selector = LassoSelector(random_state=0).fit(X, y)
    assert np.flatnonzero(selector.get_support()).tolist() == [2]
    (warning,) = selector.selection_.warnings
    assert warning.code is WarningCode.SUBSAMPLED
    assert warning.values == {"n_rows": 560, "n_total": 5000}


def test_a_class_of_one_row_is_accepted():
    X = np.random.default_rng(9).normal(size=(60, 3))
    assert LassoSelector(random_state=0).fit(X, np.arange(60) == 7).selection_.n_rows == 60


@pytest.mark.parametrize("classes", [False, True])
def test_weights_count_like_copies_of_rows(classes):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 0.5, 0.0] + rng.normal(size=80)
    y = y > 0 if classes else y
    n_copies = rng.integers(1, 4, size=80)
    weighted = LassoSelector(2, random_state=0).fit(X, y, sample_weight=n_copies).scores_
    copied = LassoSelector(2, random_state=0).fit(X.repeat(n_copies, axis=0), y.repeat(n_copies)).scores_
    np.testing.assert_allclose(weighted, copied, atol=1e-3)  # the solvers' tolerance


def test_the_same_seed_gives_the_same_coefficients():
    problem = additive(n_samples=300, random_state=0)
    first, again = (
        LassoSelector(random_state=1).fit(problem.X, problem.y > problem.y.median()).scores_ for _ in range(2)
    )
    assert np.array_equal(first, again)
