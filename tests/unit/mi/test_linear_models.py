"""Linear models: the minima of scikit-learn's models, on the same data."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from minerva_select.mi.linear_models import RidgeFits, fit_logistic, probabilities


def draw_table(n_rows, n_terms, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, n_terms))
    return x, x[:, 0] - 0.5 * x[:, 1], rng.uniform(0.2, 2.0, n_rows), rng


@pytest.mark.parametrize("strength", [0.01, 1.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_logistic_regression_is_that_of_scikit_learn(n_classes, strength):
    x, signal, weights, rng = draw_table(300, 6)
    classes = np.digitize(signal + rng.normal(size=300), [0.0, 1.0, 1.7][: n_classes - 1])

    found = probabilities(fit_logistic(x, classes, weights, strength, max_steps=200).scores(x))

    reference = LogisticRegression(C=strength, tol=1e-6, max_iter=1000).fit(x, classes, sample_weight=weights)
    # Both end when the largest entry of the gradient is below a tolerance, ours at 1e-3
    np.testing.assert_allclose(found, reference.predict_proba(x), atol=5e-3)


def test_a_start_near_the_minimum_changes_nothing():
    x, signal, weights, rng = draw_table(300, 6)
    classes = (signal + rng.normal(size=300) > 0).astype(np.int64)
    first = fit_logistic(x, classes, weights, 0.5, max_steps=100)

    again = fit_logistic(x, classes, weights, 0.5, max_steps=100, start=first)

    np.testing.assert_allclose(again.coefficients, first.coefficients, atol=1e-2)


@pytest.mark.parametrize("n_terms", [6, 80])  # more rows than columns, and fewer
@pytest.mark.parametrize("strength", [0.01, 1.0])
def test_a_ridge_regression_is_that_of_scikit_learn(n_terms, strength):
    x, signal, weights, rng = draw_table(40, n_terms)
    y = signal + rng.normal(size=40)

    found = RidgeFits(x, y, weights).fit(strength)

    reference = Ridge(alpha=1.0 / strength).fit(x, y, sample_weight=weights)
    np.testing.assert_allclose(found.scores(x)[:, 0], reference.predict(x), atol=1e-9)


def test_equal_columns_without_much_penalty_share_their_coefficient():
    x, signal, weights, _ = draw_table(40, 3)
    twice = np.concatenate([x, x], axis=1)

    found = RidgeFits(twice, signal, weights).fit(1e20)

    np.testing.assert_allclose(found.scores(twice)[:, 0], signal, atol=1e-4)
    np.testing.assert_allclose(found.coefficients[0, :3], found.coefficients[0, 3:], atol=1e-4)
