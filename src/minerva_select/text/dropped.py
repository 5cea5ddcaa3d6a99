"""Why features were dropped: near misses, features whose information others carry, and how many carry none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from minerva_select.codes import ReasonCode, Role, SuspectKind
from minerva_select.text.feature_order import digits_for, is_near_miss, sort_features
from minerva_select.text.formatting import join_names, list_names, number
from minerva_select.text.left_behind import upper_end
from minerva_select.text.reasons import describe_reason

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection

MOST_SENTENCES = 3  # per kind of replacement
MOST_NAMES = 4
MOST_REASONS = 3

_EQUIVALENT, _DETERMINED, _NEARLY, _REDUNDANT = "equivalent", "determined", "nearly", "redundant"
_KINDS = (_EQUIVALENT, _DETERMINED, _NEARLY, _REDUNDANT)
_CARRIED_BY_OTHERS = (ReasonCode.REDUNDANT, ReasonCode.EQUIVALENT)
_Replacement = tuple[str, tuple[str, ...]]  # kind, and the selected features


def describe_dropped(selection: Selection) -> list[str]:
    """Name near misses and the features that carry the information of dropped ones; count the others by reason."""
    if selection.mutual_information is None:  # a baseline: its reasons give its scores
        return []
    dropped = [result for result in sort_features(selection.features) if not result.selected]
    digits, near_misses = digits_for(selection), [result for result in dropped if is_near_miss(result)]
    sentences = _describe_surplus(
        [result for result in near_misses if result.reason.code is ReasonCode.BEYOND_COUNT], digits
    )
    sentences += _describe_too_weak(
        [result for result in near_misses if result.reason.code is ReasonCode.TOO_WEAK], digits
    )
    others = [result for result in dropped if not is_near_miss(result)]
    replacements = _replacements(others, selection)
    sentences += [sentence for kind in _KINDS for sentence in _describe_replaced(kind, replacements)]
    rest = [result for result in others if result.feature not in replacements]
    return sentences + _describe_rest(rest, is_first=not sentences)


def _replacements(dropped: Iterable[FeatureResult], selection: Selection) -> Mapping[str, _Replacement]:
    """Selected features that carry the information of each dropped one, if any."""
    selected = {result.feature: result for result in selection.features if result.selected}
    replacing: dict[str, list[str]] = {}
    for name, result in selected.items():
        for substitute in result.substitutes:
            replacing.setdefault(substitute, []).append(name)
    near = {one.feature: one.of for one in selection.suspects if one.kind is SuspectKind.NEAR_COPY}
    representatives = {other: name for name, others in selection.equivalents.items() for other in others}
    found: dict[str, _Replacement] = {}
    for result in dropped:
        name, reason = result.feature, result.reason
        others = result.replaced_by or tuple(replacing.get(name, ()))
        if reason.code is ReasonCode.REDUNDANT:
            others = others or tuple(column for column in reason.columns if column in selected)
        if name in representatives:
            found[name] = _EQUIVALENT, (representatives[name],)
        elif reason.code is ReasonCode.EQUIVALENT and reason.columns and selected.keys() >= {*reason.columns}:
            found[name] = _DETERMINED, reason.columns
        elif near.get(name) in selected:
            found[name] = _NEARLY, (str(near[name]),)
        elif reason.code in _CARRIED_BY_OTHERS and (others or result.role is Role.SUBSTITUTE):
            found[name] = _REDUNDANT, others
    return found


def _describe_replaced(kind: str, replacements: Mapping[str, _Replacement]) -> list[str]:
    """One sentence for each set of replacing features, or one for all if there are too many."""
    same: dict[tuple[str, ...], list[str]] = {}
    for name, (of_name, others) in replacements.items():
        if of_name == kind:
            same.setdefault(others, []).append(name)
    if kind == _EQUIVALENT and len(same) > MOST_SENTENCES:
        return [_choices_sentence(same)]
    if len(same) > MOST_SENTENCES:
        names = [name for name, (of_name, _) in replacements.items() if of_name == kind]
        return [_replaced_sentence(kind, names, list(dict.fromkeys(other for others in same for other in others)))]
    return [_replaced_sentence(kind, names, others) for others, names in same.items()]


def _replaced_sentence(kind: str, names: Sequence[str], others: Sequence[str]) -> str:
    one = len(names) == 1
    subject = f"{join_names(names, MOST_NAMES)} {'is' if one else 'are'} dropped"
    replacing = join_names(others, MOST_NAMES) or "the selected features"
    if kind == _EQUIVALENT:
        choice = list_names([*others, *names], MOST_NAMES)
        return f"{subject}: {'it is' if one else 'they are'} equivalent to {replacing}; one of {{{choice}}} is enough."
    if kind == _DETERMINED:
        return f"{subject}: {replacing} together determine {'it' if one else 'them'}."
    if kind == _REDUNDANT:
        carry = "carries" if len(others) == 1 else "carry"
        return f"{subject}: {replacing} {carry} {'its' if one else 'their'} information."
    return f"{subject}: {'it is' if one else 'they are'} nearly equivalent to {replacing}."


def _choices_sentence(same: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    """One sentence for many sets of equivalent features."""
    n_dropped = sum(map(len, same.values()))
    choices = [f"{{{list_names([*kept, *names], MOST_NAMES)}}}" for kept, names in same.items()]
    choice = join_names(choices, MOST_NAMES, limit=None)
    return f"{n_dropped:,} features are dropped: they are equivalent to kept ones. One each is kept of {choice}."


def _describe_too_weak(results: list[FeatureResult], digits: int) -> list[str]:
    """Name features that may add information, strongest first, and the most that one of them may add."""
    if not results:
        return []
    names, one = join_names([result.feature for result in results], MOST_NAMES), len(results) == 1
    ends = [result.contribution_high for result in results if result.contribution_high is not None]
    may_add = f"; {'it' if one else 'each'} may add up to {upper_end(max(ends), digits)} nats" if ends else ""
    return [f"{names} {'is' if one else 'are'} {describe_reason(results[0].reason)}{may_add}."]


def _describe_surplus(results: list[FeatureResult], digits: int) -> list[str]:
    if not results:
        return []
    names, best = [result.feature for result in results], results[0]
    nats = "" if best.contribution_nats is None else f" up to {number(best.contribution_nats, digits)} nats"
    return [f"{join_names(names, MOST_NAMES)} would add{nats or ' information'}, but fewer features were requested."]


def _describe_rest(results: list[FeatureResult], *, is_first: bool) -> list[str]:
    """Count the features that no other sentence mentions, by reason."""
    if not results:
        return []
    if len(results) == 1:
        return [f"{join_names([results[0].feature])} is dropped: {results[0].reason}."]
    counts = Counter(str(result.reason) for result in results).most_common()
    subject = f"{len(results):,} {'features' if is_first else 'others'} are dropped"
    if len(counts) == 1:
        return [f"{subject}: {counts[0][0]}."]
    shown = counts if len(counts) <= MOST_REASONS + 1 else counts[:MOST_REASONS]
    reasons = [f"{reason} ({count:,})" for reason, count in shown]
    n_more = len(results) - sum(count for _, count in shown)
    return [f"{subject}: {', '.join(reasons)}" + (f", other reasons ({n_more:,})." if n_more else ".")]
