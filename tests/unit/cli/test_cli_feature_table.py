"""Claims about the table of features on the screen."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from full_selection import full_selection
from minerva_select.cli.feature_table import Column, feature_lines, fit
from minerva_select.cli.glyphs import Script
from minerva_select.results import Estimate, FeatureResult, Role, Selection

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)


def rows(features, width=120, **rest):
    """The lines of a table below its rule, and its header, cut at gaps of two cells."""
    selection = Selection("y", tuple(features), HALF, HALF, n_rows=1000, **rest)
    header, _, *lines = (line.plain for line in feature_lines(selection, features, width))
    return re.split(r"\s{2,}", header.strip()), [re.split(r"\s{2,}", line.strip()) for line in lines]


def result(name="a", reason="adds 0.4 nats", *, selected=True, **rest):
    return FeatureResult(name, selected, reason, **rest)


def test_a_row_tells_mark_bar_contribution_interval_alone_and_reason():
    measured = result(
        "strong",
        "kept on request",
        marginal_nats=0.0,
        contribution_nats=0.4,
        contribution_low=0.38,
        contribution_high=0.42,
    )
    header, lines = rows([measured, result("flat", "constant", selected=False)])
    assert header == ["feature", "adds (nats, 95%)", "alone", "why"]
    assert lines == [
        ["✓ strong", "████████", "0.400 (0.380 to 0.420)", "0.000", "kept on request"],
        ["flat", "–", "–", "constant"],
    ]


def test_columns_that_nothing_was_measured_for_are_left_out():
    assert rows([result("a", "weight stayed", weight=0.7)])[0] == ["feature", "weight", "why"]
    assert rows([result("a", "kept on request")])[0] == ["feature", "why"]


@pytest.mark.parametrize(
    ("role", "partners", "why"),
    [
        (Role.ALONE, (), "matters alone"),
        (Role.ALONE, ("b",), "matters alone, more with b"),
        (Role.TOGETHER, ("b", "c"), "matters only with b and c"),
        (Role.TOGETHER, (), "matters only with others"),
        (None, ("b",), "adds 0.4 nats"),
    ],
)
def test_the_part_of_a_feature_stands_where_its_reason_repeats_its_number(role, partners, why):
    assert rows([result(role=role, partners=partners)])[1][0][-1] == why


def test_a_reason_that_tells_more_than_the_number_is_shown():
    assert rows([result(reason="kept on request", role=Role.ALONE)])[1][0][-1] == "kept on request"


def test_how_often_repeats_chose_a_feature_is_shown_where_it_is_known():
    lines = [line.plain for line in feature_lines(full_selection(), full_selection().features, 160)]
    assert "chosen" in lines[0]
    assert [re.search(r"\d+/10", line).group() for line in lines[2:6]] == ["10/10", "9/10", "8/10", "7/10"]
    assert rows([result(frequency=0.25)])[1][0][-2] == "25%"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 250])
def test_a_feature_takes_one_line_that_fits_whatever_its_name_and_reason_are(width):
    selection = full_selection(("交易金额" * 75, "x" * 300, "two\nlines"))
    lines = feature_lines(selection, selection.features, width)
    assert len(lines) == 2 + len(selection.features)
    assert all(cell_len(line.plain) <= width for line in lines)
    assert all(line.plain.isprintable() for line in lines)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_bar_and_number_have_room_on_every_screen(width):
    first = feature_lines(full_selection(), full_selection().features, width)[2].plain
    assert re.match(r"✓ f0 +█{4,8} +0\.500", first)


def test_reasons_are_put_briefly_before_they_are_cut():
    selection = full_selection()
    narrow = [line.plain for line in feature_lines(selection, selection.features, 40)]
    wide = [line.plain for line in feature_lines(selection, selection.features, 160)]
    assert [line.rsplit("  ", 1)[1] for line in (narrow[2], narrow[6], narrow[8])] == [
        "only with f1",
        "redundant: f0",
        "nothing found",
    ]
    assert [line.rsplit("  ", 1)[1] for line in (wide[2], wide[6], wide[8])] == [
        "matters only with f1",
        "adds nothing once f0 is known",
        "no information found",
    ]


def test_a_copy_is_called_a_copy_and_a_name_without_characters_is_seen():
    copy = result("", "copy of a", selected=False, replaced_by=("a",), role=Role.SUBSTITUTE)
    assert rows([result("a" * 40), copy], width=40)[1][1] == ["''", "copy of a"]


def test_long_names_are_cut_in_the_middle_and_long_reasons_at_the_end():
    long = result("amount_" + "x" * 90 + "_usd", "constant since " + "y" * 90, selected=False)
    line = feature_lines(Selection("y", (long,), None, None, n_rows=10), [long], 60)[2].plain
    assert re.fullmatch(r"  amount_x*…x*_usd  constant since y*…", line)


def test_columns_share_the_room_by_their_claims():
    first, second = Column("", ["x" * 10], claim=0, gap=0, least=4), Column("", ["y" * 10], claim=1, least=4)
    assert fit([first, second], 9) == [9, 0]  # the second needs 2 + 4
    assert fit([second, first], 10) == [4, 4]
    assert fit([first, second], 15) == [9, 4]  # the first grows first
    assert fit([first, second], 99) == [10, 10]


def test_a_column_grows_beyond_its_fair_share_only_when_others_are_full():
    name = Column("", ["x" * 20], claim=0, gap=0, least=4, fair=6)
    why = Column("", ["y" * 10], claim=1, least=4)
    assert fit([name, why], 18) == [6, 10]
    assert fit([name, why], 20) == [8, 10]


def test_a_bar_is_as_long_as_its_share_and_never_longer_than_its_room():
    for script in (Script(), Script("ascii")):
        assert [len(script.bar(share)) for share in (0.0, 0.5, 1.0, 7.0, -1.0)] == [0, 4, 8, 8, 0]
    assert Script().bar(1 / 64) == "▏"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("inside", [True, False])
def test_a_cut_text_fills_no_more_than_its_room(encoding, inside):
    script = Script(encoding)
    for words in ("amount_eur", script.write("金额" * 5)):
        assert all(cell_len(script.cut(words, width, inside=inside)) <= width for width in range(12))
    assert script.cut("short", 5, inside=inside) == "short"
