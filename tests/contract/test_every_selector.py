"""Claims that hold for every selector: scikit-learn's contract, and tables of every kind in and out."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from minerva import MinervaSelector
from minerva.results import Selection

SELECTORS = [MinervaSelector]

FRAME_COLUMNS = [
    *("feature", "selected", "reason", "weight", "marginal_nats", "contribution_nats"),
    *("contribution_low", "contribution_high", "partners", "stand_ins"),
]

SOURCES = {
    "polars": pl.from_pandas,
    "polars lazy": lambda X: pl.from_pandas(X).lazy(),
    "Arrow": pa.Table.from_pandas,
    "numpy": lambda X: X.to_numpy(),
    "lists": lambda X: X.to_numpy().tolist(),
}

EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "rows are split at random into training, tuning and vetting rows, "
        "so repeating a row is not the same draw as weighting it"
    ),
}


@pytest.fixture(scope="module", params=SELECTORS, ids=lambda selector: selector.__name__)
def make_selector(request, small_plan):
    """Build a selector of each class, with a seed."""
    return lambda **parameters: request.param(random_state=0, **parameters)


@pytest.fixture(scope="module")
def fitted_selector(make_selector, pair):
    """A selector fitted to five columns of which two matter; to look at, not to change."""
    return make_selector().fit(pair.X, pair.y)


@pytest.fixture(scope="module")
def mixed():
    """Columns of several types; the target is whether the colour is red and the size above its middle."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "noise": rng.normal(size=400),
            "colour": pd.Categorical(rng.choice(["red", "blue"], size=400)),
            "size": rng.normal(size=400).astype(np.float32),
            "word": rng.choice(["a", "b", "c"], size=400),
        }
    )
    return X, (X["colour"] == "red") & (X["size"] > 0)


