"""Why a feature is kept or dropped, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from minerva_select.codes import IdentifierPattern, ReasonCode
from minerva_select.text.baselines import describe_score
from minerva_select.text.formatting import format_value, join_names, printable

if TYPE_CHECKING:
    from minerva_select.results import Reason

_FIXED = {
    ReasonCode.TO_REACH_COUNT: "kept to reach the requested number of features",
    ReasonCode.TO_REACH_MINIMUM: "kept to reach the smallest number of features",
    ReasonCode.AMONG_BEST: "among the best of this number, chosen after the fit",
    ReasonCode.DROPPED_ON_REQUEST: "dropped on request",
    ReasonCode.CONSTANT: "constant",
    ReasonCode.ALL_MISSING: "all values missing",
    ReasonCode.NO_INFORMATION: "no information found",
    ReasonCode.NOISE: "indistinguishable from noise on held-out rows",
    ReasonCode.SUPPORTING: "adds information together with others, not proven on its own",
    ReasonCode.ZERO_WEIGHT: "weight fell to zero",
}
_SHORT = {
    ReasonCode.NO_INFORMATION: "nothing found",
    ReasonCode.NOISE: "like noise",
    ReasonCode.TO_REACH_COUNT: "to reach the count",
    ReasonCode.TO_REACH_MINIMUM: "to reach the minimum",
    ReasonCode.AMONG_BEST: "among the best",
    ReasonCode.SUPPORTING: "supporting",
    ReasonCode.TOO_WEAK: "too weak to prove",
}
_MOST_PARTNERS = 3


def describe_reason(reason: Reason) -> str:
    """Describe a reason in a few words."""
    if reason.code in _FIXED:
        return _FIXED[reason.code]
    return _DESCRIPTIONS[reason.code](reason)


def shorten_reason(reason: Reason) -> str:
    """Describe a reason in as few words as possible, for a narrow terminal."""
    columns = join_names(reason.columns, most=2, limit=16)
    if reason.code is ReasonCode.REDUNDANT and columns:
        return f"redundant: {columns}"
    if reason.code is ReasonCode.EQUIVALENT and columns:
        return f"{_equivalent_verb(reason)} {columns}"
    return _SHORT.get(reason.code) or describe_reason(reason)


def describe_pattern(values: Mapping[str, Any]) -> str:
    """Say what makes a column look like an identifier, from the values of its reason or warning."""
    match values.get("pattern"):
        case IdentifierPattern.ROW_NUMBER:
            return f"integers in steps of {format_value(values, 'step', ',.0f')}"
        case IdentifierPattern.UNIQUE_INTEGERS:
            return "integers that never repeat"
        case IdentifierPattern.NEARLY_UNIQUE:
            counts = (
                f"{format_value(values, 'n_distinct', ',.0f')} values in {format_value(values, 'n_rows', ',.0f')} rows"
            )
            found = f"nearly every value occurs once ({counts})"
        case _:
            found = "every value occurs once"
    return f"{found}, but some are missing" if values.get("some_missing") else found


def _identifier(reason: Reason) -> str:
    is_row_number = reason.values.get("pattern") == IdentifierPattern.ROW_NUMBER
    return f"{'row number' if is_row_number else 'identifier'}: {describe_pattern(reason.values)}"


def _contributes(reason: Reason) -> str:
    found = f"adds {format_value(reason.values, 'nats')} nats"
    if not reason.columns:
        return found
    others = " and others" if len(reason.columns) > _MOST_PARTNERS else ""
    return f"{found} together with {', '.join(map(printable, reason.columns[:_MOST_PARTNERS]))}{others}"


def _on_request(reason: Reason) -> str:
    if reason.columns:
        return f"kept on request with {join_names(reason.columns)}"
    otherwise = reason.values.get("otherwise")
    return f"kept on request ({printable(str(otherwise)).replace('_', ' ')})" if otherwise else "kept on request"


def _redundant(reason: Reason) -> str:
    known = f"{join_names(reason.columns)} is" if len(reason.columns) == 1 else "the other kept features are"
    return f"adds nothing once {known} known"


def _equivalent(reason: Reason) -> str:
    return f"{_equivalent_verb(reason)} {join_names(reason.columns) or 'another column'}"


def _equivalent_verb(reason: Reason) -> str:
    return "determined by" if len(reason.columns) > 1 else "equivalent to"


def _too_weak(reason: Reason) -> str:
    rows = format_value(reason.values, "n_rows", ",.0f") if "n_rows" in reason.values else ""
    return f"too weak to prove with {rows} rows" if rows else "too weak to prove"


def _beyond_count(reason: Reason) -> str:
    if not reason.values:
        return "beyond the requested number of features"
    found = (
        f"weight {format_value(reason.values, 'weight')}"
        if "weight" in reason.values
        else f"adds only {format_value(reason.values, 'nats')} nats"
    )
    return f"{found}, beyond the requested number of features"


_DESCRIPTIONS: dict[ReasonCode, Callable[[Reason], str]] = {
    ReasonCode.CONTRIBUTES: _contributes,
    ReasonCode.ON_REQUEST: _on_request,
    ReasonCode.EQUIVALENT: _equivalent,
    ReasonCode.REDUNDANT: _redundant,
    ReasonCode.TOO_WEAK: _too_weak,
    ReasonCode.IDENTIFIER: _identifier,
    ReasonCode.POSITIVE_WEIGHT: lambda reason: f"weight stayed at {format_value(reason.values, 'weight')}",
    ReasonCode.BEYOND_COUNT: _beyond_count,
    ReasonCode.SCORE: lambda reason: describe_score(reason.values),
}
