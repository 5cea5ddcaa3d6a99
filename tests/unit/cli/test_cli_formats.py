"""Claim: `select` and `report` print JSON, CSV or SQL, alone, for other programs."""

from __future__ import annotations

import csv
import io

import pytest

SELECT = ["select", "data.csv", "--target", "is_fraud"]


@pytest.fixture
def saved(folder, answer):
    answer.save("selection.json")
    return "selection.json"


@pytest.mark.usefixtures("folder", "selector")
def test_select_prints_the_features_as_csv_and_nothing_else(run, answer):
    result = run(*SELECT, "--csv")
    assert result.stdout == answer.to_csv()
    assert [row["feature"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["a", "b\nc"]


@pytest.mark.usefixtures("folder", "selector")
def test_select_prints_a_statement_and_nothing_else(run):
    assert run(*SELECT, "--sql", "shop.sales").stdout == 'SELECT "a", "b\nc" FROM "shop"."sales";\n'


def test_report_prints_the_same(saved, run, answer):
    assert run("report", saved, "--csv").stdout == answer.to_csv()
    result = run("report", saved, "--sql", "sales", "--sql-dialect", "mysql")
    assert result.stdout == "SELECT `a`, `b\nc` FROM `sales`;\n"


@pytest.mark.usefixtures("folder", "selector")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--json", "--csv"], "--csv"),
        (["--csv", "--sql", "sales"], "--sql"),
        (["--sql", ""], "--sql"),
        (["--sql", "shop."], "--sql"),
        (["--sql-dialect", "mysql"], "--sql-dialect"),
        (["--sql", "sales", "--sql-dialect", "oracle"], "--sql-dialect"),
    ],
)
def test_formats_that_cannot_be_written_are_refused_before_the_fit(run, selector, assert_refused, given, message):
    assert_refused(run(*SELECT, *given), message)
    assert selector.fitted == []
