"""How often each feature was selected when the fit was repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme
from minerva_select.results import Repeats, Selection
from minerva_select.text import formatting

MOST = 40


@dataclass(frozen=True)
class Frequency:
    """Share of the repeats that selected a feature, and whether the answer has it."""

    feature: str
    share: float
    selected: bool


@dataclass(frozen=True)
class Stability:
    """Features that any repeat selected, or the answer did, the most frequent first."""

    frequencies: tuple[Frequency, ...]
    repeats: Repeats
    n_left_out: int


def read(selection: Selection) -> Stability | None:
    """Frequencies in descending order; None where the fit was not repeated or nothing was ever selected."""
    if selection.repeats is None:
        return None
    found = [
        Frequency(result.feature, style.finite(result.frequency) or 0.0, result.selected)
        for result in selection.features
        if result.frequency or (result.selected and result.frequency is not None)
    ]
    found.sort(key=lambda frequency: (-frequency.share, not frequency.selected))
    if not found:
        return None
    return Stability(tuple(found[:MOST]), selection.repeats, max(0, len(found) - MOST))


def draw(data: Stability, theme: Theme) -> Any:
    """Horizontal bars from 0 to 100%, those of the answer in colour."""
    go = style.plotly()
    left_out = f"Not shown: {data.n_left_out:,} that were selected less often." if data.n_left_out else ""
    foot = 22 if left_out else 0
    drawn = style.figure(
        theme,
        106 + foot + style.ROW_HEIGHT * len(data.frequencies),
        bargap=0.42,
        title=style.note(theme, left_out),
        margin={"l": 8, "r": 16, "t": 12, "b": 44 + foot},
    )
    for selected, name, colour in ((True, "Selected", theme.kept), (False, "Not selected", theme.substitute)):
        places = [k for k, frequency in enumerate(data.frequencies) if frequency.selected is selected]
        if places:
            frequencies = [data.frequencies[place] for place in places]
            drawn.add_trace(
                go.Bar(
                    x=[frequency.share for frequency in frequencies],
                    y=places,
                    orientation="h",
                    name=name,
                    showlegend=True,
                    marker={"color": colour, "line": {"width": 0}},
                    hovertext=[_told(frequency, data.repeats) for frequency in frequencies],
                    hoverinfo="text",
                )
            )
    ticks = {"tickvals": [0, 0.5, 1], "tickformat": ".0%", "range": [0, 1.02]}
    drawn.update_layout(
        xaxis=style.axis(theme, f"Share of the {data.repeats.n_fits:,} fits", **ticks),
        yaxis=style.name_axis(theme, [frequency.feature for frequency in data.frequencies]),
    )
    return drawn


def _told(frequency: Frequency, repeats: Repeats) -> str:
    n_times = round(frequency.share * repeats.n_fits)
    return style.hover(frequency.feature, f"selected in {n_times:,} of {repeats.n_fits:,} fits ({frequency.share:.0%})")


def describe(data: Stability) -> str:
    """Count the features that were always selected, and give the agreement."""
    n_always = sum(frequency.share >= 1 for frequency in data.frequencies)
    first = data.frequencies[0]
    most = f"most often {formatting.printable(first.feature, limit=60)} ({first.share:.0%})"
    agreement = f"two fits have {data.repeats.agreement:.0%} of their features in common on average"
    fits = f"{data.repeats.n_fits:,} fits"
    return f"Bar chart of how often features were selected in {fits}: {n_always} always, {most}; {agreement}."
