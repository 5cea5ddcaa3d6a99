"""Paired differences of methods over splits and over tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from minerva_select.evaluation.differences import Measure, compare_splits, compare_tables
from minerva_select.evaluation.leaderboard import Comparison, MethodResult, SplitValues


def comparison(first, second, every, n_rows=300, n_held_out=100):
    """Two methods and all features, with (nats, score) in each split."""
    rows = [
        MethodResult(name, name, by_split=tuple(SplitValues(*pair) for pair in pairs))
        for name, pairs in (("a", first), ("b", second), ("all", every))
    ]
    return Comparison("y", ("x",), n_rows, n_held_out, "R2", tuple(rows[:2]), rows[2])


def test_the_mean_over_tables_has_the_interval_of_a_t_test():
    differences = [0.1, 0.3, -0.1, 0.2, 0.05]
    found = compare_tables(differences)
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert found.value == pytest.approx(np.mean(differences))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_the_interval_over_splits_is_wider_by_the_rows_that_they_share():
    scores = [(None, 0.9), (None, 0.8), (None, 0.85)], [(None, 0.7), (None, 0.75), (None, 0.8)]
    found = compare_splits(comparison(*scores, [(None, 1.0)] * 3), "a", "b", Measure.SCORE)
    differences = np.array([0.2, 0.05, 0.05])
    # t quantile of 2 degrees of freedom, times sqrt(1 / 3 + 100 / 200) standard deviations
    half = 4.302653 * np.sqrt(1 / 3 + 1 / 2) * differences.std(ddof=1)
    assert (found.value, found.n_pairs) == (pytest.approx(0.1), 3)
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half))


def test_splits_of_the_same_rows_are_paired():
    shift = [0.5, 0.7, 0.9]  # splits differ, but one method is always better by 0.1
    scores = [(None, level + 0.1) for level in shift], [(None, level) for level in shift]
    found = compare_splits(comparison(*scores, [(None, 1.0)] * 3), "a", "b", Measure.SCORE)
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))


def test_information_is_compared_as_a_share_of_that_of_all_features_in_the_same_split():
    found = compare_splits(
        comparison([(0.2, None), (0.4, None)], [(0.1, None), (0.2, None)], [(0.2, None), (0.4, None)]),
        "a",
        "b",
        Measure.INFORMATION,
    )
    assert found.value == pytest.approx(0.5)


def test_splits_that_a_method_did_not_finish_are_left_out_and_one_has_no_interval():
    every = [(None, 1.0)] * 2
    found = compare_splits(comparison([(None, 0.9), (None, None)], [(None, 0.8)] * 2, every), "a", "b", Measure.SCORE)
    assert (found.n_pairs, found.low, found.high) == (1, None, None)
    none = comparison([(None, None)] * 2, [(None, 0.8)] * 2, every)
    assert compare_splits(none, "a", "b", Measure.SCORE) is None
    assert compare_splits(comparison([], [], []), "a", "b", Measure.INFORMATION) is None  # a file of version 0.1


def test_a_target_without_information_has_no_share():
    nothing = [(0.0, None)]
    assert compare_splits(comparison(nothing, nothing, nothing), "a", "b", Measure.INFORMATION) is None
