"""The order in which features are shown, the length of their bars, and the digits of their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from minerva_select.codes import ReasonCode

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection


def sort_features(features: Iterable[FeatureResult]) -> list[FeatureResult]:
    """Sort kept features, near misses and the other dropped ones, each strongest first; ties stay in column order."""
    return sorted(features, key=_strength, reverse=True)


def is_near_miss(result: FeatureResult) -> bool:
    """Whether a dropped feature may add information, or would, to the kept ones."""
    return not result.selected and result.reason.code in (ReasonCode.TOO_WEAK, ReasonCode.BEYOND_COUNT)


def _strength(result: FeatureResult) -> tuple[bool, bool, float, bool, float]:
    contribution, near_miss = _finite(result.contribution_nats), is_near_miss(result)
    if result.selected:
        strength = contribution
    elif near_miss:
        strength = max(contribution, _finite(result.contribution_high))  # what it may add at most
    else:  # a copy contributes nothing but carries much alone; readers look for it before noise
        strength = max(contribution, _finite(result.marginal_nats))
    measured = result.contribution_nats is not None
    return result.selected, near_miss, strength, measured, abs(_finite(result.weight))


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0


def bar_lengths(features: Iterable[FeatureResult]) -> dict[str, float]:
    """Contribution of each feature (or weight, if contributions were not measured) divided by the largest kept one.

    If nothing is kept, all bars are empty: the largest among noise is noise.
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
    """Decimals that show three significant digits of the information found; rare targets have few nats."""
    found = (selection.mutual_information, selection.total_information)
    return digits_of(max(_finite(estimate.nats) if estimate is not None else 0.0 for estimate in found))


def digits_of(largest: float) -> int:
    """Decimals that show three significant digits of the largest number."""
    return min(6, max(3, 2 - math.floor(math.log10(largest)))) if largest > 0 else 3
