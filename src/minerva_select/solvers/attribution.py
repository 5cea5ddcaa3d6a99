"""Attribution: information of single columns, interactions of selected units, replacements of dropped columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from minerva_select.config import ELIMINATION, EXPLANATION, PLUGIN
from minerva_select.mi.arrays import shared_tuning_rows
from minerva_select.mi.families import ArrayCritics, Family
from minerva_select.mi.fold import Fold, held_out_clusters, held_out_weights
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.plugin_mi import PluginEstimator
from minerva_select.mi.stacking import FoldInformation, stack
from minerva_select.solvers.interactions import estimate_interactions, find_partners
from minerva_select.solvers.judge import Comparisons, Judge
from minerva_select.solvers.masked_critics import MaskedCritics


@dataclass(frozen=True)
class ColumnAttribution:
    """Information of single columns, by feature index."""

    marginal: dict[int, MeanEstimate]  # on held-out rows
    replaced_by: dict[int, list[int]]  # dropped informative column: selected columns that carry its information
    near_copies: dict[int, tuple[int, float]]  # column: the selected column it nearly copies, and their similarity
    explained: dict[int, float]  # share of the target's entropy, by counting


@dataclass(frozen=True)
class UnitAttribution:
    """Joint information of selected units, by unit index."""

    pairs: dict[tuple[int, int], MeanEstimate] = field(default_factory=dict)  # synergy above 0, redundancy below
    partners: dict[int, list[int]] = field(default_factory=dict)


def attribute_columns(
    folds: Sequence[Fold],
    screen: PairwiseInformation,
    selected: list[int],
    arrays: ArrayCritics,
    *,
    in_time: bool = True,
) -> ColumnAttribution:
    """Marginal information, replacements and near-copies of columns; of fewer columns when time has run out."""
    max_marginal = EXPLANATION.max_marginal if in_time else 0
    max_redundant = EXPLANATION.max_redundant if in_time else EXPLANATION.hurried_redundant
    max_counted_rows = PLUGIN.max_counted_rows if in_time else PLUGIN.hurried_counted_rows
    strongest = screen.marginal_nats.argsort(descending=True, stable=True).tolist()
    chosen, informative = {*selected}, screen.informative
    redundant = [feature for feature in strongest if informative[feature] and feature not in chosen][:max_redundant]
    measured = list(dict.fromkeys([*selected, *redundant, *strongest[:max_marginal]]))
    estimator = PluginEstimator(folds, measured, max_counted_rows)
    counted = {feature: estimator.information(feature) for feature in measured}
    marginal = {feature: estimator.mean(own) for feature, own in counted.items()}
    if Family.ADDITIVE in arrays.families and not folds[0].target.is_discrete:
        curves = {*selected, *redundant, *strongest[: EXPLANATION.max_curves]}
        marginal |= _mix_with_curves(
            folds, {feature: counted[feature] for feature in measured if feature in curves}, arrays
        )
    known = sorted(selected, key=lambda feature: -marginal[feature].mean)[: EXPLANATION.max_replacements]
    replaced_by = {feature: _find_replacements(estimator, feature, known) for feature in redundant} if known else {}
    near_copies = {}
    for feature in [*known, *redundant]:
        others = known[: known.index(feature)] if feature in known else known  # selected pairs are compared once
        similarity, other = max(((estimator.similarity(feature, other), other) for other in others), default=(0.0, -1))
        if similarity >= EXPLANATION.near_copy_similarity:
            near_copies[feature] = other, similarity
    explained = {feature: estimator.mean(own).mean / estimator.target_entropy for feature, own in counted.items()}
    return ColumnAttribution(marginal, replaced_by, near_copies, explained)


def _mix_with_curves(
    folds: Sequence[Fold], counted: dict[int, list[FoldInformation]], arrays: ArrayCritics
) -> dict[int, MeanEstimate]:
    """Information of each column by counts, mixed with a curve of the mean of a numeric target.

    Counts of few rows have few bins, which lose much of a numeric target. A curve with its residuals does not.
    """
    arrays.fit_all([(Family.ADDITIVE, [feature]) for feature in counted], measured=True)
    weights, clusters = held_out_weights(folds), held_out_clusters(folds)
    tuning_weights = [fold.row_weights[shared_tuning_rows(fold)] for fold in folds]
    found = {}
    for feature, own in counted.items():
        critics = [own, arrays.fit(Family.ADDITIVE, [feature])]
        mixed = stack(critics, tuning_weights, [len(fold.held_out) for fold in folds])
        found[feature] = estimate_mean(mixed.held_out, weights, clusters)
    return found


def _find_replacements(estimator: PluginEstimator, feature: int, known: list[int]) -> list[int]:
    """The selected column that carries most of a dropped column's information; all of them if none does alone."""
    shares = {}
    for other in known:
        marginal, conditional = estimator.conditional(feature, other)
        shares[other] = 1.0 - conditional.mean / marginal.mean if marginal.mean > 0 else 0.0
    ordered = sorted(known, key=lambda other: -shares[other])
    return ordered[:1] if shares[ordered[0]] >= EXPLANATION.replaced_share else ordered


def attribute_units(judge: Judge, selected: list[int], contributions: dict[int, MeanEstimate]) -> UnitAttribution:
    """Interactions of the selected units: by refits of few units, otherwise by masked critics."""
    if len(selected) < 2:
        return UnitAttribution()
    by_contribution = sorted(selected, key=lambda unit: -contributions[unit].mean)
    strongest = sorted(by_contribution[: EXPLANATION.max_interacting_units])
    critics: Comparisons | MaskedCritics = judge.comparisons
    if len(strongest) > _max_refitted_units(judge):
        critics = judge.refits.masked_critics(selected)
    else:
        pairs_left_out = [[unit for unit in selected if unit not in pair] for pair in combinations(strongest, 2)]
        judge.fit_compared(pairs_left_out)
    pairs = estimate_interactions(critics, strongest, selected, judge.context.training.deadline)
    return UnitAttribution(pairs, find_partners(contributions, pairs))


def _max_refitted_units(judge: Judge) -> int:
    """Number of units up to which refits without each pair take less time than masked critics."""
    if Family.NEURAL in judge.families:
        return ELIMINATION.few_units
    if judge.families == (Family.ADDITIVE,):
        return EXPLANATION.max_refitted_units_additive
    return EXPLANATION.max_refitted_units
