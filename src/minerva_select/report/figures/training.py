"""The course of training: the bound on training and on held-out rows, features left, and the weights' paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from minerva_select.report.figures import style, weights
from minerva_select.report.figures.theme import Theme
from minerva_select.results import Selection, TrainingRecord
from minerva_select.text import feature_order, formatting

MOST_MOMENTS = 400  # of a curve; more are not seen and weigh on the page


@dataclass(frozen=True)
class Moment:
    """One record on an axis that runs on across trainings."""

    step: int
    training: int
    stage: str
    bound: float | None
    held_out: float | None
    n_features: int


@dataclass(frozen=True)
class Stage:
    """Consecutive trainings of one stage, from one step of the running axis to another."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Training:
    """Curves of the bound and of the number of features, and the weights' paths."""

    moments: tuple[Moment, ...]
    stages: tuple[Stage, ...]
    weights: weights.Weights | None
    digits: int

    def is_narrow(self, stage: Stage) -> bool:
        """Whether the name of a stage has to stand upright, on a phone."""
        return stage.end - stage.start <= 0.16 * self.moments[-1].step


def read(selection: Selection) -> Training | None:
    """The history on one axis, thinned; None where there is none."""
    moments = running(selection.history)
    if not moments:
        return None
    largest = max((abs(value) for m in moments for value in (m.bound, m.held_out) if value is not None), default=0.0)
    return Training(
        tuple(style.thinned(moments, MOST_MOMENTS)),
        _stages(moments),
        weights.read(selection),
        digits=feature_order.digits_of(largest),
    )


def running(history: Sequence[TrainingRecord]) -> tuple[Moment, ...]:
    """Put records on an axis that runs on: steps start again with every training."""
    moments: list[Moment] = []
    before, training = 0, 0
    for previous, record in zip([None, *history], history, strict=False):
        if previous is not None and (record.step <= previous.step or record.stage != previous.stage):
            before, training = moments[-1].step, training + 1
        bounds = style.finite(record.bound), style.finite(record.held_out_bound)
        moments.append(Moment(before + record.step, training, record.stage, *bounds, record.n_features))
    return tuple(moments)


def _stages(moments: tuple[Moment, ...]) -> tuple[Stage, ...]:
    stages: list[Stage] = []
    for moment in moments:
        start = stages[-1].end if stages else 0
        if stages and stages[-1].name == moment.stage:
            start = stages.pop().start
        stages.append(Stage(moment.stage, start, moment.step))
    return tuple(stages)


_LEGEND, _BOUNDS, _COUNTS, _GAP, _WEIGHTS, _FOOT = 30, 230, 80, 76, 190, 48  # pixels, top to bottom


def draw(data: Training, theme: Theme) -> Any:
    """The bounds, below them the features left, on the same axis; below these the weights, on their own."""
    counted = any(moment.n_features for moment in data.moments)
    panel = _BOUNDS + (_COUNTS if counted else 0)
    whole = panel + (_GAP + _WEIGHTS if data.weights else 0)
    foot = 1 - panel / whole  # of the panels of training
    drawn = style.figure(theme, _LEGEND + whole + _FOOT, margin={"l": 8, "r": 16, "t": _LEGEND, "b": _FOOT})
    steps = {"range": [0, data.moments[-1].step], "showgrid": False, "nticks": 7, "tickformat": ",d"}
    lowest, highest = _limits(data.moments)
    room = (0.34 if any(map(data.is_narrow, data.stages)) else 0.2) * ((highest - lowest) or 1.0)  # for their names
    drawn.update_layout(
        xaxis=style.axis(theme, "" if counted else "Step", **steps, showticklabels=not counted, anchor="y"),
        yaxis=style.axis(
            theme,
            "Bound, nats",
            domain=[1 - (_BOUNDS - 8) / whole if counted else foot, 1],
            range=[lowest - room / 5, highest + room],
            nticks=6,
        ),
    )
    _add_stages(drawn, data, theme, foot)
    _add_bounds(drawn, data, theme)
    if counted:
        _add_counts(drawn, data, theme)
        counts = {"domain": [foot, foot + (_COUNTS - 8) / whole], "rangemode": "tozero", "nticks": 3, "anchor": "x2"}
        drawn.update_layout(
            xaxis2=style.axis(theme, "Step", **steps, anchor="y2"), yaxis2=style.axis(theme, "Features", **counts)
        )
    if data.weights is not None:
        weights.add(drawn, data.weights, theme, top=_WEIGHTS / whole, height=_WEIGHTS)
    return drawn


