"""Recursive feature elimination."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from minerva_select.codes import ScoreRule
from minerva_select.errors import InputError
from minerva_select.problems import additive
from minerva_select.selectors import RFESelector

lightgbm = pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def friedman():
    return additive(n_samples=400, n_features=8, random_state=0)


def test_rounds_equal_elimination_by_hand(friedman):
    """Fit, drop the column of least gain and repeat, with the documented settings."""
    X, remaining = friedman.X.to_numpy(), list(range(8))
    selector = RFESelector(n_features_to_select=3, step=1, n_estimators=20, random_state=0).fit(friedman.X, friedman.y)
    eliminated = []
    while len(remaining) > 3:
        model = lightgbm.LGBMRegressor(n_estimators=20, reg_lambda=1.0, importance_type="gain", n_jobs=1, verbose=-1)
        gains = model.fit(X[:, remaining], friedman.y).feature_importances_
        eliminated.append(remaining.pop(int(np.argmin(gains))))
    assert selector.get_support(indices=True).tolist() == remaining
    # The last eliminated column has half the score of the selected ones, the one before a third
    expected = np.ones(8)
    expected[eliminated] = 1 / np.arange(len(eliminated) + 1, 1, -1)
    np.testing.assert_allclose(selector.scores_, expected)
    values = selector.selection_.features[eliminated[0]].reason.values
    assert (values["round"], values["n_rounds"]) == (1, 5)
    assert values["rule"] is ScoreRule.REQUESTED_COUNT
    assert values["n_requested"] == 3


def test_every_round_drops_a_share_of_all_columns(friedman):
    selector = RFESelector(n_features_to_select=2, step=0.4, n_estimators=20, random_state=0)
    scores = selector.fit(friedman.X, friedman.y).scores_
    # 0.4 of 8 columns makes 3 per round
    assert sorted(scores.tolist()) == pytest.approx([1 / 3] * 3 + [1 / 2] * 3 + [1.0] * 2)


@pytest.mark.parametrize("estimator", ["boosting", "forest"])
def test_cross_validation_chooses_the_number_of_columns(estimator, friedman):
    selector = RFESelector(estimator=estimator, n_estimators=30, random_state=0).fit(friedman.X, friedman.y)
    assert set(friedman.relevant) <= set(selector.get_feature_names_out())
    assert len(selector.get_feature_names_out()) <= 6  # one column of noise may help by chance, but not three


def test_a_forest_does_not_need_lightgbm(friedman, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    selector = RFESelector(n_features_to_select=1, estimator="forest", n_estimators=20, random_state=0)
    assert selector.fit(friedman.X, friedman.y).get_feature_names_out().tolist() == ["f3"]


def test_cross_validation_scores_probabilities():
    """2% positives, with no probability above a half: by accuracy one column is as good as the right two."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4_000, 4))
    y = rng.random(4_000) < 0.005 + 0.1 * (X[:, 1] > 1) + 0.1 * (X[:, 3] > 1)
    selector = RFESelector(n_estimators=20, random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 3]


def test_a_class_of_two_rows_is_trained_on_but_not_scored():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 2] > 0, "yes", "no").astype(object)
    y[:2] = "maybe"
    selector = RFESelector(n_estimators=20, random_state=0).fit(X, y)
    assert selector.support_[2]


def test_classes_too_rare_for_cross_validation_are_refused():
    X = np.random.default_rng(0).normal(size=(8, 3))
    selector = RFESelector(target_type="discrete", random_state=0)
    with pytest.raises(InputError, match="fewer than 3 rows of every class"):
        selector.fit(X, np.arange(8) // 2)
    assert selector.set_params(n_features_to_select=1).fit(X, np.arange(8) // 2).support_.sum() == 1


@pytest.mark.parametrize("n_features", [None, 1])
def test_a_single_column_is_never_eliminated(n_features):
    X = np.random.default_rng(0).normal(size=(40, 1))
    selector = RFESelector(n_features, random_state=0).fit(X, X[:, 0] > 0)
    assert selector.support_.tolist() == [True]
    assert "round" not in selector.selection_.features[0].reason.values


@pytest.mark.parametrize("n_features", [None, 1])
def test_rows_with_large_weights_decide(n_features):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.where(np.arange(300) < 150, X[:, 0] > 0, X[:, 2] > 0)
    for weights, column in ((np.repeat([1.0, 100.0], 150), 2), (np.repeat([100.0, 1.0], 150), 0)):
        selector = RFESelector(n_features, n_estimators=20, random_state=0).fit(X, y, sample_weight=weights)
        assert selector.support_[column]
        assert not selector.support_[1]


def test_an_unknown_estimator_is_refused(friedman):
    with pytest.raises(InputError, match=r"'forrest'.*'forest'"):
        RFESelector(estimator="forrest").fit(friedman.X, friedman.y)
