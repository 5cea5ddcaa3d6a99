"""``minerva report``."""

from __future__ import annotations

import dataclasses
import json

import pytest

from full_selection import full_selection
from minerva_select.evaluation.leaderboard import Comparison, MethodResult
from minerva_select.results import Estimate, FeatureRanking, FeatureResult, Reason, ReasonCode, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=20)
SELECTION = Selection("y", (FeatureResult("b\nc", True, Reason(ReasonCode.CONTRIBUTES)),), HALF, HALF, n_rows=20)


def test_the_report_of_a_saved_selection_is_written(folder, run):
    SELECTION.save("selection.json")
    result = run("report", "selection.json", "--out", "pages/report.html")
    assert result.exit_code == 0
    assert "b\\nc" in (folder / "pages/report.html").read_text(encoding="utf-8")
    assert Selection.load("selection.json") == SELECTION


def test_the_best_features_of_a_number_are_printed_and_drawn(folder, run, assert_refused):
    ranking = FeatureRanking(tuple((f"f{k}",) for k in range(12)))
    saved = dataclasses.replace(full_selection(), ranking=ranking)
    saved.save("selection.json")
    result = run("report", "selection.json", "--n-features", "2", "--quiet")
    assert result.stdout == "f0\nf1\n"
    assert "These are the best 2" in (folder / "report.html").read_text(encoding="utf-8")
    as_json = run("report", "selection.json", "--n-features", "3", "--json", "--quiet").stdout
    assert Selection.from_json(as_json) == saved.with_n_features(3)
    assert run("report", "selection.json", "--quiet").stdout == ""
    assert Selection.load("selection.json") == saved
    assert_refused(
        run("report", "selection.json", "--n-features", "13"), "--n-features is 13, but there are 12 columns"
    )
    assert_refused(run("report", "selection.json", "--n-features", "0"), "--n-features")
    full_selection().save("old.json")
    assert_refused(run("report", "old.json", "--n-features", "2"), "no ranking")


def broken(**changes):
    return json.dumps({**json.loads(SELECTION.to_json()), **changes})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "not valid JSON"),
        ("[]", "no schema_version"),
        (broken(schema_version=99), "schema version 99"),
        (broken(features=[{"feature": "a"}]), "not a saved selection"),
        (broken(surprise=1), "not a saved selection"),
        (broken(seconds="long"), "not a saved selection"),
        (broken(mutual_information={"nats": "x", "low": 0, "high": 0, "n_rows": 1}), "not a saved selection"),
    ],
)
def test_a_file_that_is_not_a_selection_is_refused(folder, content, message, run, assert_refused):
    (folder / "selection.json").write_text(content)
    assert_refused(run("report", "selection.json"), message)
    assert not (folder / "report.html").exists()


def test_unusable_paths_are_refused(folder, run, assert_refused):
    assert_refused(run("report", "nowhere.json"), "no file 'nowhere.json'")
    SELECTION.save("selection.json")
    assert_refused(run("report", "selection.json", "--out", "selection.json"), "is the selection itself")
    assert_refused(run("report", "selection.json", "--out", "."), "--out needs a file")
    assert Selection.load("selection.json") == SELECTION


def _changes(whole):
    """Documents of a full selection with one error each."""
    feature = whole["features"][0]
    return {
        "a newer schema": {**whole, "schema_version": whole["schema_version"] + 1},
        "a schema that is text": {**whole, "schema_version": "1.0"},
        "features that are a number": {**whole, "features": 3},
        "a feature that is text": {**whole, "features": ["f0"]},
        "a flag that is text": {**whole, "features": [{**feature, "selected": "yes"}]},
        "a name that is a number": {**whole, "features": [{**feature, "feature": 7}]},
        "a number that is a list": {**whole, "features": [{**feature, "contribution_nats": [0.5]}]},
        "an unknown role": {**whole, "features": [{**feature, "role": "boss"}]},
        "rows that are text": {**whole, "n_rows": "many"},
        "a pair without numbers": {**whole, "pairs": [{"first": "f0", "second": "f1"}]},
        "a path of text": {**whole, "path": "f0"},
        "provenance that is text": {**whole, "provenance": "me"},
        "an unknown field": {**whole, "surprise": 1},
    }


WHOLE = json.loads(full_selection().to_json())


@pytest.mark.parametrize("document", _changes(WHOLE).values(), ids=_changes(WHOLE))
def test_an_edited_file_is_refused_in_one_sentence(folder, document, run, assert_refused):
    (folder / "selection.json").write_text(json.dumps(document))
    assert_refused(run("report", "selection.json"), "selection.json")
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
def test_a_truncated_file_is_refused_in_one_sentence(folder, share, run, assert_refused):
    text = full_selection().to_json()
    (folder / "selection.json").write_text(text[: int(share * len(text))])
    assert_refused(run("report", "selection.json"), "not valid JSON")
    assert not (folder / "report.html").exists()


def test_a_refused_selection_creates_no_folder(folder, run, assert_refused):
    (folder / "selection.json").write_text("{}")
    assert_refused(run("report", "selection.json", "--out", "new/report.html"), "schema_version")
    assert not (folder / "new").exists()


def comparison(name):
    every = MethodResult("all", "all features", (("a",),))
    return Comparison("y", ("a",), 30, 10, "R2", (), every, settings={"data": name})


def test_the_page_of_saved_comparisons_is_written(folder, run):
    for name in ("one", "two"):
        comparison(name).save(f"{name}.json")
    result = run("report", "one.json", "two.json", "--out", "page.html")
    assert result.exit_code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert 'id="table-2"' in page
    assert run("report", "one.json", "--out", "one.html").exit_code == 0


def test_comparisons_with_a_selection_or_its_options_are_refused(run, assert_refused, folder):
    comparison("one").save("one.json")
    SELECTION.save("selection.json")
    assert_refused(run("report", "one.json", "selection.json"), "not a saved comparison")
    assert_refused(run("report", "selection.json", "selection.json"), "not a saved comparison")
    assert_refused(run("report", "one.json", "--n-features", "1"), "--n-features")
    assert_refused(run("report", "one.json", "--json"), "--json needs one saved selection")
    assert_refused(run("report", "one.json", "--out", "one.json"), "the comparison itself")
    assert not (folder / "report.html").exists()
