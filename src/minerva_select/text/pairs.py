"""Two features that need each other: which pairs are worth a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from minerva_select.results import PairResult, Selection
from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import amount, spoken

LEAST_SYNERGY = 0.02  # of the information found; less is not worth a sentence, however sure it is
NEAR_BEST = 0.5  # of the strongest synergy; pairs with as much are named beside it where it does not stand out
MOST_PAIRS = 3


def synergies(selection: Selection) -> list[PairResult]:
    """Pairs of selected features that surely tell more together than apart, the strongest first.

    Examples
    --------
    >>> from minerva_select.results import FeatureResult
    >>> features = tuple(FeatureResult(name, True, "adds information") for name in "abc")
    >>> pairs = (PairResult("a", "b", -0.2, -0.3, -0.1), PairResult("a", "c", 0.1, 0.05, 0.15))
    >>> [pair.second for pair in synergies(Selection("y", features, None, None, n_rows=10, pairs=pairs))]
    ['c']
    """
    kept = {*selection.selected}
    sure = (pair for pair in selection.pairs if pair.low > 0 and {pair.first, pair.second} <= kept)
    return sorted(sure, key=lambda pair: -pair.nats)


def closest_pairs(selection: Selection, told: Sequence[Sequence[str]] = ()) -> list[str]:
    """Name the two features that need each other most, or the pairs that do; ``told`` are groups named already.

    Examples
    --------
    >>> from minerva_select.results import Estimate, FeatureResult
    >>> features = tuple(FeatureResult(name, True, "", marginal_nats=0.1) for name in "abc")
    >>> pairs = (PairResult("a", "b", 0.2, 0.18, 0.22), PairResult("a", "c", 0.1, 0.08, 0.12))
    >>> half = Estimate(0.5, 0.48, 0.52, n_rows=1000)
    >>> closest_pairs(Selection("y", features, half, half, n_rows=1000, pairs=pairs))
    ['a and b work most closely together: knowing one makes the other worth 0.200 nats more.']
    """
    found, digits = selection.mutual_information, digits_for(selection)
    sure = [pair for pair in synergies(selection) if found is not None and pair.nats >= LEAST_SYNERGY * found.nats]
    # The terms of a sum are worth more together, too. Those that tell nothing alone are worth nothing else: a switch.
    silent = _silent(selection, digits)
    of_silent = [pair for pair in sure if {pair.first, pair.second} <= silent]
    candidates = of_silent or sure
    if not candidates:
        return []
    stands_out = all(pair.high < candidates[0].low for pair in candidates[1:])
    named = _apart(candidates, stands_out, told)
    if not named:
        return []
    in_order = [[name for name in selection.selected if name in (pair.first, pair.second)] for pair in named]
    first, also = spoken(in_order[0]), "".join(f", and so do {spoken(pair)}" for pair in in_order[1:])
    most, least = "most " if stands_out else "", "at least " if also else ""
    how = f"tell nothing alone and need each other {most}".rstrip() if of_silent else f"work {most}closely together"
    gain = f"{least}{amount(named[-1].nats, digits)} nats"
    return [f"{first} {how}{also}: knowing one makes the other worth {gain} more."]


def _silent(selection: Selection, digits: int) -> frozenset[str]:
    """Selected features of which nothing was found alone."""
    zero = amount(0.0, digits)
    return frozenset(
        result.feature
        for result in selection.features
        if result.selected
        and result.marginal_nats is not None
        and (
            amount(result.marginal_nats, digits) == zero
            or (result.marginal_low is not None and result.marginal_low <= 0)
        )
    )


def _apart(pairs: Sequence[PairResult], stands_out: bool, told: Sequence[Sequence[str]]) -> list[PairResult]:
    """The best pair and, where it does not stand out, others nearly as strong; no feature is in two of them."""
    named: list[PairResult] = []
    for pair in pairs[:1] if stands_out else pairs:
        names = {pair.first, pair.second}
        is_told = any(names == set(group) or (not stands_out and names <= set(group)) for group in told)
        is_apart = all(names.isdisjoint((other.first, other.second)) for other in named)
        if pair.nats >= NEAR_BEST * pairs[0].nats and is_apart and not is_told:
            named.append(pair)
    return named[:MOST_PAIRS]
