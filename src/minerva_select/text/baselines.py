"""Scores of the baselines, and the rules that kept or dropped a column, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minerva_select.codes import BorutaDecision, ScoreMeasure, ScoreRule
from minerva_select.text.formatting import format_value


def describe_score(values: Mapping[str, Any]) -> str:
    """Describe the score of a column and the rule that kept or dropped it, from the values of its reason."""
    describe = _MEASURES.get(str(values.get("measure")))
    score = f"score {format_value(values, 'score')}" if describe is None else describe(values)
    return ", ".join(filter(None, [score, _describe_rule(values)]))


def _describe_importance(values: Mapping[str, Any]) -> str:
    importance = f"importance {format_value(values, 'score')}"
    decision = values.get("decision")
    return f"{decision} ({importance})" if decision in tuple(BorutaDecision) else importance


def _describe_redundancy(values: Mapping[str, Any]) -> str:
    added = f"added {_ordinal(values)}, " if "step" in values else ""
    return f"{added}{format_value(values, 'relevance')} nats minus {format_value(values, 'redundancy')} shared"


def _describe_forward_step(values: Mapping[str, Any]) -> str:
    if "step" in values:
        return f"added {_ordinal(values)} (T = {format_value(values, 'dependence', '.3f')})"
    return "constant in the rows used" if values.get("is_constant") else "not added"


def _describe_elimination(values: Mapping[str, Any]) -> str:
    if "round" in values:
        return f"eliminated in round {_count(values, 'round')} of {_count(values, 'n_rounds')}"
    return "never eliminated"


_MEASURES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    ScoreMeasure.MARGINAL_NATS: lambda values: f"{format_value(values, 'score')} nats alone",
    ScoreMeasure.GAIN_SHARE: lambda values: f"{format_value(values, 'score', '.1%')} of the gain",
    ScoreMeasure.IMPORTANCE: _describe_importance,
    ScoreMeasure.COEFFICIENT: lambda values: f"coefficient {format_value(values, 'score')}",
    ScoreMeasure.KERNEL_WEIGHT: lambda values: f"weight {format_value(values, 'score')}",
    ScoreMeasure.RELEVANCE_MINUS_REDUNDANCY: _describe_redundancy,
    ScoreMeasure.FORWARD_STEP: _describe_forward_step,
    ScoreMeasure.ELIMINATION_ROUND: _describe_elimination,
}


def _describe_rule(values: Mapping[str, Any]) -> str:
    passed = bool(values.get("passed"))
    match values.get("rule"):
        case ScoreRule.CROSS_VALIDATION:
            return "kept by cross-validation" if passed else "dropped by cross-validation"
        case ScoreRule.BEATS_PERMUTED:
            return "beats permuted columns" if passed else "does not clearly beat permuted columns"
        case ScoreRule.RAISES_DEPENDENCE:
            return "raises T" if passed else "would not raise T"
        case ScoreRule.ABOVE_MEAN:
            rule = "above the mean"
        case ScoreRule.ABOVE_SHARE:
            rule = f"above {format_value(values, 'threshold', 'g')} of the largest"
        case ScoreRule.REQUESTED_COUNT:
            rule = f"among the {_count(values, 'n_requested')} requested"
        case _:
            return ""
    return rule if passed else f"not {rule}"


def _count(values: Mapping[str, Any], name: str) -> str:
    return format_value(values, name, ",.0f")


def _ordinal(values: Mapping[str, Any]) -> str:
    """Write the step of a column as an ordinal number: 1st, 2nd, 11th."""
    step = _count(values, "step")
    if step[-2:-1] == "1":
        return f"{step}th"
    return step + {"1": "st", "2": "nd", "3": "rd"}.get(step[-1], "th")
