"""Claims about how column names typed on the command line are read."""

from __future__ import annotations

import pyarrow as pa
import pytest

from minerva_select.cli.columns import require_disjoint, resolve, split_categorical, take
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
def test_names_come_from_repeats_and_commas_and_an_exact_name_wins(typed, expected):
    assert resolve(typed, KNOWN, "--keep") == expected


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="no column 'amuont'; did you mean 'amount'"):
        resolve(["country,amuont"], ["amount", "country"], "--keep")


def test_a_value_of_commas_alone_names_no_column():
    with pytest.raises(InputError, match="--keep ',' names no column"):
        resolve([","], ["a"], "--keep")


def test_three_options_are_compared_pairwise():
    require_disjoint({"--x": ("a",), "--y": ("b",), "--given": ()})
    with pytest.raises(InputError, match="'b' is named by both --y and --given"):
        require_disjoint({"--x": ("a",), "--y": ("b",), "--given": ("c", "b")})


def test_a_categorical_target_is_discrete_and_all_or_none_of_it():
    assert split_categorical(("y",), ("y",)) == ("auto", "discrete")
    assert split_categorical(("a", "y"), ("y",)) == (["a"], "discrete")
    assert split_categorical(("a",), ("y",)) == (["a"], "auto")
    with pytest.raises(InputError, match="names 'y' of the target and not 'z'"):
        split_categorical(("y",), ("y", "z"))


def test_taking_columns_keeps_the_order_of_the_table_and_both_of_one_name():
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    assert take(table, ["b", "a"]).column_names == ["a", "b", "a"]
    assert take(table, ["b"]).to_pydict() == {"b": [2]}
