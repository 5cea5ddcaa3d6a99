"""Information against number of features, as they are left out one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, faint
from minerva_select.results import PathPoint, Selection
from minerva_select.text import feature_order, formatting

_LOG_FROM = 200  # features
_FAR = 2.5  # times the information: an entropy beyond that would press the curve flat
_LOW = 0.2  # of the height: below a lower point there is no room for its figures


@dataclass(frozen=True)
class Step:
    """One set on the path; what the next larger set has and this one does not is gone."""

    n_features: int
    nats: float
    low: float
    high: float
    gone: tuple[str, ...]
    chosen: bool


@dataclass(frozen=True)
class Path:
    """Sets from the smallest to the largest, and what the target holds."""

    steps: tuple[Step, ...]
    target: str
    entropy: float | None
    digits: int

    @property
    def is_long(self) -> bool:
        """Whether a straight axis would press the interesting end together."""
        return self.steps[-1].n_features > _LOG_FROM

    @property
    def is_far(self) -> bool:
        """Whether the target holds so much more that it lies beyond the figure."""
        return self.entropy is not None and self.entropy > _FAR * max(step.high for step in self.steps) > 0

    @property
    def chosen(self) -> Step | None:
        """The set that was selected."""
        return next((step for step in self.steps if step.chosen), None)


def read(selection: Selection) -> Path | None:
    """The path in order of size; None where it has no two sets."""
    points = sorted((p for p in selection.path if style.finite(p.nats) is not None), key=lambda p: p.n_features)
    if len(points) < 2:
        return None
    kept = frozenset(selection.selected)
    larger = [*points[1:], None]
    steps = (_step(point, other, kept) for point, other in zip(points, larger, strict=True))
    entropy = style.finite(selection.target_entropy)
    return Path(tuple(steps), selection.target, entropy, feature_order.digits_for(selection))


def _step(point: PathPoint, larger: PathPoint | None, kept: frozenset[str]) -> Step:
    mine = frozenset(point.features)
    gone = () if larger is None else tuple(name for name in larger.features if name not in mine)
    low, high = style.finite(point.low), style.finite(point.high)
    ends = (point.nats if low is None else low, point.nats if high is None else high)
    return Step(point.n_features, point.nats, *ends, gone, chosen=mine == kept)


def draw(data: Path, theme: Theme) -> Any:
    """A line with its band, the chosen set marked, and the target's entropy above."""
    go = style.plotly()
    drawn = style.figure(theme, 340, showlegend=False, hovermode="closest")
    drawn.add_traces([_band(go, data, theme), _line(go, data, theme)])
    ends = [end for step in data.steps for end in (step.low, step.high)]
    lowest, highest = min(0.0, *ends), max([*ends, 0.0 if data.is_far else data.entropy or 0.0])
    room = (highest - lowest) or 1.0
    if data.chosen is not None:
        _add_chosen(drawn, data.chosen, data, theme, lowest, room)
    if data.entropy is not None:
        if not data.is_far:
            line = {"color": theme.soft, "width": 1.2, "dash": "dash"}
            across = {"x0": 0, "x1": 1, "xref": "paper", "y0": data.entropy, "y1": data.entropy}
            drawn.add_shape(type="line", **across, line=line, layer="below")
        drawn.add_annotation(**_entropy_label(data, theme))
    drawn.update_layout(
        xaxis=_size_axis(data, theme),
        yaxis=style.axis(
            theme, "Information, nats", range=[lowest - 0.045 * room, highest + 0.14 * room], nticks=6, tickformat="~g"
        ),
    )
    return drawn


def _size_axis(data: Path, theme: Theme) -> dict[str, Any]:
    sizes = [step.n_features for step in data.steps]
    title = "Number of features"
    if data.is_long:
        return style.axis(theme, title, type="log", dtick=1, showgrid=False)
    margin = max(0.6, 0.04 * (sizes[-1] - sizes[0]))
    ticks = {"dtick": 1} if sizes[-1] - sizes[0] < 10 else {"nticks": 10}
    return style.axis(
        theme, title, range=[sizes[0] - margin, sizes[-1] + margin], tickformat=",d", showgrid=False, **ticks
    )


