"""The table of features in the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from full_selection import full_selection, supported_selection
from minerva_select.cli.feature_table import feature_table
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Role, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)
ON_REQUEST, CONSTANT = Reason(ReasonCode.ON_REQUEST), Reason(ReasonCode.CONSTANT)


def printed(selection, width=120):
    """Lines of the table: header, rule, and one per feature."""
    console = Console(file=io.StringIO(), width=width)
    console.print(feature_table(selection, selection.features, console))
    return console.file.getvalue().splitlines()


def rows(features, width=120):
    """Header and rows, cut at gaps of two cells."""
    header, _, *lines = printed(Selection("y", tuple(features), HALF, HALF, n_rows=1000), width)
    return re.split(r"\s{2,}", header.strip()), [re.split(r"\s{2,}", line.strip()) for line in lines]


def result(name="a", reason=None, *, selected=True, **rest):
    contributes = Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.4})
    return FeatureResult(name, selected, reason or contributes, **rest)


def test_a_row_has_mark_bar_contribution_interval_marginal_and_reason():
    measured = result(
        "strong",
        ON_REQUEST,
        marginal_nats=0.0,
        contribution_nats=0.4,
        contribution_low=0.38,
        contribution_high=0.42,
    )
    header, lines = rows([measured, result("flat", CONSTANT, selected=False)])
    assert header == ["feature", "contribution (nats, 95%)", "alone", "reason"]
    assert lines == [
        ["✓ strong", "████████", "0.400 (0.380 to 0.420)", "0.000", str(ON_REQUEST)],
        ["flat", "–", "–", str(CONSTANT)],
    ]


def test_columns_without_measurements_are_left_out():
    assert rows([result("a", ON_REQUEST, weight=0.7)])[0] == ["feature", "weight", "reason"]
    assert rows([result("a", ON_REQUEST)])[0] == ["feature", "reason"]


@pytest.mark.parametrize(
    ("role", "partners", "shown"),
    [
        (Role.ALONE, (), "matters alone"),
        (Role.ALONE, ("b",), "matters alone, more with b"),
        (Role.TOGETHER, ("b", "c"), "matters only with b and c"),
        (Role.TOGETHER, (), "matters only with others"),
        (None, ("b",), str(result().reason)),
    ],
)
def test_the_role_replaces_a_reason_that_only_repeats_the_contribution(role, partners, shown):
    assert rows([result(role=role, partners=partners)])[1][0][-1] == shown


def test_any_other_reason_is_shown():
    assert rows([result(reason=ON_REQUEST, role=Role.ALONE)])[1][0][-1] == str(ON_REQUEST)


def test_the_frequency_in_repeated_fits_is_shown_if_known():
    lines = printed(full_selection(), 160)
    assert "chosen" in lines[0]
    assert [re.search(r"\d+/10", line).group() for line in lines[2:6]] == ["10/10", "9/10", "8/10", "7/10"]
    assert rows([result(frequency=0.25)])[1][0][-2] == "25%"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 250])
def test_every_feature_takes_one_line_that_fits(width):
    selection = full_selection(("交易金额" * 75, "x" * 300, "two\nlines"))
    lines = printed(selection, width)
    assert len(lines) == 2 + len(selection.features)
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_bar_and_contribution_are_shown_at_every_width(width):
    assert re.match(r"✓ f0 +█{4,8} +0\.500", printed(full_selection(), width)[2])


def test_narrow_terminals_get_shorter_reasons_and_fewer_columns():
    narrow, wide = printed(full_selection(), 40), printed(full_selection(), 160)
    assert narrow[0].split() == ["feature", "nats", "reason"]
    assert len(wide[0].split("  ")) > len(narrow[0].split("  "))
    for line in (2, 6, 8):
        assert "…" not in narrow[line]
        assert len(narrow[line].split("  ")[-1].strip()) <= len(wide[line].strip().split("  ")[-1])


def test_an_empty_name_is_visible():
    assert rows([result("", CONSTANT, selected=False)])[1][0][0] == "''"


def test_long_names_are_cut_in_the_middle():
    long = result("amount_" + "x" * 90 + "_usd", CONSTANT, selected=False)
    assert re.match(r"  amount_x*…x*_usd  ", printed(Selection("y", (long,), None, None, n_rows=10), 60)[2])


@pytest.mark.parametrize(("share", "bar"), [(0.0, ""), (0.5, "████"), (1 / 64, "▏"), (-1.0, "")])
def test_a_bar_is_as_long_as_the_share_of_the_largest_contribution(share, bar):
    largest, other = (result(name, contribution_nats=nats) for name, nats in (("a", 1.0), ("b", share)))
    line = printed(Selection("y", (largest, other), None, None, n_rows=10))[3]
    assert re.search("[▏▎▍▌▋▊▉█]*(?=  +-?[0-9])", line).group() == bar


def test_proof_has_a_column_where_there_is_room_and_a_mark_everywhere():
    wide = printed(supported_selection(), 200)
    assert "proof" in wide[0]
    assert [re.split(r"\s{2,}", line.strip())[-2] for line in wide[2:9]] == [
        *["proven"] * 4,
        *["supporting"] * 2,
        "on request",
    ]
    for width in (40, 80, 200):
        assert [line[0] for line in printed(supported_selection(), width)[2:10]] == [*"✓✓✓✓++✓", " "]
    assert sum("supporting" in line for line in printed(supported_selection(), 60)) == 2
    assert "proof" not in printed(full_selection(), 200)[0]


def test_equivalents_of_a_kept_feature_are_listed():
    assert printed(supported_selection(), 200)[2].rstrip().endswith("{total day minutes, total day charge, day cost}")


def test_the_effect_is_a_sparkline_with_an_arrow_and_words_where_there_is_no_room_or_no_unicode():
    wide = printed(full_selection(), 180)
    assert "effect" in wide[0]
    assert re.split(r"\s{2,}", wide[2].strip())[4] == "▁▂▃▄▅▆▇█ ↗"
    assert re.split(r"\s{2,}", wide[3].strip())[4] == "most: f0"
    plain = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=180)
    plain.print(feature_table(full_selection(), full_selection().features, plain))
    plain.file.seek(0)
    assert " rises " in plain.file.read()
    assert not any("effect" in printed(supported_selection(), width)[0] for width in (60, 180))
