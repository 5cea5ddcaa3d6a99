"""What each feature adds to the others, beside what it tells alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, faint
from minerva_select.results import FeatureResult, Role, Selection
from minerva_select.text import feature_order, formatting

MOST = 40

# Short, so that two of them fit side by side on a phone.
NAMES = {
    Role.ALONE: "Matters alone",
    Role.TOGETHER: "Only with others",
    Role.SUBSTITUTE: "Could stand in",
    None: "Selected",
}


@dataclass(frozen=True)
class Bar:
    """One feature: the length of its bar with its interval, and what it tells alone."""

    feature: str
    role: Role | None
    length: float
    low: float | None
    high: float | None
    alone: float | None
    result: FeatureResult


@dataclass(frozen=True)
class Contributions:
    """Bars from top to bottom, in nats, or weights where contributions were not measured."""

    bars: tuple[Bar, ...]
    in_nats: bool
    n_selected_left_out: int
    n_substitutes_left_out: int
    digits: int


def read(selection: Selection) -> Contributions | None:
    """Selected features, the largest first, then those that could stand in for them; None where there is none."""
    kept = [result for result in selection.features if result.selected]
    in_nats = any(style.finite(result.contribution_nats) is not None for result in kept)
    if not kept or not (in_nats or any(style.finite(result.weight) for result in kept)):
        return None
    others = [result for result in selection.features if not result.selected and result.role is Role.SUBSTITUTE]
    substitutes = others if in_nats else []
    kept, substitutes = feature_order.ranked(kept), feature_order.ranked(substitutes)
    results = [*kept, *substitutes][:MOST]
    return Contributions(
        tuple(_bar(result, in_nats) for result in results),
        in_nats,
        n_selected_left_out=max(0, len(kept) - MOST),
        n_substitutes_left_out=len(substitutes) - max(0, len(results) - len(kept)),
        digits=feature_order.digits_for(selection) if in_nats else 3,
    )


def _bar(result: FeatureResult, in_nats: bool) -> Bar:
    if not in_nats:
        return Bar(result.feature, result.role, style.finite(result.weight) or 0.0, None, None, None, result)
    ends = style.finite(result.contribution_low), style.finite(result.contribution_high)
    length = style.finite(result.contribution_nats) or 0.0
    return Bar(result.feature, result.role, length, *ends, style.finite(result.marginal_nats), result)


def draw(data: Contributions, theme: Theme) -> Any:
    """Horizontal bars with intervals, a colour a role, and a ring at what the feature tells alone.

    From the end of a bar to a ring beyond it the bar is pale: that much of what the feature tells, others tell too. Of
    a stand-in that is all. What a bar measures is written at its right.
    """
    go = style.plotly()
    left_out = _left_out(data)
    foot = 22 if left_out else 0
    drawn = style.figure(
        theme,
        136 + foot + style.ROW_HEIGHT * len(data.bars),
        barmode="overlay",
        bargap=0.42,
        hovermode="closest",
        title=style.note(theme, left_out),
        margin={"l": 8, "r": 16, "t": 12, "b": 44 + foot},
    )
    for role, name in NAMES.items():
        places = [place for place, bar in enumerate(data.bars) if bar.role is role]
        if places:
            bars = [data.bars[place] for place in places]
            drawn.add_trace(_bars(go, places, bars, name, theme, data.digits))
    repeated = [place for place, bar in enumerate(data.bars) if bar.alone is not None and bar.alone > bar.length]
    if repeated:
        drawn.add_trace(_repeated(go, data, repeated, theme))
    places = [place for place, bar in enumerate(data.bars) if bar.alone is not None]
    if places:
        drawn.add_trace(_rings(go, data, places, theme))
    title = "Added information, nats" if data.in_nats else "Weight"
    names = style.name_axis(theme, [bar.feature for bar in data.bars])
    amounts = [_amount(bar, data) for bar in data.bars]
    drawn.add_trace(go.Scatter(x=[None], y=[None], yaxis="y2", showlegend=False))  # else its axis is not drawn
    drawn.update_layout(
        xaxis=style.axis(theme, title, zeroline=True, zerolinecolor=theme.soft, zerolinewidth=1, tickformat="~g"),
        yaxis=names,
        yaxis2={**names, "ticktext": amounts, "side": "right", "overlaying": "y"},
    )
    return drawn


def _amount(bar: Bar, data: Contributions) -> str:
    if data.in_nats and style.finite(bar.result.contribution_nats) is None:
        return ""
    amount = formatting.number(bar.length, data.digits)
    return f"+{amount}" if data.in_nats and round(bar.length, data.digits) > 0 else amount


def _bars(go: Any, places: list[int], bars: list[Bar], name: str, theme: Theme, digits: int) -> Any:
    above = [0.0 if bar.high is None else max(0.0, bar.high - bar.length) for bar in bars]
    below = [0.0 if bar.low is None else max(0.0, bar.length - bar.low) for bar in bars]
    error = {"type": "data", "array": above, "arrayminus": below, "color": theme.ink, "thickness": 1.2, "width": 3}
    return go.Bar(
        x=[bar.length for bar in bars],
        y=places,
        orientation="h",
        name=name,
        marker={"color": theme.of(bars[0].role), "line": {"width": 0}},
        error_x=error if any(above) or any(below) else None,
        hovertext=[_told(bar, digits) for bar in bars],
        hoverinfo="text",
    )


def _repeated(go: Any, data: Contributions, places: list[int], theme: Theme) -> Any:
    bars = [data.bars[place] for place in places]
    starts = [max(0.0, bar.length) for bar in bars]
    return go.Bar(
        x=[(bar.alone or 0.0) - start for bar, start in zip(bars, starts, strict=True)],
        base=starts,
        y=places,
        orientation="h",
        name="Others tell it too",
        marker={"color": [faint(theme.of(bar.role), 0.28) for bar in bars], "line": {"width": 0}},
        hovertext=[_told(bar, data.digits) for bar in bars],
        hoverinfo="text",
    )


def _rings(go: Any, data: Contributions, places: list[int], theme: Theme) -> Any:
    bars = [data.bars[place] for place in places]
    return go.Scatter(
        x=[bar.alone for bar in bars],
        y=places,
        mode="markers",
        name="Tells alone",
        marker={"size": 9, "color": theme.paper, "line": {"color": theme.ink, "width": 1.6}},
        hovertext=[_told(bar, data.digits) for bar in bars],
        hoverinfo="text",
    )


def _told(bar: Bar, digits: int) -> str:
    result = bar.result
    if result.contribution_nats is None:
        adds = "" if bar.alone is not None else f"weight {formatting.number(result.weight)}"
    else:
        adds = "adds " + style.measured(bar.length, bar.low, bar.high, digits)
    alone = style.measured(bar.alone, result.marginal_low, result.marginal_high, digits)
    return style.hover(
        bar.feature,
        NAMES[bar.role].lower(),
        adds,
        "" if bar.alone is None else f"alone tells {alone}",
        f"with {formatting.join_names(result.partners, most=3)}" if result.partners else "",
        f"in place of {formatting.join_names(result.replaced_by, most=3)}" if result.replaced_by else "",
    )


def _left_out(data: Contributions) -> str:
    counts = (data.n_selected_left_out, "selected"), (data.n_substitutes_left_out, "that could stand in")
    left_out = ", ".join(f"{count:,} {words}" for count, words in counts if count)
    return f"Not shown: {left_out}." if left_out else ""


def describe(data: Contributions) -> str:
    """Name the largest bar, and how many features play which role."""
    first = data.bars[0]
    name = formatting.printable(first.feature, limit=60)
    if not data.in_nats:
        largest = f"the largest is {name} with {formatting.number(first.length)}"
        return f"Bar chart of the weights of {style.counted(len(data.bars))}; {largest}."
    counts = {role: sum(bar.role is role for bar in data.bars) for role in NAMES}
    roles = "; ".join(f"{NAMES[role].lower()}: {count}" for role, count in counts.items() if count)
    largest = f"{name} adds most, {style.measured(first.length, first.low, first.high, data.digits)}"
    bars = style.counted(len(data.bars))
    return f"Bar chart of what {bars} add to the others, with 95% intervals: {largest}; {roles}."
