"""How the selection held up when the fit was repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from minerva_select.text.feature_order import sort_features
from minerva_select.text.formatting import join_names, percent

if TYPE_CHECKING:
    from minerva_select.results import Selection

MOST_NAMES = 5


def describe_stability(selection: Selection) -> list[str]:
    """Say how often repeated fits selected the same features; empty if the fit was not repeated."""
    repeats = selection.repeats
    if repeats is None:
        return []
    n_fits = repeats.n_fits
    counts = {result.feature: round((result.frequency or 0.0) * n_fits) for result in selection.features}
    kept = [result.feature for result in sort_features(selection.features) if result.selected]
    dropped = [result.feature for result in selection.features if not result.selected]
    fits = "1 fit" if n_fits == 1 else f"{n_fits:,} fits"
    rows = "with other seeds" if repeats.subsample is None else f"on {percent(repeats.subsample)} of the rows"
    opening = f"Of {fits} {rows},"
    if not any(counts.values()):
        return [f"{opening} none selected any feature."]
    sentences = [f"{opening} {_frequencies(kept or [name for name in dropped if counts[name]], counts, n_fits)}."]
    if kept and dropped:
        sentences.append(_describe_dropped(dropped, counts, n_fits))
    if kept and n_fits > 1:
        sentences.append(f"On average two fits share {percent(repeats.agreement)} of their features.")
    return [" ".join(sentences)]


def _frequencies(names: Sequence[str], counts: Mapping[str, int], n_fits: int) -> str:
    """How often each feature was selected: those that always were, then the others, most frequent first."""
    always = [name for name in names if counts[name] == n_fits]
    others = sorted((name for name in names if counts[name] < n_fits), key=lambda name: -counts[name])
    parts = (
        [f"{join_names(always, MOST_NAMES)} {'was' if len(always) == 1 else 'were'} selected in all"] if always else []
    )
    for place, name in enumerate(others[:MOST_NAMES]):
        verb = "" if always or place else " was selected"
        parts.append(f"{join_names([name])}{verb} {f'in {counts[name]:,}' if counts[name] else 'never'}")
    if len(others) > MOST_NAMES:
        parts.append(f"{len(others) - MOST_NAMES:,} more less often")
    return ", ".join(parts)


def _describe_dropped(names: Sequence[str], counts: Mapping[str, int], n_fits: int) -> str:
    most = max(counts[name] for name in names)
    if 2 * most >= n_fits:
        often = [name for name in names if 2 * counts[name] >= n_fits]
        return f"Among the dropped features, {_frequencies(often, counts, n_fits)}."
    return f"No dropped feature was {f'selected in more than {most:,}' if most else 'ever selected'}."
