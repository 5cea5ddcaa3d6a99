"""Claims that hold for every selector: scikit-learn's contract, and tables of every kind in and out."""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from minerva_select import selectors
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.problems import equality
from minerva_select.results import Selection

# Every selector, with parameters that make its fits brief. The methods to compare with are told how many columns to
# keep: their own rules are claims of their own tests.
TOLD = {"n_features_to_select": 2}
SELECTORS = {
    "MinervaSelector": {},
    "BorutaSelector": {**TOLD, "n_iterations": 8, "n_estimators": 20},
    "FOCISelector": TOLD,
    "GradientBoostingSelector": {**TOLD, "n_estimators": 20},
    "HSICLassoSelector": TOLD,
    "KSGSelector": TOLD,
    "LassoSelector": TOLD,
    "MRMRSelector": TOLD,
    "RandomForestSelector": {**TOLD, "n_estimators": 20},
    "RFESelector": {**TOLD, "n_estimators": 20},
}
PACKAGES = {"BorutaSelector": "boruta", "GradientBoostingSelector": "lightgbm", "RFESelector": "lightgbm"}
MISSING = {name: package for name, package in PACKAGES.items() if importlib.util.find_spec(package) is None}
BASELINES = [name for name in SELECTORS if name != "MinervaSelector"]


def build(name, **parameters):
    """A selector by name, brief and with a seed."""
    return getattr(selectors, name)(**{"random_state": 0, **SELECTORS[name], **parameters})


def skip_if_missing(name):
    if name in MISSING:
        pytest.skip(f"the package {MISSING[name]} is not installed")


FRAME_COLUMNS = [
    *("feature", "selected", "reason", "weight", "marginal_nats", "contribution_nats"),
    *("contribution_low", "contribution_high", "partners", "substitutes"),
    *("marginal_low", "marginal_high", "role", "replaced_by", "frequency"),
]

SOURCES = {
    "polars": pl.from_pandas,
    "polars lazy": lambda X: pl.from_pandas(X).lazy(),
    "Arrow": pa.Table.from_pandas,
    "Arrow dataset": lambda X: dataset.dataset(pa.Table.from_pandas(X)),
    "numpy": lambda X: X.to_numpy(),
    "lists": lambda X: X.to_numpy().tolist(),
}

EXPECTED_FAILURES = {
    name: {f"check_sample_weight_equivalence_on_{how}_data": reason for how in ("dense", "sparse")}
    for name, reason in {
        "GradientBoostingSelector": "bins and leaves count rows, whatever they weigh",
        "LassoSelector": "a row twice may be in two folds",
        "MRMRSelector": "a row twice may be in two folds",
        "RandomForestSelector": "a row twice is drawn more often than a row of weight two",
        "RFESelector": "a row twice may be in two folds",
    }.items()
}

# name of the case: what it changes of a good table of 60 rows, and what the sentence must hold
REFUSED = {
    "no rows": (lambda X, y: (X[:0], y[:0]), "0 sample(s)"),
    "one row": (lambda X, y: (X[:1], y[:1]), "1 sample"),
    "five rows": (lambda X, y: (X[:5], [0, 1, 0, 1, 0]), "5 samples are too few"),
    "no columns": (lambda X, y: (X[[]], y), "0 feature(s)"),
    "an infinite value": (lambda X, y: (X.assign(f1=[np.inf] + [0.0] * 59), y), "'f1' has 1 infinite value"),
    "other rows in the target": (lambda X, y: (X, y[:50]), "[60, 50]"),
    "a constant target": (lambda X, y: (X, y * 0), "'y' has only one value"),
    "a missing value in the target": (lambda X, y: (X, y.where(y.index != 4)), "'y' has 1 missing value"),
}


BAD_PARAMETERS = {
    "more columns than there are": ({"n_features_to_select": 6}, "is 6, but X has 5 columns"),
    "no columns": ({"n_features_to_select": 0}, "n_features_to_select must be None or a whole number above 0, got 0"),
    "an unknown kind of target": ({"target": "discreet"}, "'discreet'"),
    "an unknown column": ({"categorical_features": ["f9"]}, "(in categorical_features) 'f9'"),
    "a word for columns": (
        {"categorical_features": "f0"},
        "categorical_features must be 'auto' or a list of column names",
    ),
    "an unusable seed": ({"random_state": "seven"}, "random_state must be a whole number"),
}


@pytest.fixture(scope="module", params=SELECTORS)
def make_selector(request, small_plan):
    """Build a selector of each class; parameters come on top of those that make it brief."""
    skip_if_missing(request.param)
    return lambda **parameters: build(request.param, **parameters)


