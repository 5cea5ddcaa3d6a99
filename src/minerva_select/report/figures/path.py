"""Information by number of features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, make_transparent
from minerva_select.results import PathPoint, Selection
from minerva_select.text import feature_order, formatting, tooltips

_LOG_FROM = 200  # features
_LOG_RATIO = 5  # a point of all columns beyond this multiple of the path would squeeze it
_FAR = 2.5  # an entropy beyond this multiple of the information would flatten the curve
_LOW = 0.2  # of the height: below a point lower than this, its label does not fit
_MOST_MARKERS = 60


@dataclass(frozen=True)
class Point:
    """One set on the path; ``removed`` are the features that only the next larger set has."""

    n_features: int
    nats: float
    low: float
    high: float
    removed: tuple[str, ...]
    selected: bool


@dataclass(frozen=True)
class Path:
    """Sets from the smallest to the largest, all columns if they were measured, and the entropy of the target."""

    points: tuple[Point, ...]
    target: str
    entropy: float | None
    digits: int
    all_columns: Point | None = None

    @property
    def drawn(self) -> tuple[Point, ...]:
        """All points of the figure, the largest set last."""
        return self.points if self.all_columns is None else (*self.points, self.all_columns)

    @property
    def is_long(self) -> bool:
        """Whether the axis is logarithmic."""
        largest = self.drawn[-1].n_features
        return largest > _LOG_FROM or largest > _LOG_RATIO * self.points[-1].n_features

    @property
    def is_far(self) -> bool:
        """Whether the entropy is too large to be drawn."""
        return self.entropy is not None and self.entropy > _FAR * max(point.high for point in self.drawn) > 0

    @property
    def selected(self) -> Point | None:
        """The point of the selection."""
        return next((point for point in self.points if point.selected), None)

    def position(self, n_features: int) -> float:
        """Where an annotation goes on the axis: plotly places those of a logarithmic axis by exponent."""
        return math.log10(max(1, n_features)) if self.is_long else n_features

    def is_in_right_half(self, point: Point) -> bool:
        """Whether a point is in the right half of the figure."""
        left, right = (self.position(end.n_features) for end in (self.drawn[0], self.drawn[-1]))
        return self.position(point.n_features) > (left + right) / 2


def read(selection: Selection) -> Path | None:
    """The path in order of size; None if fewer than two sets were measured."""
    measured = sorted((p for p in selection.path if style.finite(p.nats) is not None), key=lambda p: p.n_features)
    if len(measured) < 2:
        return None
    selected = frozenset(selection.selected)
    points = (_point(one, larger, selected) for one, larger in zip(measured, [*measured[1:], None], strict=True))
    entropy = style.finite(selection.target_entropy)
    digits, all_columns = feature_order.digits_for(selection), _all_columns(selection)
    return Path(tuple(points), selection.target, entropy, digits, all_columns)


def _all_columns(selection: Selection) -> Point | None:
    """The set of all columns; None if it was not measured, as in version 0.1, or if all columns are kept."""
    total, n_features = selection.total_information, len(selection.features)
    if selection.left_behind is None or total is None or len(selection.selected) == n_features:
        return None
    return Point(n_features, total.nats, total.low, total.high, removed=(), selected=False)


def _point(point: PathPoint, larger: PathPoint | None, selected: frozenset[str]) -> Point:
    features = frozenset(point.features)
    removed = () if larger is None else tuple(name for name in larger.features if name not in features)
    low, high = style.finite(point.low), style.finite(point.high)
    ends = (point.nats if low is None else low, point.nats if high is None else high)
    return Point(point.n_features, point.nats, *ends, removed, selected=features == selected)


def draw(data: Path, theme: Theme) -> Any:
    """A line with its interval as a band, a mark at the selection, and the entropy of the target."""
    drawn = style.new_figure(theme, 340, showlegend=False, hovermode="closest")
    drawn.add_traces([_band(data, theme), _line(data, theme)])
    ends = [end for point in data.drawn for end in (point.low, point.high)]
    lowest, highest = min(0.0, *ends), max([*ends, 0.0 if data.is_far else data.entropy or 0.0])
    height = (highest - lowest) or 1.0
    if data.selected is not None:
        _mark_selection(drawn, data.selected, data, theme, lowest, height)
    if data.all_columns is not None:
        _mark_all_columns(drawn, data.all_columns, data, theme, lowest, height)
    if data.entropy is not None:
        if not data.is_far:
            line = {"color": theme.soft, "width": 1.2, "dash": "dash"}
            ends_of_line = {"x0": 0, "x1": 1, "xref": "paper", "y0": data.entropy, "y1": data.entropy}
            drawn.add_shape(type="line", **ends_of_line, line=line, layer="below")
        drawn.add_annotation(**_entropy_label(data, theme))
    limits = [lowest - 0.045 * height, highest + 0.14 * height]
    drawn.update_layout(
        xaxis=_size_axis(data, theme),
        yaxis=style.axis(theme, "Information, nats", range=limits, nticks=6, tickformat="~g"),
    )
    return drawn


def _size_axis(data: Path, theme: Theme) -> dict[str, Any]:
    smallest, largest = data.drawn[0].n_features, data.drawn[-1].n_features
    title = "Number of features"
    if data.is_long:
        return style.axis(theme, title, type="log", dtick=1, showgrid=False)
    margin = max(0.6, 0.04 * (largest - smallest))
    ticks = {"dtick": 1} if largest - smallest < 10 else {"nticks": 10}
    limits = [smallest - margin, largest + margin]
    return style.axis(theme, title, range=limits, tickformat=",d", showgrid=False, **ticks)


def _band(data: Path, theme: Theme) -> Any:
    sizes = [point.n_features for point in data.points]
    return style.plotly().Scatter(
        x=[*sizes, *reversed(sizes)],
        y=[*(point.high for point in data.points), *(point.low for point in reversed(data.points))],
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=make_transparent(theme.alone),
        hoverinfo="skip",
    )


def _line(data: Path, theme: Theme) -> Any:
    return style.plotly().Scatter(
        x=[point.n_features for point in data.points],
        y=[point.nats for point in data.points],
        mode="lines+markers" if len(data.points) <= _MOST_MARKERS else "lines",
        line={"color": theme.alone, "width": 2.2},
        marker={"size": 7, "color": theme.alone, "line": {"width": 0}},
        **style.hover([_hover_text(point, data.digits) for point in data.points]),
    )


def _mark_selection(drawn: Any, point: Point, data: Path, theme: Theme, bottom: float, height: float) -> None:
    """Mark the selection, with its label at the bottom of a vertical line, or above a point that is too low."""
    size = point.n_features
    line = {"color": theme.together, "width": 1.2, "dash": "dot"}
    drawn.add_shape(type="line", x0=size, x1=size, y0=bottom, y1=point.nats, line=line)
    marker = {"size": 15, "color": theme.together, "line": {"color": theme.paper, "width": 2.5}}
    drawn.add_trace(style.plotly().Scatter(x=[size], y=[point.nats], mode="markers", marker=marker, hoverinfo="skip"))
    is_low = point.nats - bottom < _LOW * height
    side = "right" if data.is_in_right_half(point) else "left"
    drawn.add_annotation(
        x=data.position(size),
        y=point.high if is_low else bottom,
        text=f"<b>{formatting.count_features(size)}</b><br>{formatting.number(point.nats, data.digits)} nats",
        showarrow=False,
        xanchor=side,
        yanchor="bottom",
        align=side,
        xshift=-6 if side == "right" else 6,
        yshift=10 if is_low else 3,
        font={"size": 12.5, "color": theme.ink},
    )


def _mark_all_columns(drawn: Any, point: Point, data: Path, theme: Theme, bottom: float, height: float) -> None:
    """Mark all columns by a diamond at the end of a dotted line, with its label below, or above a low point."""
    last = data.points[-1]
    drawn.add_trace(
        style.plotly().Scatter(
            x=[last.n_features, point.n_features],
            y=[last.nats, point.nats],
            mode="lines",
            line={"color": theme.soft, "width": 1.6, "dash": "dot"},
            hoverinfo="skip",
        )
    )
    error = {"type": "data", "array": [point.high - point.nats], "arrayminus": [point.nats - point.low]}
    drawn.add_trace(
        style.plotly().Scatter(
            x=[point.n_features],
            y=[point.nats],
            mode="markers",
            marker={"symbol": "diamond", "size": 12, "color": theme.paper, "line": {"color": theme.ink, "width": 1.8}},
            error_y={**error, "color": theme.soft, "thickness": 1.2, "width": 4},
            **style.hover([_hover_text(point, data.digits)]),
        )
    )
    is_low = point.low - bottom < _LOW * height
    drawn.add_annotation(
        x=data.position(point.n_features),
        y=point.high if is_low else point.low,
        text=f"all {point.n_features:,} columns<br>{formatting.number(point.nats, data.digits)} nats",
        showarrow=False,
        xanchor="right",
        yanchor="bottom" if is_low else "top",
        align="right",
        xshift=8,
        yshift=6 if is_low else -6,
        font={"size": 12.5, "color": theme.ink},
    )


def _entropy_label(data: Path, theme: Theme) -> dict[str, Any]:
    """Label of the entropy, above its line and on the other side than the selection."""
    side = "left" if data.selected is not None and data.is_in_right_half(data.selected) else "right"
    entropy = f"entropy of {style.shorten_name(data.target, 16)}: {formatting.number(data.entropy, data.digits)} nats"
    return {
        "xref": "paper",
        "x": 0 if side == "left" else 1,
        "yref": "paper" if data.is_far else "y",
        "y": 1 if data.is_far else data.entropy,
        "text": style.escape(f"{entropy} (not drawn)" if data.is_far else entropy),
        "showarrow": False,
        "xanchor": side,
        "yanchor": "top" if data.is_far else "bottom",
        "xshift": 6 if side == "left" else -6,
        "yshift": 0 if data.is_far else 7,
        "font": {"size": 12, "color": theme.soft},
    }


def _hover_text(point: Point, digits: int) -> str:
    nats = formatting.nats_with_interval(point.nats, point.low, point.high, digits)
    lines = tooltips.path_lines(nats, point.removed, selected=point.selected)
    return style.hover_text(formatting.count_features(point.n_features), *lines)
