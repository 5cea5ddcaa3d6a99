"""Interactions: synergy and redundancy of pairs of selected features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, mix_colors, text_color
from minerva_select.results import PairResult, Selection
from minerva_select.text import feature_order, formatting, tooltips
from minerva_select.text.captions import MOST_NAMED

MOST = 30

_HEAD = 24  # characters of the name above a column, and
_HEAD_HEIGHT = 130  # pixels for it, turned
_MOST_COLUMN_NUMBERS = 12  # with more features only every fifth column has its number
_WIDEST_TEXT = 1000  # pixels; values that need more are not drawn
_MIN_RANGE = 0.02  # of the information found; the color scale covers at least this much


@dataclass(frozen=True)
class Pairs:
    """Features in the order of their strongest pair, and the interaction of each measured pair."""

    features: tuple[str, ...]
    nats: tuple[tuple[float | None, ...], ...]  # symmetric; None on the diagonal and if not measured
    strongest: tuple[PairResult, ...]  # pairs that are shown, largest absolute value first
    n_left_out: int  # features
    color_range: float  # absolute value with the full color
    digits: int


def read(selection: Selection) -> Pairs | None:
    """The strongest pairs; None if no pair was measured."""
    measured = [pair for pair in selection.pairs if style.finite(pair.nats) is not None and pair.first != pair.second]
    measured.sort(key=lambda pair: -abs(pair.nats))
    features = list(dict.fromkeys(name for pair in measured for name in (pair.first, pair.second)))
    if not features:
        return None
    position = {name: k for k, name in enumerate(features[:MOST])}
    strongest = tuple(pair for pair in measured if pair.first in position and pair.second in position)
    nats: list[list[float | None]] = [[None] * len(position) for _ in position]
    for pair in strongest:
        row, column = position[pair.first], position[pair.second]
        nats[row][column] = nats[column][row] = pair.nats
    found = selection.mutual_information
    least = 0.0 if found is None else style.finite(_MIN_RANGE * found.nats) or 0.0
    return Pairs(
        tuple(position),
        tuple(map(tuple, nats)),
        strongest,
        n_left_out=len(features) - len(position),
        color_range=max(abs(strongest[0].nats), least) or 1.0,
        digits=feature_order.digits_for(selection),
    )


def draw(data: Pairs, theme: Theme) -> Any:
    """A heat map with zero in the middle of the color scale, and the name of every column; numbers on a phone."""
    n_features = len(data.features)
    note = tooltips.not_shown(features_with_weaker_interactions=data.n_left_out)
    foot = style.FOOTNOTE_HEIGHT if note else 0
    rows, heads = ([style.label(name, width) for name in data.features] for width in (style.WIDE_NAME, _HEAD))
    cells = n_features * max(24, 50 - 3 * n_features)
    height = 150 + foot + cells + _HEAD_HEIGHT
    values = _values(data)
    text_width = 8 * max(map(len, rows)) + n_features * (8 * max(map(len, values.values())) + 4)
    drawn = style.new_figure(
        theme,
        height,
        title=style.footnote(theme, note),
        margin={"l": 8, "r": 16, "t": 8, "b": 62 + foot},
        meta={
            "max_width": _max_width(rows, n_features),
            "text_from": text_width,
            **style.narrow(height=height - (0 if n_features <= MOST_NAMED else _HEAD_HEIGHT), **_narrow(data)),
        },
    )
    drawn.add_trace(_cells(data, theme, foot / height))
    if text_width <= _WIDEST_TEXT:
        drawn.add_trace(_cell_texts(data, values, theme))
    top: dict[str, Any] = {"ticktext": heads, "side": "top", "range": [-0.5, n_features - 0.5]}
    drawn.update_layout(
        xaxis=style.name_axis(theme, data.features, **top, autotickangles=[0, 40, 90]),
        yaxis=style.name_axis(theme, data.features, ticktext=rows, range=[n_features - 0.5, -0.5]),
    )
    return drawn


def _narrow(data: Pairs) -> dict[str, Any]:
    """Axes on a phone: of many features the columns have the numbers of the rows, since names would overlap."""
    n_features = len(data.features)
    rows = [style.label(name, 18) for name in data.features]
    if n_features <= MOST_NAMED:
        return {"xaxis": {"ticktext": rows}, "yaxis": {"ticktext": rows}}
    # Directional isolates keep the number next to the cells after a name in a right-to-left script.
    rows = [f"\u2068{name}\u2069  {number}" for number, name in enumerate(rows, 1)]
    numbers = {"ticktext": _column_numbers(n_features), "tickangle": 0}
    return {"xaxis": numbers, "yaxis": {"ticktext": rows}}


def _max_width(labels: list[str], n_features: int) -> int:
    """Pixels; cells of a wider figure would only be stretched."""
    longest = 9 * max(map(len, labels))
    few = n_features <= MOST_NAMED
    return max(460, 60 + longest + n_features * (max(70, min(longest, 9 * _HEAD)) if few else 64))


def _column_numbers(n_features: int) -> list[str]:
    numbers = range(1, n_features + 1)
    return [str(k) if n_features <= _MOST_COLUMN_NUMBERS or k == 1 or k % 5 == 0 else "" for k in numbers]


def _cells(data: Pairs, theme: Theme, bottom: float) -> Any:
    return style.plotly().Heatmap(
        z=data.nats,
        zmid=0,
        zmin=-data.color_range,
        zmax=data.color_range,
        colorscale=[[0.0, theme.redundancy], [0.5, theme.neither], [1.0, theme.synergy]],
        xgap=2,
        ygap=2,
        hoverongaps=False,
        **style.hover(_hover_texts(data)),
        colorbar=_color_bar(data, theme, bottom),
    )


def _values(data: Pairs) -> dict[tuple[int, int], str]:
    """Text of each cell."""
    return {
        (row, column): formatting.number(nats, data.digits)
        for row, line in enumerate(data.nats)
        for column, nats in enumerate(line)
        if nats is not None
    }


def _cell_texts(data: Pairs, values: dict[tuple[int, int], str], theme: Theme) -> Any:
    """The values as their own trace, since the text of a heat map has one color for all cells."""
    shares = [(data.nats[row][column] or 0.0) / data.color_range for row, column in values]
    colors = [mix_colors(theme.neither, theme.synergy if s > 0 else theme.redundancy, abs(s)) for s in shares]
    return style.plotly().Scatter(
        x=[column for _, column in values],
        y=[row for row, _ in values],
        mode="text",
        text=list(values.values()),
        textfont={"size": 12.5, "color": [text_color(color) for color in colors]},
        hoverinfo="skip",
        showlegend=False,
    )


def _color_bar(data: Pairs, theme: Theme, bottom: float) -> dict[str, Any]:
    low, high = (formatting.number(nats, data.digits) for nats in (-data.color_range, data.color_range))
    return {
        "orientation": "h",
        "x": 0.5,
        "xanchor": "center",
        "yref": "container",
        "y": bottom,
        "yanchor": "bottom",
        "thickness": 10,
        "len": 0.6,
        "outlinewidth": 0,
        "ticks": "",
        "tickvals": [-data.color_range, 0, data.color_range],
        "ticktext": [f"{low}<br>redundancy", "0", f"{high} nats<br>synergy"],
        "tickangle": 0,
        "tickfont": {"size": 12, "color": theme.soft},
    }


def _hover_texts(data: Pairs) -> list[list[str]]:
    texts = [[""] * len(data.features) for _ in data.features]
    position = {name: k for k, name in enumerate(data.features)}
    for pair in data.strongest:
        row, column = position[pair.first], position[pair.second]
        text = style.hover_text(pair.first, *tooltips.pair_lines(pair, data.digits))
        texts[row][column] = texts[column][row] = text
    return texts
