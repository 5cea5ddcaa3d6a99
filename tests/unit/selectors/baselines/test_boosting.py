"""Selecting by the gain importances of gradient boosting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.selectors import GradientBoostingSelector

pytest.importorskip("lightgbm")


def noise(n_rows, n_columns, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def test_scores_are_shares_of_the_gain_and_those_above_the_mean_are_selected():
    X = noise(500, 6)
    selector = GradientBoostingSelector(random_state=0).fit(X, X[:, 1] + X[:, 4] + 0.1 * noise(500, 1, seed=1)[:, 0])
    assert selector.scores_.sum() == pytest.approx(1.0)
    assert selector.get_support(indices=True).tolist() == [1, 4]
    np.testing.assert_array_equal(selector.support_, selector.scores_ > 1 / 6)
    assert selector.selection_.features[0].reason.values == {
        "measure": ScoreMeasure.GAIN_SHARE,
        "score": selector.scores_[0],
        "rule": ScoreRule.ABOVE_MEAN,
        "passed": False,
    }


def test_rare_positives_do_not_make_boosting_diverge():
    """25 positives in 20,000 rows: with LightGBM's default settings, column 1 gets more gain than column 3."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 8))
    y = rng.random(20_000) < 1 / (1 + np.exp(8.5 - 1.5 * X[:, 0] - X[:, 3]))
    assert y.sum() == 25
    selector = GradientBoostingSelector(n_features_to_select=2, random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 3]


def test_text_has_no_order():
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 12, size=600)
    numeric = pd.DataFrame(noise(600, 2, seed=1), columns=["a", "b"])
    y = np.isin(levels, [1, 4, 6, 9, 11]) ^ (rng.random(600) < 0.1)
    words = np.array([f"level {number:02d}" for number in range(12)])
    in_order, shuffled = (
        GradientBoostingSelector(random_state=0).fit(numeric.assign(word=names[levels]), y)
        for names in (words, rng.permutation(words))
    )
    assert in_order.get_feature_names_out().tolist() == ["word"]
    assert in_order.scores_.tolist() == shuffled.scores_.tolist()


def test_small_tables_get_trees():
    X = noise(24, 3)
    selector = GradientBoostingSelector(random_state=0).fit(X, X[:, 1] > 0)
    assert selector.get_support(indices=True).tolist() == [1]


def test_nothing_is_selected_if_no_tree_can_split():
    X = np.tile([[0.0, 1.0], [1.0, 0.0]], (10, 1))
    selector = GradientBoostingSelector(random_state=0).fit(X, np.repeat([0, 1], 10))
    assert selector.scores_.tolist() == [0.0, 0.0]
    assert not selector.support_.any()


def test_rows_with_large_weights_decide():
    X = noise(400, 3)
    y = np.where(np.arange(400) < 200, X[:, 0] > 0, X[:, 2] > 0)
    weights = np.where(np.arange(400) < 200, 1.0, 50.0)
    selector = GradientBoostingSelector(1, random_state=0).fit(X, y, sample_weight=weights)
    assert selector.get_support(indices=True).tolist() == [2]
    assert GradientBoostingSelector(1, random_state=0).fit(X, y, sample_weight=weights[::-1]).support_[0]
