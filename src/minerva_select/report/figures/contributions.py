"""Contribution of each feature, and its information alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, make_transparent
from minerva_select.results import FeatureResult, Role, Selection
from minerva_select.text import feature_order, formatting, tooltips
from minerva_select.text.captions import has_weights
from minerva_select.text.proof import is_supporting

MOST = 40


@dataclass(frozen=True)
class Bar:
    """One feature: the length of its bar with an interval, and its information alone."""

    result: FeatureResult
    length: float
    low: float | None = None
    high: float | None = None
    marginal: float | None = None


@dataclass(frozen=True)
class Contributions:
    """Bars from top to bottom, in nats, or weights if contributions were not measured."""

    bars: tuple[Bar, ...]
    in_nats: bool
    n_selected_left_out: int
    n_substitutes_left_out: int
    digits: int


def read(selection: Selection) -> Contributions | None:
    """Selected features, largest contribution first, then substitutes; None if there is nothing to draw."""
    kept = [result for result in selection.features if result.selected]
    in_nats = any(style.finite(result.contribution_nats) is not None for result in kept)
    if not kept or not (in_nats or (has_weights(selection) and any(style.finite(result.weight) for result in kept))):
        return None
    others = [result for result in selection.features if not result.selected and result.role is Role.SUBSTITUTE]
    substitutes = feature_order.sort_features(others) if in_nats else []
    results = [*feature_order.sort_features(kept), *substitutes][:MOST]
    return Contributions(
        tuple(_bar(result, in_nats) for result in results),
        in_nats,
        n_selected_left_out=max(0, len(kept) - MOST),
        n_substitutes_left_out=len(substitutes) - max(0, len(results) - len(kept)),
        digits=feature_order.digits_for(selection) if in_nats else 3,
    )


def _bar(result: FeatureResult, in_nats: bool) -> Bar:
    if not in_nats:
        return Bar(result, style.finite(result.weight) or 0.0)
    ends = style.finite(result.contribution_low), style.finite(result.contribution_high)
    length = style.finite(result.contribution_nats) or 0.0
    return Bar(result, length, *ends, style.finite(result.marginal_nats))


def draw(data: Contributions, theme: Theme) -> Any:
    """Horizontal bars with intervals, colored by role, and a ring at the information of the feature alone.

    A pale bar from the end of the bar to the ring is information that other features carry as well. The bars of
    supporting features are hatched, and their names are in italics.
    """
    go = style.plotly()
    has_supporting = any(is_supporting(bar.result) for bar in data.bars)
    drawn = style.bar_figure(
        theme,
        len(data.bars),
        tooltips.not_shown(selected=data.n_selected_left_out, substitutes=data.n_substitutes_left_out),
        legend_lines=3 if has_supporting else 2,
        barmode="overlay",
        hovermode="closest",
    )
    for role in (*Role, None):
        places = [place for place, bar in enumerate(data.bars) if bar.result.role is role]
        hatched = [place for place in places if is_supporting(data.bars[place].result)]
        solid = [place for place in places if place not in hatched]
        if solid:
            drawn.add_trace(_bars(go, data, solid, theme, role))
        elif hatched:
            drawn.add_trace(_legend_entry(go, tooltips.role_label(role), {"color": theme.of(role)}))
        if hatched:
            drawn.add_trace(_bars(go, data, hatched, theme, role, hatched=True))
    if has_supporting:
        drawn.add_trace(_legend_entry(go, tooltips.SUPPORTING, _hatching(theme.soft)))
    pale = [place for place, bar in enumerate(data.bars) if bar.marginal is not None and bar.marginal > bar.length]
    if pale:
        drawn.add_trace(_pale_bars(go, data, pale, theme))
    rings = [place for place, bar in enumerate(data.bars) if bar.marginal is not None]
    if rings:
        drawn.add_trace(_rings(go, data, rings, theme))
    title = "Contribution, nats" if data.in_nats else "Weight"
    names = style.name_axis(theme, [bar.result.feature for bar in data.bars])
    wide, narrow = (
        [_italic_if_supporting(style.label(bar.result.feature, width), bar) for bar in data.bars]
        for width in (style.WIDE_NAME, style.NARROW_NAME)
    )
    drawn.add_trace(go.Scatter(x=[None], y=[None], yaxis="y2", showlegend=False))  # an axis needs a trace
    drawn.update_layout(
        xaxis=style.axis(theme, title, zeroline=True, zerolinecolor=theme.soft, zerolinewidth=1, tickformat="~g"),
        yaxis={**names, "ticktext": wide},
        yaxis2={**names, "ticktext": [_value(bar, data) for bar in data.bars], "side": "right", "overlaying": "y"},
        meta=style.narrow(yaxis={"ticktext": narrow}),
    )
    return drawn


def _italic_if_supporting(label: str, bar: Bar) -> str:
    return f"<i>{label}</i>" if is_supporting(bar.result) else label  # the hatching of a short bar is hard to see


def _value(bar: Bar, data: Contributions) -> str:
    if data.in_nats and style.finite(bar.result.contribution_nats) is None:
        return ""
    value = formatting.number(bar.length, data.digits)
    return f"+{value}" if data.in_nats and round(bar.length, data.digits) > 0 else value


def _bars(
    go: Any, data: Contributions, places: list[int], theme: Theme, role: Role | None, *, hatched: bool = False
) -> Any:
    bars = [data.bars[place] for place in places]
    above = [0.0 if bar.high is None else max(0.0, bar.high - bar.length) for bar in bars]
    below = [0.0 if bar.low is None else max(0.0, bar.length - bar.low) for bar in bars]
    error = {"type": "data", "array": above, "arrayminus": below, "color": theme.ink, "thickness": 1.2, "width": 3}
    return go.Bar(
        x=[bar.length for bar in bars],
        y=places,
        orientation="h",
        name=tooltips.role_label(role),
        showlegend=not hatched,
        marker=_hatching(theme.of(role)) if hatched else {"color": theme.of(role), "line": {"width": 0}},
        error_x=error if any(above) or any(below) else None,
        **_hover(bars, data.digits),
    )


def _hatching(color: str) -> dict[str, Any]:
    """Marker of a hatched bar with an outline."""
    pattern = {"shape": "/", "fillmode": "replace", "fgcolor": color, "size": 6, "solidity": 0.35}
    return {"color": color, "pattern": pattern, "line": {"color": color, "width": 1.5}}


def _legend_entry(go: Any, name: str, marker: dict[str, Any]) -> Any:
    """An entry of the legend without a bar; plotly would leave out a trace without any value."""
    return go.Bar(x=[None], y=[None], name=name, marker=marker, hoverinfo="skip")


def _pale_bars(go: Any, data: Contributions, places: list[int], theme: Theme) -> Any:
    bars = [data.bars[place] for place in places]
    starts = [max(0.0, bar.length) for bar in bars]
    return go.Bar(
        x=[(bar.marginal or 0.0) - start for bar, start in zip(bars, starts, strict=True)],
        base=starts,
        y=places,
        orientation="h",
        name="Also in others",
        marker={"color": [make_transparent(theme.of(bar.result.role), 0.28) for bar in bars], "line": {"width": 0}},
        **_hover(bars, data.digits),
    )


def _rings(go: Any, data: Contributions, places: list[int], theme: Theme) -> Any:
    bars = [data.bars[place] for place in places]
    return go.Scatter(
        x=[bar.marginal for bar in bars],
        y=places,
        mode="markers",
        name="Alone",
        marker={"size": 9, "color": theme.paper, "line": {"color": theme.ink, "width": 1.6}},
        **_hover(bars, data.digits),
    )


def _hover(bars: list[Bar], digits: int) -> dict[str, Any]:
    results = [bar.result for bar in bars]
    return style.hover(
        [style.hover_text(result.feature, *tooltips.contribution_lines(result, digits)) for result in results]
    )
