"""Claim: CSV and SQL name the features exactly, whatever their names."""

from __future__ import annotations

import csv
import io
import sqlite3

import pandas as pd
import pytest

from full_selection import full_selection
from minerva_select.errors import InputError, InputTypeError
from minerva_select.results import FeatureResult, Reason, ReasonCode, Selection

ODD = ('12" discs', "a,b", "line\nbreak", "a\r=1+1", "select", "naïve; x", "it's", "`tick`", "[box]", "x.y")


def selection_of(names, dropped=()):
    kept = [FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5})) for name in names]
    rest = [FeatureResult(name, False, Reason(ReasonCode.NOISE)) for name in dropped]
    return Selection("y", (*kept, *rest), None, None, n_rows=100)


def test_csv_has_one_line_per_feature_with_the_values_of_the_frame():
    selection = full_selection()
    frame, rows = selection.to_frame(), pd.read_csv(io.StringIO(selection.to_csv()))
    assert rows["feature"].tolist() == frame["feature"].tolist()
    for name in ("selected", "reason_code", "reason", "weight", "contribution_nats", "marginal_nats", "frequency"):
        pd.testing.assert_series_equal(rows[name], frame[name], check_dtype=False, check_exact=True)
    assert {*rows.columns} == {*frame.columns}


def test_odd_names_survive_csv():
    rows = list(csv.DictReader(io.StringIO(selection_of(ODD).to_csv(), newline="")))
    assert [row["feature"] for row in rows] == [*ODD]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=HYPERLINK(1)"])
def test_a_name_that_a_spreadsheet_would_compute_gets_an_apostrophe(name):
    (row,) = csv.DictReader(io.StringIO(selection_of([name]).to_csv()))
    assert row["feature"] == f"'{name}"


def test_a_negative_number_stays_a_number():
    result = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5}), contribution_low=-0.25)
    (row,) = csv.DictReader(io.StringIO(Selection("y", (result,), None, None, n_rows=9).to_csv()))
    assert row["contribution_low"] == "-0.25"


def test_lists_are_joined_and_missing_numbers_empty():
    result = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5}), partners=("b", "c"))
    others = [FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.5})) for name in "bc"]
    (row, *_) = csv.DictReader(io.StringIO(Selection("y", (result, *others), None, None, n_rows=9).to_csv()))
    assert row["partners"] == "b; c"
    assert row["contribution_nats"] == ""
    assert row["selected"] == "true"


def test_a_database_finds_exactly_the_kept_columns_under_odd_names():
    connection = sqlite3.connect(":memory:")
    pd.DataFrame([range(len(ODD) + 1)], columns=[*ODD, "dropped"]).to_sql("my table", connection, index=False)
    statement = selection_of(ODD, ["dropped"]).to_sql(["my table"])
    cursor = connection.execute(statement)
    assert [column[0] for column in cursor.description] == [*ODD]
    assert cursor.fetchone() == tuple(range(len(ODD)))
    connection.close()


@pytest.mark.parametrize(
    ("table", "dialect", "statement"),
    [
        (None, "standard", '"a", "b""c"'),
        ("sales", "standard", 'SELECT "a", "b""c" FROM "sales"'),
        ("shop.sales", "mysql", 'SELECT `a`, `b"c` FROM `shop`.`sales`'),
        (["shop", "sales.2024"], "sqlserver", 'SELECT [a], [b"c] FROM [shop].[sales.2024]'),
    ],
)
def test_names_are_quoted_as_the_dialect_requires(table, dialect, statement):
    assert selection_of(["a", 'b"c']).to_sql(table, dialect=dialect) == statement


def test_a_name_cannot_end_its_quotes():
    for dialect, name in (("standard", 'a" FROM x; --'), ("mysql", "a` FROM x; --"), ("sqlserver", "a] FROM x; --")):
        end = {"standard": '"', "mysql": "`", "sqlserver": "]"}[dialect]
        quoted = selection_of([name]).to_sql(dialect=dialect)
        assert quoted[1:-1].replace(2 * end, "").count(end) == 0


@pytest.mark.parametrize("table", ["", "shop.", [], [""], 3, [3]])
def test_a_table_without_a_name_is_refused(table):
    with pytest.raises(InputTypeError, match="table"):
        selection_of(["a"]).to_sql(table)


def test_an_empty_selection_an_unknown_dialect_and_a_null_character_are_refused():
    with pytest.raises(InputError, match="at least one column"):
        selection_of([], ["a"]).to_sql("sales")
    with pytest.raises(InputError, match="dialect"):
        selection_of(["a"]).to_sql("sales", dialect="oracle9")
    with pytest.raises(InputError, match="null character"):
        selection_of(["a\0b"]).to_sql("sales")
