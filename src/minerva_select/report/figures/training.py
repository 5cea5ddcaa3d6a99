"""The bound during training, the number of features left, and the weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from minerva_select.report.figures import style, weights
from minerva_select.report.figures.theme import Theme
from minerva_select.results import Selection, TrainingRecord
from minerva_select.text import feature_order, tooltips

MOST_POINTS = 400  # per curve

_LEGEND, _BOUNDS, _COUNTS, _GAP, _WEIGHTS, _FOOT = 30, 230, 80, 76, 190, 48  # pixels, top to bottom
_UPRIGHT_BELOW = 0.16  # of all steps: on a phone the label of a shorter stage does not fit horizontally
_UNNAMED_BELOW = 0.03  # of all steps: the label of a shorter stage does not fit at all


@dataclass(frozen=True)
class Point:
    """One record, with its step counted over all training runs."""

    step: int
    run: int
    stage: str
    bound: float | None
    held_out: float | None
    n_features: int


@dataclass(frozen=True)
class Stage:
    """Consecutive training runs of one stage, with their first and last step."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Training:
    """Curves of the bound and of the number of features, and the paths of the weights."""

    points: tuple[Point, ...]
    stages: tuple[Stage, ...]
    weights: weights.Weights | None
    digits: int

    def share(self, stage: Stage) -> float:
        """Share of all steps that are in a stage."""
        return (stage.end - stage.start) / (self.points[-1].step or 1)


def read(selection: Selection) -> Training | None:
    """The training history on one axis of steps; None if there is none."""
    points = concatenate_runs(selection.history)
    if not points:
        return None
    largest = max((abs(value) for p in points for value in (p.bound, p.held_out) if value is not None), default=0.0)
    return Training(
        tuple(style.thin(points, MOST_POINTS)),
        _stages(points),
        weights.read(selection),
        digits=feature_order.digits_of(largest),
    )


def concatenate_runs(history: Sequence[TrainingRecord]) -> tuple[Point, ...]:
    """Count steps over all training runs; in the history they start again with every run."""
    points: list[Point] = []
    offset, run = 0, 0
    for previous, record in zip([None, *history], history, strict=False):
        if previous is not None and (record.step <= previous.step or record.stage != previous.stage):
            offset, run = points[-1].step, run + 1
        bounds = style.finite(record.bound), style.finite(record.held_out_bound)
        points.append(Point(offset + record.step, run, record.stage, *bounds, record.n_features))
    return tuple(points)


def _stages(points: tuple[Point, ...]) -> tuple[Stage, ...]:
    stages: list[Stage] = []
    for point in points:
        start = stages[-1].end if stages else 0
        if stages and stages[-1].name == point.stage:
            start = stages.pop().start
        stages.append(Stage(point.stage, start, point.step))
    return tuple(stages)


def draw(data: Training, theme: Theme) -> Any:
    """The bounds, below them the number of features on the same axis, below these the weights."""
    has_counts = any(point.n_features for point in data.points)
    panel = _BOUNDS + (_COUNTS if has_counts else 0)
    height = panel + (_GAP + _WEIGHTS if data.weights else 0)
    bottom = 1 - panel / height
    drawn = style.new_figure(theme, _LEGEND + height + _FOOT, margin={"l": 8, "r": 16, "t": _LEGEND, "b": _FOOT})
    steps = {"range": [0, data.points[-1].step], "showgrid": False, "nticks": 7, "tickformat": ",d"}
    lowest, highest = _limits(data.points)
    has_upright = any(data.share(stage) <= _UPRIGHT_BELOW for stage in data.stages)
    label_room = (0.34 if has_upright else 0.2) * ((highest - lowest) or 1.0)
    drawn.update_layout(
        xaxis=style.axis(theme, "" if has_counts else "Step", **steps, showticklabels=not has_counts, anchor="y"),
        yaxis=style.axis(
            theme,
            "Bound, nats",
            domain=[1 - (_BOUNDS - 8) / height if has_counts else bottom, 1],
            range=[lowest - label_room / 5, highest + label_room],
            nticks=6,
        ),
    )
    _add_stages(drawn, data, theme, bottom)
    _add_bounds(drawn, data, theme)
    if has_counts:
        _add_counts(drawn, data, theme)
        domain = [bottom, bottom + (_COUNTS - 8) / height]
        drawn.update_layout(
            xaxis2=style.axis(theme, "Step", **steps, anchor="y2"),
            yaxis2=style.axis(theme, "Features", domain=domain, rangemode="tozero", nticks=3, anchor="x2"),
        )
    if data.weights is not None:
        weights.add(drawn, data.weights, theme, top=_WEIGHTS / height, height=_WEIGHTS)
    return drawn


