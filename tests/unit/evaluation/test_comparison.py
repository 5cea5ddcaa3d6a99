"""Claims about the comparison of methods."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing

import numpy as np
import pandas as pd
import pytest
from correlation import method

from minerva_select.errors import DivergenceError, InputError
from minerva_select.evaluation import Comparison, Method, Score, Standing, compare
from minerva_select.results import Estimate

MISSING = Method("gone", "Gone", "no.module:Selector", package="no_such_package")


def test_every_method_selects_from_the_same_rows_and_is_judged_on_the_others(table, at_once):
    comparison = compare(*table, [method("one"), method("two", alone=0.25)])
    assert [row.kept for row in comparison.standings] == [(("a", "c", "d"),)] * 2
    assert (comparison.target, comparison.metric, comparison.n_rows, comparison.n_held_out) == ("y", "R2", 60, 20)
    one, two = comparison.standings
    assert one.information == two.information == Estimate(0.1 * 3, 0.05, 1.0, n_rows=20)
    assert one.score == two.score
    assert one.score.low <= one.score.value <= one.score.high
    assert comparison.reference.kept == (("a", "b", "c", "d"),)
    assert comparison.reference.information.nats == pytest.approx(0.4)
    assert (one.status, one.notes) == ("", ())
    assert one.seconds > 0
    assert one.peak_bytes > 1_000_000


def test_methods_that_keep_the_same_share_one_estimate(table, at_once):
    compare(*table, [method("one"), method("two"), method("three")])
    assert at_once == ["one", "two", "three", ("a", "c", "d"), ("a", "b", "c", "d")]


def test_a_method_that_keeps_nothing_has_no_information_and_the_score_of_a_constant(table, at_once):
    X, y = table
    row = compare(X[["b"]], y, [method()]).standings[0]
    assert row.kept == ((),)
    assert (row.information.nats, row.information.high) == (0.0, 0.0)
    assert row.score.value == pytest.approx(0.0, abs=0.1)  # the mean of 40 rows is not quite that of the other 20
    assert at_once == ["corr", ("b",)]


def test_a_method_that_fails_is_missing_or_runs_out_of_time_is_a_row_that_says_so(table, at_once):
    methods = [method("fails", fault="no rows"), method("slow", fault="sleep"), method("big", fault="memory"), MISSING]
    comparison = compare(*table, [*methods, method("works")], time_limit=5)
    fails, slow, big, gone, works = comparison.standings
    assert fails.status.startswith("ZeroDivisionError: no rows")
    assert slow.status == "out of time: stopped after 5 s"
    assert big.status == "the process was killed, as when memory runs out"
    assert gone.status == "not installed: pip install 'minerva-select[paper]'"
    for row in (fails, slow, big, gone):
        assert (row.kept, row.n_kept, row.information, row.score) == ((None,), None, None, None)
    assert works.kept == (("a", "c", "d"),)


def test_a_finished_cell_is_not_run_again_and_one_that_failed_is(table, at_once, tmp_path):
    methods = [method("works"), method("slow", fault="sleep"), method("fails", fault="no rows")]
    settings = {"time_limit": 5, "cache_dir": tmp_path / "new"}
    first = compare(*table, methods, **settings)
    at_once.clear()
    again = compare(*table, methods, **settings)
    assert at_once == ["fails"]
    assert dataclasses.replace(again, seconds=0) == dataclasses.replace(first, seconds=0)


def test_an_interrupt_hands_over_what_is_finished_and_runs_nothing_more(table, at_once):
    seen = []

    def interrupt(progress):
        if progress.stage == "score, ONE":
            raise KeyboardInterrupt

    methods = [method("one"), method("two", fault="no rows"), MISSING]
    with pytest.raises(KeyboardInterrupt):
        compare(*table, methods, progress=interrupt, on_interrupt=seen.append)
    one, two, gone = seen[0].standings
    assert one.kept == (("a", "c", "d"),)
    assert (one.information.nats, one.score, one.notes) == (pytest.approx(0.3), None, ())
    assert (two.kept, two.status) == ((None,), "no answer yet")
    assert gone.status.startswith("not installed")
    assert (seen[0].reference.information, seen[0].reference.score) == (None, None)
    assert at_once == ["one", "two", ("a", "c", "d")]


def test_more_time_runs_again_only_what_was_cut_short(table, at_once, tmp_path):
    methods = [method("works"), method("slow", fault="sleep")]
    compare(*table, methods, time_limit=5, cache_dir=tmp_path)
    at_once.clear()
    compare(*table, methods, time_limit=50, cache_dir=tmp_path)
    assert at_once == ["slow"]
    at_once.clear()
    compare(*table, methods, time_limit=1e-9, cache_dir=tmp_path)  # less than the fit took
    assert at_once == ["works", "slow"]


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
def test_a_cell_of_other_settings_is_run(table, at_once, tmp_path, changed):
    X, y = table
    y = (y > 0).astype(int)
    compare(X, y, [method()], target_type="continuous", cache_dir=tmp_path)
    at_once.clear()
    compare(X, y, [method()], **{"target_type": "continuous", "cache_dir": tmp_path, **changed})
    assert at_once[0] == "corr"


def test_other_data_or_another_class_is_run(table, at_once, tmp_path):
    X, y = table
    compare(X, y, [method()], cache_dir=tmp_path)
    for arguments in ((X.assign(b=X["b"] + 1), y, [method()]), (X, y, [method(alone=0.5)])):
        at_once.clear()
        compare(*arguments, cache_dir=tmp_path)
        assert at_once[0] == "corr"


def test_an_interrupted_comparison_goes_on_where_it_was(table, at_once, tmp_path):
    def interrupt(progress):
        if progress.stage == "TWO":
            raise KeyboardInterrupt

    methods = [method("one"), method("two")]
    with pytest.raises(KeyboardInterrupt):
        compare(*table, methods, cache_dir=tmp_path, progress=interrupt)
    compare(*table, methods, cache_dir=tmp_path)
    assert [what for what in at_once if isinstance(what, str)] == ["one", "two"]


def test_records_say_with_what_and_when_they_were_made(table, at_once, tmp_path):
    compare(*table, [method()], cache_dir=tmp_path)
    records = [json.loads(line) for line in (tmp_path / "cells.jsonl").read_text().splitlines()]
    assert [record["cell"] for record in records] == ["selection", "information", "score", "information", "score"]
    assert all({"versions", "seed", "seconds", "made", "data"} <= record.keys() for record in records)


def test_progress_rises_and_names_what_runs(table, at_once):
    told = []
    compare(*table, [method()], n_splits=2, progress=told.append)
    assert [one.stage for one in told[:3]] == [
        "CORR, split 1 of 2",
        "information, CORR, split 1 of 2",
        "score, CORR, split 1 of 2",
    ]
    fractions = [one.fraction for one in told]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == pytest.approx(1 - 1 / len(told))


def test_several_splits_are_told_by_their_means(table, at_once):
    comparison = compare(*table, [method()], n_splits=3)
    row = comparison.standings[0]
    assert len(row.kept) == 3
    assert row.information.nats == pytest.approx(0.1 * np.mean([len(names) for names in row.kept]))
    singles = [compare(*table, [method()], n_splits=number).standings[0].score for number in (1, 2, 3)]
    # The mean of the first k splits, k = 1, 2, 3: each split's own score follows
    own = [singles[0].value, 2 * singles[1].value - singles[0].value, 3 * singles[2].value - 2 * singles[1].value]
    assert row.score.value == pytest.approx(np.mean(own))


def test_a_split_without_an_answer_leaves_the_means_to_the_others():
    from minerva_select.evaluation.comparison import _standing
    from minerva_select.evaluation.runner import Attempt

    done = Attempt(
        ("a",), seconds=2.0, peak_bytes=10, information=Estimate(0.5, 0.4, 0.6, 9), score=Score("R2", 1, 1, 1)
    )
    row = _standing(method(), [done, Attempt(None, status="out of time: stopped after 5 s")])
    assert row.status == "in 1 of 2 splits out of time: stopped after 5 s"
    assert (row.kept, row.n_kept, row.seconds, row.information.nats) == ((("a",), None), 1, 2.0, 0.5)


def test_a_figure_that_cannot_be_measured_leaves_the_others(table, at_once, monkeypatch):
    def diverge(X, y, **settings):
        raise DivergenceError("Training diverged at step 7.")

    monkeypatch.setattr("minerva_select.selectors.mutual_information", diverge)
    row = compare(*table, [method()]).standings[0]
    assert row.notes == ("The information was not measured: Training diverged at step 7.",)
    assert row.information is None
    assert row.score.metric == "R2"


def test_numpy_numbers_are_numbers(table, at_once, tmp_path):
    settings = {
        "n_splits": np.int64(1),
        "random_state": np.int64(3),
        "held_out": np.float64(0.4),
        "n_features": np.int64(1),
    }
    comparison = compare(*table, [method()], cache_dir=tmp_path, **settings)
    assert Comparison.from_json(comparison.to_json()) == comparison


def test_what_a_feature_tells_alone_is_minervas_word_and_else_ksgs(table, at_once):
    ours, other = method("minerva", alone=0.5), method("ksg", alone=0.25)
    assert compare(*table, [other]).alone == dict.fromkeys("abcd", 0.25)
    assert compare(*table, [other, ours]).alone == dict.fromkeys("abcd", 0.5)
    assert compare(*table, [method("else", alone=0.5)]).alone == {}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ["lasoo"]}, "did you mean 'lasso'"),
        ({"methods": [MISSING]}, "None of the methods gone is installed"),
        ({"n_features": 5}, "n_features is 5, and X has 4 columns"),
        ({"n_features": 0}, "ask for 1 to 4"),
        ({"n_splits": 0}, "n_splits must be"),
        ({"held_out": 1.0}, "held_out must be a share"),
        ({"held_out": float("nan")}, "held_out must be a share"),
        ({"time_limit": 0}, "time_limit must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"device": "abacus"}, "abacus"),
        ({"held_out": 0.01}, "each part needs 6"),
    ],
)
def test_bad_settings_are_refused_before_anything_runs(table, at_once, settings, message):
    with pytest.raises(InputError, match=message):
        compare(*table, **{"methods": [method()], **settings})
    assert at_once == []


def test_a_cache_that_is_a_file_is_refused_before_anything_runs(table, at_once, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot hold the finished cells"):
        compare(*table, [method()], cache_dir=tmp_path / "file")
    assert at_once == []


def test_methods_run_in_processes_of_their_own_and_are_killed_when_time_is_up(table, monkeypatch):
    monkeypatch.setattr(
        "minerva_select.selectors.mutual_information", lambda X, y, **_: Estimate(0.5, 0.4, 0.6, X.num_rows)
    )
    before = {*multiprocessing.active_children()}  # workers of joblib outlive the tests that use them
    comparison = compare(*table, [method("works"), method("slow", fault="sleep")], time_limit=2)
    works, slow = comparison.standings
    assert works.kept == (("a", "c", "d"),)
    assert works.peak_bytes > 10_000_000
    assert slow.status == "out of time: stopped after 2 s"
    assert {*multiprocessing.active_children()} <= before


@pytest.fixture
def finished():
    """Three methods on two splits, of which the last has no answer in the second."""
    estimate, score = Estimate(0.5, 0.4, 0.6, n_rows=100), Score("R2", 0.5, 0.4, 0.6)
    rows = (
        Standing("minerva", "MINERVA", (("a", "b"), ("a",)), estimate, score, 1.5, 1000, notes=("cut short",)),
        Standing("ksg", "KSG", (("a", "c"), ("a",)), estimate, score, 0.5, 2000),
        Standing(
            "foci", "FOCI", ((), None), Estimate(0.0, 0.0, 0.0, 100), score, status="in 1 of 2 splits out of time"
        ),
        Standing("boruta", "Boruta", (None, None), status="not installed: pip install 'minerva-select[paper]'"),
    )
    every = Standing("all", "all features", (("a", "b", "c"),) * 2, Estimate(0.6, 0.5, 0.7, 100), score)
    return Comparison(
        "y", ("a", "b", "c"), 300, 100, "R2", rows, every, {"b": 0.1, "c": 0.3}, {"seed": 0}, {"x": "1"}, 9.0
    )


def test_agreement_is_the_mean_share_of_common_features(finished):
    assert finished.agreement("minerva", "ksg") == pytest.approx((1 / 3 + 1) / 2)
    assert finished.agreement("minerva", "minerva") == 1.0
    assert finished.agreement("foci", "foci") == 1.0  # two empty sets agree
    assert finished.agreement("minerva", "foci") == 0.0  # in the split that both finished
    assert finished.agreement("minerva", "boruta") is None


def test_features_that_minerva_keeps_come_first_then_by_votes_and_by_what_they_tell_alone(finished):
    rows = [(row.feature, row.kept_by, row.alone_nats) for row in finished.votes()]
    assert rows == [("a", ("minerva", "ksg"), None), ("b", ("minerva",), 0.1), ("c", ("ksg",), 0.3)]
    others = dataclasses.replace(finished, standings=(finished.standings[1],))
    assert [row.feature for row in others.votes()] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("alone", "suspects"),
    [
        ({"a": 0.29, "b": 0.05}, ["a"]),  # of 0.6 nats: 48%, and six times the next
        ({"a": 0.29, "b": 0.28}, []),  # two that tell the same much: no one stands out
        ({"a": 0.55, "b": 0.58}, ["b", "a"]),  # each has nearly all
        ({"a": 0.2}, []),
        ({}, []),
    ],
)
def test_a_suspect_stands_out_or_has_nearly_all(finished, alone, suspects):
    assert list(dataclasses.replace(finished, alone=alone).suspects()) == suspects


def test_a_feature_that_alone_carries_most_of_the_information_is_suspect(finished):
    assert finished.suspects() == {"c": pytest.approx(0.5)}  # 0.3 of 0.6 nats; b has a sixth
    nothing = dataclasses.replace(finished.reference, information=Estimate(0.0, 0.0, 0.0, 100))
    assert dataclasses.replace(finished, standings=(), reference=nothing).suspects() == {}


def test_a_comparison_is_the_same_after_saving_and_loading(finished, tmp_path):
    finished.save(tmp_path / "comparison.json")
    assert Comparison.load(tmp_path / "comparison.json") == finished
    document = json.loads(finished.to_json())
    assert document["agreement"]["minerva"]["boruta"] is None
    assert document["agreement"]["ksg"]["minerva"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema_version": 99}', '{"schema_version": 1}', '{"schema_version": 1, "standings": 3}']
)
def test_what_is_no_saved_comparison_is_refused_in_one_sentence(text, tmp_path):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InputError, match=r"bad\.json' is not a saved comparison"):
        Comparison.load(tmp_path / "bad.json")
    with pytest.raises(InputError, match="There is no file"):
        Comparison.load(tmp_path / "nowhere.json")


def test_the_frame_has_one_row_a_method_and_one_for_all_features(finished):
    frame = finished.to_frame()
    assert frame["method"].tolist() == ["minerva", "ksg", "foci", "boruta", "all"]
    assert frame["n_kept"].tolist()[:3] == [1.5, 1.5, 0.0]
    assert pd.isna(frame["information_nats"][3])
    assert frame["kept"][0] == (("a", "b"), ("a",))
