"""mRMR: binned mutual information, the order of the columns, and the selected ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.selectors import MRMRSelector
from minerva_select.selectors.baselines.mrmr import estimate_binned_mi, order_columns


def test_binned_mi_equals_a_value_worked_out_by_hand():
    first = np.repeat([0, 0, 1, 1], [30, 10, 20, 40])
    second = np.repeat([0, 1, 0, 1], [30, 10, 20, 40])
    # By hand: 0.3 log(0.3/0.2) + 0.1 log(0.1/0.2) + 0.2 log(0.2/0.3) + 0.4 log(0.4/0.3), minus 1/200 of bias
    by_hand = 0.3 * np.log(1.5) + 0.1 * np.log(0.5) + 0.2 * np.log(2 / 3) + 0.4 * np.log(4 / 3) - 1 / 200
    assert estimate_binned_mi(first, second, np.ones(100)) == pytest.approx(by_hand)
    cells, counts = np.array([0, 0, 1, 1]), np.array([30.0, 10.0, 20.0, 40.0])
    by_weight = estimate_binned_mi(cells, np.array([0, 1, 0, 1]), counts)
    # The same counts as four weighted rows: an effective number of 100^2 / (30^2 + 10^2 + 20^2 + 40^2) = 3.33 rows
    assert by_weight == pytest.approx(by_hand + 1 / 200 - 0.5 / (10000 / 3000))


def test_binned_mi_of_independent_columns_is_about_zero():
    rng = np.random.default_rng(0)
    found = [
        estimate_binned_mi(rng.integers(0, 10, size=500), rng.integers(0, 10, size=500), np.ones(500))
        for _ in range(100)
    ]
    # Without the correction all would be about 81 / 1000. Twice n times the estimate is chi-square with 81 degrees of
    # freedom: the standard deviation is 0.013, that of the mean of 100 is 0.0013; the next order adds 0.003
    assert abs(np.mean(found)) < 0.008


def test_each_step_adds_the_column_of_largest_relevance_minus_redundancy():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 4, size=600)
    columns = [
        np.where(rng.random(600) < share, target, rng.integers(0, 4, size=600)) for share in (0.5, 0.8, 0.3, 0.7)
    ]
    weights = rng.random(600)
    order = order_columns(columns, target, weights, n_to_add=4)
    between = np.array([[estimate_binned_mi(a, b, weights) for b in columns] for a in columns])
    for step, column in enumerate(order.columns):
        left = [other for other in range(4) if other not in order.columns[:step]]
        shared = between[:, list(order.columns[:step])].mean(axis=1) if step else np.zeros(4)
        values = {other: order.relevance[other] - shared[other] for other in left}
        assert column == max(values, key=values.get)
        assert order.redundancy[column] == pytest.approx(shared[column])


@pytest.fixture(scope="module")
def table():
    """Two informative columns, a noisy copy of the stronger one, and three columns of noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 6)), columns=["strong", "weak", "copy", "a", "b", "c"])
    X["copy"] = X["strong"] + 0.1 * X["copy"]
    return X, 2 * X["strong"] + X["weak"]


def test_a_noisy_copy_is_added_after_a_new_column(table):
    selection = MRMRSelector(2).fit(*table).selection_
    assert selection.selected == ("strong", "weak")
    assert selection.features[1].reason.values["step"] == 2


def test_the_copy_alone_has_more_information_than_the_weaker_column(table):
    nats = {result.feature: result.marginal_nats for result in MRMRSelector(2).fit(*table).selection_.features}
    # A correlation of 0.45 gives 0.11 nats before binning; noise has a standard deviation of 0.004
    assert nats["copy"] > nats["weak"] > 0.05
    assert 0 <= nats["a"] < 0.02


def test_cross_validation_selects_the_columns_that_lower_the_loss():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 8))
    y = X[:, 2] + X[:, 5] + X[:, 7]
    assert MRMRSelector(random_state=0).fit(X, y).selection_.selected == ("x2", "x5", "x7")


def test_one_column_is_selected_from_noise():
    rng = np.random.default_rng(0)
    selection = MRMRSelector(random_state=0).fit(rng.normal(size=(300, 3)), rng.integers(0, 2, size=300)).selection_
    assert len(selection.selected) >= 1


def test_rows_with_large_weights_decide():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(800, 3))
    is_first = np.arange(800) < 400
    y = np.where(is_first, X[:, 1], X[:, 2]) > 1
    for weights, expected in ((np.where(is_first, 1.0, 0.05), "x1"), (np.where(is_first, 0.05, 1.0), "x2")):
        assert MRMRSelector(1).fit(X, y, sample_weight=weights).selection_.selected == (expected,)


def test_equal_weights_change_nothing(table):
    X, y = table
    plain = MRMRSelector(3, random_state=0).fit(X, y).selection_.features
    assert MRMRSelector(3, random_state=0).fit(X, y, sample_weight=np.full(1500, 4.0)).selection_.features == plain
