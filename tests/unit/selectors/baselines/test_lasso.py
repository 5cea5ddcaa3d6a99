"""Lasso: soft thresholds worked out by hand, agreement with scikit-learn, and tables of all types."""

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
from minerva_select.selectors.baselines.encoding import encode_predictors
from minerva_select.selectors.baselines.sparse_models import SparseProblem, choose_penalty


def test_linear_coefficients_are_soft_thresholds_of_orthogonal_predictors():
    # Each coefficient of two orthogonal predictors of variance 1 is its slope minus the penalty, or 0
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    problem = SparseProblem(X, X @ [[2.0], [-0.5]], np.ones(4), False, seed=0)
    found = [model.coefficients[0] for model in problem.fit_path([2.5, 1.0, 0.25])]
    np.testing.assert_allclose(found, [[0, 0], [1, 0], [1.75, -0.25]], atol=1e-9)


def test_all_coefficients_are_zero_at_the_first_penalty_but_not_at_the_third():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    labels = (X[:, :1] + rng.normal(size=(500, 1)) > 0).astype(float)
    for outputs, is_classification in ((X[:, :1] + X[:, 1:2], False), (labels, True)):
        problem = SparseProblem(X, outputs, np.ones(500), is_classification, seed=0)
        # Penalties fall by a factor of 1.44 per step, from 10% above the largest with a coefficient
        n_nonzero = [np.count_nonzero(model.coefficients) for model in problem.fit_path(problem.penalties[:3])]
        assert n_nonzero[0] == 0
        assert n_nonzero[2] > 0


def test_logistic_coefficients_are_at_the_minimum_of_loss_and_penalty():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    labels = (X[:, :1] + 0.5 + rng.logistic(size=(400, 1)) > 0).astype(float)
    problem = SparseProblem(X, labels, np.ones(400), True, seed=0)
    model = next(problem.fit_path([0.05]))
    # At the minimum the gradient equals the penalty for nonzero coefficients and is smaller for others
    probabilities = 1 / (1 + np.exp(-(X @ model.coefficients[0] + model.intercepts[0])))
    gradient = X.T @ (probabilities - labels[:, 0]) / 400
    is_nonzero = model.coefficients[0] != 0
    assert is_nonzero.tolist() == [True, False, False]
    np.testing.assert_allclose(gradient[is_nonzero], -0.05, atol=2e-3)  # the solver's tolerance is 1e-3
    assert (np.abs(gradient[~is_nonzero]) <= 0.05).all()
    # The intercept is hardly penalized: its gradient is the penalty divided by the scaling of 30
    assert np.mean(probabilities - labels[:, 0]) == pytest.approx(0, abs=4e-3)


def test_the_loss_is_that_of_the_formula():
    problem = SparseProblem(np.array([[1.0], [-1.0]]), np.array([[1.0], [0.0]]), np.array([1.5, 0.5]), True, seed=0)
    model = next(problem.fit_path([1e3]))
    null = type(model)(np.zeros((1, 1)), np.array([np.log(3.0)]))  # a probability of 3/4 for both rows
    assert problem.compute_loss(null) == pytest.approx(0.75 * np.log(4 / 3) + 0.25 * np.log(4))


def test_cross_validation_drops_noise():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1000, 10))
    y = X[:, :1] + rng.normal(size=(1000, 1))
    problem = SparseProblem(X, y, np.ones(1000), False, seed=0)
    model = next(problem.fit_path([choose_penalty(problem, np.arange(1000) % 5)]))
    assert np.flatnonzero(model.coefficients[0]).tolist() == [0]


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
