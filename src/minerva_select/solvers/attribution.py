"""Attribution: information of single columns, interactions of selected units, replacements of dropped columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from minerva_select.config import ELIMINATION, EXPLANATION, PLUGIN
from minerva_select.mi.fold import Fold
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.plugin_mi import PluginEstimator
from minerva_select.solvers.interactions import estimate_interactions, find_partners
from minerva_select.solvers.judge import Judge
from minerva_select.solvers.masked_critics import MaskedCritics


@dataclass(frozen=True)
class ColumnAttribution:
    """Information of single columns, by feature index."""

    marginal: dict[int, MeanEstimate]  # on held-out rows
    replaced_by: dict[int, list[int]]  # dropped informative column: selected columns that carry its information
    near_copies: dict[int, tuple[int, float]]  # column: the selected column it nearly copies, and their similarity
    target_entropy: float  # of the classes that columns are counted against


@dataclass(frozen=True)
class UnitAttribution:
    """Joint information of selected units, by unit index."""

    pairs: dict[tuple[int, int], MeanEstimate] = field(default_factory=dict)  # synergy above 0, redundancy below
    partners: dict[int, list[int]] = field(default_factory=dict)


def attribute_columns(
    folds: Sequence[Fold], screen: PairwiseInformation, selected: list[int], *, in_time: bool = True
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
    marginal = {feature: estimator.marginal(feature) for feature in measured}
    known = sorted(selected, key=lambda feature: -marginal[feature].mean)[: EXPLANATION.max_replacements]
    replaced_by = {feature: _find_replacements(estimator, feature, known) for feature in redundant} if known else {}
    near_copies = {}
    for feature in [*known, *redundant]:
        others = known[: known.index(feature)] if feature in known else known  # selected pairs are compared once
        similarity, other = max(((estimator.similarity(feature, other), other) for other in others), default=(0.0, -1))
        if similarity >= EXPLANATION.near_copy_similarity:
            near_copies[feature] = other, similarity
    return ColumnAttribution(marginal, replaced_by, near_copies, estimator.target_entropy)


def _find_replacements(estimator: PluginEstimator, feature: int, known: list[int]) -> list[int]:
    """The selected column that carries most of a dropped column's information; all of them if none does alone."""
    shares = {}
    for other in known:
        marginal, conditional = estimator.conditional(feature, other)
        shares[other] = 1.0 - conditional.mean / marginal.mean if marginal.mean > 0 else 0.0
    ordered = sorted(known, key=lambda other: -shares[other])
    return ordered[:1] if shares[ordered[0]] >= EXPLANATION.replaced_share else ordered


def attribute_units(judge: Judge, selected: list[int], contributions: dict[int, MeanEstimate]) -> UnitAttribution:
    """Interactions of the selected units: by refits of very few units, otherwise by masked critics."""
    if len(selected) < 2:
        return UnitAttribution()
    by_contribution = sorted(selected, key=lambda unit: -contributions[unit].mean)
    strongest = sorted(by_contribution[: EXPLANATION.max_interacting_units])
    critics: Judge | MaskedCritics = judge
    if len(strongest) > ELIMINATION.few_units:
        critics = judge.refits.masked_critics(selected)
    pairs = estimate_interactions(critics, strongest, selected, judge.context.training.deadline)
    return UnitAttribution(pairs, find_partners(contributions, pairs))
