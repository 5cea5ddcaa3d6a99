"""The frame, the figures and the display of a selection."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from full_selection import dropped, full_selection, kept, supported_selection
from minerva_select import text
from minerva_select.errors import InputError
from minerva_select.io.atomic import atomic_write
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Selection

FULL = full_selection()
EQUIVALENT = ReasonCode.EQUIVALENT


def selection_of(kept_nats, total_nats, selected=True):
    estimates = (Estimate(nats, nats, nats, n_rows=10) for nats in (kept_nats, total_nats))
    return Selection("y", (FeatureResult("a", selected, Reason(ReasonCode.CONTRIBUTES)),), *estimates, n_rows=10)


def test_the_frame_has_one_row_per_feature_with_reason_codes_to_filter_by():
    frame = FULL.to_frame()
    assert list(frame.columns[:5]) == ["feature", "selected", "reason", "reason_code", "reason_columns"]
    assert {field.name for field in dataclasses.fields(FeatureResult)} < set(frame.columns)
    assert frame["feature"].tolist() == [f"f{k}" for k in range(12)]
    assert frame.query("reason_code == 'redundant'")["reason_columns"].tolist() == [("f0",), ("f0",)]
    assert (frame["role"] == "together").tolist() == [True, True] + [False] * 10
    assert frame.loc[6, "conversion"] == "date"
    assert frame.loc[4, "replaced_by"] == ("f0",)


@pytest.mark.parametrize(
    ("kept", "total", "share"),
    [(0.3, 0.6, 0.5), (0.6, 0.3, 1.0), (-0.1, 0.5, 0.0), (0.0, 0.0, 1.0)],
)
def test_the_share_of_information_kept_is_between_0_and_1(kept, total, share):
    assert selection_of(kept, total).information_kept == share


def test_the_headline_is_made_by_the_text_package():
    selection = selection_of(0.3, 0.6)
    assert selection.headline == text.headline(selection)
    assert "0.300 nats about y" in selection.headline


def test_figures_and_the_notebook_display_are_made_by_the_report_package(monkeypatch):
    monkeypatch.setattr("minerva_select.report.notebook.displayed_figure", lambda *args, **options: (args, options))
    monkeypatch.setattr(
        "minerva_select.report.notebook.render_fragment", lambda selection: f"<p>{selection.target}</p>"
    )
    assert FULL.plot("path", dark=True) == ((FULL, "path"), {"dark": True})
    assert FULL.plot() == ((FULL, "contributions"), {"dark": False})
    assert FULL._repr_html_() == "<p>is_fraud</p>"


def test_report_writes_the_page(monkeypatch, tmp_path):
    monkeypatch.setattr("minerva_select.report.render", lambda selection: f"page of {selection.target}")
    FULL.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "page of is_fraud"


def test_unpaired_surrogates_are_escaped_in_a_file(tmp_path):
    atomic_write(tmp_path / "page.html", "größe \ud83d")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "größe \\ud83d"


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
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


def test_kept_features_are_proven_or_supporting_or_neither():
    selection = supported_selection()
    assert selection.proven == ("total day minutes", "service calls", "intl plan", "intl calls")
    assert selection.supporting == ("total eve minutes", "total night minutes")
    assert {*selection.selected} - {*selection.proven, *selection.supporting} == {"state"}  # on request


def test_equivalents_are_listed_by_the_kept_feature_also_through_dropped_ones():
    assert supported_selection().equivalents == {"total day minutes": ("total day charge", "day cost")}
    assert FULL.equivalents == {}


def test_equivalents_of_dropped_unknown_or_several_features_are_not_listed():
    features = (
        kept("a"),
        kept("b"),
        dropped("noise"),
        dropped("copy of noise", EQUIVALENT, "noise"),
        dropped("sum", EQUIVALENT, "a", "b"),
        dropped("copy of nothing", EQUIVALENT, "not a feature"),
        dropped("itself", EQUIVALENT, "itself"),
        dropped("circle 1", EQUIVALENT, "circle 2"),
        dropped("circle 2", EQUIVALENT, "circle 1"),
    )
    assert Selection("y", features, None, None, n_rows=10).equivalents == {}


def test_a_long_chain_of_equivalents_takes_linear_time():
    chain = [dropped(f"f{k}", EQUIVALENT, f"f{k - 1}") for k in range(1, 100_000)]  # quadratic time would be minutes
    selection = Selection("y", (*reversed(chain), kept("f0")), None, None, n_rows=10)
    assert len(selection.equivalents["f0"]) == len(chain)


def test_what_is_left_behind_is_saved_and_read_back():
    selection = supported_selection()
    loaded = Selection.from_json(selection.to_json())
    assert loaded == selection
    assert (loaded.left_behind.low, loaded.left_behind.high) == (-0.001, 0.007)
