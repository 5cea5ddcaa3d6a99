"""Claims about a selection on the screen."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from minerva.cli.render import bar, rows_to_show, selection_table, selection_view
from minerva.results import Estimate, FeatureResult, Selection

NOTHING = Estimate(0.0, 0.0, 0.0, n_rows=1000)
HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)

FIVE = (
    FeatureResult("late", False, "weight fell to zero", marginal_nats=0.001),
    FeatureResult("weak", True, "adds 0.100 nats", 1.0, 0.09, 0.1, 0.08, 0.12),
    FeatureResult("strong", True, "adds 0.400 nats once weak is known", 1.0, 0.0, 0.4, 0.38, 0.42, ("weak",)),
    FeatureResult("copy", False, "copy of strong", marginal_nats=0.3),
    FeatureResult("flat", False, "constant"),
)


def selection_of(features, information=HALF, **rest):
    return Selection("y", tuple(features), information, information, n_rows=1000, **rest)


def drawn(selection, width=100):
    screen = io.StringIO()
    Console(file=screen, width=width, highlight=False).print(selection_view(selection, width))
    return screen.getvalue()


def test_kept_features_come_first_and_each_group_strongest_first():
    shown, hidden = rows_to_show(selection_of(FIVE))
    assert [result.feature for result in shown] == ["strong", "weak", "copy", "late", "flat"]
    assert hidden == ""


def test_a_row_tells_mark_contribution_interval_alone_partners_and_reason():
    lines = drawn(selection_of(FIVE), width=120).splitlines()
    [strong] = [line for line in lines if line.startswith("strong")]
    assert re.split(r"\s{2,}", strong.strip()) == [
        "strong",
        "✓",
        "0.400 (0.380 to 0.420)",
        "████████",
        "0.000",
        "weak",
        "adds 0.400 nats once weak is known",
    ]
    [flat] = [line for line in lines if line.startswith("flat")]
    assert re.split(r"\s{2,}", flat.strip()) == ["flat", "–", "–", "constant"]


def test_the_headline_and_the_warnings_follow_the_table():
    text = drawn(selection_of(FIVE, warnings=("Column 'flat' is constant.",)), width=200)
    assert text.index("2 of 5 features carry 0.500 nats about y") > text.index("weight fell to zero")
    assert "Note: Column 'flat' is constant." in text


def test_a_fit_that_had_not_settled_says_so():
    assert "stopped before it had settled" in drawn(selection_of(FIVE, converged=False))
    assert "stopped before it had settled" not in drawn(selection_of(FIVE))


def test_nothing_selected_is_said_in_words():
    text = drawn(selection_of((FeatureResult("a", False, "weight fell to zero"),), NOTHING))
    assert "None of the 1 features was found to carry information about y." in text
    assert "✓" not in text


def test_no_feature_at_all_is_drawn():
    assert "None of the 0 features" in drawn(selection_of((), NOTHING))


def test_columns_that_nothing_was_measured_for_are_left_out():
    weights = (
        FeatureResult("a", True, "weight 0.7 is above the threshold", weight=0.7),
        FeatureResult("b", False, "no"),
    )
    headers = [column.header for column in selection_table(selection_of(weights), list(weights)).columns]
    assert headers == ["feature", "", "weight", "", "why"]


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
        FeatureResult(f"f{i}", i < n_selected, "kept" if i < n_selected else "dropped", marginal_nats=i / n_features)
        for i in range(n_features)
    ]
    shown, words = rows_to_show(selection_of(features))
    assert len(shown) == n_rows
    assert words == hidden
    assert (f"... and {hidden}" in drawn(selection_of(features))) == bool(hidden)


def test_the_dropped_features_of_a_long_table_are_the_strongest():
    features = [FeatureResult(f"f{i}", i == 0, "", marginal_nats=i / 1000) for i in range(100)]
    shown, _ = rows_to_show(selection_of(features))
    assert [result.feature for result in shown] == ["f0", *(f"f{i}" for i in range(99, 70, -1))]


def test_a_narrow_screen_leaves_room_for_the_reason():
    def headers(width):
        return [column.header for column in selection_table(selection_of(FIVE), list(FIVE), width).columns]

    assert headers(120) == ["feature", "", "adds, nats (95%)", "", "alone", "with", "why"]
    assert headers(80) == ["feature", "", "adds, nats (95%)", "alone", "with", "why"]
    assert headers(50) == ["feature", "", "adds, nats", "why"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_screen(width):
    features = (*FIVE, FeatureResult("x" * 500, False, "adds nothing once strong is known", partners=("a" * 90, "b")))
    assert max(len(line) for line in drawn(selection_of(features), width).splitlines()) <= width


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
    features = (FeatureResult(name, True, f"works with {name}", partners=(name,)),)
    text = drawn(selection_of(features, warnings=(f"About {name}.",)), width=200)
    assert text.count(shown) == 4
    assert all(character.isprintable() for character in text.replace("\n", ""))


def test_few_nats_are_shown_with_enough_digits():
    rare = Estimate(0.0093, 0.009, 0.0096, n_rows=1000)
    features = (
        FeatureResult("a", True, "adds", contribution_nats=0.0093, contribution_low=0.009, contribution_high=0.0096),
    )
    assert "0.00930 (0.00900 to 0.00960)" in drawn(selection_of(features, rare), width=200)


def test_a_bar_is_as_long_as_its_share_and_never_longer_than_its_room():
    assert [len(bar(share, width=8)) for share in (0.0, 0.5, 1.0, 7.0, -1.0)] == [0, 4, 8, 8, 0]
    assert bar(1 / 64, width=8) == "▏"
