import numpy as np
import pytest
from scipy.stats import chi2_contingency

from minerva_select.config import CONDITIONAL_TEST
from minerva_select.mi.conditional_test import ConditionalTest


def draw(n_rows, seed, effect=0.0):
    """A common cause of three levels, a noisy copy of it, noise, and a target; ``effect`` is that of the copy."""
    rng = np.random.default_rng(seed)
    cause = rng.integers(3, size=n_rows)
    copy = np.where(rng.random(n_rows) < 0.7, cause, rng.integers(3, size=n_rows))
    noise = rng.integers(4, size=n_rows)
    target = (rng.random(n_rows) < 0.2 + 0.25 * cause + effect * (copy == 2)).astype(np.int64)
    return np.column_stack([cause, copy, noise]), target


def test_p_values_of_a_correlated_column_are_uniform_if_it_is_independent_given_the_cause():
    columns = []
    for seed in range(100):
        X, y = draw(400, seed)
        results = ConditionalTest(X, y, seed).test([1, 2], [0])
        columns.append([results[1].p_value, results[2].p_value])
    rejected = (np.array(columns) < 0.1).mean(axis=0)
    # Binomial(100, 0.1): below 0.2 with probability 0.998
    assert (rejected < 0.2).all()
    assert np.median(columns) > 0.3


def test_a_weak_effect_given_the_cause_is_found():
    X, y = draw(4_000, seed=0, effect=0.12)
    results = ConditionalTest(X, y, 0).test([1, 2], [0])
    assert results[1].p_value < 1e-3
    assert results[2].p_value > 0.01


def test_the_effect_is_in_nats():
    # Given a column without information, the statistic is nearly that of the chi-squared test of the table
    rng = np.random.default_rng(0)
    x, constant_like = rng.integers(2, size=5_000), rng.integers(2, size=5_000)
    y = (rng.random(5_000) < 0.4 + 0.2 * x).astype(np.int64)
    found = ConditionalTest(np.column_stack([x, constant_like]), y, 0).test([0], [1])[0]
    table = np.array([[np.sum((x == i) & (y == j)) for j in range(2)] for i in range(2)])
    assert found.nats == pytest.approx(chi2_contingency(table, correction=False).statistic / 10_000, rel=0.05)


def test_levels_with_few_rows_show_nothing():
    y = np.zeros(500, dtype=np.int64)
    y[:3] = 1
    X = np.column_stack([np.arange(500) < 3, np.arange(500) % 2]).astype(np.int64)
    assert ConditionalTest(X, y, 0).test([0], [1])[0].p_value == 1.0


def test_many_pairs_of_levels_are_not_feasible():
    X, y = draw(1_000, seed=0)
    assert ConditionalTest(X, y, 0).is_feasible([0, 1, 2])
    wide = np.random.default_rng(0).integers(200, size=(1_000, 3))
    assert CONDITIONAL_TEST.max_cells < 1_000 * 200**2
    assert not ConditionalTest(wide, y, 0).is_feasible([0, 1])
