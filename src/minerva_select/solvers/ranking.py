"""Rank units by recursive elimination, find the best set of every size, and measure some of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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


def rank_rest(judge: Judge, selected: Sequence[int], rest: Sequence[int]) -> list[int]:
    """Order the units that were not selected by what they add to the selected ones, most important first.

    They add next to nothing, so few refits are enough: each drops three quarters of the units.
    """
    if len(rest) < 2 or not judge.arrays_in_use:
        return list(rest)
    n_refits = 1 + min(len(rest), SUPPORT.max_ranked).bit_length()
    if not judge.has_time_for(len(selected) + EXPLANATION.max_additions + n_refits):  # the rest of the fit comes first
        return list(rest)
    remaining, dropped = list(rest), list[int]()
    while len(remaining) > 1:
        importances = judge.array_importances([*selected, *remaining])
        ordered = sorted(remaining, key=lambda unit: -importances[unit])
        n_kept = min(SUPPORT.max_ranked, len(remaining) // 4)
        remaining, dropped = ordered[:n_kept], [*ordered[n_kept:], *dropped]
    return [*remaining, *dropped]


@dataclass(frozen=True)
class Ranking:
    """The best set of every size: the first units of the order, unless the tuning rows prefer another small set."""

    order: Sequence[int]  # all units, the required ones first
    small_sets: Mapping[int, list[int]] = field(default_factory=dict)  # by size

    def best(self, size: int) -> list[int]:
        """The best set of this size; all units if there are fewer."""
        return list(self.small_sets.get(size, self.order[:size]))


def find_best_sets(judge: Judge, order: Sequence[int], n_selected: int, required: Collection[int] = ()) -> Ranking:
    """The best sets of all sizes; ``order`` starts with the units that were selected, which are the best of their size.

    Recursive elimination judges units by what they add to many others, so its first unit need not be the best one
    alone. Sets smaller than the selection that start with the best single unit compete with those that start as the
    order does. Larger sets contain the selection.
    """
    free = [unit for unit in order if unit not in required]
    ranked = [*required, *free]
    if n_selected < len(required) + 2 or not judge.arrays_in_use or not judge.has_time:
        return Ranking(ranked)
    single = judge.best_single(free)
    sizes = range(len(required) + 1, min(len(required) + free.index(single) + 1, n_selected))
    others = {size: [*required, single, *free][:size] for size in sizes}
    judge.fit_ranked([one for size, other in others.items() for one in (ranked[:size], other)])
    better = {
        size: other for size, other in others.items() if judge.array_bound(other) > judge.array_bound(ranked[:size])
    }
    return Ranking(ranked, better)


def measure_path(judge: Judge, ranking: Ranking, selected: Sequence[int], required: Collection[int]) -> Path:
    """Information of the selected units and of the best set of every smaller size, largest first."""
    sizes = [size for size in _path_sizes(len(selected)) if size >= max(1, len(required))]
    smaller = [ranking.best(size) for size in sizes if size < len(selected)]
    subsets = [sorted(subset) for subset in (selected, *smaller) if subset]
    judge.fit_nested(subsets, selected)
    judge.fit_arrays(subsets)
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
