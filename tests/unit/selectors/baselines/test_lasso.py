"""Lasso: against soft thresholds worked out by hand, against scikit-learn, and on tables of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Lasso

from minerva_select.problems import additive, independent
from minerva_select.selectors import LassoSelector
from minerva_select.selectors.baselines.encoding import MAX_LEVELS, as_predictors
from minerva_select.selectors.baselines.sparse_models import SparseProblem, choose_penalty


def test_linear_coefficients_are_soft_thresholds_of_orthogonal_predictors():
    # Two orthogonal predictors of norm 1 a row: each coefficient is its slope less the penalty, or 0.
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    problem = SparseProblem(X, X @ [[2.0], [-0.5]], np.ones(4), False, seed=0)
    found = [model.coefficients[0] for model in problem.path([2.5, 1.0, 0.25])]
    np.testing.assert_allclose(found, [[0, 0], [1, 0], [1.75, -0.25]], atol=1e-9)


def test_the_first_penalty_keeps_everything_out_and_the_third_does_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    labels = (X[:, :1] + rng.normal(size=(500, 1)) > 0).astype(float)
    for outputs, is_classification in ((X[:, :1] + X[:, 1:2], False), (labels, True)):
        problem = SparseProblem(X, outputs, np.ones(500), is_classification, seed=0)
        # Penalties fall by a factor of 1.44 a step, from a tenth above the first that lets one in.
        n_in = [np.count_nonzero(model.coefficients) for model in problem.path(problem.penalties[:3])]
        assert n_in[0] == 0
        assert n_in[2] > 0


def test_logistic_coefficients_are_at_the_minimum_of_loss_and_penalty():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    labels = (X[:, :1] + 0.5 + rng.logistic(size=(400, 1)) > 0).astype(float)
    problem = SparseProblem(X, labels, np.ones(400), True, seed=0)
    model = next(problem.path([0.05]))
    # At the minimum the gradient is the penalty where a coefficient is in, and within it where one is out.
    chances = 1 / (1 + np.exp(-(X @ model.coefficients[0] + model.intercepts[0])))
    gradient = X.T @ (chances - labels[:, 0]) / 400
    is_in = model.coefficients[0] != 0
    assert is_in.tolist() == [True, False, False]
    np.testing.assert_allclose(gradient[is_in], -0.05, atol=2e-3)  # the solver's tolerance is 1e-3
    assert (np.abs(gradient[~is_in]) <= 0.05).all()
    # The intercept is hardly penalised: its gradient is the penalty over the scaling of 30.
    assert np.mean(chances - labels[:, 0]) == pytest.approx(0, abs=4e-3)


def test_loss_is_that_of_the_formula():
    problem = SparseProblem(np.array([[1.0], [-1.0]]), np.array([[1.0], [0.0]]), np.array([1.5, 0.5]), True, seed=0)
    model = next(problem.path([1e3]))
    null = type(model)(np.zeros((1, 1)), np.array([np.log(3.0)]))  # a chance of 3/4 for both rows
    assert problem.loss(null) == pytest.approx(0.75 * np.log(4 / 3) + 0.25 * np.log(4))


def test_cross_validation_leaves_noise_out():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1000, 10))
    y = X[:, :1] + rng.normal(size=(1000, 1))
    problem = SparseProblem(X, y, np.ones(1000), False, seed=0)
    model = next(problem.path([choose_penalty(problem, np.arange(1000) % 5)]))
    assert np.flatnonzero(model.coefficients[0]).tolist() == [0]


def test_predictors_have_mean_0_and_unit_scale_under_weights():
    rng = np.random.default_rng(3)
    X, weights = rng.normal(3, 5, size=(50, 2)), rng.random(50)
    predictors, owners = as_predictors(X, np.array([False, False]), weights)
    np.testing.assert_allclose(np.average(predictors, axis=0, weights=weights), 0, atol=1e-12)
    np.testing.assert_allclose(np.average(predictors**2, axis=0, weights=weights), 1)
    assert owners.tolist() == [0, 1]


def test_rare_levels_are_joined():
    levels = np.concatenate([np.arange(200), np.arange(60)]).astype(float)[:, None]
    predictors, owners = as_predictors(levels, np.array([True]), np.ones(260))
    assert predictors.shape == (260, MAX_LEVELS - 1)  # the commonest is left to the intercept
    assert (owners == 0).all()
    n_rows = np.sort(np.count_nonzero(predictors.toarray(), axis=0))
    assert n_rows.tolist() == [2] * (MAX_LEVELS - 2) + [260 - 2 * (MAX_LEVELS - 1)]


def test_keeps_as_many_as_asked_for_the_strongest_first():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(400, 5))
    y = X @ [0.0, 3.0, 1.0, 0.0, 2.0] + rng.normal(size=400)
    kept = [np.flatnonzero(LassoSelector(k, random_state=0).fit(X, y).get_support()).tolist() for k in (1, 2, 3)]
    assert kept == [[1], [1, 4], [1, 2, 4]]
    assert LassoSelector(5, random_state=0).fit(X, y).get_support().all()


def test_scores_are_the_coefficients_of_scikit_learn():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = X @ [2.0, 0.0, -1.0, 0.0] + rng.normal(size=300)
    scores = LassoSelector(random_state=0).fit(X, y).scores_
    Z, z = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    # The penalty is where the strongest coefficient says: correlations of the residual with what is in equal it.
    signs = np.array([1, 0, -1, 0])
    penalty = abs(Z[:, 0] @ (z - Z @ (signs * scores))) / 300
    np.testing.assert_allclose(scores, np.abs(Lasso(alpha=penalty, tol=1e-8).fit(Z, z).coef_), atol=2e-3)


def test_finds_the_linear_columns_of_a_sum():
    problem = additive(n_samples=2000, random_state=0)
    # f2 acts by a square, which no straight line sees.
    assert LassoSelector(random_state=0).fit(problem.X, problem.y).selection_.selected == ("f0", "f1", "f3", "f4")


def test_noise_gives_nothing():
    problem = independent(n_samples=2000, random_state=0)
    assert LassoSelector(random_state=0).fit(problem.X, problem.y).selection_.selected == ()


def test_three_classes_are_told_apart_each_from_the_rest():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, size=600)
    X = rng.normal(size=(600, 5))
    X[:, 1] += 2.0 * (y == 0)
    X[:, 4] += 2.0 * (y == 2)
    assert np.flatnonzero(LassoSelector(2, random_state=0).fit(X, y).get_support()).tolist() == [1, 4]


def test_text_and_missing_values_are_read():
    rng = np.random.default_rng(7)
    colour = rng.choice(["red", "green", "blue"], size=600)
    X = pd.DataFrame(
        {
            "colour": pd.Series(colour).mask(rng.random(600) < 0.1),
            "amount": np.where(rng.random(600) < 0.1, np.nan, rng.normal(size=600)),
        }
    )
    selector = LassoSelector(random_state=0).fit(X, (colour == "red") + 0.1 * rng.normal(size=600))
    assert selector.selection_.selected == ("colour",)


def test_large_tables_are_sampled_with_rare_classes_whole(monkeypatch):
    monkeypatch.setattr("minerva_select.selectors.baselines.lasso._MAX_ROWS", 1000)
    rng = np.random.default_rng(8)
    X = rng.normal(size=(5000, 4))
    y = np.zeros(5000, dtype=int)
    y[:60] = 1
    X[:60, 2] += 2.0
    selector = LassoSelector(random_state=0).fit(X, y)
    assert np.flatnonzero(selector.get_support()).tolist() == [2]
    assert selector.selection_.warnings == ("Fitted on 560 of 5000 rows, weighted to stand for all.",)


def test_a_class_of_one_row_is_no_obstacle():
    X = np.random.default_rng(9).normal(size=(60, 3))
    assert LassoSelector(random_state=0).fit(X, np.arange(60) == 7).selection_.n_rows == 60


@pytest.mark.parametrize("classes", [False, True])
def test_weights_count_like_copies_of_rows(classes):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 0.5, 0.0] + rng.normal(size=80)
    y = y > 0 if classes else y
    times = rng.integers(1, 4, size=80)
    weighted = LassoSelector(2, random_state=0).fit(X, y, sample_weight=times).scores_
    copied = LassoSelector(2, random_state=0).fit(X.repeat(times, axis=0), y.repeat(times), None).scores_
    np.testing.assert_allclose(weighted, copied, atol=1e-3)  # the solvers' tolerance


def test_same_seed_same_coefficients():
    problem = additive(n_samples=300, random_state=0)
    first, again = (
        LassoSelector(random_state=1).fit(problem.X, problem.y > problem.y.median()).scores_ for _ in range(2)
    )
    assert np.array_equal(first, again)
