"""The order in which features are shown, and how finely their numbers are."""

from __future__ import annotations

import math
from collections.abc import Iterable

from minerva_select.results import FeatureResult, Selection


def ranked(features: Iterable[FeatureResult]) -> list[FeatureResult]:
    """Order the kept features before the dropped ones, the strongest first; equals stay in column order.

    Examples
    --------
    >>> weak = FeatureResult("weak", True, "adds 0.1 nats", contribution_nats=0.1)
    >>> strong = FeatureResult("strong", True, "adds 0.4 nats", contribution_nats=0.4)
    >>> [result.feature for result in ranked([FeatureResult("none", False, "constant"), weak, strong])]
    ['strong', 'weak', 'none']
    """
    return sorted(features, key=_strength, reverse=True)


def _strength(result: FeatureResult) -> tuple[bool, float, bool, float]:
    contribution, alone = _finite(result.contribution_nats), _finite(result.marginal_nats)
    # A dropped copy adds nothing and tells much alone; among dropped features it is the one a reader looks for.
    strength = contribution if result.selected else max(contribution, alone)
    return result.selected, strength, result.contribution_nats is not None, abs(_finite(result.weight))


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0


def shares(features: Iterable[FeatureResult]) -> dict[str, float]:
    """Length of each feature's bar: its contribution (its weight, where none was measured) over the largest kept one.

    Where nothing is kept there are no bars: the largest of nothing but noise is noise.

    Examples
    --------
    >>> shares([FeatureResult("a", True, "", contribution_nats=0.5), FeatureResult("b", False, "")])
    {'a': 1.0, 'b': 0.0}
    """
    results = list(features)
    vetted = any(result.contribution_nats is not None for result in results)
    lengths = [_finite(result.contribution_nats) if vetted else abs(_finite(result.weight)) for result in results]
    longest = max((length for result, length in zip(results, lengths, strict=True) if result.selected), default=0.0)
    return {
        result.feature: min(1.0, max(0.0, length / longest)) if longest > 0 else 0.0
        for result, length in zip(results, lengths, strict=True)
    }


def digits_for(selection: Selection) -> int:
    """Digits after the point that leave three figures of the information found: rare targets have few nats.

    Examples
    --------
    >>> from minerva_select.results import Estimate
    >>> rare = Estimate(0.0093, 0.0090, 0.0096, n_rows=1000)
    >>> digits_for(Selection("fraud", (), mutual_information=rare, total_information=rare, n_rows=1000))
    5
    """
    found = (selection.mutual_information, selection.total_information)
    return digits_of(max(_finite(estimate.nats) if estimate is not None else 0.0 for estimate in found))


def digits_of(largest: float) -> int:
    """Digits after the point that leave three figures of the largest amount of a table.

    Examples
    --------
    >>> digits_of(0.5), digits_of(0.0093), digits_of(0.0)
    (3, 5, 3)
    """
    return min(6, max(3, 2 - math.floor(math.log10(largest)))) if largest > 0 else 3