@pytest.fixture(scope="module")
def sums():
    """400 rows of five columns of five levels; the target is whether f0 and f3 add up to 4 or more."""
    problem = equality(n_samples=400, n_features=5, n_levels=5, relevant=(0, 3), random_state=0)
    return dataclasses.replace(problem, y=(problem.X["f0"] + problem.X["f3"] >= 4).astype(int).rename("y"))


@pytest.fixture(scope="module")
def fitted_selector(make_selector, sums):
    """A selector fitted to five columns of which two matter; to look at, not to change."""
    return make_selector().fit(sums.X, sums.y)


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
@pytest.mark.usefixtures("small_plan")
@pytest.mark.filterwarnings("ignore:No features were selected")  # some checks draw targets that are noise
@parametrize_with_checks(
    [build(name, n_features_to_select=None) for name in SELECTORS if name not in MISSING],
    expected_failed_checks=lambda selector: EXPECTED_FAILURES.get(type(selector).__name__, {}),
)
def test_scikit_learn_accepts_the_selector(estimator, check):
    check(estimator)


def test_every_selector_is_held_to_this_contract():
    classes = {name for name in selectors.__all__ if isinstance(getattr(selectors, name), type)}
    assert classes == SELECTORS.keys()


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_shows_how_it_is_used(name):
    assert f">>> selector = {name}(" in getattr(selectors, name).__doc__


def test_the_columns_that_matter_are_found(fitted_selector, sums):
    assert tuple(fitted_selector.get_feature_names_out()) == sums.relevant


def test_what_a_fit_leaves_behind_agrees_with_itself(fitted_selector, sums):
    selector, selection = fitted_selector, fitted_selector.selection_
    assert selector.n_features_in_ == 5
    assert selector.feature_names_in_.tolist() == list(sums.X.columns)
    assert [result.feature for result in selection.features] == list(sums.X.columns)
    assert selector.support_.dtype == bool
    assert selector.support_.tolist() == [result.selected for result in selection.features]
    assert selector.get_support().tolist() == selector.support_.tolist()
    assert selector.get_support(indices=True).tolist() == [0, 3]
    assert selection.selected == tuple(selector.get_feature_names_out())
    assert selector.weights_.tolist() == [result.weight for result in selection.features]
    assert (selector.weights_ >= 0).all()
    assert (selector.weights_[~selector.support_] == 0).all()
    assert (selector.weights_[selector.support_] > 0).all()
    assert (selection.n_rows, selection.target) == (400, "y")
    assert selection.seconds > 0


def test_the_history_of_a_training_is_in_the_selection(fitted):
    assert fitted.history_
    assert fitted.history_ == fitted.selection_.history


def test_every_column_has_a_reason_that_fits_a_line(fitted_selector):
    reasons = [result.reason for result in fitted_selector.selection_.features]
    assert all(reasons)
    assert max(len(reason) for reason in reasons) <= 80


def test_amounts_of_information_are_in_order_or_not_told(fitted_selector):
    selection = fitted_selector.selection_
    if selection.mutual_information is None:
        assert selection.total_information is None
        assert selection.information_kept is None
        return
    for estimate in (selection.mutual_information, selection.total_information):
        assert 0 <= estimate.low <= estimate.nats <= estimate.high
        assert estimate.nats <= selection.target_entropy
    assert 0 <= selection.information_kept <= 1
    for result in selection.features:
        if result.contribution_nats is not None:
            assert result.contribution_low <= result.contribution_nats <= result.contribution_high


def test_the_frame_has_one_row_a_feature_and_its_columns(fitted_selector, sums):
    frame = fitted_selector.selection_.to_frame()
    assert list(frame.columns) == FRAME_COLUMNS
    assert frame["feature"].tolist() == list(sums.X.columns)
    assert frame["selected"].tolist() == fitted_selector.support_.tolist()


def test_a_selection_is_the_same_after_saving_and_loading(fitted_selector, tmp_path):
    fitted_selector.selection_.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == fitted_selector.selection_


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_kind_of_table_gives_the_same_answer(make_selector, fitted_selector, sums, source):
    X = source(sums.X)
    selector = make_selector().fit(X, sums.y)
    assert selector.support_.tolist() == fitted_selector.support_.tolist()
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()
    nameless = isinstance(X, np.ndarray | list)
    assert hasattr(selector, "feature_names_in_") is not nameless
    assert selector.get_feature_names_out().tolist() == (["x0", "x3"] if nameless else ["f0", "f3"])
    np.testing.assert_array_equal(selector.transform(X), sums.X[["f0", "f3"]].to_numpy())


