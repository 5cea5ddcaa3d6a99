"""The order in which features are shown, the length of their bars, and the digits of their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection


def sort_features(features: Iterable[FeatureResult]) -> list[FeatureResult]:
    """Sort kept features before dropped ones, strongest first; ties stay in column order.

    Examples
    --------
    >>> from minerva_select.codes import ReasonCode
    >>> from minerva_select.results import FeatureResult, Reason
    >>> weak, strong = (
    ...     FeatureResult(name, True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=nats)
    ...     for name, nats in (("weak", 0.1), ("strong", 0.4))
    ... )
    >>> constant = FeatureResult("constant", False, Reason(ReasonCode.CONSTANT))
    >>> [result.feature for result in sort_features([constant, weak, strong])]
    ['strong', 'weak', 'constant']
    """
    return sorted(features, key=_strength, reverse=True)


def _strength(result: FeatureResult) -> tuple[bool, float, bool, float]:
    contribution, marginal = _finite(result.contribution_nats), _finite(result.marginal_nats)
    # A dropped copy contributes nothing but carries much alone; readers look for it first among the dropped features
    strength = contribution if result.selected else max(contribution, marginal)
    return result.selected, strength, result.contribution_nats is not None, abs(_finite(result.weight))


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0


def bar_lengths(features: Iterable[FeatureResult]) -> dict[str, float]:
    """Contribution of each feature (or weight, if contributions were not measured) divided by the largest kept one.

    If nothing is kept, all bars are empty: the largest among noise is noise.

    Examples
    --------
    >>> from minerva_select.codes import ReasonCode
    >>> from minerva_select.results import FeatureResult, Reason
    >>> a = FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.5)
    >>> bar_lengths([a, FeatureResult("b", False, Reason(ReasonCode.NOISE))])
    {'a': 1.0, 'b': 0.0}
    """
    results = list(features)
    has_contributions = any(result.contribution_nats is not None for result in results)
    lengths = [
        _finite(result.contribution_nats) if has_contributions else abs(_finite(result.weight)) for result in results
    ]
    longest = max((length for result, length in zip(results, lengths, strict=True) if result.selected), default=0.0)
    return {
        result.feature: min(1.0, max(0.0, length / longest)) if longest > 0 else 0.0
        for result, length in zip(results, lengths, strict=True)
    }


def digits_for(selection: Selection) -> int:
    """Decimals that show three significant digits of the information found; rare targets have few nats.

    Examples
    --------
    >>> from minerva_select.results import Estimate, Selection
    >>> rare = Estimate(0.0093, 0.0090, 0.0096, n_rows=1000)
    >>> digits_for(Selection("fraud", (), mutual_information=rare, total_information=rare, n_rows=1000))
    5
    """
    found = (selection.mutual_information, selection.total_information)
    return digits_of(max(_finite(estimate.nats) if estimate is not None else 0.0 for estimate in found))


def digits_of(largest: float) -> int:
    """Decimals that show three significant digits of the largest number.

    Examples
    --------
    >>> digits_of(0.5), digits_of(0.0093), digits_of(0.0)
    (3, 5, 3)
    """
    return min(6, max(3, 2 - math.floor(math.log10(largest)))) if largest > 0 else 3
