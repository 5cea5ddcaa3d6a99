"""The role of each selected feature: which carry information alone, and which only together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from minerva_select.codes import ReasonCode, Role
from minerva_select.text.feature_order import digits_for, sort_features
from minerva_select.text.formatting import LONGEST_NAME, join_names, list_names, number
from minerva_select.text.interactions import describe_closest_pairs, synergies
from minerva_select.text.proof import describe_proof, is_supporting
from minerva_select.text.reasons import describe_reason, shorten_reason

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection

MOST_GROUPS = 4
MOST_ALONE = 5

_Links = Mapping[str, Sequence[str]]
_ROLES = {Role.ALONE: "matters alone", Role.TOGETHER: "only with others", Role.SUBSTITUTE: "substitute"}


def describe_role(role: Role | None) -> str:
    """Describe a role in a few words; empty if there is none."""
    return "" if role is None else _ROLES[role]


def describe_proven_role(result: FeatureResult, *, with_proof: bool) -> str:
    """Describe the role of a feature, and that it is proven; what is not proven is in its reason."""
    proof = describe_proof(result) if with_proof and result.reason.code is ReasonCode.CONTRIBUTES else ""
    return ", ".join(filter(None, [proof, describe_role(result.role)]))


def describe_role_or_reason(
    result: FeatureResult, equivalents: Sequence[str] = (), *, brief: bool = False, with_proof: bool = False
) -> str:
    """Describe the role of a feature, or its reason if it has no role or the reason says more, and its equivalents.

    ``with_proof``: the reader also sees which features are supporting.
    """
    described = _role_or_reason(result, brief=brief, with_proof=with_proof)
    return f"{described}; {describe_choice(result.feature, equivalents)}" if equivalents and not brief else described


def describe_choice(name: str, equivalents: Sequence[str]) -> str:
    """Name a kept feature with the dropped ones that are equivalent to it."""
    return f"one of {{{list_names([name, *equivalents])}}}"


def _role_or_reason(result: FeatureResult, *, brief: bool, with_proof: bool) -> str:
    has_role = result.selected and result.role is not None
    says_more = result.reason.code is not ReasonCode.CONTRIBUTES and not (with_proof and is_supporting(result))
    if not has_role or says_more:
        return shorten_reason(result.reason) if brief else describe_reason(result.reason)
    partners = join_names(result.partners, *((2, 16) if brief else (3, LONGEST_NAME)))
    if result.role is Role.TOGETHER:
        return f"{'' if brief else 'matters '}only with {partners or 'others'}"
    role = describe_role(result.role)
    return f"{role}, more with {partners}" if partners else role


def describe_groups(selection: Selection) -> list[str]:
    """Say which features matter only together, pairs first, and which two interact most."""
    selected = {result.feature: result for result in sort_features(selection.features) if result.selected}
    links = _links(selection, selected)
    together = [name for name, result in selected.items() if result.role is Role.TOGETHER and not is_supporting(result)]
    groups = _connected_groups(together, links)
    sentences = [_describe_group(group, selected, links, selection) for group in groups[:MOST_GROUPS]]
    if len(groups) > MOST_GROUPS:
        n_more = sum(map(len, groups[MOST_GROUPS:]))
        more = "1 more feature matters" if n_more == 1 else f"{n_more:,} more features matter"
        sentences.append(f"{more} only with others.")
    return sentences + describe_closest_pairs(selection, groups)


def describe_marginals(selection: Selection) -> list[str]:
    """Say what features carry alone, strongest first, and which are kept although others carry the same."""
    if len(selection.selected) < 2:  # the headline has said it
        return []
    selected = sorted(
        (result for result in selection.features if result.selected), key=lambda result: -(result.marginal_nats or 0.0)
    )
    informative = [result for result in selected if result.role is Role.ALONE and result.marginal_nats is not None]
    redundant = [result.feature for result in selected if result.role is Role.SUBSTITUTE]
    sentences = []
    if informative:
        digits = digits_for(selection)
        first, *rest = ((join_names([one.feature]), number(one.marginal_nats, digits)) for one in informative)
        parts = [f"{first[0]} carries {first[1]} nats", *(f"{name} {nats}" for name, nats in rest)]
        less = " carry information" if len(parts) > MOST_ALONE else ""
        sentences.append(f"Alone, {join_names(parts, MOST_ALONE, limit=None)}{less}.")
    if redundant:
        sentences.append(f"Other features also carry the information of {join_names(redundant)}.")
    return sentences


def _links(selection: Selection, selected: Mapping[str, FeatureResult]) -> _Links:
    """Features that each selected feature interacts with: its partners, or else its strongest certain synergy."""
    links: dict[str, list[str]] = {name: [] for name in selected}
    for name, result in selected.items():
        for partner in result.partners:
            if partner in links:
                links[name].append(partner)
                links[partner].append(name)
    for pair in synergies(selection):
        if not links[pair.first] or not links[pair.second]:
            links[pair.first].append(pair.second)
            links[pair.second].append(pair.first)
    return {name: tuple(dict.fromkeys(others)) for name, others in links.items()}


def _connected_groups(members: Sequence[str], links: _Links) -> list[list[str]]:
    """Connected components of the members, each in the given order; pairs first, single members last."""
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


def _describe_group(
    group: Sequence[str], selected: Mapping[str, FeatureResult], links: _Links, selection: Selection
) -> str:
    digits, results = digits_for(selection), [selected[name] for name in group]
    marginals = [result.marginal_nats for result in results if result.marginal_nats is not None]
    adds = [result.contribution_nats for result in results if result.contribution_nats is not None]
    most = number(max(0.0, *marginals), digits) if len(marginals) == len(group) else None
    at_most = "" if most == number(0.0, digits) else "at most "
    if len(group) == 1:
        sentence = f"{join_names(group)} matters only with {join_names(links[group[0]], most=3) or 'others'}"
        figures = [f"alone it carries {most} nats"] if most else []
        figures += [f"given the others it adds {number(adds[0], digits)}"] if adds else []
    else:
        sentence = f"{join_names(group)} matter only together"
        figures = [f"alone each carries {at_most}{most} nats"] if most else []
        figures += _joint_information(group, adds, selection, digits)
    return f"{sentence}: {'; '.join(figures)}." if figures else f"{sentence}."


def _joint_information(group: Sequence[str], adds: Sequence[float], selection: Selection, digits: int) -> list[str]:
    """Joint information of a group, as far as it was measured."""
    found = selection.mutual_information
    if found is not None and len(group) == len(selection.selected):
        return [f"together they carry {number(found.nats, digits)}"]
    if len(adds) < len(group):
        return []
    of_pair = [pair.nats for pair in selection.pairs if {pair.first, pair.second} == set(group)]
    if of_pair:
        # I(a, b; y | rest) = I(a; y | rest, b) + I(b; y | rest, a) - synergy; separate estimates may give less
        both = max(*adds, sum(adds) - of_pair[0])
        return [f"together they add {number(both, digits)} to the other features"]
    return [f"given the others each adds at least {number(min(adds), digits)}"]
