"""How often repeated fits selected each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme
from minerva_select.results import FeatureResult, Repeats, Selection
from minerva_select.text import tooltips

MOST = 40


@dataclass(frozen=True)
class Stability:
    """Features that this or a repeated fit selected, the most frequent first."""

    results: tuple[FeatureResult, ...]
    repeats: Repeats
    n_left_out: int


def read(selection: Selection) -> Stability | None:
    """Frequencies in descending order; None if the fit was not repeated or no fit selected anything."""
    if selection.repeats is None:
        return None
    found = [
        result
        for result in selection.features
        if result.frequency or (result.selected and result.frequency is not None)
    ]
    found.sort(key=lambda result: (-_share(result), not result.selected))
    return Stability(tuple(found[:MOST]), selection.repeats, max(0, len(found) - MOST)) if found else None


def _share(result: FeatureResult) -> float:
    return style.finite(result.frequency) or 0.0


def draw(data: Stability, theme: Theme) -> Any:
    """Horizontal bars from 0 to 100%; those of selected features are colored."""
    drawn = style.bar_figure(theme, len(data.results), tooltips.not_shown(selected_less_often=data.n_left_out))
    names = [result.feature for result in data.results]
    for selected, name, color in ((True, "Selected", theme.kept), (False, "Not selected", theme.substitute)):
        places = [k for k, result in enumerate(data.results) if result.selected is selected]
        if places:
            results = [data.results[place] for place in places]
            drawn.add_trace(
                style.plotly().Bar(
                    x=[_share(result) for result in results],
                    y=places,
                    orientation="h",
                    name=name,
                    showlegend=True,
                    marker={"color": color, "line": {"width": 0}},
                    **style.hover(
                        [
                            style.hover_text(result.feature, tooltips.frequency_line(_share(result), data.repeats))
                            for result in results
                        ]
                    ),
                )
            )
    ticks = {"tickvals": [0, 0.5, 1], "tickformat": ".0%", "range": [0, 1.02]}
    drawn.update_layout(
        xaxis=style.axis(theme, f"Share of the {data.repeats.n_fits:,} fits", **ticks),
        yaxis=style.name_axis(theme, names),
        meta=style.narrow(yaxis={"ticktext": [style.label(name) for name in names]}),
    )
    return drawn
