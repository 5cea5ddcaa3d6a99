"""What a model loses with the kept columns alone, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.codes import ScoreMetric, ScoreModel
from minerva_select.text.formatting import number

if TYPE_CHECKING:
    from minerva_select.results import ModelCost
    from minerva_select.results.cost import ScoreEstimate

_DIGITS = 3
METRICS = {
    ScoreMetric.R2: "R2",
    ScoreMetric.ROC_AUC: "AUC",
    ScoreMetric.MACRO_ROC_AUC: "macro AUC",
    ScoreMetric.PR_AUC: "PR-AUC",
}
MODELS = {
    ScoreModel.LIGHTGBM: "boosted trees (LightGBM)",
    ScoreModel.HIST_GRADIENT_BOOSTING: "boosted trees (scikit-learn)",
}


def describe_cost(cost: ModelCost) -> str:
    """Give both scores and their difference."""
    metric, everything = METRICS[cost.metric], f"{_number(cost.all_columns.value)} with {_columns(cost)}"
    if cost.n_kept == cost.n_usable:
        return f"{metric} {everything}, which {'is' if cost.n_kept == 1 else 'are'} kept"
    kept = f"{_number(cost.kept.value)} with {f'the {cost.n_kept:,} kept' if cost.n_kept else 'none'}"
    ends = f"95% interval {_interval(cost.difference)}"
    return f"{metric} {everything}, {kept} (difference {_number(cost.difference.value)}, {ends})"


def describe_cost_rows(cost: ModelCost) -> str:
    """Say which model it is and which rows score it."""
    return f"{MODELS[cost.model]}, scored on {cost.n_rows:,} held-out rows, which the tests of the columns use too"


def describe_difference(cost: ModelCost) -> tuple[str, ...]:
    """The score with all columns, and the difference with its interval."""
    if cost.n_kept == cost.n_usable:
        return (f"{_interval(cost.kept)} (95%)", "all columns are kept")
    difference = f"difference {_number(cost.difference.value)}, {_interval(cost.difference)} (95%)"
    return (f"{_number(cost.all_columns.value)} with {_columns(cost)}", difference)


def _columns(cost: ModelCost) -> str:
    if cost.n_columns < cost.n_usable:
        return f"the {cost.n_columns:,} strongest of {cost.n_usable:,} columns"
    return "the only column" if cost.n_usable == 1 else f"all {cost.n_usable:,} columns"


def _interval(score: ScoreEstimate) -> str:
    return f"{_number(score.low)} to {_number(score.high)}"


def _number(value: float) -> str:
    return number(value, _DIGITS)
