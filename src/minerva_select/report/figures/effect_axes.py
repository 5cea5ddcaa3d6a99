"""Axes of bins: ends of intervals, single values, or levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minerva_select.codes import BinKind, Conversion
from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme
from minerva_select.results import EffectBin
from minerva_select.text.effect_values import MISSING, label_bins, label_edges
from minerva_select.text.effects import is_ordered

_CHARACTERS = 34  # of all labels of the axis of a small chart
_ALL_CHARACTERS = 10_000  # of a map, whose labels may be turned
_LEVEL_WIDTH = 14  # characters of the name of a level
_MARGIN = 0.6  # steps on both sides


def bin_axis(
    theme: Theme, bins: Sequence[EffectBin], places: Sequence[float], conversion: Conversion | None
) -> dict[str, Any]:
    """Axis of a small chart: numbers from left to right, levels from top to bottom."""
    ends = [places[0] - _MARGIN, places[-1] + _MARGIN]
    if is_ordered(bins):
        values, texts = _number_ticks(bins, places, conversion, _CHARACTERS)
    else:
        values, texts, ends = list(places), [style.label(text, _LEVEL_WIDTH) for text in label_bins(bins)], ends[::-1]
    return {
        **style.axis(theme, showgrid=False, range=ends, tickmode="array", tickvals=values, ticktext=texts, tickangle=0),
        "automargin": False,
        "tickfont": {"size": 11, "color": theme.soft if is_ordered(bins) else theme.ink},
    }


def map_axis(
    theme: Theme, bins: Sequence[EffectBin], conversion: Conversion | None, title: str, **options: Any
) -> dict[str, Any]:
    """Axis of a map, with bins at 0, 1, ...: ends of intervals, single values, or levels."""
    places = [float(k) for k in range(len(bins))]
    if is_ordered(bins):
        values, texts = _number_ticks(bins, places, conversion, _ALL_CHARACTERS)
    else:
        values, texts = places, [style.label(text, 18) for text in label_bins(bins)]
    ticks = {"tickmode": "array", "tickvals": values, "ticktext": texts}
    return style.axis(theme, title, **{"showgrid": False, "range": [-0.5, len(bins) - 0.5], **ticks, **options})


def _number_ticks(
    bins: Sequence[EffectBin], places: Sequence[float], conversion: Conversion | None, n_characters: int
) -> tuple[list[float], list[str]]:
    """Ticks that fit: the values of bins with one value, or else the ends of bins; and missing values."""
    numbers = [one for one in bins if one.kind is not BinKind.MISSING]
    has_missing = len(numbers) < len(bins)
    values: list[float] = []
    texts: list[str] = []
    if numbers and all(one.kind is BinKind.VALUE for one in numbers):
        values, texts = list(places[: len(numbers)]), label_bins(numbers, conversion)
    elif numbers:
        values = [place - 0.5 for place in places[: len(numbers)]] + [places[len(numbers) - 1] + 0.5]
        texts = label_edges(numbers, conversion)
        if has_missing:  # its label would be next to the last end
            values, texts = values[:-1], texts[:-1]
    n_left = n_characters - (len(MISSING) + 2 if has_missing else 0)
    longest = max(map(len, texts), default=1) + 2
    n_ticks = min(len(texts), max(2, n_left // longest))
    if len(texts) > n_ticks:
        n_steps = n_ticks - 1 + has_missing  # the last of them would be next to the missing values
        chosen = sorted({round(k * (len(texts) - 1) / n_steps) for k in range(n_ticks)})
        values, texts = [values[k] for k in chosen], [texts[k] for k in chosen]
    if has_missing:
        values, texts = [*values, places[-1]], [*texts, MISSING]
    return values, [style.escape(text) for text in texts]