@pytest.fixture(scope="module")
def fitted_mixed(make_selector, mixed):
    return make_selector().fit(*mixed)


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore:No features were selected")  # some checks draw targets that are noise
@parametrize_with_checks(
    [selector(random_state=0) for selector in SELECTORS], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
def test_scikit_learn_accepts_the_selector(estimator, check):
    check(estimator)


def test_the_columns_that_matter_are_found(fitted_selector, pair):
    assert tuple(fitted_selector.get_feature_names_out()) == pair.relevant


def test_what_a_fit_leaves_behind_agrees_with_itself(fitted_selector, pair):
    selector, selection = fitted_selector, fitted_selector.selection_
    assert selector.n_features_in_ == 5
    assert selector.feature_names_in_.tolist() == list(pair.X.columns)
    assert [result.feature for result in selection.features] == list(pair.X.columns)
    assert selector.support_.dtype == bool
    assert selector.support_.tolist() == [result.selected for result in selection.features]
    assert selector.get_support().tolist() == selector.support_.tolist()
    assert selector.get_support(indices=True).tolist() == [0, 3]
    assert selection.selected == tuple(selector.get_feature_names_out())
    assert selector.weights_.tolist() == [result.weight for result in selection.features]
    assert (selector.weights_ >= 0).all()
    assert (selector.weights_[~selector.support_] == 0).all()
    assert (selector.weights_[selector.support_] > 0).all()
    assert selector.history_ == selection.history
    assert (selection.n_rows, selection.target) == (400, "y")
    assert selection.seconds > 0


def test_amounts_of_information_are_in_order(fitted_selector):
    selection = fitted_selector.selection_
    for estimate in (selection.mutual_information, selection.total_information):
        assert 0 <= estimate.low <= estimate.nats <= estimate.high
        assert estimate.nats <= selection.target_entropy
    assert 0 <= selection.information_kept <= 1
    for result in selection.features:
        if result.contribution_nats is not None:
            assert result.contribution_low <= result.contribution_nats <= result.contribution_high


def test_the_frame_has_one_row_a_feature_and_its_ten_columns(fitted_selector, pair):
    frame = fitted_selector.selection_.to_frame()
    assert list(frame.columns) == FRAME_COLUMNS
    assert frame["feature"].tolist() == list(pair.X.columns)
    assert frame["selected"].tolist() == fitted_selector.support_.tolist()


def test_a_selection_is_the_same_after_saving_and_loading(fitted_selector, tmp_path):
    fitted_selector.selection_.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == fitted_selector.selection_


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_kind_of_table_gives_the_same_answer(make_selector, fitted_selector, pair, source):
    X = source(pair.X)
    selector = make_selector().fit(X, pair.y)
    assert selector.support_.tolist() == fitted_selector.support_.tolist()
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()
    nameless = isinstance(X, np.ndarray | list)
    assert hasattr(selector, "feature_names_in_") is not nameless
    assert selector.get_feature_names_out().tolist() == (["x0", "x3"] if nameless else ["f0", "f3"])
    np.testing.assert_array_equal(selector.transform(X), pair.X[["f0", "f3"]].to_numpy())


def test_transform_gives_the_selected_columns_of_new_rows(fitted_selector, pair):
    rows = pair.X[7:9]
    out = fitted_selector.transform(rows)
    assert isinstance(out, np.ndarray)
    np.testing.assert_array_equal(out, rows[["f0", "f3"]].to_numpy())


def test_inverse_transform_puts_zeros_where_columns_were_dropped(fitted_selector, pair):
    back = fitted_selector.inverse_transform(pair.X[["f0", "f3"]].to_numpy())
    expected = pair.X.to_numpy().copy()
    expected[:, [1, 2, 4]] = 0
    np.testing.assert_array_equal(back, expected)


def test_feature_names_out_refuse_other_names_than_those_of_the_fit(fitted_selector, pair):
    assert fitted_selector.get_feature_names_out(list(pair.X.columns)).tolist() == ["f0", "f3"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        fitted_selector.get_feature_names_out(list("abcde"))


def test_transform_refuses_other_columns_than_those_of_the_fit(fitted_selector, pair):
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(pair.X.rename(columns={"f1": "g1"}))
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(pair.X[["f1", "f0", "f2", "f3", "f4"]])
    with pytest.raises(ValueError, match="rename the columns so that all differ"):
        fitted_selector.transform(pair.X.rename(columns={"f1": "f0"}))


def test_a_selector_that_is_not_fitted_says_so(make_selector, pair):
    selector = make_selector()
    for ask in (selector.get_support, selector.get_feature_names_out, lambda: selector.transform(pair.X)):
        with pytest.raises(NotFittedError):
            ask()


def test_frames_keep_their_types_where_frames_are_asked_for(fitted_mixed, mixed):
    X, _ = mixed
    assert fitted_mixed.get_feature_names_out().tolist() == ["colour", "size"]
    selector = copy.deepcopy(fitted_mixed)
    shifted = X.set_index(X.index + 1000)
    pd.testing.assert_frame_equal(
        selector.set_output(transform="pandas").transform(shifted), shifted[["colour", "size"]]
    )
    out = selector.set_output(transform="polars").transform(pl.from_pandas(X))
    assert out.equals(pl.from_pandas(X)[["colour", "size"]])
    assert out.dtypes == pl.from_pandas(X)[["colour", "size"]].dtypes
    # Arrow tables and arrays have no output of their own, so they become what is asked for
    assert selector.transform(pa.Table.from_pandas(X)).columns == ["colour", "size"]
    assert selector.set_output(transform="default").transform(X).shape == (400, 2)


def test_an_array_becomes_a_frame_where_a_frame_is_asked_for(fitted_selector, make_selector, pair):
    selector = make_selector().set_output(transform="pandas").fit(pair.X.to_numpy(), pair.y)
    out = selector.transform(pair.X.to_numpy())
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == ["x0", "x3"]
    assert set(out.dtypes) == {np.dtype(np.int8)}


def test_a_pipeline_selects_and_learns_from_columns_of_mixed_types(make_selector, mixed):
    X, y = mixed
    pipeline = make_pipeline(
        make_selector().set_output(transform="pandas"), OneHotEncoder(min_frequency=2), LogisticRegression()
    )
    pipeline.fit(X, y)
    assert pipeline[0].get_feature_names_out().tolist() == ["colour", "size"]
    assert pipeline[:2].get_feature_names_out().tolist()[:2] == ["colour_blue", "colour_red"]
    assert pipeline.predict(X).shape == (400,)


def test_a_clone_has_the_parameters_and_nothing_of_the_fit(fitted_selector):
    copied = clone(fitted_selector)
    assert copied.get_params() == fitted_selector.get_params()
    assert not hasattr(copied, "selection_")
    assert copied.set_params(random_state=5).get_params()["random_state"] == 5
    with pytest.raises(ValueError, match="Invalid parameter"):
        copied.set_params(n_colours=3)


def test_a_selector_is_the_same_after_pickling(fitted_selector, pair):
    again = pickle.loads(pickle.dumps(fitted_selector))
    assert again.selection_ == fitted_selector.selection_
    assert again.get_params() == fitted_selector.get_params()
    np.testing.assert_array_equal(again.transform(pair.X), fitted_selector.transform(pair.X))


def test_fitting_again_forgets_the_first_fit(make_selector, fitted_selector, pair):
    selector = copy.deepcopy(fitted_selector).fit(pair.X[["f1", "f4"]].to_numpy(), pair.X["f4"])
    fresh = make_selector().fit(pair.X[["f1", "f4"]].to_numpy(), pair.X["f4"])
    assert not hasattr(selector, "feature_names_in_")
    assert selector.support_.tolist() == [False, True]
    assert selector.selection_.features == fresh.selection_.features


def test_a_grid_search_finds_how_many_columns_are_needed(make_selector, pair):
    pipeline = make_pipeline(make_selector(), DecisionTreeClassifier(random_state=0))
    (step, _), _ = pipeline.steps
    grid = {f"{step}__n_features_to_select": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(pair.X, pair.y)
    # One column of the two says nothing about whether they are equal
    assert search.best_params_ == {f"{step}__n_features_to_select": 2}
    assert search.best_score_ == 1.0
    assert search.best_estimator_[0].get_feature_names_out().tolist() == ["f0", "f3"]


def test_the_same_seed_gives_the_same_answer_bit_for_bit(make_selector, fitted_selector, pair):
    again = make_selector().fit(pair.X.copy(), pair.y.copy())
    first, second = (
        dataclasses.replace(selector.selection_, seconds=0.0).to_json() for selector in (fitted_selector, again)
    )
    assert first == second
