"""Claims about a selection on the screen."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from full_selection import full_selection
from minerva_select.cli.render import rows_to_show, selection_view
from minerva_select.results import (
    Estimate,
    FeatureResult,
    Reason,
    ReasonCode,
    Selection,
    Suspect,
    SuspectKind,
)

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
    Console(file=screen, width=width, highlight=False, **of_console).print(selection_view(selection, width))
    return screen.getvalue()


def plain(selection, width=80, encoding="ascii"):
    """What a screen that knows few characters shows; anything that it lacks is an error."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    Console(file=screen, width=width, highlight=False).print(selection_view(selection, width))
    screen.seek(0)
    return screen.read()


def test_kept_features_come_first_and_each_group_strongest_first():
    shown, hidden = rows_to_show(selection_of(FIVE))
    assert [result.feature for result in shown] == ["strong", "weak", "copy", "late", "flat"]
    assert hidden == ""


def test_the_headline_and_the_warnings_follow_the_table():
    text = drawn(selection_of(FIVE, warnings=("Column 'flat' is constant.",)), width=200)
    assert text.index("2 of 5 features carry 0.500 nats about y") > text.index("weight fell to zero")
    assert "Note: Column 'flat' is constant." in text


def test_a_fit_that_had_not_settled_says_so():
    assert "stopped before it had settled" in drawn(selection_of(FIVE, converged=False))
    assert "stopped before it had settled" not in drawn(selection_of(FIVE))


def test_nothing_selected_is_said_in_words():
    text = drawn(selection_of((FeatureResult("a", False, Reason(ReasonCode.ZERO_WEIGHT)),), NOTHING))
    assert "The only feature was not found to carry information about y." in text
    assert "✓" not in text


def test_no_feature_at_all_is_drawn():
    assert drawn(selection_of((), NOTHING)).strip().startswith("There is no feature that could tell anything about y.")


@pytest.mark.parametrize(
    ("n_selected", "n_features", "n_rows", "hidden"),
    [
        (2, 30, 30, ""),
        (2, 214, 30, "184 more dropped"),
        (0, 5000, 30, "4,970 more dropped"),
        (40, 100, 45, "55 more dropped"),
        (5000, 5000, 200, "4,800 more selected"),
        (300, 5000, 205, "100 more selected and 4,695 more dropped"),
    ],
)
def test_long_tables_show_the_selected_and_the_strongest_dropped(n_selected, n_features, n_rows, hidden):
    features = [
        FeatureResult(
            f"f{i}",
            i < n_selected,
            Reason(ReasonCode.CONTRIBUTES) if i < n_selected else "dropped",
            marginal_nats=i / n_features,
        )
        for i in range(n_features)
    ]
    shown, words = rows_to_show(selection_of(features))
    assert len(shown) == n_rows
    assert words == hidden
    assert (f"... and {hidden}" in drawn(selection_of(features))) == bool(hidden)


def test_the_dropped_features_of_a_long_table_are_the_strongest():
    features = [
        FeatureResult(f"f{i}", i == 0, Reason(ReasonCode.CONTRIBUTES), marginal_nats=i / 1000) for i in range(100)
    ]
    shown, _ = rows_to_show(selection_of(features))
    assert [result.feature for result in shown] == ["f0", *(f"f{i}" for i in range(99, 70, -1))]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 250])
def test_no_line_is_wider_than_the_screen(width):
    names = ("交易金额" * 75, "x" * 300, "two\nlines")  # each of the first signs fills two cells
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
def test_names_are_text_whatever_they_hold(name, shown):
    features = (FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES, (name,))),)
    text = drawn(selection_of(features, warnings=(f"About {name}.",)), width=200)
    assert text.count(shown) == 4  # its name, its reason, the answer that names the only one, the warning
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


def test_the_reasons_follow_the_answer_and_the_warnings_come_last():
    text = drawn(full_selection(), width=160)
    places = [
        text.index(words)
        for words in (
            "4 of 12 features carry 0.600 nats",
            "95% interval 0.590 to 0.610 nats; 5,000 rows in 12.3 s.",
            "• f0 and f1 matter only together",
            "• The same fit, repeated 10 times",
            "Note: f2 alone tells 96%",
        )
    ]
    assert places == sorted(places)
    assert text.count("f2 alone tells 96%") == 1


def test_a_suspect_that_no_warning_names_is_shown_like_one():
    suspect = Suspect("weak", SuspectKind.DOMINANT, share=0.8)
    lines = drawn(selection_of(FIVE, suspects=(suspect,)), force_terminal=True, color_system="standard").splitlines()
    [line] = [line for line in lines if "weak alone tells 80%" in line]
    assert line.startswith("\x1b[33m")  # yellow


def test_no_colour_is_written_where_none_is_wanted(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    colours = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    assert colours.search(drawn(full_selection(), force_terminal=True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colours.search(drawn(full_selection(), force_terminal=True))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_screen_without_blocks_gets_plain_bars_and_signs(encoding):
    text = plain(full_selection(("café", "金额")), encoding=encoding)
    [first] = [line for line in text.splitlines() if line.startswith("* caf")]
    assert "########" in first
    assert r"\u91d1\u989d" in text
    assert "- The same fit" in text


def test_a_wrapped_reason_is_set_in_below_its_sign():
    lines = drawn(full_selection(), width=40).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("• "))
    assert lines[start + 1].startswith("  each tells")
    assert all(line == line.rstrip() for line in lines)
