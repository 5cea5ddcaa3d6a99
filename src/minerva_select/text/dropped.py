"""Why features were dropped: what stands in for those that carried something, and how many carried nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from minerva_select.results import FeatureResult, Role, Selection, SuspectKind
from minerva_select.text.feature_order import digits_for, ranked
from minerva_select.text.formatting import amount, printable, spoken

MOST_SENTENCES = 3  # for each way to stand in
MOST_NAMES = 4
MOST_REASONS = 3
_TOO_MANY = "beyond the number asked for"  # how a solver ends the reason of a feature that there was no place for

_HOW = ("copy", "near-copy", "redundant")  # how one feature may stand in for another
_Why = tuple[str, tuple[str, ...]]  # how, and which selected features stand in for a dropped one


def dropped(selection: Selection) -> list[str]:
    """Say what stands in for the dropped features that carried something, and count the others by reason.

    Examples
    --------
    >>> from minerva_select.results import Estimate
    >>> found = Estimate(0.6, 0.58, 0.62, n_rows=1000)
    >>> features = (
    ...     FeatureResult("amount", True, "adds 0.5 nats", stand_ins=("amount_eur", "amount_usd")),
    ...     FeatureResult("amount_eur", False, "copy of amount"),
    ...     FeatureResult("amount_usd", False, "copy of amount"),
    ...     FeatureResult("limit", False, "adds nothing once amount is known", replaced_by=("amount",)),
    ...     *(FeatureResult(f"noise_{k}", False, "no information found") for k in range(7)),
    ... )
    >>> for sentence in dropped(Selection("y", features, found, found, n_rows=1000)):
    ...     print(sentence)
    amount_eur and amount_usd are dropped: amount tells the same.
    limit is dropped: what it tells, amount tells.
    7 others are dropped: no information found.
    """
    if selection.mutual_information is None:  # a method with scores of its own, which the reasons give
        return []
    gone = [result for result in ranked(selection.features) if not result.selected]
    why = _stand_ins(gone, selection)
    sentences = [sentence for how in _HOW for sentence in _of_replaced(how, why)]
    left = [result for result in gone if result.feature not in why]
    sentences += _of_unplaced([one for one in left if one.reason.endswith(_TOO_MANY)], digits_for(selection))
    sentences += _of_rest([one for one in left if not one.reason.endswith(_TOO_MANY)], told=bool(sentences))
    return sentences


def _stand_ins(gone: Iterable[FeatureResult], selection: Selection) -> Mapping[str, _Why]:
    """Of every dropped feature that selected ones stand in for, which ones, and how well."""
    chosen = {result.feature: result for result in selection.features if result.selected}
    replacing: dict[str, list[str]] = {}
    for name, result in chosen.items():
        for stand_in in result.stand_ins:
            replacing.setdefault(stand_in, []).append(name)
    near = {one.feature: one.of for one in selection.suspects if one.kind is SuspectKind.NEAR_COPY}
    found: dict[str, _Why] = {}
    for result in gone:
        name, copied = result.feature, result.reason.removeprefix("copy of ")
        others = result.replaced_by or tuple(replacing.get(name, ()))
        if result.reason.endswith(_TOO_MANY):
            continue
        if copied != result.reason and copied in chosen:
            found[name] = "copy", (copied,)
        elif near.get(name) in chosen:
            found[name] = "near-copy", (str(near[name]),)
        elif others or result.role is Role.STAND_IN:
            found[name] = "redundant", others
    return found


def _of_replaced(how: str, why: Mapping[str, _Why]) -> list[str]:
    """A sentence for those that the same features stand in for, or one for all where that would be too many."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, (of_name, others) in why.items():
        if of_name == how:
            alike.setdefault(others, []).append(name)
    if len(alike) > MOST_SENTENCES:
        names = [name for name, (of_name, _) in why.items() if of_name == how]
        return [_replaced(how, names, list(dict.fromkeys(other for others in alike for other in others)))]
    return [_replaced(how, names, others) for others, names in alike.items()]


def _replaced(how: str, names: Sequence[str], others: Sequence[str]) -> str:
    subject, who = f"{spoken(names, MOST_NAMES)} {_are(len(names))} dropped", spoken(others, MOST_NAMES)
    tell = "tells" if len(others) == 1 else "tell"
    if how == "redundant":
        it_tells = "it tells" if len(names) == 1 else "they tell"
        return f"{subject}: what {it_tells}, {who or 'the selected features'} {tell}."
    return f"{subject}: {who} {tell} {'nearly ' if how == 'near-copy' else ''}the same."


def _of_unplaced(results: list[FeatureResult], digits: int) -> list[str]:
    if not results:
        return []
    names, best = [result.feature for result in results], results[0]
    amounts = "" if best.contribution_nats is None else f", at most {amount(best.contribution_nats, digits)} nats"
    return [f"{spoken(names, MOST_NAMES)} would add something{amounts}, but fewer features were asked for."]


def _of_rest(results: list[FeatureResult], *, told: bool) -> list[str]:
    """Count the features that nothing more is said of, by reason."""
    if not results:
        return []
    if len(results) == 1:
        return [f"{spoken([results[0].feature])} is dropped: {printable(results[0].reason)}."]
    counts = Counter(result.reason for result in results).most_common()
    subject = f"{len(results):,} {'others' if told else 'features'} are dropped"
    if len(counts) == 1:
        return [f"{subject}: {printable(counts[0][0])}."]
    shown = counts if len(counts) <= MOST_REASONS + 1 else counts[:MOST_REASONS]
    reasons = [f"{printable(reason)} ({count:,})" for reason, count in shown]
    n_more = len(results) - sum(count for _, count in shown)
    return [f"{subject}: {', '.join(reasons)}" + (f", other reasons ({n_more:,})." if n_more else ".")]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
