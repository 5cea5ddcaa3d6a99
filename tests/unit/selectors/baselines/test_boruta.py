"""Claims about Boruta: what is confirmed is kept, and what is tentative is called so."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from minerva_select.data.frames import as_table
from minerva_select.problems import additive
from minerva_select.selectors import BorutaSelector
from minerva_select.selectors.baselines.design_matrix import ask
from minerva_select.selectors.baselines.trees import shallow_forest

X = np.random.default_rng(0).normal(size=(20, 5))
Y = np.arange(20) % 2


@pytest.fixture
def search(monkeypatch):
    """In place of the package: column 2 confirmed, 0 and 4 tentative, 3 and 1 rejected in that order."""
    found = SimpleNamespace(
        ranking_=np.array([2, 4, 1, 3, 2]),
        support_=np.array([False, False, True, False, False]),
        support_weak_=np.array([True, False, False, False, True]),
        importance_history_=np.array([[0.0] * 5, [0.1, 0.02, 0.4, 0.02, 0.2], [0.1, np.nan, 0.6, 0.04, 0.2]]),
    )
    asked = {}

    def build(model, **settings):
        asked.update(settings, model=model)
        return SimpleNamespace(fit=lambda *_: found)

    monkeypatch.setitem(sys.modules, "boruta", SimpleNamespace(BorutaPy=build))
    return SimpleNamespace(found=found, asked=asked)


def test_confirmed_columns_are_kept_and_tentative_ones_called_so(search):
    selection = BorutaSelector(random_state=0).fit(X, Y).selection_
    assert [result.reason for result in selection.features] == [
        "tentative (importance 0.1), not sure to beat shuffled columns",
        "rejected (importance 0.02), not sure to beat shuffled columns",
        "confirmed (importance 0.5), beats shuffled columns",
        "rejected (importance 0.03), not sure to beat shuffled columns",
        "tentative (importance 0.2), not sure to beat shuffled columns",
    ]
    assert selection.selected == ("x2",)


def test_tentative_columns_are_not_kept_where_none_is_rejected(search):
    """The package then says of every column that it is supported."""
    search.found.ranking_ = np.array([2, 1, 1, 1, 2])
    search.found.support_ = np.ones(5, dtype=bool)
    assert BorutaSelector(random_state=0).fit(X, Y).selection_.selected == ("x1", "x2", "x3")


def test_asked_for_a_number_it_keeps_confirmed_then_tentative_then_rejected_columns(search):
    kept = [
        BorutaSelector(number, random_state=0).fit(X, Y).get_support(indices=True).tolist() for number in range(1, 6)
    ]
    assert kept == [[2], [2, 4], [0, 2, 4], [0, 2, 3, 4], [0, 1, 2, 3, 4]]


def test_the_number_of_rounds_is_the_one_asked_for(search):
    """The package counts from 1 and stops before its max_iter."""
    BorutaSelector(n_iterations=30, random_state=0).fit(X, Y)
    assert search.asked["max_iter"] == 31


def test_boosting_is_given_a_number_of_trees(search):
    """The package's own number is by depth, which boosting has not."""
    for estimator, n_estimators in (("forest", "auto"), ("boosting", 100)):
        BorutaSelector(estimator=estimator, random_state=0).fit(X, Y)
        assert search.asked["n_estimators"] == n_estimators


@pytest.mark.parametrize("estimator", ["forest", "boosting"])
def test_every_relevant_column_is_confirmed(estimator):
    pytest.importorskip("boruta")
    problem = additive(n_samples=800, n_features=8, random_state=1)
    selector = BorutaSelector(estimator=estimator, n_iterations=20, n_estimators=30, random_state=0)
    confirmed = set(selector.fit(problem.X, problem.y).get_feature_names_out())
    assert set(problem.relevant) <= confirmed < set(problem.X.columns)


@pytest.mark.parametrize(("n_rows", "drawn"), [(10_000, None), (10_001, 10_000)])
def test_a_tree_of_a_forest_draws_no_more_than_ten_thousand_rows(n_rows, drawn):
    amounts = np.arange(n_rows, dtype=float)
    table = as_table(amounts[:, None])
    question, _ = ask(table, amounts, np.ones(n_rows), categorical_features="auto", target_type="auto", seed=0)
    assert shallow_forest(question).max_samples == drawn
