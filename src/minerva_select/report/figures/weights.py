"""The weights' paths: which features stayed and which fell while the set was made smaller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme
from minerva_select.results import Selection, WeightRecord
from minerva_select.text import formatting

MOST = 20
MOST_MOMENTS = 200


@dataclass(frozen=True)
class WeightPath:
    """The weights of one feature, as long as it had any."""

    feature: str
    selected: bool
    moments: tuple[tuple[int, float], ...]  # step, weight


@dataclass(frozen=True)
class Weights:
    """Paths of the selected features, then of those that once weighed most."""

    paths: tuple[WeightPath, ...]
    by_rounds: bool  # else by steps, the paper's p

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest weight, and zero."""
        weights = [0.0, *(weight for path in self.paths for _, weight in path.moments)]
        return min(weights), max(weights)


def read(selection: Selection) -> Weights | None:
    """At most 20 paths; None where weights were not followed from one moment to another."""
    if len(selection.weight_history) < 2:
        return None
    found = _paths(style.thinned(selection.weight_history, MOST_MOMENTS))
    selected = frozenset(selection.selected)
    largest = {name: max(abs(weight) for _, weight in moments) for name, moments in found.items()}
    names = sorted(found, key=lambda name: (name not in selected, -largest[name]))[:MOST]
    paths = tuple(WeightPath(name, name in selected, tuple(found[name])) for name in names)
    return Weights(paths, by_rounds=selection.settings.get("method") != "PaperSelector") if paths else None


def _paths(history: Iterable[WeightRecord]) -> dict[str, list[tuple[int, float]]]:
    paths: dict[str, list[tuple[int, float]]] = {}
    for record in history:
        for name, weight in record.weights.items():
            if style.finite(weight) is not None:
                paths.setdefault(name, []).append((record.step, weight))
    return paths


def add(drawn: Any, data: Weights, theme: Theme, top: float, height: int) -> None:
    """Draw the paths on axes x3 and y3, below ``top``: the selected ones in colour, the others grey behind them.

    The names stand at the ends of their lines, on an axis of their own: it makes the room that they take.
    """
    named = [path for path in data.paths if path.selected][: len(theme.series)]
    colours = {path.feature: colour for path, colour in zip(named, theme.series, strict=False)}
    for path in reversed(data.paths):
        drawn.add_trace(_line(path, colours.get(path.feature), theme))
    low, high = data.limits
    room = 0.05 * ((high - low) or 1.0)
    limits = [low - room, high + room]
    places = spread([path.moments[-1][1] for path in named], gap=15 / height * (limits[1] - limits[0]))
    labels = [f'<span style="color:{colours[p.feature]}">{style.label(p.feature, 12)}</span>' for p in named]
    title = "Missed if shuffled" if data.by_rounds else "Weight"
    both = {"domain": [0, top], "range": limits}
    names = {"side": "right", "overlaying": "y3", "tickmode": "array", "tickvals": places, "ticktext": labels}
    last = max(step for path in data.paths for step, _ in path.moments)
    ticks = {"dtick": 1} if last <= 10 else {"nticks": 8, "tickformat": ",d"}  # there is no round 0.5
    steps = "Round" if data.by_rounds else "Step of sparsifying"
    drawn.update_layout(
        xaxis3=style.axis(theme, steps, showgrid=False, anchor="y3", **ticks),
        yaxis3=style.axis(theme, title, **both, nticks=5, anchor="x3"),
    )
    if named:  # an axis that no line lies on is not drawn
        drawn.add_trace(style.plotly().Scatter(x=[None], y=[None], xaxis="x3", yaxis="y4", showlegend=False))
        drawn.update_layout(
            yaxis4=style.axis(theme, "", **both, **names, showgrid=False, ticklabelstandoff=4, anchor="x3")
        )


def _line(path: WeightPath, colour: str | None, theme: Theme) -> Any:
    return style.plotly().Scatter(
        x=[step for step, _ in path.moments],
        y=[weight for _, weight in path.moments],
        mode="lines",
        line={"color": colour or theme.substitute, "width": 2 if colour else 1},
        showlegend=False,
        hovertext=[
            style.hover(path.feature, f"{formatting.number(weight)} at {step:,}") for step, weight in path.moments
        ],
        hoverinfo="text",
        xaxis="x3",
        yaxis="y3",
    )


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Places for labels, as near to their values as a gap between any two allows.

    Examples
    --------
    >>> spread([0.5, 0.0, 0.5], gap=0.2)
    [0.5, 0.0, 0.7]
    """
    places = list(values)
    below = -float("inf")
    for k in sorted(range(len(values)), key=lambda k: values[k]):
        places[k] = below = max(values[k], below + gap)
    return places
