"""A selection in the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from full_selection import full_selection
from minerva_select.cli.render import print_selection, rows_to_show
from minerva_select.codes import IdentifierPattern
from minerva_select.results import (
    Estimate,
    FeatureResult,
    Reason,
    ReasonCode,
    Selection,
    SelectionWarning,
    WarningCode,
)
from minerva_select.text import headline

NOTHING = Estimate(0.0, 0.0, 0.0, n_rows=1000)
HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)

FIVE = (
    FeatureResult("late", False, Reason(ReasonCode.ZERO_WEIGHT), marginal_nats=0.001),
    FeatureResult("weak", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.1}), 1.0, 0.09, 0.1, 0.08, 0.12),
    FeatureResult("strong", True, Reason(ReasonCode.CONTRIBUTES), 1.0, 0.0, 0.4, 0.38, 0.42, ("weak",)),
    FeatureResult("copy", False, Reason(ReasonCode.EQUIVALENT, ("strong",)), marginal_nats=0.3),
    FeatureResult("flat", False, Reason(ReasonCode.CONSTANT)),
)


def selection_of(features, information=HALF, **rest):
    return Selection("y", tuple(features), information, information, n_rows=1000, **rest)


def drawn(selection, width=100, **of_console):
    screen = io.StringIO()
    print_selection(selection, Console(file=screen, width=width, highlight=False, markup=False, **of_console))
    return screen.getvalue()


def plain(selection, width=80, encoding="ascii"):
    """Output of a terminal with few characters; any other character is an error."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    print_selection(selection, Console(file=screen, width=width, highlight=False, markup=False))
    screen.seek(0)
    return screen.read()


def test_selected_features_come_first_and_each_group_strongest_first():
    shown, omitted = rows_to_show(selection_of(FIVE))
    assert [result.feature for result in shown] == ["strong", "weak", "copy", "late", "flat"]
    assert omitted == ""


def test_the_headline_and_the_warnings_follow_the_table():
    warning = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 60})
    selection = selection_of(FIVE, warnings=(warning,))
    text = drawn(selection, width=200)
    assert text.index(str(FIVE[-1].reason)) < text.index(headline(selection)) < text.index(f"Note: {warning}")


def test_a_note_says_what_the_effects_are_effects_on_where_there_is_room_for_them():
    note = "Effect: share of is_fraud = 1"
    assert note in drawn(full_selection(), width=200)
    assert note not in drawn(full_selection(), width=50)


def test_nothing_selected_has_no_mark():
    selection = selection_of((FeatureResult("a", False, Reason(ReasonCode.ZERO_WEIGHT)),), NOTHING)
    assert headline(selection) in drawn(selection)
    assert "✓" not in drawn(selection)


def test_a_selection_without_features_has_no_table():
    selection = selection_of((), NOTHING)
    assert drawn(selection).strip().startswith(headline(selection))


@pytest.mark.parametrize(
    ("n_selected", "n_features", "n_rows", "omitted"),
    [
        (2, 30, 30, ""),
        (2, 214, 30, "184 more dropped"),
        (0, 5000, 30, "4,970 more dropped"),
        (40, 100, 45, "55 more dropped"),
        (5000, 5000, 200, "4,800 more selected"),
        (300, 5000, 205, "100 more selected and 4,695 more dropped"),
    ],
)
def test_long_tables_show_the_selected_and_the_strongest_dropped(n_selected, n_features, n_rows, omitted):
    features = [
        FeatureResult(
            f"f{i}",
            i < n_selected,
            Reason(ReasonCode.CONTRIBUTES if i < n_selected else ReasonCode.NOISE),
            marginal_nats=i / n_features,
        )
        for i in range(n_features)
    ]
    shown, description = rows_to_show(selection_of(features))
    assert len(shown) == n_rows
    assert description == omitted
    assert (f"... and {omitted}" in drawn(selection_of(features))) == bool(omitted)


def test_a_long_table_shows_the_strongest_dropped_features():
    features = [
        FeatureResult(f"f{i}", i == 0, Reason(ReasonCode.CONTRIBUTES), marginal_nats=i / 1000) for i in range(100)
    ]
    shown, _ = rows_to_show(selection_of(features))
    assert [result.feature for result in shown] == ["f0", *(f"f{i}" for i in range(99, 70, -1))]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 250])
def test_no_line_is_wider_than_the_terminal(width):
    names = ("交易金额" * 75, "x" * 300, "two\nlines")  # each character of the first fills two cells
    text = drawn(full_selection(names), width)
    assert max(cell_len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[red]alarm[/red]", "[red]alarm[/red]"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07", "bell\\x07"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half\udc80", "half\\udc80"),
    ],
)
def test_names_are_shown_escaped(name, shown):
    features = (FeatureResult(name, True, Reason(ReasonCode.EQUIVALENT, (name,))),)
    warning = SelectionWarning(WarningCode.IDENTIFIER, (name,), {"pattern": IdentifierPattern.UNIQUE})
    text = drawn(selection_of(features, warnings=(warning,)), width=200)
    assert text.count(shown) >= 3  # its name, its reason, the warning
    assert all(character.isprintable() for character in text.replace("\n", ""))


def test_few_nats_are_shown_with_enough_digits():
    rare = Estimate(0.0093, 0.009, 0.0096, n_rows=1000)
    features = (
        FeatureResult(
            "a",
            True,
            Reason(ReasonCode.CONTRIBUTES),
            contribution_nats=0.0093,
            contribution_low=0.009,
            contribution_high=0.0096,
        ),
    )
    assert "0.00930 (0.00900 to 0.00960)" in drawn(selection_of(features, rare), width=200)


def test_headline_evidence_explanation_and_warnings_come_in_this_order():
    selection = full_selection()
    text = " ".join(drawn(selection, width=160).split())
    parts = (
        headline(selection),
        "0.590 to 0.610 nats; 5,000 rows in 12.3 s.",
        "• f0 and f1",
        f"Note: {selection.warnings[0]}",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_no_color_follows_the_environment(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    colors = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    assert colors.search(drawn(full_selection(), force_terminal=True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colors.search(drawn(full_selection(), force_terminal=True))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_block_characters_shows_ascii_bars_and_marks(encoding):
    text = plain(full_selection(("café", "金额")), encoding=encoding)
    [first] = [line for line in text.splitlines() if line.startswith("* caf")]
    assert "########" in first
    assert r"\u91d1\u989d" in text
    assert "\n- " in text


def test_wrapped_paragraphs_are_indented_below_their_bullet():
    lines = drawn(full_selection(), width=40).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("• "))
    assert lines[start + 1].startswith("  ")
