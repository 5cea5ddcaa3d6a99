"""Claims about ``minerva reproduce``."""

from __future__ import annotations

import json

import pytest

from minerva_select.cli.reproduce import find_data
from minerva_select.errors import InputError


@pytest.fixture
def at_once(monkeypatch):
    """Rows of Experiment A that are there at once; the list of what was asked."""
    asked = []

    def compute(cell, perform, limit):
        asked.append(cell.label)
        found = {"selected": ["f3", "f8"], "seconds": 2.0, "peak_bytes": 3e8, "outcome": "exact"}
        return {"label": cell.label, "task": dict(cell.task), "error": None, **found}

    monkeypatch.setattr("minerva_select.evaluation.paper.cells._compute", compute)
    monkeypatch.delenv("MINERVA_DATA", raising=False)
    return asked


def test_reproduce_prints_the_table_and_leaves_records_and_markdown(folder, run, at_once):
    result = run("reproduce", "a", "--quick", "--out", "rep")
    assert result.exit_code == 0
    assert "Table 1" in result.stdout
    assert "FOCI" in result.stdout
    records = [json.loads(line) for line in (folder / "rep/a-quick.jsonl").read_text().splitlines()]
    assert [record["label"] for record in records] == at_once
    assert "| FOCI | 3, 8 | exact | 3, 8 | exact |" in (folder / "rep/a-quick.md").read_text()


def test_rows_on_record_are_not_computed_again(folder, run, at_once):
    run("reproduce", "a", "--quick")
    n_rows = len(at_once)
    assert n_rows > 0
    assert run("reproduce", "a", "--quick").exit_code == 0
    assert len(at_once) == n_rows
    run("reproduce", "a")  # other rows, other tasks
    assert len(at_once) == 3 * n_rows  # told and not told


def test_everything_is_the_four_experiments_and_fraud_on_both_data(folder, run, monkeypatch):
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


def test_an_unknown_experiment_is_refused_before_anything_is_made(folder, run, assert_refused):
    assert_refused(run("reproduce", "fruad"), "did you mean 'fraud'")
    assert not (folder / "reproduction").exists()


def test_data_that_are_not_there_are_refused(folder, run, assert_refused):
    assert_refused(run("reproduce", "fraud", "--data", "nowhere.parquet"), "nowhere.parquet")


def test_data_are_found_as_a_file_in_a_folder_or_by_the_environment(tmp_path, monkeypatch):
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