def _band(go: Any, data: Path, theme: Theme) -> Any:
    sizes = [step.n_features for step in data.steps]
    there, back = [step.high for step in data.steps], [step.low for step in reversed(data.steps)]
    return go.Scatter(
        x=[*sizes, *reversed(sizes)],
        y=[*there, *back],
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=faint(theme.alone),
        hoverinfo="skip",
    )


def _line(go: Any, data: Path, theme: Theme) -> Any:
    few = len(data.steps) <= 60
    return go.Scatter(
        x=[step.n_features for step in data.steps],
        y=[step.nats for step in data.steps],
        mode="lines+markers" if few else "lines",
        line={"color": theme.alone, "width": 2.2},
        marker={"size": 7, "color": theme.alone, "line": {"width": 0}},
        hovertext=[_told(step, data.digits) for step in data.steps],
        hoverinfo="text",
    )


def _add_chosen(drawn: Any, chosen: Step, data: Path, theme: Theme, foot: float, room: float) -> None:
    """Mark the chosen set, with its figures at the foot of a plumb line: below a rising curve there is room.

    A point that lies too low for that has them above it.
    """
    ring = {"size": 15, "color": theme.together, "line": {"color": theme.paper, "width": 2.5}}
    size = chosen.n_features
    line = {"color": theme.together, "width": 1.2, "dash": "dot"}
    drawn.add_shape(type="line", x0=size, x1=size, y0=foot, y1=chosen.nats, line=line)
    drawn.add_trace(style.plotly().Scatter(x=[size], y=[chosen.nats], mode="markers", marker=ring, hoverinfo="skip"))
    is_low = chosen.nats - foot < _LOW * room
    side = "right" if _is_on_right(chosen, data) else "left"
    drawn.add_annotation(
        x=_place(size, data),
        y=chosen.high if is_low else foot,
        text=f"<b>{style.counted(size)}</b><br>{formatting.number(chosen.nats, data.digits)} nats",
        showarrow=False,
        xanchor=side,
        yanchor="bottom",
        align=side,
        xshift=-6 if side == "right" else 6,
        yshift=10 if is_low else 3,
        font={"size": 12.5, "color": theme.ink},
    )


def _is_on_right(chosen: Step, data: Path) -> bool:
    left, right = (_place(step.n_features, data) for step in (data.steps[0], data.steps[-1]))
    return _place(chosen.n_features, data) > (left + right) / 2


def _place(n_features: int, data: Path) -> float:
    """Where an annotation goes: those of a logarithmic axis are placed by exponents."""
    return math.log10(max(1, n_features)) if data.is_long else n_features


def _entropy_label(data: Path, theme: Theme) -> dict[str, Any]:
    """What the target holds, written above its line, away from the chosen point and high enough to pass it."""
    holds = f"{style.shown(data.target, 16)} holds: {formatting.number(data.entropy, data.digits)} nats"
    side = "left" if data.chosen is not None and _is_on_right(data.chosen, data) else "right"
    return {
        "xref": "paper",
        "x": 0 if side == "left" else 1,
        "yref": "paper" if data.is_far else "y",
        "y": 1 if data.is_far else data.entropy,
        "text": style.escaped(f"beyond this chart, all that {holds}" if data.is_far else f"all that {holds}"),
        "showarrow": False,
        "xanchor": side,
        "yanchor": "top" if data.is_far else "bottom",
        "xshift": 6 if side == "left" else -6,
        "yshift": 0 if data.is_far else 7,
        "font": {"size": 12, "color": theme.soft},
    }


def _told(step: Step, digits: int) -> str:
    gone = f"without {formatting.join_names(step.gone, most=4)}" if step.gone else ""
    told = style.measured(step.nats, step.low, step.high, digits)
    return style.hover(style.counted(step.n_features), told, gone, "chosen" if step.chosen else "")


def describe(data: Path) -> str:
    """Give the ends of the path and the chosen point."""
    first, last, chosen = data.steps[0], data.steps[-1], data.chosen

    def told(step: Step) -> str:
        return f"{formatting.number(step.nats, data.digits)} nats with {style.counted(step.n_features)}"

    chose = f"; chosen: {told(chosen)}" if chosen is not None else ""
    target = formatting.printable(data.target, limit=60)
    holds = f"; {target} holds {formatting.number(data.entropy, data.digits)} nats" if data.entropy is not None else ""
    return f"Line chart of information against number of features: from {told(first)} to {told(last)}{chose}{holds}."
