"""Claims about what a user can ask of a selection: columns to keep or drop, groups, numbers, redundant ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from minerva_select import MinervaSelector
from minerva_select.codes import ReasonCode, WarningCode
from minerva_select.results import Reason, SelectionWarning
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("use_small_fits")


def fit(X, y, **parameters):
    return MinervaSelector(random_state=0, **parameters).fit(X, y)


def by_name(selector):
    return {result.feature: result for result in selector.selection_.features}


@pytest.fixture(scope="module")
def wide(pair):
    """The five columns, a copy of the first under other names of its levels, and two that hold nothing."""
    spelled = pair.X["f0"].map({1: "one", 2: "two", 3: "three"})
    return pair.X.assign(again=spelled, constant=1.5, empty=np.nan)


@pytest.fixture(scope="module")
def plain_answer(wide, pair, use_small_fits):
    return fit(wide, pair.y)


@pytest.fixture(scope="module")
def asked_answer(wide, pair, use_small_fits):
    return fit(wide, pair.y, keep=["f1", "constant", "again"], drop=["f4"])


def test_columns_that_hold_nothing_are_dropped_with_that_reason(plain_answer):
    results = by_name(plain_answer)
    assert plain_answer.selection_.selected == ("f0", "f3")
    assert results["constant"].reason.code is ReasonCode.CONSTANT
    assert results["empty"].reason.code is ReasonCode.ALL_MISSING


def test_a_copy_is_dropped_and_named_as_a_stand_in(plain_answer):
    results = by_name(plain_answer)
    assert (results["again"].selected, results["again"].reason) == (False, Reason(ReasonCode.EQUIVALENT, ("f0",)))
    assert results["f0"].substitutes == ("again",)
    assert results["f3"].substitutes == ()
    assert results["again"].marginal_nats == results["f0"].marginal_nats


def test_sums_and_coarser_versions_of_kept_columns_are_equivalent_to_them(use_small_fits):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((400, 2)), columns=["a", "b"])
    X = X.assign(total=X["a"] + X["b"], high=X["a"] > 0.3)
    results = by_name(fit(X, X["a"].round(1) + 10 * X["b"].round(1), n_features_to_select=2))
    kept = [name for name, result in results.items() if result.selected]
    (rest,) = {"a", "b", "total"}.difference(kept)
    assert results[rest].reason.code is ReasonCode.EQUIVALENT
    assert {*results[rest].reason.columns} == {*kept}
    assert results["high"].reason == Reason(ReasonCode.EQUIVALENT, ("a",))
    # It carries less than its original, and how much less was not measured
    assert results["high"].marginal_nats is None


def test_columns_that_matter_together_are_named_as_partners(plain_answer):
    results = by_name(plain_answer)
    assert (results["f0"].partners, results["f3"].partners) == (("f3",), ("f0",))
    assert (results["f0"].reason.code, results["f0"].reason.columns) == (ReasonCode.CONTRIBUTES, ("f3",))
    assert results["f0"].reason.values == {"nats": results["f0"].contribution_nats}


def test_a_run_without_complaint_has_converged(plain_answer):
    assert plain_answer.selection_.converged
    assert plain_answer.selection_.warnings == ()


def test_a_kept_column_is_kept_even_if_constant_and_a_dropped_one_is_not(asked_answer):
    results = by_name(asked_answer)
    assert asked_answer.selection_.selected == ("f1", "f3", "again", "constant")
    assert results["f1"].reason == Reason(ReasonCode.ON_REQUEST)
    assert results["constant"].reason == Reason(ReasonCode.ON_REQUEST, values={"otherwise": "constant"})
    assert results["f4"].reason.code is ReasonCode.DROPPED_ON_REQUEST
    assert results["f4"].contribution_nats is None


def test_a_kept_column_is_never_the_copy(asked_answer):
    results = by_name(asked_answer)
    assert (results["f0"].selected, results["f0"].reason) == (False, Reason(ReasonCode.EQUIVALENT, ("again",)))
    assert (results["again"].reason, results["again"].substitutes) == (Reason(ReasonCode.ON_REQUEST), ("f0",))


def test_columns_of_an_array_are_kept_dropped_and_grouped_by_place(pair):
    selector = fit(pair.X.to_numpy(), pair.y, keep=[1], drop=(2,), feature_groups=[[0, 4]])
    results = by_name(selector)
    assert results["x1"].reason.code is ReasonCode.ON_REQUEST
    assert results["x2"].reason.code is ReasonCode.DROPPED_ON_REQUEST
    assert selector.selection_.selected == ("x0", "x1", "x3", "x4")


def test_groups_come_or_go_together_with_one_weight(pair):
    results = by_name(fit(pair.X, pair.y, feature_groups={"in": ["f0", "f1"], "out": ["f2", "f4"]}))
    assert [name for name, result in results.items() if result.selected] == ["f0", "f1", "f3"]
    assert results["f0"].weight == results["f1"].weight > 0
    assert results["f0"].contribution_nats == results["f1"].contribution_nats
    assert results["f2"].weight == results["f4"].weight == 0


def test_keeping_one_of_a_group_keeps_the_group(pair):
    selector = fit(pair.X, pair.y, feature_groups=[["f2", "f4"]], keep=["f2"])
    results = by_name(selector)
    assert selector.selection_.selected == ("f0", "f2", "f3", "f4")
    assert results["f2"].reason == Reason(ReasonCode.ON_REQUEST)
    assert results["f4"].reason == Reason(ReasonCode.ON_REQUEST, ("f2",))


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_as_many_features_are_selected_as_were_asked_for(pair, n_features):
    selection = fit(pair.X, pair.y, n_features_to_select=n_features).selection_
    assert len(selection.selected) == n_features
    # Neither of the two says anything alone, so one alone may be any column
    assert n_features == 1 or {*pair.relevant} <= {*selection.selected}
    assert selection.warnings == ()


def test_kept_columns_and_groups_count_toward_the_number(pair):
    X = pair.X.assign(constant=0)
    selector = fit(X, pair.y, n_features_to_select=3, keep=["constant"], feature_groups=[["f0", "f1"]])
    assert selector.selection_.selected == ("f0", "f1", "f3", "constant")


def test_more_features_than_can_be_used_are_answered_with_a_warning(pair):
    X = pair.X[["f0", "f3"]].assign(again=pair.X["f0"], constant=0)
    selection = fit(X, pair.y, n_features_to_select=4).selection_
    assert selection.selected == ("f0", "f3")
    expected = SelectionWarning(WarningCode.FEWER_COLUMNS_THAN_REQUESTED, values={"n_usable": 2})
    assert selection.warnings == (expected,)


def test_redundant_columns_are_kept_on_demand(wide, pair):
    results = by_name(fit(wide, pair.y, redundant="keep"))
    assert [name for name, result in results.items() if result.selected] == ["f0", "f3", "again"]
    assert results["again"].reason == Reason(ReasonCode.EQUIVALENT, ("f0",))
    assert results["again"].weight == results["f0"].weight > 0


def test_a_number_decides_where_redundant_columns_would_be_kept(wide, pair):
    selection = fit(wide, pair.y, redundant="keep", n_features_to_select=2).selection_
    assert selection.selected == ("f0", "f3")


@pytest.mark.parametrize("kind", [MinervaSelector, PaperSelector])
def test_a_table_of_constants_gives_an_empty_selection_and_says_so(pair, kind):
    X = pd.DataFrame({"a": 1, "b": np.full(400, np.nan), "c": "x"})
    selector = kind(random_state=0).fit(X, pair.y)
    assert selector.selection_.selected == ()
    codes = [result.reason.code for result in selector.selection_.features]
    assert codes == [ReasonCode.CONSTANT, ReasonCode.ALL_MISSING, ReasonCode.CONSTANT]
    assert selector.selection_.warnings == (SelectionWarning(WarningCode.NO_USABLE_COLUMN),)
    assert selector.selection_.mutual_information.nats == 0
    assert selector.history_ == ()


def test_an_empty_selection_gives_rows_without_columns(pair):
    X = pair.X.set_index(pair.X.index + 7)
    selector = fit(X, pair.y, drop=list(X.columns))
    for source in (X, pl.from_pandas(X), pa.Table.from_pandas(X)):
        with pytest.warns(UserWarning, match="No features were selected"):
            assert selector.transform(source).shape == (400, 0)
    with pytest.warns(UserWarning, match="No features were selected"):
        out = selector.set_output(transform="pandas").transform(X)
    pd.testing.assert_index_equal(out.index, X.index)
    assert out.shape == (400, 0)


def test_dropping_every_column_gives_an_empty_selection(pair):
    selection = fit(pair.X, pair.y, drop=list(pair.X.columns)).selection_
    assert selection.selected == ()
    assert {result.reason.code for result in selection.features} == {ReasonCode.DROPPED_ON_REQUEST}


def test_columns_named_as_categorical_are_read_as_names(pair):
    # 40 levels in 400 rows are amounts by default; as names, each of them is one of its own
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"code": rng.integers(0, 40, size=400), "noise": rng.normal(size=400)})
    selector = fit(X, X["code"] % 2, categorical_features=["code"])
    assert selector.selection_.selected == ("code",)
    assert selector.selection_.settings["categorical_features"] == ["code"]


def test_a_fitted_selector_shows_its_answer_in_a_notebook(fitted):
    from sklearn.base import clone

    shown = fitted._repr_mimebundle_()["text/html"]
    assert "MinervaSelector" in shown
    assert fitted.selection_._repr_html_() in shown
    assert fitted._repr_html_().endswith(fitted.selection_._repr_html_())
    assert fitted.selection_._repr_html_() not in clone(fitted)._repr_mimebundle_()["text/html"]
