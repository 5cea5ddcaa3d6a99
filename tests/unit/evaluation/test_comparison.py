"""The comparison of methods."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing

import numpy as np
import pandas as pd
import pytest
from correlation_selector import method

from minerva_select.codes import FailureCode, WarningCode
from minerva_select.errors import DivergenceError, InputError
from minerva_select.evaluation import Comparison, Method, compare
from minerva_select.evaluation.downstream import Score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import MethodResult
from minerva_select.results import Estimate, SelectionWarning
from minerva_select.text.comparison import method_notes, method_status

FEW_ROWS = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 60})
MISSING = Method("gone", "Gone", "no.module:Selector", package="no_such_package")


def test_every_method_selects_from_the_same_rows_and_is_evaluated_on_the_others(table, ran):
    comparison = compare(*table, [method("one"), method("two", marginal_nats=0.25)])
    assert [row.kept for row in comparison.results] == [(("a", "c", "d"),)] * 2
    assert (comparison.target, comparison.metric, comparison.n_rows, comparison.n_held_out) == ("y", "R2", 60, 20)
    one, two = comparison.results
    assert one.information == two.information == Estimate(0.1 * 3, 0.05, 1.0, n_rows=20)
    assert one.score == two.score
    assert one.score.low <= one.score.value <= one.score.high
    assert comparison.all_features.kept == (("a", "b", "c", "d"),)
    assert comparison.all_features.information.nats == pytest.approx(0.4)
    assert (one.failures, one.warnings) == ((), ())
    assert one.seconds > 0
    assert one.peak_bytes > 1_000_000


def test_methods_that_keep_the_same_share_one_estimate(table, ran):
    compare(*table, [method("one"), method("two"), method("three")])
    assert ran == ["one", "two", "three", ("a", "c", "d"), ("a", "b", "c", "d")]


def test_a_method_that_keeps_nothing_has_no_information_and_the_score_of_a_constant(table, ran):
    X, y = table
    row = compare(X[["b"]], y, [method()]).results[0]
    assert row.kept == ((),)
    assert (row.information.nats, row.information.high) == (0.0, 0.0)
    assert row.score.value == pytest.approx(0.0, abs=0.1)  # the mean of 40 rows is not quite that of the other 20
    assert ran == ["corr", ("b",)]


def test_a_method_that_fails_is_missing_or_runs_out_of_time_is_a_row_with_a_failure(table, ran):
    methods = [method("fails", fault="no rows"), method("slow", fault="sleep"), method("big", fault="memory"), MISSING]
    comparison = compare(*table, [*methods, method("works")], time_limit=5)
    fails, slow, big, gone, works = comparison.results
    assert fails.failure.code is FailureCode.ERROR
    assert "no rows" in fails.failure.message
    assert slow.failure == Failure(FailureCode.OUT_OF_TIME, seconds=5.0)
    assert big.failure.code is FailureCode.PROCESS_DIED
    assert gone.failure.code is FailureCode.NOT_INSTALLED
    for row in (fails, slow, big, gone):
        assert (row.kept, row.n_kept, row.information, row.score) == ((None,), None, None, None)
    assert works.kept == (("a", "c", "d"),)


def test_finished_tasks_do_not_run_again_and_failed_ones_do(table, ran, tmp_path):
    methods = [method("works"), method("slow", fault="sleep"), method("fails", fault="no rows")]
    settings = {"time_limit": 5, "cache_dir": tmp_path / "new"}
    first = compare(*table, methods, **settings)
    ran.clear()
    again = compare(*table, methods, **settings)
    assert ran == ["fails"]
    assert dataclasses.replace(again, seconds=0) == dataclasses.replace(first, seconds=0)


def test_an_interrupt_passes_on_what_is_finished_and_runs_nothing_more(table, ran):
    seen = []

    def interrupt(progress):
        if progress.stage == "score, ONE":
            raise KeyboardInterrupt

    methods = [method("one"), method("two", fault="no rows"), MISSING]
    with pytest.raises(KeyboardInterrupt):
        compare(*table, methods, progress=interrupt, on_interrupt=seen.append)
    one, two, gone = seen[0].results
    assert one.kept == (("a", "c", "d"),)
    assert (one.information.nats, one.score, one.failures) == (pytest.approx(0.3), None, ())
    assert (two.kept, two.failure.code) == ((None,), FailureCode.UNFINISHED)
    assert gone.failure.code is FailureCode.NOT_INSTALLED
    assert (seen[0].all_features.information, seen[0].all_features.score) == (None, None)
    assert ran == ["one", "two", ("a", "c", "d")]


def test_a_longer_time_limit_repeats_only_timeouts(table, ran, tmp_path):
    methods = [method("works"), method("slow", fault="sleep")]
    compare(*table, methods, time_limit=5, cache_dir=tmp_path)
    ran.clear()
    compare(*table, methods, time_limit=50, cache_dir=tmp_path)
    assert ran == ["slow"]
    ran.clear()
    compare(*table, methods, time_limit=1e-9, cache_dir=tmp_path)  # less than the fit took
    assert ran == ["works", "slow"]


@pytest.mark.parametrize(
    "changed",
    [
        {"random_state": 1},
        {"held_out": 0.4},
        {"n_features": 2},
        {"target_type": "discrete"},
        {"categorical_features": ["a"]},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_tasks_with_other_settings_run(table, ran, tmp_path, changed):
    X, y = table
    y = (y > 0).astype(int)
    compare(X, y, [method()], target_type="continuous", cache_dir=tmp_path)
    ran.clear()
    compare(X, y, [method()], **{"target_type": "continuous", "cache_dir": tmp_path, **changed})
    assert ran[0] == "corr"


def test_other_data_or_other_settings_of_a_method_run(table, ran, tmp_path):
    X, y = table
    compare(X, y, [method()], cache_dir=tmp_path)
    for arguments in ((X.assign(b=X["b"] + 1), y, [method()]), (X, y, [method(marginal_nats=0.5)])):
        ran.clear()
        compare(*arguments, cache_dir=tmp_path)
        assert ran[0] == "corr"


def test_an_interrupted_comparison_continues(table, ran, tmp_path):
    def interrupt(progress):
        if progress.stage == "TWO":
            raise KeyboardInterrupt

    methods = [method("one"), method("two")]
    with pytest.raises(KeyboardInterrupt):
        compare(*table, methods, cache_dir=tmp_path, progress=interrupt)
    compare(*table, methods, cache_dir=tmp_path)
    assert [what for what in ran if isinstance(what, str)] == ["one", "two"]


def test_records_have_versions_and_time(table, ran, tmp_path):
    compare(*table, [method()], cache_dir=tmp_path)
    records = [json.loads(line) for line in (tmp_path / "cache.jsonl").read_text().splitlines()]
    assert [record["step"] for record in records] == ["selection", "information", "score", "information", "score"]
    assert all({"versions", "seed", "seconds", "made", "data"} <= record.keys() for record in records)


def test_progress_rises_and_names_what_runs(table, ran):
    seen = []
    compare(*table, [method()], n_splits=2, progress=seen.append)
    assert [one.stage for one in seen[:3]] == [
        "CORR, split 1 of 2",
        "information, CORR, split 1 of 2",
        "score, CORR, split 1 of 2",
    ]
    fractions = [one.fraction for one in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == pytest.approx(1 - 1 / len(seen))


def test_results_are_means_over_splits(table, ran):
    comparison = compare(*table, [method()], n_splits=3)
    row = comparison.results[0]
    assert len(row.kept) == 3
    assert row.information.nats == pytest.approx(0.1 * np.mean([len(names) for names in row.kept]))
    singles = [compare(*table, [method()], n_splits=number).results[0].score for number in (1, 2, 3)]
    # The mean of the first k splits, k = 1, 2, 3: each split's own score follows
    own = [singles[0].value, 2 * singles[1].value - singles[0].value, 3 * singles[2].value - 2 * singles[1].value]
    assert row.score.value == pytest.approx(np.mean(own))


def test_means_leave_out_splits_without_an_answer():
    from minerva_select.evaluation.comparison import _summarize
    from minerva_select.evaluation.runner import SplitResult

    out_of_time = Failure(FailureCode.OUT_OF_TIME, seconds=5.0)
    done = SplitResult(
        ("a",), seconds=2.0, peak_bytes=10, information=Estimate(0.5, 0.4, 0.6, 9), score=Score("R2", 1, 1, 1)
    )
    row = _summarize(method(), [done, SplitResult(None, failures=(out_of_time,))])
    assert (row.failure, method_status(row).startswith("in 1 of 2 splits")) == (out_of_time, True)
    assert (row.kept, row.n_kept, row.seconds, row.information.nats) == ((("a",), None), 1, 2.0, 0.5)


def test_a_failed_measurement_keeps_the_other_one(table, ran, monkeypatch):
    def diverge(X, y, **settings):
        raise DivergenceError("Training diverged at step 7.")

    monkeypatch.setattr("minerva_select.selectors.mutual_information", diverge)
    row = compare(*table, [method()]).results[0]
    assert row.failures == (Failure(FailureCode.ERROR, "Training diverged at step 7.", step="information"),)
    assert len(method_notes(row)) == 1
    assert row.failure is None
    assert row.information is None
    assert row.score.metric == "R2"


def test_numpy_numbers_are_accepted(table, ran, tmp_path):
    settings = {
        "n_splits": np.int64(1),
        "random_state": np.int64(3),
        "held_out": np.float64(0.4),
        "n_features": np.int64(1),
    }
    comparison = compare(*table, [method()], cache_dir=tmp_path, **settings)
    assert Comparison.from_json(comparison.to_json()) == comparison


def test_marginal_information_is_that_of_minerva_or_else_of_ksg(table, ran):
    ours, other = method("minerva", marginal_nats=0.5), method("ksg", marginal_nats=0.25)
    assert compare(*table, [other]).marginal_nats == dict.fromkeys("abcd", 0.25)
    assert compare(*table, [other, ours]).marginal_nats == dict.fromkeys("abcd", 0.5)
    assert compare(*table, [method("else", marginal_nats=0.5)]).marginal_nats == {}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ["lasoo"]}, "lasso"),
        ({"methods": [MISSING]}, "gone"),
        ({"n_features": 5}, "n_features"),
        ({"n_features": 0}, "n_features"),
        ({"n_splits": 0}, "n_splits"),
        ({"held_out": 1.0}, "held_out"),
        ({"held_out": float("nan")}, "held_out"),
        ({"time_limit": 0}, "time_limit"),
        ({"random_state": -1}, "random_state"),
        ({"device": "abacus"}, "abacus"),
        ({"held_out": 0.01}, "held_out"),
    ],
)
def test_bad_settings_are_refused_before_anything_runs(table, ran, settings, message):
    with pytest.raises(InputError, match=message):
        compare(*table, **{"methods": [method()], **settings})
    assert ran == []


def test_a_cache_that_is_a_file_is_refused_before_anything_runs(table, ran, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cache_dir"):
        compare(*table, [method()], cache_dir=tmp_path / "file")
    assert ran == []


def test_methods_run_in_their_own_process_and_are_killed_when_the_time_is_up(table, monkeypatch):
    monkeypatch.setattr(
        "minerva_select.selectors.mutual_information", lambda X, y, **_: Estimate(0.5, 0.4, 0.6, X.num_rows)
    )
    before = {*multiprocessing.active_children()}  # workers of joblib outlive the tests that use them
    comparison = compare(*table, [method("works"), method("slow", fault="sleep")], time_limit=2)
    works, slow = comparison.results
    assert works.kept == (("a", "c", "d"),)
    assert works.peak_bytes > 10_000_000
    assert slow.failure == Failure(FailureCode.OUT_OF_TIME, seconds=2.0)
    assert {*multiprocessing.active_children()} <= before


@pytest.fixture
def finished():
    """Three methods on two splits, of which the last has no answer in the second."""
    estimate, score = Estimate(0.5, 0.4, 0.6, n_rows=100), Score("R2", 0.5, 0.4, 0.6)
    out_of_time = Failure(FailureCode.OUT_OF_TIME, seconds=300.0)
    rows = (
        MethodResult("minerva", "MINERVA", (("a", "b"), ("a",)), estimate, score, 1.5, 1000, warnings=(FEW_ROWS,)),
        MethodResult("ksg", "KSG", (("a", "c"), ("a",)), estimate, score, 0.5, 2000),
        MethodResult("foci", "FOCI", ((), None), Estimate(0.0, 0.0, 0.0, 100), score, failures=(out_of_time,)),
        MethodResult("boruta", "Boruta", (None, None), failures=(Failure(FailureCode.NOT_INSTALLED),)),
    )
    every = MethodResult("all", "all features", (("a", "b", "c"),) * 2, Estimate(0.6, 0.5, 0.7, 100), score)
    return Comparison(
        "y", ("a", "b", "c"), 300, 100, "R2", rows, every, {"b": 0.1, "c": 0.3}, {"seed": 0}, {"x": "1"}, 9.0
    )


def test_agreement_is_the_mean_share_of_common_features(finished):
    assert finished.agreement("minerva", "ksg") == pytest.approx((1 / 3 + 1) / 2)
    assert finished.agreement("minerva", "minerva") == 1.0
    assert finished.agreement("foci", "foci") == 1.0  # two empty sets agree
    assert finished.agreement("minerva", "foci") == 0.0  # in the split that both finished
    assert finished.agreement("minerva", "boruta") is None


def test_features_that_minerva_keeps_come_first_then_by_votes_and_marginal_information(finished):
    rows = [(row.feature, row.kept_by, row.marginal_nats) for row in finished.votes()]
    assert rows == [("a", ("minerva", "ksg"), None), ("b", ("minerva",), 0.1), ("c", ("ksg",), 0.3)]
    others = dataclasses.replace(finished, results=(finished.results[1],))
    assert [row.feature for row in others.votes()] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("marginal_nats", "suspects"),
    [
        ({"a": 0.29, "b": 0.05}, ["a"]),  # of 0.6 nats: 48%, and six times the next
        ({"a": 0.29, "b": 0.28}, []),  # two that carry about as much: none stands out
        ({"a": 0.55, "b": 0.58}, ["b", "a"]),  # each has nearly all
        ({"a": 0.2}, []),
        ({}, []),
    ],
)
def test_a_suspect_carries_most_of_the_information_or_much_more_than_others(finished, marginal_nats, suspects):
    assert list(dataclasses.replace(finished, marginal_nats=marginal_nats).suspects()) == suspects


def test_a_feature_that_alone_carries_most_of_the_information_is_suspect(finished):
    assert finished.suspects() == {"c": pytest.approx(0.5)}  # 0.3 of 0.6 nats; b has a sixth
    nothing = dataclasses.replace(finished.all_features, information=Estimate(0.0, 0.0, 0.0, 100))
    assert dataclasses.replace(finished, results=(), all_features=nothing).suspects() == {}


def test_a_comparison_is_the_same_after_saving_and_loading(finished, tmp_path):
    finished.save(tmp_path / "comparison.json")
    assert Comparison.load(tmp_path / "comparison.json") == finished
    document = json.loads(finished.to_json())
    assert document["agreement"]["minerva"]["boruta"] is None
    assert document["agreement"]["ksg"]["minerva"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema_version": 99}', '{"schema_version": 1}', '{"schema_version": 1, "results": 3}']
)
def test_anything_but_a_saved_comparison_is_refused(text, tmp_path):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=r"bad\.json"):
        Comparison.load(tmp_path / "bad.json")
    with pytest.raises(InputError, match=r"nowhere\.json"):
        Comparison.load(tmp_path / "nowhere.json")


def test_the_frame_has_one_row_per_method_and_one_for_all_features(finished):
    frame = finished.to_frame()
    assert frame["method"].tolist() == ["minerva", "ksg", "foci", "boruta", "all"]
    assert frame["n_kept"].tolist()[:3] == [1.5, 1.5, 0.0]
    assert pd.isna(frame["information_nats"][3])
    assert frame["kept"][0] == (("a", "b"), ("a",))
