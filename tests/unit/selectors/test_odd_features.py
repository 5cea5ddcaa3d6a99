"""Claims about features that are not what they seem: identifiers, and columns that were read as something else."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector
from minerva_select.codes import Conversion
from minerva_select.report import render
from minerva_select.results import Selection

pytestmark = pytest.mark.usefixtures("small_plan")


def by_name(selection):
    return {result.feature: result for result in selection.features}


@pytest.fixture(scope="module")
def selection(pair, small_plan):
    """The five columns, two identifiers that no network could learn from, two row numbers, and a date."""
    names = [f"{k}@example.org" for k in range(400)]
    X = pair.X.assign(
        email=names,
        login=names[::-1],
        row=np.arange(400),
        receipt=7 * np.arange(400)[::-1],
        opened=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400) % 90, unit="D"),
    )
    return MinervaSelector(random_state=0, keep=["login"]).fit(X, pair.y).selection_


def test_names_of_rows_are_set_aside_with_their_reason(selection):
    results = by_name(selection)
    assert (results["email"].selected, results["email"].reason) == (False, "identifier: every value occurs once")
    assert results["email"].marginal_nats is None
    assert results["login"].reason == "kept on request (identifier: every value occurs once)"
    assert selection.selected == ("f0", "f3", "login")


def test_numbers_of_rows_are_fitted_and_reported(selection):
    results = by_name(selection)
    assert results["row"].marginal_nats is not None
    assert selection.warnings == (
        "Column 'row' looks like an identifier (row number: whole numbers in steps of 1, each once); "
        "drop it unless the values mean something for other rows too.",
        "Column 'receipt' looks like an identifier (row number: whole numbers in steps of 7, each once); "
        "drop it unless the values mean something for other rows too.",
    )


def test_columns_that_are_suspect_in_the_same_way_share_a_sentence(pair):
    rng = np.random.default_rng(0)
    X = pair.X.assign(**{f"id{k}": rng.permutation(400) for k in range(7)})
    [sentence] = MinervaSelector(random_state=0).fit(X, pair.y).selection_.warnings
    assert sentence.startswith("Columns 'id0', 'id1', 'id2', 'id3', 'id4' and 2 others look like identifiers (row num")


def test_an_identifier_is_called_so_once(pair):
    X = pair.X.assign(number=np.random.default_rng(0).permutation(400) ** 2)
    [sentence] = MinervaSelector(random_state=0).fit(X, pair.y).selection_.warnings
    assert sentence.startswith("Column 'number' looks like an identifier (whole numbers, each once); drop it unless")


def test_numbers_and_dates_in_another_notation_are_named_with_the_remedy(pair):
    days = pd.Series(pd.date_range("2023-01-01", periods=400))
    X = pair.X.assign(
        price=[f"${k:,}" for k in range(900, 1300)],
        share=[f"{k / 10}%" for k in range(400)],
        day=days.dt.strftime("%d/%m/%Y"),
        height=[f"{k},5" for k in range(400)],
    )
    drops = (["share", "day", "height"], [])
    one, four = (MinervaSelector(random_state=0, drop=drop).fit(X, pair.y).selection_ for drop in drops)
    assert one.warnings == (
        "Column 'price' is read as text without order, though values such as '$1,200' look like numbers or dates; "
        "convert it.",
    )
    [sentence] = four.warnings
    assert sentence.startswith("Columns 'price', 'share', 'day' and 1 more are read as text without order")
    assert by_name(four)["day"].note == Conversion.UNPARSED


def test_a_date_says_that_it_was_read_as_a_number(selection):
    assert {name: result.note for name, result in by_name(selection).items() if result.note} == {
        "opened": Conversion.DATE
    }
    assert "note" not in selection.to_frame().columns


def test_notes_are_saved_and_selections_without_them_still_load(selection):
    assert Selection.from_json(selection.to_json()) == selection
    document = json.loads(selection.to_json())
    for result in document["features"]:
        del result["note"]
    assert Selection.from_json(json.dumps(document)).selected == selection.selected


def test_the_report_tells_how_a_column_was_read(selection):
    assert "(date read as seconds since 1970, UTC)</td>" in render(selection)
