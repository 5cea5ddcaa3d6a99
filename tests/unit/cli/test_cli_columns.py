"""Options that name columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from minerva_select.cli.columns import check_disjoint, parse_columns, select_columns
from minerva_select.errors import InputError

KNOWN = ["a", "b", "c", "a,b", " padded ", ""]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (None, ()),
        ([], ()),
        (["a"], ("a",)),
        (["a", "b"], ("a", "b")),
        (["b,a"], ("b", "a")),
        (["b, c", "a"], ("b", "c", "a")),
        (["a,c,"], ("a", "c")),
        (["a,b"], ("a,b",)),
        (["a,b", "a"], ("a,b", "a")),
        ([" padded "], (" padded ",)),
        (["a,a", "a"], ("a",)),
        ([""], ("",)),
    ],
)
def test_names_come_from_repeated_options_and_lists_and_an_exact_name_wins(typed, expected):
    assert parse_columns(typed, KNOWN, "--keep") == expected


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(InputError, match="amount"):
        parse_columns(["country,amuont"], ["amount", "country"], "--keep")


def test_a_value_of_only_commas_is_refused():
    with pytest.raises(InputError, match="--keep"):
        parse_columns([","], ["a"], "--keep")


def test_three_options_are_compared_pairwise():
    check_disjoint({"--x": ("a",), "--y": ("b",), "--given": ()})
    with pytest.raises(InputError, match=r"'b'.*--y and --given"):
        check_disjoint({"--x": ("a",), "--y": ("b",), "--given": ("c", "b")})


def test_selected_columns_keep_the_order_of_the_table():
    table = pa.table([[1], [2], [3]], names=["a", "b", "c"])
    assert select_columns(table, ["c", "a"]).column_names == ["a", "c"]


def test_duplicate_names_are_refused():
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    with pytest.raises(InputError, match="'a'"):
        select_columns(table, ["b"])
