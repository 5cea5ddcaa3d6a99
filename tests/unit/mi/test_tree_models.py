"""LightGBM and scikit-learn's histogram gradient boosting, by the same claims."""

import math
import sys

import numpy as np
import pytest

from minerva_select.config import JUDGE
from minerva_select.mi import tree_models
from minerva_select.mi.tree_models import HistogramTrees, LabeledRows, LightGBMTrees, TreeSettings, fit_trees

NUMBER = 0

each_kind = pytest.mark.parametrize("kind", [LightGBMTrees, HistogramTrees])


def settings(n_classes, n_features=3, categorical=()):
    is_categorical = np.isin(np.arange(n_features), categorical)
    return TreeSettings(n_classes, is_categorical, n_leaves=8, seed=0)


def rows(n_rows, n_classes, seed, flipped=0.1):
    """Bins 0 to 9 of three columns; y follows the second one, with an error in one of ten rows."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 10, size=(n_rows, 3)).astype(np.float32)
    if n_classes == NUMBER:
        return LabeledRows(x, x[:, 1] + rng.normal(size=n_rows), np.ones(n_rows))
    y = np.where(rng.random(n_rows) < flipped, rng.integers(0, n_classes, n_rows), x[:, 1].astype(int) % n_classes)
    return LabeledRows(x, y, np.ones(n_rows))


def log_loss(model, data):
    return -np.log(model.predict(data.x)[np.arange(len(data)), data.y]).mean()


def test_the_informative_column_has_nearly_all_of_the_gain():
    train, tune = rows(1500, 2, seed=0), rows(500, 2, seed=1)
    gains = LightGBMTrees(settings(2), train, tune, n_rounds=100).gains
    assert gains.shape == (3,)
    assert gains[1] > 0.8 * gains.sum()
    assert HistogramTrees(settings(2), train, tune, n_rounds=100).gains is None


@each_kind
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("categorical", [(), (1,)])
def test_classes_are_predicted_with_their_probabilities(kind, n_classes, categorical):
    train, tune, unseen = (rows(n, n_classes, seed) for seed, n in enumerate((1500, 500, 2000)))
    model = kind(settings(n_classes, categorical=categorical), train, tune, n_rounds=100)
    probabilities = model.predict(unseen.x)
    assert probabilities.shape == (2000, n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    wrong = 0.1 * (n_classes - 1) / n_classes
    entropy = -(1 - wrong) * math.log(1 - wrong) - wrong * math.log(wrong / (n_classes - 1))
    assert log_loss(model, unseen) == pytest.approx(entropy, abs=0.06)  # standard error 0.01, and what is not learned


@each_kind
def test_numbers_are_predicted(kind):
    train, tune, unseen = (rows(n, NUMBER, seed) for seed, n in enumerate((1500, 500, 2000)))
    model = kind(settings(NUMBER), train, tune, n_rounds=100)
    assert np.mean((model.predict(unseen.x) - unseen.y) ** 2) == pytest.approx(
        1.0, abs=0.15
    )  # the variance of the error


@each_kind
def test_boosting_stops_where_the_tuning_rows_gain_nothing(kind):
    rng = np.random.default_rng(0)
    train, tune = (
        LabeledRows(rng.normal(size=(300, 3)).astype(np.float32), rng.integers(0, 2, 300), np.ones(300)) for _ in "ab"
    )
    assert kind(settings(2), train, tune, n_rounds=200).n_rounds <= JUDGE.tree_patience
    assert kind(settings(2), train, None, n_rounds=7).n_rounds == 7


@each_kind
def test_rows_of_weight_zero_do_not_count(kind):
    train = rows(2000, 2, 0)
    spoiled = np.arange(2000) % 2 == 0
    own = LabeledRows(train.x, np.where(spoiled, 1 - train.y, train.y), np.where(spoiled, 0.0, 2.0))
    assert log_loss(kind(settings(2), own, None, n_rounds=20), rows(1000, 2, 1)) < 0.35


@each_kind
def test_a_column_without_values_is_accepted(kind):
    train = rows(400, 2, 0)
    train.x[:, 2] = np.nan
    assert np.isfinite(kind(settings(2), train, None, n_rounds=5).predict(train.x)).all()


@each_kind
def test_the_same_seed_gives_the_same_predictions(kind):
    train, unseen = rows(500, 2, 0), rows(500, 2, 1)
    one, same = (kind(settings(2), train, None, n_rounds=10).predict(unseen.x) for _ in "ab")
    np.testing.assert_array_equal(one, same)


def test_several_classes_have_fewer_rounds():
    assert settings(NUMBER).max_rounds == settings(2).max_rounds == JUDGE.tree_max_rounds
    assert settings(20).max_rounds == JUDGE.max_trees // 20


def test_scikit_learn_replaces_a_lightgbm_that_cannot_be_loaded(monkeypatch):
    train = rows(200, 2, 0)
    assert isinstance(fit_trees(settings(2), train, n_rounds=2), LightGBMTrees)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    tree_models.has_lightgbm.cache_clear()
    try:
        assert isinstance(fit_trees(settings(2), train, n_rounds=2), HistogramTrees)
    finally:
        tree_models.has_lightgbm.cache_clear()
