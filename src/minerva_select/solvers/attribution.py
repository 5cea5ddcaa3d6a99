"""What a selection says of its columns: who tells what alone, who works with whom, who stands in for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from minerva_select.mi.cross_fit import Fold
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.plugin_mi import MAX_COUNTED, PluginEstimator
from minerva_select.solvers.candidate_search import SearchContext
from minerva_select.solvers.elimination import (
    EliminationResult,
    MaskedCritics,
    estimate_interactions,
    find_partners,
    measure_nested_sets,
    order_units,
)

MAX_PAIRED = 24  # units of which all pairs are looked at; pairs grow with the square
MAX_ALONE = 100  # columns whose information alone is measured on held-out rows
MAX_REDUNDANT = 100  # dropped columns for which a stand-in is looked for
HURRIED = 10  # the same, when the time is up
MAX_STAND_INS = 16  # selected columns that are looked at for that
MAX_POINTS = 16  # sets of which the information is traced
NEAR_COPY = 0.9  # likeness from which on a column nearly repeats another
STANDS_IN = 0.8  # share of what a column tells that is gone once its stand-in is known


@dataclass(frozen=True)
class ColumnAttribution:
    """What single columns tell, features by number."""

    marginal: dict[int, MeanEstimate]  # on held-out rows
    replaced_by: dict[int, list[int]]  # of dropped ones that tell something, the selected ones that tell it too
    near_copies: dict[int, tuple[int, float]]  # of some, a selected one that they repeat, and how nearly
    target_entropy: float  # of the target, in the classes that columns were counted against: the most that one can tell


@dataclass(frozen=True)
class UnitAttribution:
    """What selected units tell together, units by number."""

    pairs: dict[tuple[int, int], MeanEstimate] = field(default_factory=dict)  # synergy above 0, redundancy below
    partners: dict[int, list[int]] = field(default_factory=dict)
    path: list[tuple[list[int], MeanEstimate]] = field(default_factory=list)  # from many units down to one


def attribute_columns(
    folds: Sequence[Fold], found: PairwiseInformation, selected: list[int], *, in_time: bool = True
) -> ColumnAttribution:
    """What columns tell alone, and what of that a selected one tells too; of few of them, when the time is up."""
    max_alone, max_redundant = (MAX_ALONE, MAX_REDUNDANT) if in_time else (0, HURRIED)
    strongest = found.marginal_nats.argsort(descending=True, stable=True).tolist()
    chosen, tells = {*selected}, found.informative
    redundant = [feature for feature in strongest if tells[feature] and feature not in chosen][:max_redundant]
    looked_at = list(dict.fromkeys([*selected, *redundant, *strongest[:max_alone]]))
    counts = PluginEstimator(folds, looked_at, max_counted=MAX_COUNTED if in_time else MAX_COUNTED // 10)
    alone = {feature: counts.alone(feature) for feature in looked_at}
    known = sorted(selected, key=lambda feature: -alone[feature].mean)[:MAX_STAND_INS]
    replaced_by = {feature: _stand_ins(counts, feature, known) for feature in redundant} if known else {}
    near_copies = {}
    for feature in [*known, *redundant]:
        alike = [
            (counts.normalized_information(feature, other), other) for other in known if _before(other, feature, known)
        ]
        likeness, other = max(alike, default=(0.0, -1))
        if likeness >= NEAR_COPY:
            near_copies[feature] = other, likeness
    return ColumnAttribution(alone, replaced_by, near_copies, counts.entropy)


def _before(other: int, feature: int, known: list[int]) -> bool:
    """Whether to hold a column against another: of two selected ones each pair counts once."""
    return feature not in known or known.index(other) < known.index(feature)


def _stand_ins(counts: PluginEstimator, feature: int, known: list[int]) -> list[int]:
    """The selected column that tells most of what a dropped one tells; all of them, where it takes more than one."""
    gone = {}
    for other in known:
        alone, beyond = counts.estimate_conditional(feature, other)
        gone[other] = 1.0 - beyond.mean / alone.mean if alone.mean > 0 else 0.0
    ordered = sorted(known, key=lambda other: -gone[other])
    return ordered[:1] if gone[ordered[0]] >= STANDS_IN else ordered


def attribute_units(vetting: MaskedCritics, elimination: EliminationResult, context: SearchContext) -> UnitAttribution:
    """Who works with whom, and what fewer units would tell; spends the critics."""
    kept, contributions = elimination.kept, elimination.contributions
    strongest = sorted(sorted(kept, key=lambda unit: -contributions[unit].mean)[:MAX_PAIRED])
    deadline, path = context.run.deadline, elimination.path
    pairs = estimate_interactions(vetting, strongest, kept, deadline)
    if len(vetting.units) > 1 and not deadline.expired:
        order = order_units(vetting, elimination)
        path = measure_nested_sets(vetting, order, _sizes(len(order), len(kept)), context)
    return UnitAttribution(pairs, find_partners(contributions, pairs), path)


def _sizes(n_units: int, n_kept: int) -> list[int]:
    """Sizes of the sets to trace, the largest first: all of them, or what was kept and some between.

    Examples
    --------
    >>> _sizes(4, 2)
    [4, 3, 2, 1]
    >>> _sizes(100, 60)[:6], len(_sizes(100, 60))
    ([100, 75, 60, 56, 42, 32], 16)
    """
    if n_units <= MAX_POINTS:
        return list(range(n_units, 0, -1))
    sizes, size = {n_units, n_kept}, n_units
    while size > 1:
        size = min(size - 1, round(size * 0.75))
        sizes.add(size)
    return sorted(sizes, reverse=True)
