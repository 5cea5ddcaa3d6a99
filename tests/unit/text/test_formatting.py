"""Names and numbers as text."""

from __future__ import annotations

import pytest

from minerva_select.text.formatting import duration, interval, number, printable, setting


def test_numbers_and_intervals():
    assert [number(value) for value in (-0.0004, 1234.5, float("nan"))] == ["0.000", "1,234.500", "–"]
    assert interval(0.1, float("inf")) == ""


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.04, "0.0 s"), (59.94, "59.9 s"), (60.0, "1 min 0 s"), (3599.6, "1 h 0 min")]
)
def test_durations(seconds, expected):
    assert duration(seconds) == expected


def test_long_names_are_cut_in_the_middle():
    assert len(printable("x" * 999, limit=60)) == 60
    assert printable(" " + "x" * 99, limit=9) == "' xx…xxx'"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("dup", "dup"), ("dup ", "'dup '"), ("\u00a0", "'\u00a0'"), ("d p", "d p"), ("dup\n", r"dup\n"), ("", "")],
)
def test_leading_and_trailing_white_space_is_quoted(name, expected):
    assert printable(name) == expected


def test_long_lists_of_a_parameter_are_cut():
    assert setting([str(k) for k in range(30)]).endswith("10 more")
