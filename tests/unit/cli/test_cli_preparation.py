"""Options that say how a table is read."""

from __future__ import annotations

import pandas as pd
import pytest

from minerva_select.cli.preparation import ColumnReading, parse_dates
from minerva_select.data.preparation import Preparation
from minerva_select.errors import InputError

NAMES = ["when", "when=x", "opened", "closed", "a,b"]


def types(numeric=(), categorical=(), target=("y",)):
    reading = ColumnReading(Preparation(), tuple(numeric), tuple(categorical))
    return reading.type_parameters(["a", "b"], target)


def test_named_types_are_additive():
    assert types() == {"categorical_features": "auto", "target_type": "auto"}
    assert types(["a"], ["b"]) == {"categorical_features": {"a": False, "b": True}, "target_type": "auto"}
    assert types(["ignored"]) == {"categorical_features": "auto", "target_type": "auto"}


def test_a_named_target_has_one_type_as_a_whole():
    assert types(categorical=["y"])["target_type"] == "discrete"
    assert types(numeric=["y"])["target_type"] == "continuous"
    assert types(["a"], ["y"])["categorical_features"] == {"a": False}
    with pytest.raises(InputError, match=r"--categorical.*'y'.*'z'"):
        types(categorical=["y"], target=("y", "z"))
    with pytest.raises(InputError, match=r"--numeric.*'y'.*'z'"):
        types(["y"], ["z"], target=("y", "z"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (None, {}),
        (["when"], {"when": None}),
        (["opened,closed"], {"opened": None, "closed": None}),
        (["when=%d/%m/%Y"], {"when": "%d/%m/%Y"}),
        (["when=x=%b %d, %Y"], {"when=x": "%b %d, %Y"}),
        (["when=x"], {"when=x": None}),
        (["a,b=%Y", "when"], {"a,b": "%Y", "when": None}),
    ],
)
def test_dates_are_columns_with_or_without_a_format(typed, expected):
    assert parse_dates(typed, NAMES) == expected


@pytest.mark.parametrize(
    ("typed", "message"), [("wehn", "'when'"), ("wehn=%Y", "'when'"), ("opened=dd/mm", "%d/%m/%Y"), ("when=", "format")]
)
def test_bad_dates_are_refused(typed, message):
    with pytest.raises(InputError, match=message):
        parse_dates([typed], NAMES)


@pytest.fixture
def messy(folder):
    """A table with dates and numbers as text, codes, and missing values of the target."""
    rows = range(60)
    pd.DataFrame(
        {
            "day": [f"{1 + k % 28}/{1 + k % 12}/2023" for k in rows],
            "iso": [f"2023-{1 + k % 12:02}-{1 + k % 28:02}" for k in rows],
            "price": [f"${k},000.50" for k in rows],
            "shop": [k % 40 for k in rows],
            "y": [None if k % 6 == 5 else "ab"[k % 2] for k in rows],
        }
    ).to_csv("messy.csv", index=False)
    return folder


READ = ("--date", "day=%d/%m/%Y", "--numeric", "price", "--categorical", "shop", "--drop-missing-target")


def test_options_prepare_the_table_of_select(messy, selector, run):
    chosen = ("--where", "price > 5000", "--sample", 30)
    assert run("select", "messy.csv", "--target", "y", *READ, *chosen).exit_code == 0
    assert selector.seen["categorical_features"] == {"price": False, "shop": True}
    assert selector.shapes == [(30, 4)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--date", "day=%Y-%m-%d"], "'1/1/2023'"),
        (["--date", "iso=%d/%m/%Y"], "'2023-01-01'"),
        (["--numeric", "day"], "'1/1/2023'"),
        (["--where", "prize > 3"], "did you mean 'price'"),
        (["--where", "print(1)"], "is not a comparison"),
        (["--where", "shop > 99"], "No row is left"),
        (["--numeric", "shop", "--categorical", "shop"], "both --numeric and --categorical"),
        (["--date", "day", "--categorical", "day"], "both --date and --categorical"),
        (["--numeric", "shop", "--ignore", "shop"], "both --ignore and --numeric"),
    ],
)
@pytest.mark.parametrize("command", ["select", "compare"])
def test_options_that_do_not_fit_are_refused(messy, command, arguments, message, run, assert_refused):
    assert_refused(run(command, "messy.csv", "--target", "y", *arguments), message)


def test_options_prepare_the_table_of_estimate(messy, run):
    result = run("estimate", "messy.csv", "--x", "shop", "--y", "y", *READ, "--where", "price > 5000")
    assert (result.exit_code, "from 45 rows" in result.stdout) == (0, True)
    refused = run("estimate", "messy.csv", "--x", "shop", "--y", "y", "--numeric", "day")
    assert refused.exit_code == 2
