"""Scores of predictions, and their derivatives by the weights of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, r2_score, roc_auc_score

from minerva_select.solvers.model_scores import (
    average,
    average_precision,
    macro_roc_auc,
    r_squared,
    roc_auc,
    standard_error,
)

N_ROWS = 60


@pytest.fixture
def rows():
    """Rounded predictions, so that some are equal; whether rows are positive; weights."""
    rng = np.random.default_rng(0)
    positive = rng.random(N_ROWS) < 0.3
    return (positive + rng.normal(size=N_ROWS)).round(1), positive, rng.uniform(0.5, 2.0, N_ROWS)


def of_curve(metric, reference):
    return lambda predicted, y, weights: (metric(predicted, y, weights), reference(y, predicted, sample_weight=weights))


def of_numbers(predicted, positive, weights):
    y = predicted + np.sin(np.arange(N_ROWS))
    return r_squared(predicted, y, weights), r2_score(y, predicted, sample_weight=weights)


def of_classes(predicted, positive, weights):
    classes = np.arange(N_ROWS) % 3
    shares = np.stack([predicted, np.cos(predicted), np.sin(np.arange(N_ROWS))], axis=1)
    each = [roc_auc_score(classes == k, shares[:, k], sample_weight=weights) for k in range(3)]
    return macro_roc_auc(shares, classes, weights), np.mean(each)


CASES = {
    "roc_auc": of_curve(roc_auc, roc_auc_score),
    "average_precision": of_curve(average_precision, average_precision_score),
    "r_squared": of_numbers,
    "macro_roc_auc": of_classes,
}


@pytest.mark.parametrize("name", CASES)
def test_scores_are_those_of_scikit_learn(name, rows):
    score, expected = CASES[name](*rows)
    assert score.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_the_changes_by_a_small_weight(name, rows):
    predicted, positive, weights = rows
    score, _ = CASES[name](*rows)
    step, found = 1e-6, []
    for row in range(N_ROWS):
        more, less = weights.copy(), weights.copy()
        more[row] += step
        less[row] -= step
        found.append(CASES[name](predicted, positive, more)[0].value - CASES[name](predicted, positive, less)[0].value)
    np.testing.assert_allclose(score.derivatives, np.array(found) / (2 * step), atol=1e-7)
    assert weights @ score.derivatives == pytest.approx(0, abs=1e-9)  # twice the weights give the same score


@pytest.mark.parametrize("metric", [roc_auc, average_precision])
def test_the_standard_error_of_a_difference_is_that_of_the_bootstrap(metric):
    rng = np.random.default_rng(1)
    positive = rng.random(2_000) < 0.2
    shared = positive + rng.normal(size=2_000)
    first, second, ones = shared + 0.3 * rng.normal(size=2_000), shared + rng.normal(size=2_000), np.ones(2_000)
    difference = metric(first, positive, ones) - metric(second, positive, ones)
    drawn = []
    for _ in range(300):
        weights = np.bincount(rng.integers(2_000, size=2_000), minlength=2_000).astype(float)
        drawn.append((metric(first, positive, weights) - metric(second, positive, weights)).value)
    # 300 resamples give the standard deviation to 4%
    assert standard_error(difference, ones) == pytest.approx(np.std(drawn), rel=0.15)


def test_rows_of_a_cluster_count_as_one():
    rng = np.random.default_rng(2)
    predicted, positive = rng.normal(size=50), rng.random(50) < 0.5
    once = roc_auc(predicted, positive, np.ones(50))
    twice = roc_auc(np.tile(predicted, 2), np.tile(positive, 2), np.ones(100))
    assert twice.value == pytest.approx(once.value)
    clusters = np.tile(np.arange(50), 2)
    assert standard_error(twice, np.ones(100), clusters) == pytest.approx(standard_error(once, np.ones(50)))
    assert standard_error(twice, np.ones(100)) < standard_error(once, np.ones(50))


def test_parts_count_by_their_weight():
    rng = np.random.default_rng(3)
    parts = [(rng.normal(size=n), rng.random(n) < 0.5, rng.uniform(0.5, 2, n)) for n in (30, 60)]
    scores, weights = [roc_auc(*part) for part in parts], [part[2] for part in parts]
    together = average(scores, weights)
    assert together.value == pytest.approx(np.average([one.value for one in scores], weights=list(map(sum, weights))))
    assert len(together.derivatives) == 90


def test_predictions_of_a_constant_target_explain_nothing():
    score = r_squared(np.arange(5.0), np.ones(5), np.ones(5))
    assert score.value == 0
    assert standard_error(score, np.ones(5)) == 0


def test_equal_predictions_score_as_chance():
    positive = np.arange(10) < 3
    assert roc_auc(np.zeros(10), positive, np.ones(10)).value == pytest.approx(0.5)
    assert average_precision(np.zeros(10), positive, np.ones(10)).value == pytest.approx(0.3)