def test_a_sparse_matrix_gives_the_same_answer_and_stays_sparse(make_selector, fitted_selector, sums):
    selector = make_selector().fit(sparse.coo_array(sums.X.to_numpy()), sums.y)
    assert selector.support_.tolist() == fitted_selector.support_.tolist()
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()
    out = selector.transform(sparse.csc_matrix(sums.X.to_numpy()))
    assert sparse.issparse(out)
    np.testing.assert_array_equal(out.toarray(), sums.X[["f0", "f3"]].to_numpy())


def test_transform_gives_the_selected_columns_of_new_rows(fitted_selector, sums):
    rows = sums.X[7:9]
    out = fitted_selector.transform(rows)
    assert isinstance(out, np.ndarray)
    np.testing.assert_array_equal(out, rows[["f0", "f3"]].to_numpy())


def test_inverse_transform_puts_zeros_where_columns_were_dropped(fitted_selector, sums):
    back = fitted_selector.inverse_transform(sums.X[["f0", "f3"]].to_numpy())
    expected = sums.X.to_numpy().copy()
    expected[:, [1, 2, 4]] = 0
    np.testing.assert_array_equal(back, expected)


def test_feature_names_out_refuse_other_names_than_those_of_the_fit(fitted_selector, sums):
    assert fitted_selector.get_feature_names_out(list(sums.X.columns)).tolist() == ["f0", "f3"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        fitted_selector.get_feature_names_out(list("abcde"))


def test_transform_refuses_other_columns_than_those_of_the_fit(fitted_selector, sums):
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(sums.X.rename(columns={"f1": "g1"}))
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(sums.X[["f1", "f0", "f2", "f3", "f4"]])
    with pytest.raises(ValueError, match="rename the columns so that all differ"):
        fitted_selector.transform(sums.X.rename(columns={"f1": "f0"}))


def test_a_selector_that_is_not_fitted_says_so(make_selector, sums):
    selector = make_selector()
    for ask in (selector.get_support, selector.get_feature_names_out, lambda: selector.transform(sums.X)):
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


def test_an_array_becomes_a_frame_where_a_frame_is_asked_for(fitted_selector, make_selector, sums):
    selector = make_selector().set_output(transform="pandas").fit(sums.X.to_numpy(), sums.y)
    out = selector.transform(sums.X.to_numpy())
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


def test_a_selector_is_the_same_after_pickling(fitted_selector, sums):
    again = pickle.loads(pickle.dumps(fitted_selector))
    assert again.selection_ == fitted_selector.selection_
    assert again.get_params() == fitted_selector.get_params()
    np.testing.assert_array_equal(again.transform(sums.X), fitted_selector.transform(sums.X))


def test_fitting_again_forgets_the_first_fit(make_selector, fitted_selector, sums):
    X, y = sums.X[["f1", "f4"]].to_numpy(), sums.X["f4"]
    selector = copy.deepcopy(fitted_selector).set_params(n_features_to_select=1).fit(X, y)
    fresh = make_selector(n_features_to_select=1).fit(X, y)
    assert not hasattr(selector, "feature_names_in_")
    assert selector.support_.tolist() == [False, True]
    assert selector.selection_.features == fresh.selection_.features


def test_a_grid_search_finds_how_many_columns_are_needed(make_selector, sums):
    pipeline = make_pipeline(make_selector(), DecisionTreeClassifier(random_state=0))
    (step, _), _ = pipeline.steps
    grid = {f"{step}__n_features_to_select": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(sums.X, sums.y)
    # One column of the two leaves their sum open
    assert search.best_params_ == {f"{step}__n_features_to_select": 2}
    assert search.best_estimator_[0].get_feature_names_out().tolist() == ["f0", "f3"]


def test_the_same_seed_gives_the_same_answer_bit_for_bit(make_selector, fitted_selector, sums):
    again = make_selector().fit(sums.X.copy(), sums.y.copy())
    first, second = (
        dataclasses.replace(selector.selection_, seconds=0.0, provenance=None).to_json()
        for selector in (fitted_selector, again)
    )
    assert first == second


def test_a_fit_leaves_the_global_random_numbers_alone(make_selector, sums):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - the global state is what this is about
    make_selector(random_state=np.random.RandomState(1)).fit(sums.X, sums.y)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_the_order_of_the_columns_does_not_matter(make_selector, sums):
    selector = make_selector().fit(sums.X[sums.X.columns[::-1]], sums.y)
    assert selector.get_feature_names_out().tolist() == ["f3", "f0"]


def test_the_target_may_be_amounts(make_selector, sums):
    noise = np.random.default_rng(0).normal(size=400)
    selector = make_selector().fit(sums.X, sums.X["f0"] - sums.X["f3"] + 0.3 * noise)
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]


def test_the_target_may_be_text(make_selector, fitted_selector, sums):
    selector = make_selector().fit(sums.X, sums.y.map({0: "below", 1: "reached"}))
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()


def test_missing_values_are_welcome(make_selector, mixed):
    X, y = mixed
    gaps = np.random.default_rng(1).random(X.shape) < 0.05
    selector = make_selector().fit(X.mask(gaps), y)
    assert selector.get_feature_names_out().tolist() == ["colour", "size"]


def test_columns_without_a_value_to_tell_apart_are_dropped_with_a_reason(make_selector, sums):
    X = sums.X.assign(f1=7, f2=np.nan)
    selector = make_selector().fit(X, sums.y)
    reasons = {result.feature: result.reason for result in selector.selection_.features}
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]
    assert (reasons["f1"], reasons["f2"]) == ("constant", "all values missing")


