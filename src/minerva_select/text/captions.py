"""Headings, captions and descriptions of the charts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from minerva_select.codes import Role, WarningCode
from minerva_select.text.effect_captions import describe_effects, describe_pair_map, effects_caption, pair_map_caption
from minerva_select.text.effects import NO_EFFECTS
from minerva_select.text.feature_order import digits_for, sort_features
from minerva_select.text.formatting import (
    count_features,
    join_names,
    nats_with_interval,
    number,
    percent,
    printable,
)
from minerva_select.text.left_behind import describe_left_behind
from minerva_select.text.proof import count_by_proof
from minerva_select.text.roles import describe_role

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, PairResult, Selection

_MUCH = 0.25  # of the information found, carried alone
MOST_NAMED = 6  # features of the interactions that have names on a phone
_LITTLE = 0.2  # of what a feature carries alone, added to the others


@dataclass(frozen=True)
class ChartHeading:
    """The link of a chart in the navigation, its title, and how to read it."""

    link: str
    title: str
    caption: str


_HEADINGS = {
    "contributions": ChartHeading(
        "Contributions",
        "Contribution of each feature",
        "Full color: information lost when only this feature is removed, on held-out rows, with a 95% interval. "
        "Ring: information of the feature alone. Pale: the part of it that other kept features also carry.",
    ),
    "path": ChartHeading(
        "Number of features",
        "Information by number of features",
        "Information of the best set of each size. The marked point is the selection.",
    ),
    "pairs": ChartHeading(
        "Interactions",
        "Interactions",
        "Positive: two features carry more information together than separately (synergy). Negative: they carry "
        "partly the same information (redundancy).",
    ),
    "training": ChartHeading(
        "Training",
        "Training",
        "Bound of the critics on training rows and on held-out rows. If only the bound on training rows rises, the "
        "critic overfits. The information of the selection is measured after training, by critics, boosted trees and "
        "additive models.",
    ),
    "stability": ChartHeading("Stability", "Stability", "Share of the repeated fits that selected each feature."),
}
_WEIGHTS = ChartHeading(
    "Weights", "Weights", "The method's own weights of the kept features; it does not measure information."
)


_SUPPORTING_CAPTION = (
    "Hatched, with names in italics: supporting features, which add information together but are not proven one by one."
)

_NUMBERED_CAPTION = "On a narrow screen the columns have the numbers of the rows; pointing at a cell shows both names."


def chart_heading(selection: Selection, kind: str) -> ChartHeading:
    """Heading of a chart; without contributions, their chart shows weights."""
    if kind == "contributions" and not has_contributions(selection):
        return _WEIGHTS
    if kind == "effects":
        return ChartHeading("Effects", "How the target goes with each feature", effects_caption(selection))
    if kind == "pair_map":
        return ChartHeading("Map of a pair", "Map of the pair that interacts most", pair_map_caption(selection))
    heading = _HEADINGS[kind]
    more = {"contributions": _SUPPORTING_CAPTION if selection.supporting else "", "path": _rest_caption(selection)}
    if kind == "pairs" and len({name for pair in selection.pairs for name in (pair.first, pair.second)}) > MOST_NAMED:
        more["pairs"] = _NUMBERED_CAPTION
    return replace(heading, caption=" ".join(filter(None, [heading.caption, more.get(kind)])))


def _rest_caption(selection: Selection) -> str:
    """What the dropped features add, for the caption of the path."""
    rest = describe_left_behind(selection)
    return f"The diamond is the information of all columns: {rest}." if rest and selection.selected else ""


def has_contributions(selection: Selection) -> bool:
    """Whether the method measured what each feature adds."""
    return any(result.contribution_nats is not None for result in selection.features)


def has_weights(selection: Selection) -> bool:
    """Whether the method has weights of its own instead; a number that was chosen after the fit leaves none."""
    if has_contributions(selection) or any(one.code is WarningCode.CHOSEN_AFTER_FIT for one in selection.warnings):
        return False
    return any(result.weight for result in selection.features)


def remark(selection: Selection, kind: str) -> str:
    """Say what stands out in a chart, or why there is none; empty if there is nothing to say."""
    if kind == "contributions":
        return _redundant(selection)
    if kind == "effects" and selection.effects is None and selection.selected:
        return NO_EFFECTS
    if kind == "path" and len(selection.path) == 1:
        (point,) = selection.path
        found = f"{count_features(point.n_features)} with {number(point.nats, digits_for(selection))} nats"
        return f"Only one set was measured, {found}, so there is no curve to draw."
    return ""


def _redundant(selection: Selection) -> str:
    """Name kept features that carry much alone but add little."""
    digits, found = digits_for(selection), selection.mutual_information
    redundant = [result for result in selection.features if found is not None and _is_redundant(result, found.nats)]
    if not redundant:
        return ""
    names = [result.feature for result in redundant]
    marginals = [number(result.marginal_nats, digits) for result in redundant]
    most = number(max(result.contribution_nats or 0.0 for result in redundant), digits)
    if len(redundant) == 1:
        return f"{join_names(names)} repeats other features: it carries {marginals[0]} nats alone and adds {most}."
    mutual = any({pair.first, pair.second} == set(names) and pair.high < 0 for pair in selection.pairs)
    what = "each other" if mutual else "other kept features"
    alone = f"{join_names(marginals)} nats" if len(marginals) <= 3 else f"at least {min(marginals)} nats each"
    none = "neither" if len(names) == 2 else "none"
    return f"{join_names(names)} repeat {what}: they carry {alone} alone, and {none} adds more than {most}."


def _is_redundant(result: FeatureResult, found: float) -> bool:
    marginal, adds = result.marginal_nats, result.contribution_nats
    if not result.selected or marginal is None or adds is None:
        return False
    return marginal >= _MUCH * found > 0 and adds <= _LITTLE * marginal


def describe_chart(selection: Selection, kind: str) -> str:
    """Describe a chart in one sentence, for screen readers."""
    return _DESCRIPTIONS[kind](selection)


def _describe_contributions(selection: Selection) -> str:
    first, *_ = kept = sort_features(result for result in selection.features if result.selected)
    name, digits = printable(first.feature, limit=60), digits_for(selection)
    if not has_contributions(selection):
        largest = f"the largest is {name} with {number(first.weight)}"
        return f"Bar chart of the weights of {count_features(len(kept))}; {largest}."
    adds = nats_with_interval(first.contribution_nats, first.contribution_low, first.contribution_high, digits)
    counts = {role: sum(result.role is role for result in selection.features) for role in Role}
    roles = "".join(f"; {describe_role(role)}: {count}" for role, count in counts.items() if count)
    counts_by_proof = count_by_proof(selection)
    kept_features = count_features(len(kept)) + (f" ({counts_by_proof})" if counts_by_proof else "")
    return f"Bar chart of the contributions of {kept_features}: {name} adds most, {adds}{roles}."


def _describe_path(selection: Selection) -> str:
    digits, points = digits_for(selection), sorted(selection.path, key=lambda point: point.n_features)
    first, last, chosen = points[0], points[-1], {*selection.selected}

    def found(nats: float, n_features: int) -> str:
        return f"{number(nats, digits)} nats with {count_features(n_features)}"

    marked = [point for point in points if {*point.features} == chosen]
    selected = f"; selected: {found(marked[0].nats, marked[0].n_features)}" if marked else ""
    entropy = selection.target_entropy
    limit = "" if entropy is None else f"; the entropy of the target is {number(entropy, digits)} nats"
    ends = f"from {found(first.nats, first.n_features)} to {found(last.nats, last.n_features)}"
    rest = describe_left_behind(selection)
    rest = f"; {rest}" if rest and chosen else ""
    return f"Line chart of information by number of features: {ends}{selected}{rest}{limit}."


def _describe_pairs(selection: Selection) -> str:
    strongest = sorted(selection.pairs, key=lambda pair: -abs(pair.nats))
    extremes = [next((pair for pair in strongest if pair.nats * sign > 0), None) for sign in (1, -1)]
    found = "; ".join(_describe_pair(pair, digits_for(selection)) for pair in extremes if pair is not None)
    n_features = len({name for pair in strongest for name in (pair.first, pair.second)})
    return f"Heat map of the interactions of {count_features(n_features)}: {found or 'none differs from zero'}."


def _describe_pair(pair: PairResult, digits: int) -> str:
    names = " and ".join(printable(name, limit=60) for name in (pair.first, pair.second))
    nats = nats_with_interval(pair.nats, pair.low, pair.high, digits)
    return f"strongest {'synergy' if pair.nats > 0 else 'redundancy'}: {names}, {nats}"


def _describe_training(selection: Selection) -> str:
    stages = join_names(tuple(dict.fromkeys(record.stage for record in selection.history)))
    held_out = [record.held_out_bound for record in selection.history if record.held_out_bound is not None]
    bounds = held_out or [record.bound for record in selection.history]
    rows, highest = "held-out" if held_out else "training", number(max(bounds), digits_for(selection))
    return f"Line chart of the bound during training (stages: {stages}); on {rows} rows it reaches {highest} nats."


def _describe_stability(selection: Selection) -> str:
    shares = {result.feature: result.frequency or 0.0 for result in selection.features}
    first = max(shares, key=lambda name: shares[name])
    n_always = sum(share >= 1 for share in shares.values())
    n_fits = selection.repeats.n_fits if selection.repeats is not None else 0
    most = f"most often {printable(first, limit=60)} ({percent(shares[first])})"
    return f"Bar chart of how often {n_fits:,} fits selected each feature: {n_always} always, {most}."


_DESCRIPTIONS = {
    "contributions": _describe_contributions,
    "effects": describe_effects,
    "pair_map": describe_pair_map,
    "path": _describe_path,
    "pairs": _describe_pairs,
    "training": _describe_training,
    "stability": _describe_stability,
}
