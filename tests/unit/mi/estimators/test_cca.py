"""The closed form for normal columns: small tables, known covariances, and the standard error."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.mi.estimators.cca import canonical_correlations, cca_information


def test_the_mean_is_the_closed_form_of_the_sample_correlation():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((50, 1))
    y = x**2 + rng.standard_normal((50, 1))  # not normal: the identity holds for any rows
    correlation = np.corrcoef(x[:, 0], y[:, 0])[0, 1]
    assert cca_information(x, y).mean() == pytest.approx(-np.log(1 - correlation**2) / 2, abs=1e-12)


def test_several_columns_have_the_information_of_their_covariance():
    rng = np.random.default_rng(0)
    both = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 5))
    covariance = np.cov(both.T)
    determinants = [np.linalg.slogdet(block)[1] for block in (covariance[:2, :2], covariance[2:, 2:], covariance)]
    expected = (determinants[0] + determinants[1] - determinants[2]) / 2
    assert cca_information(both[:, :2], both[:, 2:]).mean() == pytest.approx(expected, abs=1e-10)


def test_linear_maps_of_a_side_change_no_value():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 100, 3))
    y += x
    mapped = x @ rng.standard_normal((3, 3)) + 7.0
    np.testing.assert_allclose(cca_information(mapped, y), cca_information(x, y), atol=1e-10)


def test_columns_that_others_determine_add_nothing():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 100, 2))
    y += x
    wider = np.column_stack([x, x.sum(axis=1), np.full(100, 3.0)])
    np.testing.assert_allclose(canonical_correlations(wider, y), canonical_correlations(x, y), atol=1e-10)


def test_a_side_that_determines_the_other_has_infinite_information():
    x = np.random.default_rng(0).standard_normal((20, 2))
    assert (cca_information(x, 2 * x[:, :1] - 1) == np.inf).all()


def test_the_spread_of_the_values_is_the_standard_error_of_the_estimate():
    correlation, estimates, errors = 0.6, [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((300, 1))
        values = cca_information(x, correlation * x + 0.8 * rng.standard_normal((300, 1)))
        estimates.append(values.mean())
        errors.append(values.std() / np.sqrt(300))
    # A standard deviation over 200 seeds is known to 5%; the closed form is r / sqrt(n)
    assert np.std(estimates) == pytest.approx(correlation / np.sqrt(300), rel=0.2)
    assert np.mean(errors) == pytest.approx(correlation / np.sqrt(300), rel=0.05)
