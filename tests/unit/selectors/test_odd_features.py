"""Claims about features that are not what they seem: identifiers, and columns that were read as something else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector
from minerva_select.codes import Conversion, IdentifierPattern, ReasonCode, SuspectKind, WarningCode
from minerva_select.report import render
from minerva_select.results import Selection

pytestmark = pytest.mark.usefixtures("use_small_fits")


def by_name(selection):
    return {result.feature: result for result in selection.features}


@pytest.fixture(scope="module")
def selection(pair, use_small_fits):
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


def test_identifiers_are_left_out_with_their_reason(selection):
    results = by_name(selection)
    email, login = results["email"], results["login"]
    assert (email.selected, email.reason.code) == (False, ReasonCode.IDENTIFIER)
    assert email.reason.values == {"pattern": IdentifierPattern.UNIQUE}
    assert email.marginal_nats is None
    assert (login.reason.code, login.reason.values) == (ReasonCode.ON_REQUEST, {"otherwise": ReasonCode.IDENTIFIER})
    assert selection.selected == ("f0", "f3", "login")


def test_row_numbers_are_used_reported_and_suspects(selection):
    assert by_name(selection)["row"].marginal_nats is not None
    assert [(one.code, one.columns, one.values) for one in selection.warnings] == [
        (WarningCode.IDENTIFIER, (name,), {"pattern": IdentifierPattern.ROW_NUMBER, "step": step})
        for name, step in (("row", 1.0), ("receipt", 7.0))
    ]
    suspects = {one.feature for one in selection.suspects if one.kind is SuspectKind.IDENTIFIER}
    assert suspects == {"email", "login", "row", "receipt"}


def test_identifiers_with_the_same_pattern_share_a_warning(pair):
    rng = np.random.default_rng(0)
    names = tuple(f"id{k}" for k in range(7))
    X = pair.X.assign(**{name: rng.permutation(400) for name in names})
    (warning,) = MinervaSelector(random_state=0).fit(X, pair.y).selection_.warnings
    assert (warning.code, warning.columns) == (WarningCode.IDENTIFIER, names)
    assert "and 2 more" in str(warning)


def test_unique_integers_look_like_an_identifier(pair):
    X = pair.X.assign(number=np.random.default_rng(0).permutation(400) ** 2)
    (warning,) = MinervaSelector(random_state=0).fit(X, pair.y).selection_.warnings
    assert (warning.columns, warning.values) == (("number",), {"pattern": IdentifierPattern.UNIQUE_INTEGERS})


def test_numbers_and_dates_in_an_unknown_format_are_reported(pair):
    days = pd.Series(pd.date_range("2023-01-01", periods=400))
    X = pair.X.assign(
        price=[f"${k:,}" for k in range(900, 1300)],
        share=[f"{k / 10}%" for k in range(400)],
        day=days.dt.strftime("%d/%m/%Y"),
        height=[f"{k},5" for k in range(400)],
    )
    drops = (["share", "day", "height"], [])
    one, four = (MinervaSelector(random_state=0, drop=drop).fit(X, pair.y).selection_ for drop in drops)
    (warning,) = one.warnings
    assert (warning.code, warning.columns) == (WarningCode.UNPARSED_NUMBERS, ("price",))
    assert warning.values == {"example": "$1,200"}
    assert four.warnings[0].columns == ("price", "share", "day", "height")
    assert by_name(four)["day"].conversion is Conversion.UNPARSED


def test_a_date_is_marked_as_converted(selection):
    converted = {name: result.conversion for name, result in by_name(selection).items() if result.conversion}
    assert converted == {"opened": Conversion.DATE}
    assert selection.to_frame().set_index("feature").loc["opened", "conversion"] == "date"


def test_conversions_are_saved_and_shown_in_the_report(selection):
    assert Selection.from_json(selection.to_json()) == selection
    assert "(date read as seconds since 1970, UTC)</td>" in render(selection)
