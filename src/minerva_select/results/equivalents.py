"""Dropped features that carry the same information as one kept feature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from minerva_select.codes import ReasonCode
from minerva_select.results.feature import FeatureResult


def find_equivalents(features: Iterable[FeatureResult]) -> dict[str, tuple[str, ...]]:
    """Dropped equivalents of each kept feature, both in column order.

    An equivalent of a dropped equivalent counts too.
    """
    by_name = {result.feature: result for result in features}
    found: dict[str, list[str]] = {name: [] for name, result in by_name.items() if result.selected}
    representatives = _representatives(by_name)
    for name in by_name:
        representative = representatives[name]
        if representative is not None and representative != name:
            found[representative].append(name)
    return {name: tuple(others) for name, others in found.items() if others}


def _representatives(by_name: Mapping[str, FeatureResult]) -> dict[str, str | None]:
    """Kept feature that each feature is or is equivalent to; None if there is none."""
    found: dict[str, str | None] = {}
    for start in by_name:
        chain, name = [], start
        while name in by_name and name not in found:
            result = by_name[name]
            found[name] = name if result.selected else None  # None also ends a circle, which an edited file may have
            chain.append(name)
            if result.selected or not _has_equivalent(result):
                break
            (name,) = result.reason.columns
        found.update(dict.fromkeys(chain, found.get(name)))
    return found


def _has_equivalent(result: FeatureResult) -> bool:
    return result.reason.code is ReasonCode.EQUIVALENT and len(result.reason.columns) == 1
