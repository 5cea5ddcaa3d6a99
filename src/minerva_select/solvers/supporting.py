"""Supporting units: those that add information together, though none of them is proven alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minerva_select.config import SUPPORT, VETTING
from minerva_select.mi.families import ByFold
from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.judge import Judge
from minerva_select.solvers.ranking import rank_units


@dataclass(frozen=True)
class SupportResult:
    """Units added to the proven ones, and the order in which they were tried."""

    added: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  # all units that were ranked, most important first


def add_supporting(
    judge: Judge, proven: Sequence[int], everything: Sequence[int], by_fold: ByFold | None = None
) -> SupportResult:
    """Add units in an order fixed on tuning rows, until the others together add nothing to the kept ones.

    The first test decides whether anything is added, at its level: do all columns together add information to the
    proven units? Then the smallest size that is enough is found by doubling and bisection. A model of all columns may
    drown in noise, so if some units are proven, those that are best on the tuning rows are tested too, at half the
    level each. Tuning rows of one fold are held-out rows of another, so this choice would raise the level in pure
    noise: 7 of 30 small tables.

    Of too many columns, ``everything`` has those with the best screen in some rows; what every fold chose by its own
    training rows, ``by_fold``, is tested instead.
    """
    if set(everything) <= set(proven) or not judge.has_time_for(SUPPORT.min_sets):
        return SupportResult()
    if judge.explains_target(judge.verdict(proven)):
        return SupportResult()
    rests: list[Sequence[int] | ByFold] = [by_fold or list(everything)]
    if by_fold is None and proven and {*(best := _best_on_tuning_rows(judge, proven, everything))} != {*everything}:
        rests.append(best)
    total = max(judge.measure_total(proven, rest).mean for rest in rests)
    level = (VETTING.more_support_level if proven else VETTING.support_level) / len(rests)
    left = [judge.left_behind(proven, rest) for rest in rests]
    if not any(one.p_value < level and one.mean > SUPPORT.first_share * total for one in left):
        return SupportResult()
    order = rank_units(judge, proven, [unit for unit in everything if unit not in proven])

    def is_enough(size: int) -> bool:
        return all(_is_enough(judge, [*proven, *order[:size]], one, total) for one in rests)

    largest = _largest_size(judge, proven, order, is_enough, total)
    low, high = 0, largest  # with none it is not enough, with the largest it is
    while high - low > 1 and judge.has_time:
        size = (low + high) // 2
        low, high = (low, size) if is_enough(size) else (size, high)
    added = order[:high] if _gain(judge, proven, order[:high]).z > SUPPORT.min_gain_errors else []
    return SupportResult(added, order)


def _gain(judge: Judge, proven: Sequence[int], added: Sequence[int]) -> MeanEstimate:
    """What the added units tell beyond the proven ones, by critics of all of them."""
    if not proven:
        return judge.measure(added)
    return judge.mean(judge.information([*proven, *added]) - judge.information(proven))


def _best_on_tuning_rows(judge: Judge, proven: Sequence[int], everything: Sequence[int]) -> list[int]:
    """The proven units and the most important others, so many that the bound on the tuning rows is largest."""
    importances = judge.array_importances(everything)
    order = sorted(set(everything).difference(proven), key=lambda unit: -importances[unit])
    sizes = [*(2**k for k in range((len(order) - 1).bit_length())), len(order)]
    subsets = [[*proven, *order[:size]] for size in sizes]
    judge.fit_ranked(subsets)
    return max(subsets, key=judge.array_bound)


def _largest_size(
    judge: Judge, proven: Sequence[int], order: Sequence[int], is_enough: Callable[[int], bool], total: float
) -> int:
    """The size that is enough, found by doubling; or the best one, if more units tell no more.

    All columns can seem to add something to any subset, since two models predict better than one. So the search also
    ends when the information of the subsets themselves has stopped rising, and a size that is enough must not tell
    less than a smaller one: all columns are always enough, but a model of them may have learned noise.
    """
    best, most, size = 0, judge.measure(proven).mean if proven else 0.0, 1
    while judge.has_time:
        size = min(size, len(order))
        information = judge.measure([*proven, *order[:size]]).mean
        if information > most:
            best, most = size, information
        if is_enough(size):
            return size if information > most - SUPPORT.left_share * total else best
        if size == len(order) or size >= SUPPORT.patience * max(SUPPORT.patience, best):
            break
        size *= 2
    return best


def _is_enough(judge: Judge, units: Sequence[int], rest: Sequence[int] | ByFold, total: float) -> bool:
    """Whether the rest adds next to nothing to these units, or nothing that could be shown."""
    left = judge.left_behind(units, rest)
    shown = left.p_value < VETTING.more_support_level or left.mean > SUPPORT.left_errors * left.standard_error
    return left.mean <= SUPPORT.left_share * total or not shown
