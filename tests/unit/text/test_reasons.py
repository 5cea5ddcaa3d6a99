"""Reasons in a few words: each code names its columns and values."""

from __future__ import annotations

import pytest

from minerva_select.results import Reason, ReasonCode
from minerva_select.text.reasons import describe_pattern, describe_reason, shorten_reason


@pytest.mark.parametrize("code", ReasonCode)
@pytest.mark.parametrize("columns", [(), ("minutes",)])
def test_every_reason_is_described_also_without_its_values(code, columns):
    for describe in (describe_reason, shorten_reason):
        assert describe(Reason(code, columns))
        assert "\n" not in describe(Reason(code, ("two\nlines",), {"text": "a\nb", "otherwise": "x\ny"}))


@pytest.mark.parametrize(
    ("code", "values", "part"),
    [
        (ReasonCode.CONTRIBUTES, {"nats": 0.0871}, "0.0871 nats"),
        (ReasonCode.POSITIVE_WEIGHT, {"weight": 0.25}, "0.25"),
        (ReasonCode.BEYOND_COUNT, {"nats": 0.1}, "0.1 nats"),
        (ReasonCode.BEYOND_COUNT, {"weight": 0.3}, "0.3"),
        (ReasonCode.SCORE, {"measure": "marginal_nats", "score": 0.25}, "0.25 nats"),
        (ReasonCode.ON_REQUEST, {"otherwise": ReasonCode.NO_INFORMATION}, "no information"),
        (ReasonCode.TOO_WEAK, {"n_rows": 1000}, "too weak to prove with 1,000 rows"),
        (ReasonCode.IDENTIFIER, {"pattern": "row_number", "step": 2.0}, "steps of 2"),
    ],
)
def test_values_are_named(code, values, part):
    assert part in describe_reason(Reason(code, values=values))


def test_at_most_three_partners_are_named():
    found = describe_reason(Reason(ReasonCode.CONTRIBUTES, tuple("abcd"), {"nats": 0.1}))
    assert "a, b, c" in found
    assert "d" not in found.split("c")[1].split()


def test_one_redundant_column_is_named_and_several_are_not():
    assert "minutes" in describe_reason(Reason(ReasonCode.REDUNDANT, ("minutes",)))
    assert "minutes" not in describe_reason(Reason(ReasonCode.REDUNDANT, ("minutes", "charge")))


def test_missing_values_of_an_identifier_are_mentioned():
    values = {"pattern": "nearly_unique", "n_distinct": 99, "n_rows": 100, "some_missing": True}
    assert "99 values in 100 rows" in describe_pattern(values)
    assert "missing" in describe_pattern(values)
    assert "missing" not in describe_pattern({**values, "some_missing": False})


def test_one_column_is_equivalent_and_several_determine():
    assert describe_reason(Reason(ReasonCode.EQUIVALENT, ("minutes",))) == "equivalent to minutes"
    assert describe_reason(Reason(ReasonCode.EQUIVALENT, ("day", "night"))) == "determined by day and night"
    assert shorten_reason(Reason(ReasonCode.EQUIVALENT, ("x" * 60,))) == f"equivalent to {'x' * 8}…{'x' * 7}"


@pytest.mark.parametrize("code", [code for code in ReasonCode if code is not ReasonCode.REDUNDANT])
def test_only_redundant_features_are_said_to_add_nothing(code):
    assert "adds nothing" not in describe_reason(Reason(code, ("minutes",)))
    assert "adds nothing" in describe_reason(Reason(ReasonCode.REDUNDANT, ("minutes",)))
