"""``minerva reproduce``."""

from __future__ import annotations

import json

import pytest

from minerva_select.cli.reproduce import find_data
from minerva_select.errors import InputError


@pytest.fixture
def requested(monkeypatch):
    """Labels of the requested rows of Experiment A, which are computed at once."""
    labels = []

    def compute(task, run_task, time_limit):
        labels.append(task.label)
        found = {"selected": ["f3", "f8"], "seconds": 2.0, "peak_bytes": 3e8, "outcome": "exact"}
        return {"label": task.label, "task": dict(task.settings), "failure": None, **found}

    monkeypatch.setattr("minerva_select.evaluation.paper.tasks._compute", compute)
    monkeypatch.delenv("MINERVA_DATA", raising=False)
    return labels


def test_reproduce_prints_the_table_and_writes_records_and_markdown(folder, run, requested):
    result = run("reproduce", "a", "--quick", "--out", "rep")
    assert result.exit_code == 0
    assert "Table 1" in result.stdout
    assert "FOCI" in result.stdout
    records = [json.loads(line) for line in (folder / "rep/a-quick.jsonl").read_text().splitlines()]
    assert [record["label"] for record in records] == requested
    assert "| FOCI | 3, 8 | exact | 3, 8 | exact |" in (folder / "rep/a-quick.md").read_text()


def test_recorded_rows_are_not_computed_again(folder, run, requested):
    run("reproduce", "a", "--quick")
    n_rows = len(requested)
    assert n_rows > 0
    assert run("reproduce", "a", "--quick").exit_code == 0
    assert len(requested) == n_rows
    run("reproduce", "a")  # other rows, other tasks
    assert len(requested) == 3 * n_rows  # with and without the number of features


def test_all_runs_the_four_experiments_and_fraud_on_both_data_sets(folder, run, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "minerva_select.cli.reproduce._reproduce",
        lambda configuration, data, _: asked.append((configuration.name, data)),
    )
    monkeypatch.delenv("MINERVA_DATA", raising=False)
    payments = folder / "creditcard_ulb.parquet"
    payments.touch()
    assert run("reproduce", "all", "--data", folder).exit_code == 0
    assert asked == [("a", None), ("b", None), ("fraud", payments), ("mine", None), ("fraud", None)]


def test_an_unknown_experiment_is_refused_before_a_folder_is_created(folder, run, assert_refused):
    assert_refused(run("reproduce", "fruad"), "did you mean 'fraud'")
    assert not (folder / "reproduction").exists()


def test_missing_data_are_refused(folder, run, assert_refused):
    assert_refused(run("reproduce", "fraud", "--data", "nowhere.parquet"), "nowhere.parquet")


def test_data_are_found_by_file_folder_and_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("MINERVA_DATA", raising=False)
    assert find_data("a", None) is None
    file = tmp_path / "paper" / "experiment_a.parquet"
    file.parent.mkdir()
    file.touch()
    assert find_data("a", file) == file
    assert find_data("a", tmp_path) == file
    assert find_data("a", tmp_path / "paper") == file
    assert find_data("fraud", tmp_path) is None
    assert find_data("b", tmp_path) is None
    monkeypatch.setenv("MINERVA_DATA", str(tmp_path))
    assert find_data("a", None) == file
    with pytest.raises(InputError, match="no file or folder"):
        find_data("a", tmp_path / "nowhere")
