"""Rank units by recursive elimination, and measure the best subset of every size."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from minerva_select.config import ELIMINATION, EXPLANATION, SUPPORT
from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.judge import Judge

Path = list[tuple[list[int], MeanEstimate]]  # sets of units with their information, largest first


def rank_units(judge: Judge, always: Sequence[int], units: Sequence[int]) -> list[int]:
    """Order units by when recursive elimination drops them, last first; units in ``always`` stay to the end.

    Every step refits, and drops the units with the least importance: permutation importance on the tuning rows, and for
    trees the gain of their splits on the training rows too. If only neural critics are of use, all subsets of few units
    are refitted, and one critic trained with masked units orders many.
    """
    if not judge.arrays_in_use:
        if len(units) <= ELIMINATION.few_units:
            return _order_by_refits(judge, units)
        return judge.refits.masked_critics(units).order(units)
    remaining: list[int] = list(units)
    dropped: list[int] = []
    while len(remaining) > 1 and judge.has_time:
        importances = judge.array_importances([*always, *remaining])
        ordered = sorted(remaining, key=lambda unit: importances[unit])
        few = len(remaining) <= SUPPORT.few_units
        n_dropped = 1 if few else max(1, int(len(remaining) * SUPPORT.drop_share))
        dropped += ordered[:n_dropped]
        remaining = ordered[n_dropped:]
    return [*reversed(remaining), *reversed(dropped)]


def _order_by_refits(judge: Judge, units: Sequence[int]) -> list[int]:
    """Drop the unit that the others miss least on the tuning rows, one at a time; returns the last one first."""
    judge.fit_subsets(units, [subset for size in range(1, len(units)) for subset in combinations(units, size)])
    remaining, dropped = list(units), []
    while remaining:
        bounds = {unit: judge.tuning_bound([other for other in remaining if other != unit]) for unit in remaining}
        least = max(remaining, key=lambda unit: bounds[unit])
        remaining.remove(least)
        dropped.append(least)
    return dropped[::-1]


def best_subset(judge: Judge, order: Sequence[int], size: int, required: Collection[int] = ()) -> list[int]:
    """The best set of this size: the first units of the order, or those that follow the best single unit.

    The tuning rows decide. Recursive elimination judges units by what they add to many others, so its first unit need
    not be the best one alone.
    """
    backward = _first(order, size, required)
    if len(order) < 2 or not judge.arrays_in_use or not judge.has_time:
        return backward
    forward = _first([judge.best_single(order), *order], size, required)
    if set(forward) == set(backward):
        return backward
    return max((backward, forward), key=judge.array_bound)


def _first(order: Iterable[int], size: int, required: Collection[int]) -> list[int]:
    distinct = dict.fromkeys([*required, *order])
    return list(distinct)[:size]


def measure_path(judge: Judge, order: Sequence[int], selected: Sequence[int], required: Collection[int]) -> Path:
    """Information of the selected units and of the best set of every smaller size, largest first."""
    sizes = [size for size in _path_sizes(len(selected)) if size >= max(1, len(required))]
    smaller = [best_subset(judge, order, size, required) for size in sizes if size < len(selected)]
    subsets = [sorted(subset) for subset in (selected, *smaller) if subset]
    judge.fit_nested(subsets, selected)
    judge.fit_arrays(subsets, measured=True)
    path: Path = []
    for subset in subsets:
        if not judge.has_time:
            break
        path.append((subset, judge.measure(subset)))
    return path


def _path_sizes(n_units: int) -> list[int]:
    """Sizes of subsets, largest first: all sizes, or geometric steps."""
    if n_units <= EXPLANATION.max_path_points:
        return list(range(n_units, 0, -1))
    sizes, size = {n_units, *range(1, EXPLANATION.small_path_sizes + 1)}, n_units
    while size > 1:
        size = min(size - 1, round(size * EXPLANATION.path_ratio))
        sizes.add(size)
    return sorted(sizes, reverse=True)
