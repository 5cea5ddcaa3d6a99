"""Marks of one panel of the effects figure: bars, observed points, and the curve given the other features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minerva_select.codes import BinKind
from minerva_select.report.figures import style
from minerva_select.report.figures.effect_panels import EffectPanels, Panel
from minerva_select.report.figures.theme import Theme, make_transparent
from minerva_select.results import EffectCurve, EffectPoint
from minerva_select.text import tooltips
from minerva_select.text.effect_values import label_bins
from minerva_select.text.effects import value_span
from minerva_select.text.formatting import printable

_BAR_SHARE = 0.24  # of the height, for the largest share of rows
_APART = 0.17  # steps between the two marks of a level


def panel_marks(panel: Panel, data: EffectPanels, theme: Theme, names: dict[str, str]) -> list[Any]:
    """All marks of a panel, those behind the others first."""
    go = style.plotly()
    traces = [_bars(go, panel, data, theme, names)]
    several = len(panel.effect.curves) > 1
    for k, curve in enumerate(panel.effect.curves):
        color = theme.series[k % len(theme.series)] if several else theme.kept
        overall = {"color": color if several else theme.soft, "width": 1, "dash": "dash"}
        ends = [panel.places[0] - 0.5, panel.places[-1] + 0.5]
        traces.append(
            go.Scatter(
                **_oriented(panel, ends, [data.overall[k]] * 2),
                mode="lines",
                line=overall,
                hoverinfo="skip",
                showlegend=False,
                **names,
            )
        )
        if curve.adjusted:
            traces += _adjusted(go, panel, curve, theme, color, names, with_interval=not several)
        marks = {"color": color if several else theme.soft}
        traces.append(_observed(go, panel, curve, k, data, theme, marks, names))
    return traces


def _oriented(panel: Panel, places: Sequence[float], values: Sequence[float | None]) -> dict[str, Any]:
    return {"x": places, "y": values} if panel.is_ordered else {"x": values, "y": places}


def _bars(go: Any, panel: Panel, data: EffectPanels, theme: Theme, names: dict[str, str]) -> Any:
    """Shares of the rows, as bars behind the curves."""
    low = data.limits[0]
    largest = max(one.share for one in panel.effect.bins) or 1.0
    heights = [_BAR_SHARE * data.span * one.share / largest for one in panel.effect.bins]
    return go.Bar(
        **_oriented(panel, panel.places, heights),
        base=low,
        orientation="v" if panel.is_ordered else "h",
        marker={"color": make_transparent(theme.substitute, 0.3), "line": {"width": 0}},
        hoverinfo="skip",
        showlegend=False,
        **names,
    )


def _observed(
    go: Any,
    panel: Panel,
    curve: EffectCurve,
    outcome: int,
    data: EffectPanels,
    theme: Theme,
    marks: dict[str, Any],
    names: dict[str, str],
) -> Any:
    apart = _APART if curve.adjusted and not panel.is_ordered else 0.0
    several = len(panel.effect.curves) > 1
    error = {} if several else {"error_y" if panel.is_ordered else "error_x": _error(curve.observed, theme.soft)}
    return go.Scatter(
        **_oriented(panel, [place - apart for place in panel.places], [point.value for point in curve.observed]),
        mode="markers",
        marker={"size": 5, "symbol": "circle-open", "line": {"width": 1.4}, **marks},
        showlegend=False,
        **error,
        **style.hover(_hover_texts(panel, curve, outcome, data)),
        **names,
    )


def _adjusted(
    go: Any,
    panel: Panel,
    curve: EffectCurve,
    theme: Theme,
    color: str,
    names: dict[str, str],
    *,
    with_interval: bool,
) -> list[Any]:
    """A line with a band through the numbers; a mark with an interval for levels and missing values."""
    known = [
        (place, one, point)
        for place, one, point in zip(panel.places, panel.effect.bins, curve.adjusted, strict=True)
        if point is not None
    ]
    line = [(place, point) for place, one, point in known if panel.is_ordered and one.kind is not BinKind.MISSING]
    marks = [(place, point) for place, one, point in known if not panel.is_ordered or one.kind is BinKind.MISSING]
    if len(line) == 1:  # a line needs two points
        line, marks = [], [*line, *marks]
    shared = {"hoverinfo": "skip", "showlegend": False, **names}
    traces = []
    if line and with_interval:
        places, points = [place for place, _ in line], [point for _, point in line]
        traces.append(
            go.Scatter(
                x=[*places, *reversed(places)],
                y=[*(point.high for point in points), *(point.low for point in reversed(points))],
                fill="toself",
                mode="lines",
                line={"width": 0},
                fillcolor=make_transparent(color, 0.2),
                **shared,
            )
        )
    if line:
        values = [point.value for _, point in line]
        traces.append(
            go.Scatter(x=[p for p, _ in line], y=values, mode="lines", line={"color": color, "width": 2.2}, **shared)
        )
    if marks:
        apart = 0.0 if panel.is_ordered else _APART
        points = [point for _, point in marks]
        error = {"error_y" if panel.is_ordered else "error_x": _error(points, color)} if with_interval else {}
        traces.append(
            go.Scatter(
                **_oriented(panel, [place + apart for place, _ in marks], [point.value for point in points]),
                mode="markers",
                marker={"size": 7, "color": color, "symbol": "diamond"},
                **error,
                **shared,
            )
        )
    return traces


def _error(points: Sequence[EffectPoint], color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "array": [point.high - point.value for point in points],
        "arrayminus": [point.value - point.low for point in points],
        "color": make_transparent(color, 0.75),
        "thickness": 1,
        "width": 0,
    }


def _hover_texts(panel: Panel, curve: EffectCurve, outcome: int, data: EffectPanels) -> list[str]:
    labels = label_bins(panel.effect.bins, panel.conversion)
    span = value_span(panel.effect.curves)
    adjusted = curve.adjusted or (None,) * len(curve.observed)
    name = printable(data.outcomes[outcome], 40) if len(data.outcomes) > 1 else ""
    return [
        style.hover_text(
            panel.effect.feature,
            *tooltips.effect_lines(label, one, name, points, span, is_share=data.is_share),
        )
        for label, one, points in zip(
            labels, panel.effect.bins, zip(curve.observed, adjusted, strict=True), strict=True
        )
    ]
