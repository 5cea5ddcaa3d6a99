"""Claims about ``minerva report``."""

from __future__ import annotations

import json

import pytest

from minerva.results import Estimate, FeatureResult, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=20)
SELECTION = Selection("y", (FeatureResult("b\nc", True, "adds"),), HALF, HALF, n_rows=20)


def test_report_draws_a_saved_selection_again(folder, run):
    SELECTION.save("selection.json")
    result = run("report", "selection.json", "--out", "pages/report.html")
    assert result.exit_code == 0
    assert "b\\nc" in (folder / "pages/report.html").read_text(encoding="utf-8")
    assert Selection.load("selection.json") == SELECTION


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
def test_a_file_that_is_no_selection_is_refused_and_nothing_is_written(folder, content, message, run, assert_refused):
    (folder / "selection.json").write_text(content)
    assert_refused(run("report", "selection.json"), message)
    assert not (folder / "report.html").exists()


def test_report_refuses_paths_that_it_cannot_use(folder, run, assert_refused):
    assert_refused(run("report", "nowhere.json"), "no file 'nowhere.json'")
    SELECTION.save("selection.json")
    assert_refused(run("report", "selection.json", "--out", "selection.json"), "is the selection itself")
    assert_refused(run("report", "selection.json", "--out", "."), "is a folder and --out needs a file")
    assert Selection.load("selection.json") == SELECTION
