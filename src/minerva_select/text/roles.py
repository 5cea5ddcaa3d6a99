"""The part that each selected feature plays: who matters alone, and who only together with whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minerva_select.results import FeatureResult, Role, Selection
from minerva_select.text.feature_order import digits_for, ranked
from minerva_select.text.formatting import amount, spoken
from minerva_select.text.pairs import closest_pairs, synergies

MOST_GROUPS = 4
MOST_ALONE = 5

_Links = Mapping[str, Sequence[str]]


def roles(selection: Selection) -> list[str]:
    """Say who matters only together, and then who tells something alone.

    Examples
    --------
    >>> from minerva_select.results import Estimate
    >>> found = Estimate(0.6, 0.58, 0.62, n_rows=1000)
    >>> f3, f8 = (
    ...     FeatureResult(name, True, "", 1.0, 0.0, 0.5, partners=(other,), role=Role.TOGETHER)
    ...     for name, other in (("f3", "f8"), ("f8", "f3"))
    ... )
    >>> hour = FeatureResult("hour", True, "", 0.2, 0.08, 0.1, role=Role.ALONE)
    >>> from minerva_select.results import PairResult
    >>> pairs = (PairResult("f3", "f8", 0.5, 0.48, 0.52),)
    >>> for sentence in roles(Selection("y", (f3, f8, hour), found, found, n_rows=1000, pairs=pairs)):
    ...     print(sentence)
    f3 and f8 matter only together: alone each tells 0.000 nats, together they add 0.500 to what the others tell.
    Alone, hour tells 0.080 nats.
    """
    return together(selection) + alone(selection)


def together(selection: Selection) -> list[str]:
    """Say which features matter only together, pairs first, and which two work most closely together."""
    chosen = {result.feature: result for result in ranked(selection.features) if result.selected}
    links = _links(selection, chosen)
    groups = _groups([name for name, result in chosen.items() if result.role is Role.TOGETHER], links)
    sentences = [_of_group(group, chosen, links, selection) for group in groups[:MOST_GROUPS]]
    if len(groups) > MOST_GROUPS:
        sentences.append(f"{sum(map(len, groups[MOST_GROUPS:])):,} more features matter only with others.")
    return sentences + closest_pairs(selection, groups)


def alone(selection: Selection) -> list[str]:
    """Say what features tell alone, the strongest first, and which of them are kept though others tell the same."""
    if len(selection.selected) < 2:  # the headline has said it
        return []
    chosen = sorted(
        (result for result in selection.features if result.selected), key=lambda result: -(result.marginal_nats or 0.0)
    )
    telling = [result for result in chosen if result.role is Role.ALONE and result.marginal_nats is not None]
    spare = [result.feature for result in chosen if result.role is Role.STAND_IN]
    sentences = []
    if telling:
        digits = digits_for(selection)
        first, *rest = ((result.feature, amount(result.marginal_nats, digits)) for result in telling)
        amounts = [f"{spoken([first[0]])} tells {first[1]} nats", *(f"{spoken([name])} {nats}" for name, nats in rest)]
        less = " tell something" if len(amounts) > MOST_ALONE else ""
        sentences.append(f"Alone, {spoken(amounts, MOST_ALONE, limit=None)}{less}.")
    if spare:
        sentences.append(f"What {spoken(spare)} {'tells' if len(spare) == 1 else 'tell'}, others tell too.")
    return sentences


def _links(selection: Selection, chosen: Mapping[str, FeatureResult]) -> _Links:
    """With whom each selected feature works: its partners, or else its strongest sure synergy."""
    links: dict[str, list[str]] = {name: [] for name in chosen}
    for name, result in chosen.items():
        for partner in result.partners:
            if partner in links:
                links[name].append(partner)
                links[partner].append(name)
    for pair in synergies(selection):
        if not links[pair.first] or not links[pair.second]:
            links[pair.first].append(pair.second)
            links[pair.second].append(pair.first)
    return {name: tuple(dict.fromkeys(others)) for name, others in links.items()}


def _groups(members: Sequence[str], links: _Links) -> list[list[str]]:
    """Members that are linked, each group in the order given; pairs first, single members last."""
    left, groups = dict.fromkeys(members), []
    while left:
        reached, frontier = set(), [next(iter(left))]
        while frontier:
            name = frontier.pop()
            if name in left:
                del left[name]
                reached.add(name)
                frontier += links[name]
        groups.append([name for name in members if name in reached])
    return sorted(groups, key=lambda group: (len(group) == 1, len(group)))


def _of_group(group: Sequence[str], chosen: Mapping[str, FeatureResult], links: _Links, selection: Selection) -> str:
    digits, results = digits_for(selection), [chosen[name] for name in group]
    tells = [result.marginal_nats for result in results if result.marginal_nats is not None]
    adds = [result.contribution_nats for result in results if result.contribution_nats is not None]
    most = amount(max(0.0, *tells), digits) if len(tells) == len(group) else None
    at_most = "" if most == amount(0.0, digits) else "at most "
    if len(group) == 1:
        sentence = f"{spoken(group)} matters only with {spoken(links[group[0]], most=3) or 'others'}"
        figures = [f"alone it tells {most} nats"] if most else []
        figures += [f"once the others are known it adds {amount(adds[0], digits)}"] if adds else []
    else:
        sentence = f"{spoken(group)} matter only together"
        figures = [f"alone each tells {at_most}{most} nats"] if most else []
        figures += _jointly(group, adds, selection, digits)
    return f"{sentence}: {', '.join(figures)}." if figures else f"{sentence}."


def _jointly(group: Sequence[str], adds: Sequence[float], selection: Selection, digits: int) -> list[str]:
    """What a group tells together, as far as it was measured."""
    found = selection.mutual_information
    if found is not None and len(group) == len(selection.selected):
        return [f"together they tell {amount(found.nats, digits)}"]
    if len(adds) < len(group):
        return []
    met = [pair.nats for pair in selection.pairs if {pair.first, pair.second} == set(group)]
    if met:
        # I(a, b; y | rest) = I(a; y | rest, b) + I(b; y | rest, a) - synergy; measured apart, it may come out below one
        both = max(*adds, sum(adds) - met[0])
        return [f"together they add {amount(both, digits)} to what the others tell"]
    return [f"with the others each adds at least {amount(min(adds), digits)}"]
