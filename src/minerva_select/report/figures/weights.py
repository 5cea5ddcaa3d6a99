"""Paths of the weights while features are removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme
from minerva_select.results import Selection, WeightRecord
from minerva_select.text import formatting

MOST_PATHS = 20
MOST_POINTS = 200

_WIDE_NAME, _NARROW_NAME = 30, 12  # characters at the end of a line


@dataclass(frozen=True)
class WeightPath:
    """Steps and weights of one feature."""

    feature: str
    selected: bool
    points: tuple[tuple[int, float], ...]  # step, weight


@dataclass(frozen=True)
class Weights:
    """Paths of the selected features, then of those with the largest weights."""

    paths: tuple[WeightPath, ...]
    by_round: bool  # permutation importance per round; otherwise the weights p of Algorithm 1 per step

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest weight, or zero."""
        weights = [0.0, *(weight for path in self.paths for _, weight in path.points)]
        return min(weights), max(weights)


def read(selection: Selection) -> Weights | None:
    """The paths; None if weights were recorded less than twice."""
    if len(selection.weight_history) < 2:
        return None
    found = _paths(style.thin(selection.weight_history, MOST_POINTS))
    selected = frozenset(selection.selected)
    largest = {name: max(abs(weight) for _, weight in points) for name, points in found.items()}
    names = sorted(found, key=lambda name: (name not in selected, -largest[name]))[:MOST_PATHS]
    paths = tuple(WeightPath(name, name in selected, tuple(found[name])) for name in names)
    return Weights(paths, by_round=selection.settings.get("method") != "PaperSelector") if paths else None


def _paths(history: Iterable[WeightRecord]) -> dict[str, list[tuple[int, float]]]:
    paths: dict[str, list[tuple[int, float]]] = {}
    for record in history:
        for name, weight in record.weights.items():
            if style.finite(weight) is not None:
                paths.setdefault(name, []).append((record.step, weight))
    return paths


def add(drawn: Any, data: Weights, theme: Theme, top: float, height: int) -> None:
    """Draw the paths on axes x3 and y3, below ``top``: selected features in color, the others gray behind them.

    The names at the ends of the lines are the ticks of axis y4, which makes room for them.
    """
    labeled = [path for path in data.paths if path.selected][: len(theme.series)]
    colors = {path.feature: color for path, color in zip(labeled, theme.series, strict=False)}
    for path in reversed(data.paths):
        drawn.add_trace(_line(path, colors.get(path.feature), theme))
    low, high = data.limits
    margin = 0.05 * ((high - low) or 1.0)
    shared = {"domain": [0, top], "range": [low - margin, high + margin]}
    last = max(step for path in data.paths for step, _ in path.points)
    ticks = {"dtick": 1} if last <= 10 else {"nticks": 8, "tickformat": ",d"}
    drawn.update_layout(
        xaxis3=style.axis(theme, "Round" if data.by_round else "Step", showgrid=False, anchor="y3", **ticks),
        yaxis3=style.axis(theme, "Importance" if data.by_round else "Weight", **shared, nticks=5, anchor="x3"),
    )
    if labeled:
        names = {
            "side": "right",
            "overlaying": "y3",
            "tickmode": "array",
            "tickvals": spread([path.points[-1][1] for path in labeled], gap=15 / height * (high - low + 2 * margin)),
        }
        wide, narrow = (
            [f'<span style="color:{colors[p.feature]}">{style.label(p.feature, width)}</span>' for p in labeled]
            for width in (_WIDE_NAME, _NARROW_NAME)
        )
        # An axis needs a trace.
        drawn.add_trace(style.plotly().Scatter(x=[None], y=[None], xaxis="x3", yaxis="y4", showlegend=False))
        drawn.update_layout(
            yaxis4=style.axis(
                theme, "", **shared, **names, ticktext=wide, showgrid=False, ticklabelstandoff=4, anchor="x3"
            ),
            meta=style.narrow(yaxis4={"ticktext": narrow}),
        )


def _line(path: WeightPath, color: str | None, theme: Theme) -> Any:
    return style.plotly().Scatter(
        x=[step for step, _ in path.points],
        y=[weight for _, weight in path.points],
        mode="lines",
        line={"color": color or theme.substitute, "width": 2 if color else 1},
        showlegend=False,
        **style.hover(
            [style.hover_text(path.feature, f"{formatting.number(w)} at {step:,}") for step, w in path.points]
        ),
        xaxis="x3",
        yaxis="y3",
    )


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Positions of labels: near their values, and at least ``gap`` apart."""
    positions = list(values)
    below = -float("inf")
    for k in sorted(range(len(values)), key=lambda k: values[k]):
        positions[k] = below = max(values[k], below + gap)
    return positions
