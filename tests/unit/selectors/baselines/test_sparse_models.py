"""L1-penalized models: soft thresholds worked out by hand, and the minimum of loss and penalty."""

from __future__ import annotations

import numpy as np
import pytest

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
