"""What holds for every selector: scikit-learn's contract, and tables of all types in and out."""

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
from minerva_select.codes import ReasonCode, ScoreRule, WarningCode
from minerva_select.config import PaperSettings
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.problems import equality
from minerva_select.results import Selection

# Every selector, with parameters that make its fits short. Only MinervaSelector chooses the number of columns; the
# rules of the others are tested with each of them.
TWO = {"n_features_to_select": 2}
SELECTORS = {
    "MinervaSelector": {},
    "PaperSelector": TWO,
    "BorutaSelector": {**TWO, "n_iterations": 8, "n_estimators": 20},
    "FOCISelector": TWO,
    "GradientBoostingSelector": {**TWO, "n_estimators": 20},
    "HSICLassoSelector": TWO,
    "KSGSelector": TWO,
    "LassoSelector": TWO,
    "MRMRSelector": TWO,
    "RandomForestSelector": {**TWO, "n_estimators": 20},
    "RFESelector": {**TWO, "n_estimators": 20},
}
SHORT_PAPER = PaperSettings(batch_size=128, max_steps_learn=30, max_steps_sparsify=50)
PACKAGES = {"BorutaSelector": "boruta", "GradientBoostingSelector": "lightgbm", "RFESelector": "lightgbm"}
MISSING = {name: package for name, package in PACKAGES.items() if importlib.util.find_spec(package) is None}
BASELINES = [name for name in SELECTORS if name not in ("MinervaSelector", "PaperSelector")]


def build(name, **parameters):
    """A selector by name, with a seed and parameters for a short fit."""
    return getattr(selectors, name)(**{"random_state": 0, **SELECTORS[name], **parameters})


def skip_if_missing(name):
    if name in MISSING:
        pytest.skip(f"the package {MISSING[name]} is not installed")


FRAME_COLUMNS = [
    *("feature", "selected", "reason", "reason_code", "reason_columns", "weight", "marginal_nats", "contribution_nats"),
    *("contribution_low", "contribution_high", "partners", "substitutes", "conversion"),
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
        "GradientBoostingSelector": "bins and leaves count rows without their weights",
        "LassoSelector": "copies of a row may be in two folds",
        "MinervaSelector": "its trees and additive models count rows of leaves and levels without their weights",
        "MRMRSelector": "copies of a row may be in two folds",
        "RandomForestSelector": "a bootstrap sample draws two copies of a row more often than a row of weight two",
        "RFESelector": "copies of a row may be in two folds",
    }.items()
}

# name of the case: how it changes a valid table of 60 rows, and what the message must contain
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
    "more columns than there are": ({"n_features_to_select": 6}, "is 6, but there are 5 columns"),
    "no columns": ({"n_features_to_select": 0}, "n_features_to_select"),
    "an unknown target type": ({"target_type": "discreet"}, "'discreet'"),
    "an unknown column": ({"categorical_features": ["f9"]}, "(in categorical_features) 'f9'"),
    "a word for columns": ({"categorical_features": "f0"}, "categorical_features"),
    "an unusable seed": ({"random_state": "seven"}, "random_state"),
}


