"""What to doubt: columns that may not be what they seem, warnings, and how the answer held when repeated."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from minerva_select.results import Selection, Suspect, SuspectKind
from minerva_select.text.feature_order import ranked
from minerva_select.text.formatting import LONGEST_NAME, percent, printable, spoken

MOST_NAMES = 5

# A warning that names a column and says this has said what there is to say.
_TOLD = {
    SuspectKind.LEAK: "alone tell",
    SuspectKind.DOMINANT: "alone tell",
    SuspectKind.NEAR_COPY: "nearly repeat",
    SuspectKind.IDENTIFIER: "identifier",
}
_HARMLESS_IF_DROPPED = (SuspectKind.NEAR_COPY, SuspectKind.IDENTIFIER)
_OTHERS = re.compile(r"and [\d,]+ others")  # how a warning ends a long list of names


def notices(selection: Selection) -> list[str]:
    """List what a reader should know: the warnings, or else that the fit had not settled, if so.

    Examples
    --------
    >>> notices(Selection("y", (), None, None, n_rows=10, converged=False))
    ['The fit stopped before it had settled; the selection may still change with more time.']
    """
    if selection.warnings or selection.converged:
        return list(selection.warnings)
    return ["The fit stopped before it had settled; the selection may still change with more time."]


def suspects(selection: Selection) -> list[str]:
    """Say which columns to look at before the answer is trusted, but for those that the warnings tell of.

    An identifier or a copy that is dropped does no harm; :func:`dropped` has it.

    Examples
    --------
    >>> leak = Suspect("closed_on", SuspectKind.LEAK, share=0.97)
    >>> print(*suspects(Selection("default", (), None, None, n_rows=10, suspects=(leak,))))
    closed_on alone tells 97% of what default holds. If it is known only after the outcome, drop it and run again:
    --drop closed_on, or drop=['closed_on'].
    """
    kept = frozenset(selection.selected)
    return [
        _in_words(suspect, printable(selection.target, limit=LONGEST_NAME))
        for suspect in selection.suspects
        if not _is_told(suspect, selection.warnings)
        and (suspect.feature in kept or suspect.kind not in _HARMLESS_IF_DROPPED)
    ]


def stability(selection: Selection) -> list[str]:
    """Say how the answer held when the fit was repeated; nothing where it was not.

    Examples
    --------
    >>> from minerva_select.results import FeatureResult, Repeats
    >>> features = [FeatureResult(name, True, "", frequency=share) for name, share in (("f3", 1.0), ("f7", 0.4))]
    >>> repeats = Repeats(n_fits=10, subsample=0.8, agreement=0.7)
    >>> print(*stability(Selection("y", tuple(features), None, None, n_rows=10, repeats=repeats)))
    The same fit, repeated 10 times on 80% of the rows, chose f3 each time, f7 in 4 of 10.
    Two such fits share 70% of their features on average.
    """
    repeats = selection.repeats
    if repeats is None:
        return []
    n_fits = repeats.n_fits
    counts = {result.feature: round((result.frequency or 0.0) * n_fits) for result in selection.features}
    kept = [result.feature for result in ranked(selection.features) if result.selected]
    dropped = [result.feature for result in selection.features if not result.selected]
    times = "once" if n_fits == 1 else f"{n_fits:,} times"
    rows = "with other seeds" if repeats.subsample is None else f"on {percent(repeats.subsample)} of the rows"
    opening = f"The same fit, repeated {times} {rows},"
    if not any(counts.values()):
        return [f"{opening} chose nothing each time."]
    if not kept:
        seen = [name for name in dropped if counts[name]]
        return [f"{opening} chose {_choices(seen, counts, n_fits)}."]
    sentences = [f"{opening} chose {_choices(kept, counts, n_fits)}."]
    sentences += [_of_dropped(dropped, counts, n_fits)] if dropped else []
    if n_fits > 1:
        sentences.append(f"Two such fits share {percent(repeats.agreement)} of their features on average.")
    return [" ".join(sentences)]


def _in_words(suspect: Suspect, target: str) -> str:
    name = printable(suspect.feature, limit=LONGEST_NAME)
    share = "most" if suspect.share is None else percent(suspect.share)
    again = f"drop it and run again{_command(suspect.feature)}."
    match suspect.kind:
        case SuspectKind.LEAK:
            return f"{name} alone tells {share} of what {target} holds. If it is known only after the outcome, {again}"
        case SuspectKind.DOMINANT:
            return f"{name} alone tells {share} of what all features tell. If it is not known before {target}, {again}"
        case SuspectKind.NEAR_COPY:
            other = "another column" if suspect.of is None else printable(suspect.of, limit=LONGEST_NAME)
            return f"{name} nearly repeats {other} ({share}); one of the two may be enough."
        case SuspectKind.IDENTIFIER:
            return f"{name} looks like an identifier; drop it unless its values mean something for other rows too."


def _command(name: str) -> str:
    """How to drop a column, where its name can be typed as it is shown."""
    if name != printable(name, limit=LONGEST_NAME):
        return ""
    return f": --drop {shlex.quote(name)}, or drop=[{name!r}]"


def _is_told(suspect: Suspect, warnings: tuple[str, ...]) -> bool:
    return any(
        _TOLD[suspect.kind] in warning
        and (repr(suspect.feature) in warning or warning.startswith(f"{suspect.feature} ") or _OTHERS.search(warning))
        for warning in warnings
    )


def _choices(names: Sequence[str], counts: Mapping[str, int], n_fits: int) -> str:
    """How often each of these features was chosen: those that always were, then the others, the most often first."""
    always = [name for name in names if counts[name] == n_fits]
    others = sorted((name for name in names if counts[name] < n_fits), key=lambda name: -counts[name])
    told = [f"{spoken(always, MOST_NAMES)} each time"] if always else []
    for place, name in enumerate(others[:MOST_NAMES]):
        of_all = f" of {n_fits:,}" if place == 0 else ""
        told.append(f"{spoken([name])} {f'in {counts[name]:,}{of_all}' if counts[name] else 'never'}")
    if len(others) > MOST_NAMES:
        told.append(f"{len(others) - MOST_NAMES:,} more less often")
    return ", ".join(told)


def _of_dropped(names: Sequence[str], counts: Mapping[str, int], n_fits: int) -> str:
    """Whether the repeats chose what this answer drops."""
    most = max((counts[name] for name in names), default=0)
    if 2 * most >= n_fits:
        often = [name for name in names if 2 * counts[name] >= n_fits]
        return f"Of the dropped features they chose {_choices(often, counts, n_fits)}."
    return f"No dropped feature was {f'chosen in more than {most:,} of {n_fits:,}' if most else 'ever chosen'}."