def test_where_no_column_can_be_used_none_is_kept_and_a_warning_says_so(make_selector, sums):
    selector = make_selector().fit(sums.X[["f0", "f1"]] * 0, sums.y)
    assert not selector.support_.any()
    assert any("No column can be used" in warning for warning in selector.selection_.warnings)


def test_asked_for_more_columns_than_can_be_used_all_that_can_are_kept(make_selector, sums):
    selector = make_selector(n_features_to_select=3).fit(sums.X[["f0", "f1", "f3"]].assign(f1=7), sums.y)
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]
    assert any("Only 2 columns can be used" in warning for warning in selector.selection_.warnings)


def test_rows_of_weight_zero_do_not_count(make_selector, sums):
    if not has_fit_parameter(make_selector(), "sample_weight"):
        pytest.skip("takes no row weights")
    X, y = pd.concat([sums.X, sums.X]), pd.concat([sums.y, 1 - sums.y])
    weighted = make_selector().fit(X, y, sample_weight=np.repeat([1.0, 0.0], 400))
    alone = make_selector().fit(sums.X, sums.y, sample_weight=np.ones(400))
    assert weighted.selection_.features == alone.selection_.features
    assert weighted.selection_.n_rows == 400


def assert_one_sentence(error, words):
    text = str(error)
    assert words in text
    assert text.endswith((".", "?"))
    assert "\n" not in text


@pytest.mark.parametrize(("change", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(make_selector, sums, change, words):
    X, y = change(sums.X[:60], sums.y[:60])
    with pytest.raises(InputError) as refusal:
        make_selector(n_features_to_select=None).fit(X, y)
    assert_one_sentence(refusal.value, words)


@pytest.mark.parametrize(("parameters", "words"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS)
def test_bad_parameters_are_refused_in_one_sentence(make_selector, sums, parameters, words):
    selector = make_selector().set_params(**parameters)
    with pytest.raises(InputError) as refusal:
        selector.fit(sums.X, sums.y)
    assert_one_sentence(refusal.value, words)


@pytest.mark.parametrize("name", BASELINES)
def test_two_targets_are_refused_by_the_methods_to_compare_with(name, sums):
    skip_if_missing(name)
    with pytest.raises(InputError, match=r"takes one target column, got 2 \(a, b\); choose one"):
        build(name).fit(sums.X, pd.DataFrame({"a": sums.y, "b": 1 - sums.y}))


@pytest.mark.parametrize("name", BASELINES)
def test_a_column_that_is_asked_for_has_a_weight_although_it_says_nothing(name, sums):
    skip_if_missing(name)
    selector = build(name, n_features_to_select=5).fit(sums.X, sums.y)
    assert selector.support_.all()
    assert (selector.weights_ > 0).all()


@pytest.mark.parametrize("name", BASELINES)
def test_scores_are_told_of_all_columns_that_took_part(name, sums):
    skip_if_missing(name)
    selector = build(name).fit(sums.X.assign(f1=7), sums.y)
    assert np.isnan(selector.scores_).tolist() == [False, True, False, False, False]
    assert min(selector.scores_[[0, 3]]) > max(selector.scores_[[2, 4]])


@pytest.mark.parametrize(("name", "package"), PACKAGES.items())
def test_a_missing_package_gives_one_sentence_with_the_install_command(name, package, sums, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=rf"(?i)^{name} needs the package {package}.* pip install 'minerva"):
        build(name).fit(sums.X, sums.y)