def _limits(points: tuple[Point, ...]) -> tuple[float, float]:
    bounds = [value for point in points for value in (point.bound, point.held_out) if value is not None]
    lowest, highest = min([0.0, *bounds]), max([0.0, *bounds])
    # A held-out bound far below zero would flatten the rest.
    return (max(lowest, -highest) if highest > 0 else lowest), highest


def _add_stages(drawn: Any, data: Training, theme: Theme, bottom: float) -> None:
    label = {"y": 1, "yref": "paper", "yanchor": "top", "yshift": -2, "showarrow": False}
    for k, stage in enumerate(data.stages):
        if k % 2:
            ends = {"x0": stage.start, "x1": stage.end, "yref": "paper", "y0": bottom, "y1": 1}
            drawn.add_shape(type="rect", **ends, fillcolor=theme.shade, line={"width": 0}, layer="below")
        if data.share(stage) > _UNNAMED_BELOW:
            drawn.add_annotation(
                x=(stage.start + stage.end) / 2,
                text=style.label(stage.name, 16),
                textangle=-90 if data.share(stage) <= _UPRIGHT_BELOW else 0,
                font={"size": 12, "color": theme.soft},
                **label,
            )


def _add_bounds(drawn: Any, data: Training, theme: Theme) -> None:
    points = _with_gaps(data.points)
    lengths = Counter(point.run for point in data.points)
    # A line of a single point is invisible, so it gets a marker.
    sizes = [6 if point is not None and lengths[point.run] == 1 else 0 for point in points]
    for name, field, color, dash in (
        ("Training rows", "bound", theme.substitute, "dot"),
        ("Held-out rows", "held_out", theme.alone, "solid"),
    ):
        values = [None if point is None else getattr(point, field) for point in points]
        if any(value is not None for value in values):
            drawn.add_trace(
                style.plotly().Scatter(
                    x=[None if point is None else point.step for point in points],
                    y=values,
                    mode="lines+markers",
                    name=name,
                    line={"color": color, "width": 2, "dash": dash},
                    marker={"size": sizes, "opacity": 1},
                    **style.hover(["" if point is None else _hover_text(point, data.digits) for point in points]),
                )
            )


def _add_counts(drawn: Any, data: Training, theme: Theme) -> None:
    drawn.add_trace(
        style.plotly().Scatter(
            x=[point.step for point in data.points],
            y=[point.n_features for point in data.points],
            mode="lines",
            line={"color": theme.ink, "width": 1.8, "shape": "vh"},
            fill="tozeroy",
            fillcolor=theme.shade,
            **style.hover([_hover_text(point, data.digits) for point in data.points]),
            showlegend=False,
            xaxis="x2",
            yaxis="y2",
        )
    )


def _with_gaps(points: tuple[Point, ...]) -> list[Point | None]:
    """Insert None between two training runs, so that no line connects them."""
    spaced: list[Point | None] = list(points[:1])
    for previous, point in pairwise(points):
        spaced += [point] if previous.run == point.run else [None, point]
    return spaced


def _hover_text(point: Point, digits: int) -> str:
    lines = tooltips.training_lines(point.stage, point.bound, point.held_out, point.n_features, digits)
    return style.hover_text(f"step {point.step:,}", *lines)
