"""Boruta: confirmed columns are selected, and tentative ones reported."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from minerva_select.codes import BorutaDecision, ScoreMeasure, ScoreRule
from minerva_select.data.frames import as_table
from minerva_select.problems import additive
from minerva_select.selectors import BorutaSelector
from minerva_select.selectors.baselines.design_matrix import make_design_matrix
from minerva_select.selectors.baselines.trees import make_shallow_forest

X = np.random.default_rng(0).normal(size=(20, 5))
Y = np.arange(20) % 2


@pytest.fixture
def search(monkeypatch):
    """Replace the package: column 2 is confirmed, 0 and 4 are tentative, 3 and 1 rejected in that order."""
    found = SimpleNamespace(
        ranking_=np.array([2, 4, 1, 3, 2]),
        support_=np.array([False, False, True, False, False]),
        support_weak_=np.array([True, False, False, False, True]),
        importance_history_=np.array([[0.0] * 5, [0.1, 0.02, 0.4, 0.02, 0.2], [0.1, np.nan, 0.6, 0.04, 0.2]]),
    )
    received = {}

    def build(model, **settings):
        received.update(settings, model=model)
        return SimpleNamespace(fit=lambda *_: found)

    monkeypatch.setitem(sys.modules, "boruta", SimpleNamespace(BorutaPy=build))
    return SimpleNamespace(found=found, received=received)


def test_confirmed_columns_are_selected_and_every_decision_is_reported(search):
    selection = BorutaSelector(random_state=0).fit(X, Y).selection_
    values = [result.reason.values for result in selection.features]
    assert [(each["decision"], each["score"]) for each in values] == [
        (BorutaDecision.TENTATIVE, pytest.approx(0.1)),
        (BorutaDecision.REJECTED, pytest.approx(0.02)),
        (BorutaDecision.CONFIRMED, pytest.approx(0.5)),
        (BorutaDecision.REJECTED, pytest.approx(0.03)),
        (BorutaDecision.TENTATIVE, pytest.approx(0.2)),
    ]
    assert {each["measure"] for each in values} == {ScoreMeasure.IMPORTANCE}
    assert {each["rule"] for each in values} == {ScoreRule.BEATS_PERMUTED}
    assert selection.selected == ("x2",)


def test_tentative_columns_are_not_selected_if_none_is_rejected(search):
    """The package then marks every column as supported."""
    search.found.ranking_ = np.array([2, 1, 1, 1, 2])
    search.found.support_ = np.ones(5, dtype=bool)
    assert BorutaSelector(random_state=0).fit(X, Y).selection_.selected == ("x1", "x2", "x3")


def test_a_requested_number_takes_confirmed_then_tentative_then_rejected_columns(search):
    selected = [
        BorutaSelector(number, random_state=0).fit(X, Y).get_support(indices=True).tolist() for number in range(1, 6)
    ]
    assert selected == [[2], [2, 4], [0, 2, 4], [0, 2, 3, 4], [0, 1, 2, 3, 4]]


def test_the_number_of_rounds_is_n_iterations(search):
    """The package counts from 1 and stops before its max_iter."""
    BorutaSelector(n_iterations=30, random_state=0).fit(X, Y)
    assert search.received["max_iter"] == 31


def test_boosting_gets_a_fixed_number_of_trees(search):
    """The package derives its own number from the depth, which boosting does not limit."""
    for estimator, n_estimators in (("forest", "auto"), ("boosting", 100)):
        BorutaSelector(estimator=estimator, random_state=0).fit(X, Y)
        assert search.received["n_estimators"] == n_estimators


@pytest.mark.parametrize("estimator", ["forest", "boosting"])
def test_every_relevant_column_is_confirmed(estimator):
    pytest.importorskip("boruta")
    problem = additive(n_samples=800, n_features=8, random_state=1)
    selector = BorutaSelector(estimator=estimator, n_iterations=20, n_estimators=30, random_state=0)
    confirmed = set(selector.fit(problem.X, problem.y).get_feature_names_out())
    assert set(problem.relevant) <= confirmed < set(problem.X.columns)


@pytest.mark.parametrize(("n_rows", "drawn"), [(10_000, None), (10_001, 10_000)])
def test_a_tree_of_a_forest_draws_no_more_than_ten_thousand_rows(n_rows, drawn):
    values = np.arange(n_rows, dtype=float)
    table = as_table(values[:, None])
    data, _ = make_design_matrix(
        table, values, np.ones(n_rows), categorical_features="auto", target_type="auto", seed=0
    )
    assert make_shallow_forest(data).max_samples == drawn
