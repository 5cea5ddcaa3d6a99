"""Claims about mRMR: binned information, the order of the columns, and how many are kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.selectors import MRMRSelector
from minerva_select.selectors.baselines.binned import bin_amounts, binned_information, join_rare, order_columns
from minerva_select.selectors.baselines.n_features_cv import _thin_out, choose_size


def test_bins_are_of_equal_weight():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=1000), rng.integers(1, 4, size=1000).astype(float)
    bins = bin_amounts(values, weights)
    shares = np.bincount(bins, weights=weights) / weights.sum()
    assert shares == pytest.approx(np.full(10, 0.1), abs=0.003)  # a row weighs at most 0.0015 of all
    assert (np.diff(bins[np.argsort(values)]) >= 0).all()


def test_a_rare_value_on_either_side_of_a_heavy_one_keeps_its_bin():
    values = np.repeat([-1.0, 0.0, 1.0], [5, 90, 5])
    assert bin_amounts(values, np.ones(100)).tolist() == np.repeat([0, 1, 2], [5, 90, 5]).tolist()


def test_the_lightest_levels_are_joined():
    codes = join_rare(np.array(["a", "b", "c", "d"]), np.array([1.0, 5.0, 2.0, 4.0]), max_levels=3)
    assert codes.tolist() == [2, 0, 2, 1]


def test_information_of_a_table_is_that_of_its_counts():
    first = np.repeat([0, 0, 1, 1], [30, 10, 20, 40])
    second = np.repeat([0, 1, 0, 1], [30, 10, 20, 40])
    # By hand: 0.3 log(0.3/0.2) + 0.1 log(0.1/0.2) + 0.2 log(0.2/0.3) + 0.4 log(0.4/0.3), less 1/200 for one degree
    by_hand = 0.3 * np.log(1.5) + 0.1 * np.log(0.5) + 0.2 * np.log(2 / 3) + 0.4 * np.log(4 / 3) - 1 / 200
    assert binned_information(first, second, np.ones(100)) == pytest.approx(by_hand)
    cells, counts = np.array([0, 0, 1, 1]), np.array([30.0, 10.0, 20.0, 40.0])
    by_weight = binned_information(cells, np.array([0, 1, 0, 1]), counts)
    # The same counts as four heavy rows: as sure as 100^2 / (30^2 + 10^2 + 20^2 + 40^2) = 3.33 rows
    assert by_weight == pytest.approx(by_hand + 1 / 200 - 0.5 / (10000 / 3000))


def test_independent_columns_have_information_about_zero():
    rng = np.random.default_rng(0)
    found = [
        binned_information(rng.integers(0, 10, size=500), rng.integers(0, 10, size=500), np.ones(500))
        for _ in range(100)
    ]
    # Without the correction all would be about 81 / 1000. Twice n times the information is a chi-square with 81
    # degrees of freedom: one has a standard deviation of 0.013, the mean of 100 of 0.0013; the next order adds 0.003
    assert abs(np.mean(found)) < 0.008


def test_each_column_is_the_one_with_most_information_less_that_shared():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 4, size=600)
    columns = [
        np.where(rng.random(600) < share, target, rng.integers(0, 4, size=600)) for share in (0.5, 0.8, 0.3, 0.7)
    ]
    weights = rng.random(600)
    order = order_columns(columns, target, weights, n_wanted=4)
    between = np.array([[binned_information(a, b, weights) for b in columns] for a in columns])
    for step, column in enumerate(order.columns):
        left = [other for other in range(4) if other not in order.columns[:step]]
        shared = between[:, list(order.columns[:step])].mean(axis=1) if step else np.zeros(4)
        values = {other: order.relevance[other] - shared[other] for other in left}
        assert column == max(values, key=values.get)
        assert order.redundancy[column] == pytest.approx(shared[column])


@pytest.fixture(scope="module")
def table():
    """Two columns that tell, a copy of the stronger with a little noise, and three that do not tell."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 6)), columns=["strong", "weak", "copy", "a", "b", "c"])
    X["copy"] = X["strong"] + 0.1 * X["copy"]
    return X, 2 * X["strong"] + X["weak"]


def test_a_copy_comes_after_what_is_new(table):
    selection = MRMRSelector(2).fit(*table).selection_
    assert selection.selected == ("strong", "weak")
    assert selection.features[1].reason.startswith("added 2nd, ")


def test_alone_the_copy_tells_more_than_the_weaker_column(table):
    nats = {result.feature: result.marginal_nats for result in MRMRSelector(2).fit(*table).selection_.features}
    # A correlation of 0.45 makes 0.11 nats before the bins; noise has a standard deviation of 0.004
    assert nats["copy"] > nats["weak"] > 0.05
    assert 0 <= nats["a"] < 0.02


def test_as_many_are_kept_as_lower_the_error():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 8))
    y = X[:, 2] + X[:, 5] + X[:, 7]
    assert MRMRSelector(random_state=0).fit(X, y).selection_.selected == ("x2", "x5", "x7")


def test_one_column_is_kept_where_none_tells():
    rng = np.random.default_rng(0)
    selection = MRMRSelector(random_state=0).fit(rng.normal(size=(300, 3)), rng.integers(0, 2, size=300)).selection_
    assert len(selection.selected) >= 1


def test_rows_count_by_weight():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(800, 3))
    heavy = np.arange(800) < 400
    y = np.where(heavy, X[:, 1], X[:, 2]) > 1
    for weights, expected in ((np.where(heavy, 1.0, 0.05), "x1"), (np.where(heavy, 0.05, 1.0), "x2")):
        assert MRMRSelector(1).fit(X, y, sample_weight=weights).selection_.selected == (expected,)


def test_equal_weights_change_nothing(table):
    X, y = table
    plain = MRMRSelector(3, random_state=0).fit(X, y).selection_.features
    assert MRMRSelector(3, random_state=0).fit(X, y, sample_weight=np.full(1500, 4.0)).selection_.features == plain


@pytest.mark.parametrize("classes", [[1] + [0] * 29, [0, 1, 2] * 10, list(range(30))], ids=["lone", "three", "all"])
def test_a_size_is_chosen_whatever_the_classes(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    assert choose_size(X, np.array(classes), np.ones(30), is_classification=True, rng=rng) in (1, 2, 3, 4)


def test_a_pair_that_tells_only_together_is_worth_both_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert choose_size(X, y, np.ones(2000), is_classification=True, rng=rng) == 2


def test_rare_classes_stay_whole_when_rows_are_too_many(monkeypatch):
    monkeypatch.setattr("minerva_select.selectors.baselines.n_features_cv.MOST_ROWS", 300)
    classes = np.repeat([0, 1, 2], [10, 400, 590])
    rows, shares = _thin_out(classes, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 300
    assert np.bincount(classes[rows]).tolist() == [10, 145, 145]
    # Divided by its share, each class weighs as much as before
    assert np.bincount(classes[rows], weights=1 / shares) == pytest.approx([10, 400, 590])
