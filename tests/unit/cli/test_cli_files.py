"""Output files: checks before the work, writing after it."""

from __future__ import annotations

import os

import pytest

from minerva_select.cli import output_files
from minerva_select.errors import InputError
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Selection

ESTIMATE = Estimate(0.5, 0.48, 0.52, n_rows=100)
SELECTION = Selection(
    "y",
    (FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5})),),
    ESTIMATE,
    ESTIMATE,
    n_rows=100,
)


def test_a_folder_is_created_with_its_parents_and_left_empty(tmp_path):
    folder = output_files.prepare_folder(tmp_path / "one" / "two")
    assert folder.is_dir()
    assert list(folder.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match=r"file .* --out"):
        output_files.prepare_folder(tmp_path / "taken")
    with pytest.raises(InputError, match="cannot be written"):
        output_files.prepare_folder(tmp_path / "taken" / "below")


def test_a_folder_in_the_place_of_a_result_is_refused_before_the_work(tmp_path):
    (tmp_path / "selection.json").mkdir()
    with pytest.raises(InputError, match=r"selection\.json' is a folder"):
        output_files.prepare_folder(tmp_path)


def test_a_folder_without_permission_is_refused_before_the_work(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)  # root, who may run the tests, is never refused
    with pytest.raises(InputError, match="cannot be written: Permission denied"):
        output_files.prepare_folder(tmp_path)


def test_a_report_can_be_written_next_to_any_folder(tmp_path):
    (tmp_path / "selection.json").mkdir()
    assert output_files.prepare_file(tmp_path / "page.html") == tmp_path / "page.html"


def test_errors_name_the_option_of_the_folder(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match=r"file .* --cache"):
        output_files.prepare_folder(tmp_path / "taken", (), option="--cache")
    with pytest.raises(InputError, match="--cache"):
        output_files.prepare_folder(tmp_path / "taken" / "below", (), option="--cache")


def test_results_can_be_loaded_again(tmp_path):
    selection_path, report_path = output_files.write_results(SELECTION, tmp_path)
    assert Selection.load(selection_path) == SELECTION
    assert report_path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "selection.json"]


def test_if_the_report_fails_no_file_is_written(tmp_path, monkeypatch):
    def fail(selection):
        raise RuntimeError

    monkeypatch.setattr("minerva_select.report.render", fail)
    with pytest.raises(RuntimeError):
        output_files.write_results(SELECTION, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_an_input_error_and_leaves_no_file(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        output_files.write_files({tmp_path / "report.html": "text"})
    assert list(tmp_path.iterdir()) == []