@pytest.fixture(scope="module")
def short_fits(use_small_fits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("minerva_select.selectors.paper.PaperSettings", lambda: SHORT_PAPER)
        yield


@pytest.fixture(scope="module", params=SELECTORS)
def make_selector(request, short_fits):
    """Build a selector of each class, with further parameters if given."""
    skip_if_missing(request.param)
    return lambda **parameters: build(request.param, **parameters)


@pytest.fixture(scope="module")
def sums():
    """400 rows of five columns with five levels; the target is whether f0 and f3 add up to 4 or more."""
    problem = equality(n_samples=400, n_features=5, n_levels=5, relevant=(0, 3), random_state=0)
    return dataclasses.replace(problem, y=(problem.X["f0"] + problem.X["f3"] >= 4).astype(int).rename("y"))


@pytest.fixture(scope="module")
def fitted_selector(make_selector, sums):
    """A selector fitted to five columns, two of them relevant; tests must not change it."""
    return make_selector().fit(sums.X, sums.y)


@pytest.fixture(scope="module")
def mixed():
    """Columns of several types; the target is whether the color is red and the size positive."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "noise": rng.normal(size=400),
            "color": pd.Categorical(rng.choice(["red", "blue"], size=400)),
            "size": rng.normal(size=400).astype(np.float32),
            "word": rng.choice(["a", "b", "c"], size=400),
        }
    )
    return X, (X["color"] == "red") & (X["size"] > 0)


@pytest.fixture(scope="module")
def fitted_mixed(make_selector, mixed):
    return make_selector().fit(*mixed)


@pytest.mark.reference
@pytest.mark.usefixtures("short_fits")
@pytest.mark.filterwarnings("ignore:No features were selected")  # the target of some checks is noise
@parametrize_with_checks(
    [build(name, n_features_to_select=None) for name in SELECTORS if name not in MISSING],
    expected_failed_checks=lambda selector: EXPECTED_FAILURES.get(type(selector).__name__, {}),
)
def test_scikit_learn_accepts_the_selector(estimator, check):
    check(estimator)


def test_every_selector_is_tested_here():
    classes = {name for name in selectors.__all__ if isinstance(getattr(selectors, name), type)}
    assert classes == SELECTORS.keys()


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_documents_an_example(name):
    assert f">>> selector = {name}(" in getattr(selectors, name).__doc__


def test_the_relevant_columns_are_selected(fitted_selector, sums):
    assert tuple(fitted_selector.get_feature_names_out()) == sums.relevant


def test_fitted_attributes_agree_with_each_other(fitted_selector, sums):
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


def test_selected_columns_have_higher_scores_than_the_others(fitted_selector):
    selector = fitted_selector
    assert selector.scores_.shape == (5,)
    assert selector.scores_.dtype == np.float64
    others = np.nan_to_num(selector.scores_[~selector.support_], nan=0.0)  # MinervaSelector scores only candidates
    assert selector.scores_[selector.support_].min() > others.max()


def test_the_training_history_is_in_the_selection(fitted):
    assert fitted.history_
    assert fitted.history_ == fitted.selection_.history


def test_every_column_has_a_reason_that_fits_on_a_line(fitted_selector):
    reasons = [result.reason for result in fitted_selector.selection_.features]
    assert all(isinstance(reason.code, ReasonCode) for reason in reasons)
    assert all(0 < len(str(reason)) <= 80 for reason in reasons)


def test_information_estimates_are_consistent_or_absent(fitted_selector):
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


def test_the_frame_has_one_row_per_feature(fitted_selector, sums):
    frame = fitted_selector.selection_.to_frame()
    assert list(frame.columns) == FRAME_COLUMNS
    assert frame["feature"].tolist() == list(sums.X.columns)
    assert frame["selected"].tolist() == fitted_selector.support_.tolist()


def test_a_selection_is_unchanged_by_saving_and_loading(fitted_selector, tmp_path):
    fitted_selector.selection_.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == fitted_selector.selection_


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_type_of_table_gives_the_same_result(make_selector, fitted_selector, sums, source):
    X = source(sums.X)
    selector = make_selector().fit(X, sums.y)
    assert selector.support_.tolist() == fitted_selector.support_.tolist()
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()
    has_names = not isinstance(X, np.ndarray | list)
    assert hasattr(selector, "feature_names_in_") is has_names
    assert selector.get_feature_names_out().tolist() == (["f0", "f3"] if has_names else ["x0", "x3"])
    np.testing.assert_array_equal(selector.transform(X), sums.X[["f0", "f3"]].to_numpy())


def test_a_sparse_matrix_gives_the_same_result_and_stays_sparse(make_selector, fitted_selector, sums):
    selector = make_selector().fit(sparse.coo_array(sums.X.to_numpy()), sums.y)
    assert selector.support_.tolist() == fitted_selector.support_.tolist()
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()
    out = selector.transform(sparse.csc_matrix(sums.X.to_numpy()))
    assert sparse.issparse(out)
    np.testing.assert_array_equal(out.toarray(), sums.X[["f0", "f3"]].to_numpy())


def test_transform_returns_the_selected_columns_of_new_rows(fitted_selector, sums):
    rows = sums.X[7:9]
    out = fitted_selector.transform(rows)
    assert isinstance(out, np.ndarray)
    np.testing.assert_array_equal(out, rows[["f0", "f3"]].to_numpy())


def test_inverse_transform_puts_zeros_where_columns_were_dropped(fitted_selector, sums):
    back = fitted_selector.inverse_transform(sums.X[["f0", "f3"]].to_numpy())
    expected = sums.X.to_numpy().copy()
    expected[:, [1, 2, 4]] = 0
    np.testing.assert_array_equal(back, expected)


def test_get_feature_names_out_refuses_names_that_differ_from_the_fit(fitted_selector, sums):
    assert fitted_selector.get_feature_names_out(list(sums.X.columns)).tolist() == ["f0", "f3"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        fitted_selector.get_feature_names_out(list("abcde"))


def test_transform_refuses_columns_that_differ_from_the_fit(fitted_selector, sums):
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(sums.X.rename(columns={"f1": "g1"}))
    with pytest.raises(ValueError, match="feature names"):
        fitted_selector.transform(sums.X[["f1", "f0", "f2", "f3", "f4"]])
    with pytest.raises(ValueError, match="duplicate column names"):
        fitted_selector.transform(sums.X.rename(columns={"f1": "f0"}))


def test_an_unfitted_selector_raises_not_fitted_error(make_selector, sums):
    selector = make_selector()
    for method in (selector.get_support, selector.get_feature_names_out, lambda: selector.transform(sums.X)):
        with pytest.raises(NotFittedError):
            method()


def test_frames_keep_their_types_with_set_output(fitted_mixed, mixed):
    X, _ = mixed
    assert fitted_mixed.get_feature_names_out().tolist() == ["color", "size"]
    selector = copy.deepcopy(fitted_mixed)
    shifted = X.set_index(X.index + 1000)
    pd.testing.assert_frame_equal(
        selector.set_output(transform="pandas").transform(shifted), shifted[["color", "size"]]
    )
    out = selector.set_output(transform="polars").transform(pl.from_pandas(X))
    assert out.equals(pl.from_pandas(X)[["color", "size"]])
    assert out.dtypes == pl.from_pandas(X)[["color", "size"]].dtypes
    # There is no Arrow output, so Arrow tables become the configured type
    assert selector.transform(pa.Table.from_pandas(X)).columns == ["color", "size"]
    assert selector.set_output(transform="default").transform(X).shape == (400, 2)


def test_an_array_becomes_a_frame_with_set_output(fitted_selector, make_selector, sums):
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
    assert pipeline[0].get_feature_names_out().tolist() == ["color", "size"]
    assert pipeline[:2].get_feature_names_out().tolist()[:2] == ["color_blue", "color_red"]
    assert pipeline.predict(X).shape == (400,)


def test_a_clone_has_the_parameters_but_is_not_fitted(fitted_selector):
    copied = clone(fitted_selector)
    assert copied.get_params() == fitted_selector.get_params()
    assert not hasattr(copied, "selection_")
    assert copied.set_params(random_state=5).get_params()["random_state"] == 5
    with pytest.raises(ValueError, match="Invalid parameter"):
        copied.set_params(n_colors=3)


def test_a_selector_is_unchanged_by_pickling(fitted_selector, sums):
    again = pickle.loads(pickle.dumps(fitted_selector))
    assert again.selection_ == fitted_selector.selection_
    assert again.get_params() == fitted_selector.get_params()
    np.testing.assert_array_equal(again.transform(sums.X), fitted_selector.transform(sums.X))


def test_a_second_fit_replaces_the_first(make_selector, fitted_selector, sums):
    X, y = sums.X[["f1", "f4"]].to_numpy(), sums.X["f4"]
    selector = copy.deepcopy(fitted_selector).set_params(n_features_to_select=1).fit(X, y)
    fresh = make_selector(n_features_to_select=1).fit(X, y)
    assert not hasattr(selector, "feature_names_in_")
    assert selector.support_.tolist() == [False, True]
    assert selector.selection_.features == fresh.selection_.features


def test_a_grid_search_finds_the_number_of_columns(make_selector, sums):
    pipeline = make_pipeline(make_selector(), DecisionTreeClassifier(random_state=0))
    (step, _), _ = pipeline.steps
    grid = {f"{step}__n_features_to_select": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(sums.X, sums.y)
    # Their sum needs both columns
    assert search.best_params_ == {f"{step}__n_features_to_select": 2}
    assert search.best_estimator_[0].get_feature_names_out().tolist() == ["f0", "f3"]


def test_the_same_seed_gives_the_same_result_bit_for_bit(make_selector, fitted_selector, sums):
    again = make_selector().fit(sums.X.copy(), sums.y.copy())
    first, second = (
        dataclasses.replace(selector.selection_, seconds=0.0, provenance=None).to_json()
        for selector in (fitted_selector, again)
    )
    assert first == second


def test_a_fit_does_not_change_the_global_random_state(make_selector, sums):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - this test is about the global state
    make_selector(random_state=np.random.RandomState(1)).fit(sums.X, sums.y)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_the_order_of_the_columns_does_not_change_the_selection(make_selector, sums):
    selector = make_selector().fit(sums.X[sums.X.columns[::-1]], sums.y)
    assert selector.get_feature_names_out().tolist() == ["f3", "f0"]


def test_the_target_may_be_numeric(make_selector, sums):
    noise = np.random.default_rng(0).normal(size=400)
    selector = make_selector().fit(sums.X, sums.X["f0"] - sums.X["f3"] + 0.3 * noise)
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]


def test_the_target_may_be_text(make_selector, fitted_selector, sums):
    selector = make_selector().fit(sums.X, sums.y.map({0: "below", 1: "from 4 on"}))
    assert selector.weights_.tolist() == fitted_selector.weights_.tolist()


def test_missing_values_are_accepted(make_selector, mixed):
    X, y = mixed
    is_missing = np.random.default_rng(1).random(X.shape) < 0.05
    selector = make_selector().fit(X.mask(is_missing), y)
    assert selector.get_feature_names_out().tolist() == ["color", "size"]


def test_constant_and_empty_columns_are_dropped_with_a_reason_and_no_score(make_selector, sums):
    selector = make_selector().fit(sums.X.assign(f1=7, f2=np.nan), sums.y)
    codes = {result.feature: result.reason.code for result in selector.selection_.features}
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]
    assert (codes["f1"], codes["f2"]) == (ReasonCode.CONSTANT, ReasonCode.ALL_MISSING)
    assert np.isnan(selector.scores_[[1, 2]]).all()
    assert np.isfinite(selector.scores_[[0, 3]]).all()


def test_without_usable_columns_nothing_is_selected_with_a_warning(make_selector, sums):
    selector = make_selector().fit(sums.X[["f0", "f1"]] * 0, sums.y)
    assert not selector.support_.any()
    assert np.isnan(selector.scores_).all()
    assert WarningCode.NO_USABLE_COLUMN in {warning.code for warning in selector.selection_.warnings}


def test_all_usable_columns_are_selected_if_more_are_requested(make_selector, sums):
    selector = make_selector(n_features_to_select=3).fit(sums.X[["f0", "f1", "f3"]].assign(f1=7), sums.y)
    assert selector.get_feature_names_out().tolist() == ["f0", "f3"]
    warnings = {warning.code: warning.values for warning in selector.selection_.warnings}
    assert warnings[WarningCode.FEWER_COLUMNS_THAN_REQUESTED]["n_usable"] == 2


def test_rows_of_weight_zero_are_left_out(make_selector, sums):
    if not has_fit_parameter(make_selector(), "sample_weight"):
        pytest.skip("does not accept row weights")
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
def test_invalid_input_is_refused_in_one_sentence(make_selector, sums, change, words):
    X, y = change(sums.X[:60], sums.y[:60])
    with pytest.raises(InputError) as error:
        make_selector(n_features_to_select=None).fit(X, y)
    assert_one_sentence(error.value, words)


@pytest.mark.parametrize(("parameters", "words"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS)
def test_invalid_parameters_are_refused_in_one_sentence(make_selector, sums, parameters, words):
    selector = make_selector().set_params(**parameters)
    with pytest.raises(InputError) as error:
        selector.fit(sums.X, sums.y)
    assert_one_sentence(error.value, words)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_refuse_two_targets(name, sums):
    skip_if_missing(name)
    with pytest.raises(InputError, match="one target column, got 2"):
        build(name).fit(sums.X, pd.DataFrame({"a": sums.y, "b": 1 - sums.y}))


@pytest.mark.parametrize("name", BASELINES)
def test_every_requested_column_has_a_weight_and_a_reason(name, sums):
    skip_if_missing(name)
    selector = build(name, n_features_to_select=5).fit(sums.X, sums.y)
    assert selector.support_.all()
    assert (selector.weights_ > 0).all()
    values = [result.reason.values for result in selector.selection_.features]
    assert [each["score"] for each in values] == selector.scores_.tolist()
    assert {(each["rule"], each["n_requested"]) for each in values} == {(ScoreRule.REQUESTED_COUNT, 5)}


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_score_every_usable_column(name, sums):
    skip_if_missing(name)
    selector = build(name).fit(sums.X.assign(f1=7), sums.y)
    assert np.isnan(selector.scores_).tolist() == [False, True, False, False, False]


@pytest.mark.parametrize(("name", "package"), PACKAGES.items())
def test_a_missing_package_is_reported_with_the_install_command(name, package, sums, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=rf"(?i)^{name} needs the package {package}.* pip install 'minerva"):
        build(name).fit(sums.X, sums.y)
