"""Columns to look at before an answer is trusted: leaks, columns far ahead of all others, near-copies, identifiers."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from minerva_select.results import Suspect, SuspectKind
from minerva_select.selectors.fit_context import Request
from minerva_select.solvers.vetting import VettingSolution

LEAKS = 0.8  # of what the target holds: a column that tells so much alone may be made from the target
DOMINATES = 1 / 3  # of all that was found, if it is also
FAR_AHEAD = 2.0  # times what any other column tells alone, where
MANY = 5  # columns at least tell something: among few, one is easily far ahead


def find_suspects(solution: VettingSolution, request: Request) -> tuple[Suspect, ...]:
    """Suspects of every kind, the most serious first."""
    columns, names, tells = solution.columns, request.order, solution.screen.informative
    selected = {feature for unit in solution.selected for feature in request.units[unit]}
    by_worth = sorted(columns.marginal, key=lambda feature: -columns.marginal[feature].mean)
    found = [
        Suspect(
            names[feature], SuspectKind.LEAK, share=min(1.0, columns.marginal[feature].mean / columns.target_entropy)
        )
        for feature in by_worth
        if columns.marginal[feature].mean > LEAKS * columns.target_entropy
    ]
    if not found and sum(tells) >= MANY and solution.total.mean > 0:
        found += [
            Suspect(names[first], SuspectKind.DOMINANT, share=min(1.0, share))
            for first in by_worth[:1]
            if first in selected
            and (share := columns.marginal[first].mean / solution.total.mean) > DOMINATES
            and columns.marginal[first].mean > FAR_AHEAD * _runner_up(first, by_worth, solution)
        ]
    found += [
        Suspect(names[feature], SuspectKind.NEAR_COPY, share=likeness, of=names[other])
        for feature, (other, likeness) in columns.near_copies.items()
        if not _works_with(feature, other, solution, request)
    ]
    reasons = {**request.participants.reasons, **request.participants.suspects}
    found += [Suspect(name, SuspectKind.IDENTIFIER) for name, why in reasons.items() if why.startswith("identifier")]
    return tuple(found)


def _works_with(first: int, second: int, solution: VettingSolution, request: Request) -> bool:
    """Whether two selected columns tell more together: where two nearly always agree, the rest may be what counts."""
    unit_of = {feature: unit for unit, features in enumerate(request.units) for feature in features}
    a, b = sorted((unit_of[first], unit_of[second]))
    gain = solution.units.pairs.get((a, b))
    return gain is not None and gain.mean > 0


def _runner_up(first: int, by_worth: list[int], solution: VettingSolution) -> float:
    """What the next column tells alone, leaving out those that only repeat the first."""
    near = solution.columns.near_copies
    others = [feature for feature in by_worth[1:] if near.get(feature, (None,))[0] != first]
    return max(0.0, solution.columns.marginal[others[0]].mean) if others else 0.0


def warnings_about(suspects: Sequence[Suspect], target: str, selected: Collection[str]) -> tuple[str, ...]:
    """Sentences about suspects that a user may have to act on; of near-copies, about those that are both selected.

    Examples
    --------
    >>> print(*warnings_about([Suspect("closed", SuspectKind.LEAK, share=0.97)], "default", ["closed"]))
    Column 'closed' alone tells 97% of what default holds. If it is known only after the outcome, drop it and run again:
    --drop closed, or drop=['closed'].
    """
    by_kind: dict[SuspectKind, list[Suspect]] = {}
    for one in suspects:
        by_kind.setdefault(one.kind, []).append(one)
    leaks, sentences = by_kind.get(SuspectKind.LEAK, []), []
    if len(leaks) == 1:
        sentences.append(
            f"Column {leaks[0].feature!r} alone tells {_share(leaks[0])} what {target} holds. "
            f"If it is known only after the outcome, drop it and run again: {_remedy(leaks)}."
        )
    elif leaks:
        listed = ", ".join(repr(one.feature) for one in leaks[:MANY])
        more = f" and {len(leaks) - MANY:,} others" if len(leaks) > MANY else ""
        sentences.append(
            f"Columns {listed}{more} each alone tell nearly all that {target} holds ({_share(leaks[0])} it at most). "
            f"Drop those that are known only after the outcome, and run again: {_remedy(leaks)}."
        )
    sentences += [
        f"Column {one.feature!r} alone tells {_share(one)} what all features tell, twice as much as any other. "
        f"If it is not known before {target}, drop it and run again: {_remedy([one])}."
        for one in by_kind.get(SuspectKind.DOMINANT, [])
    ]
    sentences += [
        f"Column {one.feature!r} nearly repeats {one.of!r}; one of the two may be enough."
        for one in by_kind.get(SuspectKind.NEAR_COPY, [])
        if one.feature in selected and one.of in selected
    ]
    return tuple(sentences)


def _share(suspect: Suspect) -> str:
    share = suspect.share or 0.0
    return "all of" if share > 0.995 else f"{share:.0%} of"


def _remedy(suspects: Sequence[Suspect]) -> str:
    names = [one.feature for one in suspects[:MANY]]
    typed = " ".join(f"--drop {shlex.quote(name)}" for name in names)
    return f"{typed}, or drop={names!r}"
