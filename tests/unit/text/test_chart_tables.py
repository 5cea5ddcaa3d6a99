"""The values of each chart as a table."""

from __future__ import annotations

import pytest

from full_selection import full_selection, supported_selection
from minerva_select.text.chart_tables import MOST_ROWS, chart_table


@pytest.mark.parametrize(
    ("kind", "row", "cells"),
    [
        ("contributions", 0, (("f0",), "0.500", "0.480 to 0.520", "0.000")),
        ("path", 3, (("f0", "f1", "f2", "f3"), "4", "0.600", "0.590 to 0.610")),
        ("pairs", 0, (("f0", "f1"), "0.500", "0.490 to 0.510", "synergy")),
        ("training", 0, ("learn", "200", "0.600", "0.500", "12")),  # the last record of the stage
        ("stability", 1, (("f1",), "90%", "kept")),
    ],
)
def test_a_row_has_the_values_of_the_chart(kind, row, cells):
    table = chart_table(full_selection(), kind)
    assert table.rows[row] == cells
    assert {len(cells) for cells in table.rows} == {len(table.headings)}


def test_long_tables_are_cut_and_the_rest_counted():
    table = chart_table(full_selection(n_features=60, n_selected=50), "contributions")
    assert (len(table.rows), table.n_left_out) == (MOST_ROWS, 12)  # 50 selected and 2 substitutes


def test_tables_give_the_proof_of_each_feature_and_the_information_of_all_columns():
    contributions = chart_table(supported_selection(), "contributions")
    assert [row[-1] for row in contributions.rows] == [
        *["proven"] * 4,
        *["supporting"] * 2,
        "on request",
        "dropped",
    ]
    path = chart_table(supported_selection(), "path")
    assert path.rows[-1] == ("all columns", "15", "0.207", "0.185 to 0.230")
    assert chart_table(full_selection(), "path").rows[-1][1] == "7"