def _limits(moments: tuple[Moment, ...]) -> tuple[float, float]:
    bounds = [value for moment in moments for value in (moment.bound, moment.held_out) if value is not None]
    lowest, highest = min([0.0, *bounds]), max([0.0, *bounds])
    # A held-out bound that fell far below zero would flatten all the rest.
    return (max(lowest, -highest) if highest > 0 else lowest), highest


def _add_stages(drawn: Any, data: Training, theme: Theme, foot: float) -> None:
    last = data.moments[-1].step or 1
    label = {"y": 1, "yref": "paper", "yanchor": "top", "yshift": -2, "showarrow": False}
    for place, stage in enumerate(data.stages):
        if place % 2:
            ends = {"x0": stage.start, "x1": stage.end, "yref": "paper", "y0": foot, "y1": 1}
            drawn.add_shape(type="rect", **ends, fillcolor=theme.shade, line={"width": 0}, layer="below")
        if stage.end - stage.start > 0.03 * last:  # on a phone a narrower one has no room for its name
            middle = (stage.start + stage.end) / 2
            angle = -90 if data.is_narrow(stage) else 0
            font = {"size": 12, "color": theme.soft}
            drawn.add_annotation(x=middle, text=style.label(stage.name, 16), textangle=angle, font=font, **label)


def _add_bounds(drawn: Any, data: Training, theme: Theme) -> None:
    go = style.plotly()
    moments = _with_gaps(data.moments)
    lengths = Counter(moment.training for moment in data.moments)
    alone = {training for training, length in lengths.items() if length == 1}  # a line of one moment is not seen
    sizes = [6 if moment is not None and moment.training in alone else 0 for moment in moments]
    for name, field, colour, dash in (
        ("Training rows", "bound", theme.substitute, "dot"),
        ("Held-out rows", "held_out", theme.alone, "solid"),
    ):
        values = [None if moment is None else getattr(moment, field) for moment in moments]
        if any(value is not None for value in values):
            drawn.add_trace(
                go.Scatter(
                    x=[None if moment is None else moment.step for moment in moments],
                    y=values,
                    mode="lines+markers",
                    name=name,
                    line={"color": colour, "width": 2, "dash": dash},
                    marker={"size": sizes, "opacity": 1},
                    hovertext=["" if moment is None else _told(moment, data.digits) for moment in moments],
                    hoverinfo="text",
                )
            )


def _add_counts(drawn: Any, data: Training, theme: Theme) -> None:
    drawn.add_trace(
        style.plotly().Scatter(
            x=[moment.step for moment in data.moments],
            y=[moment.n_features for moment in data.moments],
            mode="lines",
            line={"color": theme.ink, "width": 1.8, "shape": "vh"},
            fill="tozeroy",
            fillcolor=theme.shade,
            hovertext=[_told(moment, data.digits) for moment in data.moments],
            hoverinfo="text",
            showlegend=False,
            xaxis="x2",
            yaxis="y2",
        )
    )


def _with_gaps(moments: tuple[Moment, ...]) -> list[Moment | None]:
    """Nothing between two trainings: the fall from one to the next never happened."""
    spaced: list[Moment | None] = list(moments[:1])
    for before, moment in pairwise(moments):
        spaced += [moment] if before.training == moment.training else [None, moment]
    return spaced


def _told(moment: Moment, digits: int) -> str:
    return style.hover(
        f"step {moment.step:,}",
        moment.stage,
        f"training {formatting.number(moment.bound, digits)} nats",
        f"held-out {formatting.number(moment.held_out, digits)} nats",
        style.counted(moment.n_features) if moment.n_features else "",
    )


def describe(data: Training) -> str:
    """Give the stages, and how high the bound rose."""
    names = formatting.join_names(tuple(dict.fromkeys(stage.name for stage in data.stages)))
    held_out = [moment.held_out for moment in data.moments if moment.held_out is not None]
    bounds = held_out or [moment.bound for moment in data.moments if moment.bound is not None]
    rows = "held-out" if held_out else "training"
    highest = f"; on {rows} rows it reaches {formatting.number(max(bounds), data.digits)} nats" if bounds else ""
    return f"Line chart of the bound over {data.moments[-1].step:,} steps (stages: {names}){highest}."
