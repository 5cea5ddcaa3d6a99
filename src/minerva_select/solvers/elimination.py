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


def eliminate(
    judge: Judge, units: Sequence[int], required: Collection[int], *, proven_only: bool = False
) -> EliminationResult:
    """Drop units that contribute nothing, the least contribution first, measured given the units that are left.

    Of two units that carry the same information neither contributes at first; when one is dropped the other does. A
    unit whose contribution is clear at first stays: given fewer others, it contributes more. All units have passed the
    permutation test, so each is tested at its own level; ``proven_only`` divides it by their number.
    """
    remaining = list(units)
    dropped: dict[int, MeanEstimate] = {}
    if not remaining or not judge.has_time_for(len(remaining) + 1):
        return EliminationResult(remaining, completed=not remaining)
    floor = ELIMINATION.min_share * judge.measure(remaining).mean
    contributions = judge.contributions(remaining)

    def is_doubtful(unit: int) -> bool:
        level = VETTING.level / max(1, len(remaining)) if proven_only else VETTING.level
        return contributions[unit].mean <= floor or contributions[unit].p_value >= level

    doubtful = [unit for unit in remaining if unit not in required and is_doubtful(unit)]
    doubtful.sort(key=lambda unit: (contributions[unit].mean > floor, contributions[unit].z))
    for unit in doubtful:
        if dropped:
            if not judge.has_time_for(2):
                return EliminationResult(remaining, dropped, completed=False)
            contributions |= judge.contributions(remaining, of=[unit])
        if is_doubtful(unit):
            remaining.remove(unit)
            dropped[unit] = contributions[unit]
    return EliminationResult(remaining, dropped)


def find_proven(contributions: dict[int, MeanEstimate]) -> frozenset[int]:
    """Units whose contribution is above zero, at a family-wise level."""
    significant = holm_bonferroni([one.p_value for one in contributions.values()], VETTING.level)
    return frozenset(unit for unit, ok in zip(contributions, significant, strict=True) if ok)
