"""Claims about what a selection hands out: its frame, its figures, its display."""

from __future__ import annotations

import subprocess
import sys

import pytest

from full_selection import full_selection
from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Selection

FULL = full_selection()
FIXED_COLUMNS = [
    *("feature", "selected", "reason", "weight", "marginal_nats", "contribution_nats"),
    *("contribution_low", "contribution_high", "partners", "substitutes"),
]


def selection_of(kept_nats, total_nats, selected=True):
    estimates = (Estimate(nats, nats, nats, n_rows=10) for nats in (kept_nats, total_nats))
    return Selection("y", (FeatureResult("a", selected, Reason(ReasonCode.CONTRIBUTES)),), *estimates, n_rows=10)


def test_the_frame_has_its_fixed_columns_first_and_then_the_later_ones():
    frame = FULL.to_frame()
    assert list(frame.columns) == [
        *FIXED_COLUMNS,
        *("marginal_low", "marginal_high", "role", "replaced_by", "frequency"),
    ]
    assert frame["feature"].tolist() == [f"f{k}" for k in range(12)]
    assert frame["selected"].sum() == 4
    assert (frame["role"] == "matters only with others").tolist() == [True, True] + [False] * 10
    assert frame.loc[4, "replaced_by"] == ("f0",)


@pytest.mark.parametrize(
    ("kept", "total", "share"),
    [(0.3, 0.6, 0.5), (0.6, 0.3, 1.0), (-0.1, 0.5, 0.0), (0.0, 0.0, 1.0)],
)
def test_the_share_of_information_kept_is_between_0_and_1(kept, total, share):
    assert selection_of(kept, total).information_kept == share


def test_the_headline_is_the_reports():
    from minerva_select import text

    selection = selection_of(0.3, 0.6)
    assert selection.headline == text.headline(selection)
    assert "0.300 nats about y" in selection.headline


def test_figures_and_the_display_of_notebooks_are_the_reports(monkeypatch):
    monkeypatch.setattr("minerva_select.report.figures.figure", lambda *args, **options: (args, options))
    monkeypatch.setattr("minerva_select.report.notebook.as_html", lambda selection: f"<p>{selection.target}</p>")
    assert FULL.plot("path", dark=True) == ((FULL, "path"), {"dark": True})
    assert FULL.plot() == ((FULL, "contributions"), {"dark": False})
    assert FULL._repr_html_() == "<p>is_fraud</p>"


def test_a_report_is_written_whole(monkeypatch, tmp_path):
    monkeypatch.setattr("minerva_select.report.render", lambda selection: f"page of {selection.target}")
    FULL.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "page of is_fraud"


def test_text_without_utf_8_is_spelled_out_in_a_file(tmp_path):
    atomic_write(tmp_path / "page.html", "größe \ud83d")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "größe \\ud83d"


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "selection.json"
    FULL.save(path)

    def full_disk(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(InputError, match=r"selection\.json' cannot be written: No space left on device\.$"):
        selection_of(0.1, 0.1).save(path)
    assert Selection.load(path) == FULL
    assert list(tmp_path.iterdir()) == [path]


def test_results_load_without_pandas_numpy_and_torch():
    code = "import sys, minerva_select.results; print({'pandas', 'numpy', 'torch', 'plotly'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
