"""The number of features: after the fit, and at least so many."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from minerva_select import MinervaSelector, problems
from minerva_select.codes import ReasonCode, WarningCode
from minerva_select.errors import InputError, MinervaWarning

pytestmark = pytest.mark.usefixtures("use_small_fits")


def fit(X, y, **parameters):
    return MinervaSelector(random_state=0, device="cpu", **parameters).fit(X, y)


@pytest.fixture(scope="module")
def noise():
    """200 rows of which no column tells anything about the target."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef")), rng.integers(0, 2, 200)


def additive():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(400, 11)), columns=[f"x{k}" for k in range(11)])
    return X, X["x2"] + 0.7 * X["x5"] * X["x7"] + 0.5 * X["x9"].abs() + rng.normal(size=400) / 2


def classes():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(400, 10)), columns=[f"x{k}" for k in range(10)])
    X["group"] = rng.choice(["red", "green", "blue"], 400)
    y = np.where(X["x1"] > 0.7, "high", np.where(X["group"] == "red", "red", "low"))
    return X.assign(near=X["x1"] + 0.01 * rng.normal(size=400)), np.where(rng.random(400) < 0.1, "low", y)


TABLES = {
    "equality": lambda: problems.equality(n_samples=400, n_features=10, n_levels=3, relevant=(0, 3), random_state=0),
    "redundant": lambda: problems.redundant(n_samples=400, random_state=1),
    "noise": lambda: problems.independent(n_samples=300, n_features=12, random_state=0),
    "additive": additive,
    "classes": classes,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_one_fit_gives_the_features_of_fits_that_are_told_their_number(name):
    table = TABLES[name]()
    X, y = table if isinstance(table, tuple) else (table.X, table.y)
    fitted = fit(X, y)
    for n_features in range(1, 11):
        start = time.process_time()
        changed = fitted.with_n_features(n_features)
        assert time.process_time() - start < 0.5  # a fit takes seconds, this 0.3 ms
        told = fit(X, y, n_features_to_select=n_features)
        assert changed.get_feature_names_out().tolist() == told.get_feature_names_out().tolist()
        assert told.selection_.ranking == fitted.selection_.ranking
        assert len(told.selection_.selected) == n_features


def test_the_changed_selector_is_fitted_and_the_first_one_stays_as_it_is(fitted, pair):
    changed = fitted.with_n_features(3)
    assert changed.transform(pair.X).shape == (len(pair.X), 3)
    assert changed.get_params()["n_features_to_select"] == 3
    assert changed.weights_.tolist() == changed.support_.astype(float).tolist()
    assert fitted.get_params()["n_features_to_select"] is None
    assert fitted.selection_.selected == ("f0", "f3")
    assert changed.with_n_features(2).get_feature_names_out().tolist() == ["f0", "f3"]


def test_groups_and_kept_columns_count_as_in_a_fit(pair):
    X = pair.X.assign(constant=0)
    options = {"keep": ["constant"], "feature_groups": [["f0", "f1"]]}
    fitted = fit(X, pair.y, **options)
    for n_features in (1, 2, 3, 4):
        told = fit(X, pair.y, n_features_to_select=n_features, **options)
        assert fitted.with_n_features(n_features).selection_.selected == told.selection_.selected
    with pytest.raises(InputError, match="n_features is 1, but keep names 2"):
        fit(X, pair.y, keep=["constant", "f4"]).with_n_features(1)


@pytest.mark.parametrize("parameters", [{"proven_only": True}, {"redundant": "keep"}, {"min_features_to_select": 4}])
def test_no_parameter_changes_the_features_of_a_number(pair, parameters):
    fitted = fit(pair.X, pair.y, **parameters)
    for n_features in (1, 4):
        told = fit(pair.X, pair.y, **{**parameters, "n_features_to_select": n_features, "min_features_to_select": 0})
        assert fitted.with_n_features(n_features).selection_.selected == told.selection_.selected


def test_a_selector_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        MinervaSelector().with_n_features(2)


def test_the_best_features_are_kept_where_fewer_than_the_minimum_are_found(noise):
    with pytest.warns(MinervaWarning, match="min_features_to_select is 2"):
        selector = fit(*noise, min_features_to_select=2)
    selection = selector.selection_
    added = [result for result in selection.features if result.selected]
    assert [result.reason.code for result in added] == [ReasonCode.TO_REACH_MINIMUM] * 2
    assert all(result.contribution_nats is not None for result in added)
    (warning,) = (one for one in selection.warnings if one.code is WarningCode.RAISED_TO_MINIMUM)
    assert warning.columns == selection.selected
    assert warning.values == {"n_found": 0, "minimum": 2}
    assert selector.transform(noise[0]).shape == (200, 2)
    assert selection.selected == fit(*noise).with_n_features(2).selection_.selected


def test_the_minimum_changes_nothing_where_enough_features_are_found(pair, fitted):
    selection = fit(pair.X, pair.y, min_features_to_select=2).selection_
    assert selection.features == fitted.selection_.features
    assert selection.warnings == fitted.selection_.warnings


def test_added_features_join_those_that_were_found(pair):
    with pytest.warns(MinervaWarning):
        selection = fit(pair.X.assign(constant=0), pair.y, min_features_to_select=4, keep=["constant"]).selection_
    codes = {result.feature: result.reason.code for result in selection.features if result.selected}
    assert codes.pop("constant") is ReasonCode.ON_REQUEST
    assert codes.pop("f0") is codes.pop("f3") is ReasonCode.CONTRIBUTES
    assert list(codes.values()) == [ReasonCode.TO_REACH_MINIMUM]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_features_to_select": -1}, "min_features_to_select must be an integer of at least 0, got -1"),
        ({"min_features_to_select": 1.5}, "got 1.5"),
        ({"min_features_to_select": 7}, "min_features_to_select is 7, but there are 6 columns"),
        ({"min_features_to_select": 3, "n_features_to_select": 2}, "n_features_to_select is 2; give only one"),
        ({"reuse_fit": "yes"}, "reuse_fit must be True or False"),
    ],
)
def test_impossible_numbers_are_refused(noise, parameters, message):
    with pytest.raises(InputError, match=message):
        fit(*noise, **parameters)
