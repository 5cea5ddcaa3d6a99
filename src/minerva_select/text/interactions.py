"""Pairs of features that carry more information together than separately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import join_names, number

if TYPE_CHECKING:
    from minerva_select.results import PairResult, Selection

MIN_SYNERGY = 0.02  # of the information found; smaller synergies are not worth a sentence
NEAR_BEST = 0.5  # of the strongest synergy; pairs above it are named too if the strongest does not stand out
MOST_PAIRS = 3


def synergies(selection: Selection) -> list[PairResult]:
    """Pairs of selected features whose synergy is above zero with certainty, strongest first."""
    kept = {*selection.selected}
    certain = (pair for pair in selection.pairs if pair.low > 0 and {pair.first, pair.second} <= kept)
    return sorted(certain, key=lambda pair: -pair.nats)


def describe_closest_pairs(selection: Selection, mentioned: Sequence[Sequence[str]] = ()) -> list[str]:
    """Name the pairs with the most synergy; ``mentioned`` are groups that other sentences name."""
    found, digits = selection.mutual_information, digits_for(selection)
    certain = [pair for pair in synergies(selection) if found is not None and pair.nats >= MIN_SYNERGY * found.nats]
    # The terms of a sum have synergy too. Pairs of features that carry nothing alone matter for nothing else.
    silent = _silent(selection, digits)
    of_silent = [pair for pair in certain if {pair.first, pair.second} <= silent]
    candidates = of_silent or certain
    if not candidates:
        return []
    stands_out = all(pair.high < candidates[0].low for pair in candidates[1:])
    named = _disjoint(candidates, stands_out, mentioned)
    if not named:
        return []
    in_order = [[name for name in selection.selected if name in (pair.first, pair.second)] for pair in named]
    first, also = join_names(in_order[0]), "".join(f", and so do {join_names(pair)}" for pair in in_order[1:])
    most, at_least = " most" if stands_out else "", "at least " if also else ""
    how = f"carry nothing alone and interact{most}" if of_silent else f"interact{most}"
    gain = f"{at_least}{number(named[-1].nats, digits)} nats"
    return [f"{first} {how}{also}: each adds {gain} more when the other is known."]


def _silent(selection: Selection, digits: int) -> frozenset[str]:
    """Selected features without measurable information alone."""
    zero = number(0.0, digits)
    return frozenset(
        result.feature
        for result in selection.features
        if result.selected
        and result.marginal_nats is not None
        and (
            number(result.marginal_nats, digits) == zero
            or (result.marginal_low is not None and result.marginal_low <= 0)
        )
    )


def _disjoint(pairs: Sequence[PairResult], stands_out: bool, mentioned: Sequence[Sequence[str]]) -> list[PairResult]:
    """The strongest pair and, if it does not stand out, others nearly as strong; no feature is in two of them."""
    named: list[PairResult] = []
    for pair in pairs[:1] if stands_out else pairs:
        names = {pair.first, pair.second}
        is_mentioned = any(names == set(group) or (not stands_out and names <= set(group)) for group in mentioned)
        is_disjoint = all(names.isdisjoint((other.first, other.second)) for other in named)
        if pair.nats >= NEAR_BEST * pairs[0].nats and is_disjoint and not is_mentioned:
            named.append(pair)
    return named[:MOST_PAIRS]
