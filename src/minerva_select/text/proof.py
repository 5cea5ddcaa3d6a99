"""Which kept features are proven, and which only support the others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from minerva_select.codes import ReasonCode
from minerva_select.text.feature_order import digits_for, sort_features
from minerva_select.text.formatting import join_names, number

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection

_PROOFS = {
    ReasonCode.CONTRIBUTES: "proven",
    ReasonCode.SUPPORTING: "supporting",
    ReasonCode.ON_REQUEST: "on request",
    ReasonCode.TO_REACH_COUNT: "to reach the count",
    ReasonCode.TO_REACH_MINIMUM: "to reach the minimum",
}


def has_proof(selection: Selection) -> bool:
    """Whether the fit distinguishes proven and supporting features; fits of version 0.1 and other methods do not."""
    return selection.left_behind is not None or any(is_supporting(result) for result in selection.features)


def is_supporting(result: FeatureResult) -> bool:
    """Whether a feature is kept without a proof of its own, because the rest would otherwise be missed."""
    return result.selected and result.reason.code is ReasonCode.SUPPORTING


def describe_proof(result: FeatureResult) -> str:
    """Say in one word whether a kept feature is proven; empty for dropped features and other methods."""
    return _PROOFS.get(result.reason.code, "") if result.selected else ""


def count_by_proof(selection: Selection) -> str:
    """Count the kept features by proof, such as "6 proven, 5 supporting"; empty if none is supporting."""
    counts = Counter(describe_proof(result) for result in selection.features if result.selected)
    if not counts["supporting"]:
        return ""
    return ", ".join(f"{counts[proof]:,} {proof}" for proof in _PROOFS.values() if counts[proof])


def describe_supporting(selection: Selection) -> list[str]:
    """Name the supporting features and say what is not claimed about them; empty if there is none."""
    results = [result for result in sort_features(selection.features) if is_supporting(result)]
    if not results:
        return []
    names, limit = join_names([result.feature for result in results]), _at_most(results, selection)
    if len(results) == 1:
        return [f"{names} adds information to the other kept features, but is not proven on its own{limit}."]
    none = "neither" if len(results) == 2 else "none"
    return [f"{names} add information together, but {none} of them is proven on its own{limit}."]


def _at_most(results: list[FeatureResult], selection: Selection) -> str:
    ends = [result.contribution_high for result in results if result.contribution_high is not None]
    if len(ends) < len(results):
        return ""
    each = "it adds" if len(results) == 1 else "each adds"
    return f"; {each} at most {number(max(ends), digits_for(selection))} nats"
