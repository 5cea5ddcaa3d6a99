"""Backward elimination: drop units that add nothing to the others, by critics refitted without them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from minerva_select.config import ELIMINATION, VETTING
from minerva_select.mi.inference import MeanEstimate, holm_bonferroni
from minerva_select.solvers.judge import Judge


@dataclass(frozen=True)
class EliminationResult:
    """Units that each contribute, and those that were dropped."""

    kept: list[int]
    dropped: dict[int, MeanEstimate] = field(default_factory=dict)  # contribution when dropped, in that order
    completed: bool = True  # False if the time ran out before all units were tested


def eliminate(judge: Judge, units: Sequence[int], required: Collection[int]) -> EliminationResult:
    """Drop the unit with the least contribution, one at a time, until every remaining unit contributes.

    Of two units that carry the same information neither contributes at first; when one is dropped the other does.
    """
    remaining = list(units)
    dropped: dict[int, MeanEstimate] = {}
    if not remaining or not judge.has_time_for(len(remaining) + 1):
        return EliminationResult(remaining, completed=not remaining)
    floor = ELIMINATION.min_share * judge.measure(remaining).mean
    contributions = judge.contributions(remaining)
    completed = True
    while completed:
        doubtful = _doubtful(contributions, remaining, required, floor)
        if not doubtful:
            break
        least, *others = doubtful
        remaining.remove(least)
        dropped[least] = contributions.pop(least)
        completed = judge.has_time_for(len(others) + 1)
        if completed:  # only a doubtful unit can become the next to be dropped
            contributions |= judge.contributions(remaining, of=others)
    return EliminationResult(remaining, dropped, completed)


def _doubtful(
    contributions: dict[int, MeanEstimate], remaining: list[int], required: Collection[int], floor: float
) -> list[int]:
    """Units without a proven contribution, the least first."""
    level = VETTING.level / max(1, len(remaining))
    optional = [unit for unit in remaining if unit not in required]
    doubtful = [unit for unit in optional if contributions[unit].mean <= floor or contributions[unit].p_value >= level]
    return sorted(doubtful, key=lambda unit: (contributions[unit].mean > floor, contributions[unit].z))


def find_proven(contributions: dict[int, MeanEstimate]) -> frozenset[int]:
    """Units whose contribution is above zero, at a family-wise level."""
    significant = holm_bonferroni([one.p_value for one in contributions.values()], VETTING.level)
    return frozenset(unit for unit, ok in zip(contributions, significant, strict=True) if ok)
