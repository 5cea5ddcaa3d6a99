"""Who works with whom: synergy and redundancy of pairs of selected features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.report.figures import style
from minerva_select.report.figures.theme import Theme, mixed, readable_on
from minerva_select.results import PairResult, Selection
from minerva_select.text import feature_order, formatting

MOST = 30

_NAMED = 6  # features whose columns have names in place of numbers: more would overlap on a phone
_EVERY = 12  # numbered features whose columns all show their number
_WRITTEN = 30  # characters of a row of amounts that a phone has room for
_LEAST = 0.02  # of the information found; where no pair has as much, the map stays pale


@dataclass(frozen=True)
class Pairs:
    """Features in the order of their strongest pair, and the amount of every pair that was measured."""

    features: tuple[str, ...]
    nats: tuple[tuple[float | None, ...], ...]  # symmetric, None on the diagonal and where not measured
    strongest: tuple[PairResult, ...]  # shown pairs, the largest amount first
    n_left_out: int  # features
    reach: float  # amount of either sign that has the full colour
    digits: int


def read(selection: Selection) -> Pairs | None:
    """The pairs among the features of the strongest ones; None where none was measured."""
    measured = [pair for pair in selection.pairs if style.finite(pair.nats) is not None and pair.first != pair.second]
    measured.sort(key=lambda pair: -abs(pair.nats))
    features = list(dict.fromkeys(name for pair in measured for name in (pair.first, pair.second)))
    if not features:
        return None
    place = {name: k for k, name in enumerate(features[:MOST])}
    strongest = tuple(pair for pair in measured if pair.first in place and pair.second in place)
    nats: list[list[float | None]] = [[None] * len(place) for _ in place]
    for pair in strongest:
        row, column = place[pair.first], place[pair.second]
        nats[row][column] = nats[column][row] = pair.nats
    found = selection.mutual_information
    least = 0.0 if found is None else style.finite(_LEAST * found.nats) or 0.0
    reach = max(abs(strongest[0].nats), least) or 1.0
    digits = feature_order.digits_for(selection)
    return Pairs(tuple(place), tuple(map(tuple, nats)), strongest, len(features) - len(place), reach, digits)


def draw(data: Pairs, theme: Theme) -> Any:
    """A map with zero in the middle of its colours: synergy on one side, redundancy on the other."""
    n_features = len(data.features)
    left_out = f"Not shown: {data.n_left_out:,} features with weaker pairs." if data.n_left_out else ""
    foot = 22 if left_out else 0
    rows = [style.label(name, 18) for name in data.features]
    named = n_features <= _NAMED
    heads = rows if named else _every(n_features)
    if not named:
        # Isolates keep the number of a name that is written right to left on the side of the cells.
        rows = [f"\u2068{name}\u2069  {number}" for number, name in enumerate(rows, 1)]
    height = (190 if named else 150) + foot + n_features * max(22, 50 - 3 * n_features)
    drawn = style.figure(
        theme,
        height,
        title=style.note(theme, left_out),
        margin={"l": 8, "r": 16, "t": 8, "b": 62 + foot},
        meta={"widest": _widest(rows, n_features, named)},
    )
    drawn.add_trace(_cells(data, theme, foot / height))
    if n_features * max(map(len, _amounts(data).values())) <= _WRITTEN:
        drawn.add_trace(_numbers(data, theme))
    # Names turn only where they would touch, which hangs on the width of the page; then over the names of the rows.
    turned: dict[str, Any] = {"autotickangles": [0, 40]} if named else {"tickangle": 0}
    top: dict[str, Any] = {"ticktext": heads, "side": "top", "range": [-0.5, n_features - 0.5]}
    drawn.update_layout(
        xaxis=style.name_axis(theme, data.features, **top, **turned),
        yaxis=style.name_axis(theme, data.features, ticktext=rows, range=[n_features - 0.5, -0.5]),
    )
    return drawn


def _widest(labels: list[str], n_features: int, named: bool) -> int:
    """Pixels beyond which the cells would only be stretched: two of them would fill a screen."""
    longest = 9 * max(map(len, labels))
    return max(460, 60 + longest + n_features * (max(70, longest) if named else 56))


def _every(n_features: int) -> list[str]:
    """Numbers of columns, or of every fifth where all would not have room."""
    numbers = range(1, n_features + 1)
    return [str(number) if n_features <= _EVERY or number == 1 or number % 5 == 0 else "" for number in numbers]


def _cells(data: Pairs, theme: Theme, bottom: float) -> Any:
    return style.plotly().Heatmap(
        z=data.nats,
        zmid=0,
        zmin=-data.reach,
        zmax=data.reach,
        colorscale=[[0.0, theme.redundancy], [0.5, theme.neither], [1.0, theme.synergy]],
        xgap=2,
        ygap=2,
        hoverongaps=False,
        hovertext=_hovers(data),
        hoverinfo="text",
        colorbar=_scale(data, theme, bottom),
    )


def _amounts(data: Pairs) -> dict[tuple[int, int], str]:
    """What is written into which cell."""
    return {
        (row, column): formatting.number(nats, data.digits)
        for row, line in enumerate(data.nats)
        for column, nats in enumerate(line)
        if nats is not None
    }


def _numbers(data: Pairs, theme: Theme) -> Any:
    """The amounts, as a trace of their own: text of a map has one colour, which no two ends of a scale can carry."""
    amounts = _amounts(data)
    colours = [readable_on(_colour((data.nats[row][column] or 0.0) / data.reach, theme)) for row, column in amounts]
    return style.plotly().Scatter(
        x=[column for _, column in amounts],
        y=[row for row, _ in amounts],
        mode="text",
        text=list(amounts.values()),
        textfont={"size": 12.5, "color": colours},
        hoverinfo="skip",
        showlegend=False,
    )


def _colour(share: float, theme: Theme) -> str:
    return mixed(theme.neither, theme.synergy if share > 0 else theme.redundancy, abs(share))


def _scale(data: Pairs, theme: Theme, bottom: float) -> dict[str, Any]:
    ends = [formatting.number(nats, data.digits) for nats in (-data.reach, data.reach)]
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
        "tickvals": [-data.reach, 0, data.reach],
        "ticktext": [f"{ends[0]}<br>redundant", "0", f"{ends[1]} nats<br>synergy"],
        "tickangle": 0,
        "tickfont": {"size": 12, "color": theme.soft},
    }


def _hovers(data: Pairs) -> list[list[str]]:
    n_features = len(data.features)
    hovers = [[""] * n_features for _ in range(n_features)]
    place = {name: k for k, name in enumerate(data.features)}
    for pair in data.strongest:
        row, column = place[pair.first], place[pair.second]
        told = style.measured(pair.nats, pair.low, pair.high, data.digits)
        hovers[row][column] = hovers[column][row] = style.hover(
            pair.first, f"and {style.shown(pair.second, 60)}", f"{_word(pair.nats)}: {told}"
        )
    return hovers


def _word(nats: float) -> str:
    return "synergy" if nats >= 0 else "redundancy"


def describe(data: Pairs) -> str:
    """Name the strongest synergy and the strongest redundancy."""
    told = []
    for sign in (1, -1):
        pair = next((pair for pair in data.strongest if pair.nats * sign > 0), None)
        if pair is not None:
            names = " and ".join(formatting.printable(name, limit=60) for name in (pair.first, pair.second))
            amount = style.measured(pair.nats, pair.low, pair.high, data.digits)
            told.append(f"strongest {_word(pair.nats)}: {names}, {amount}")
    strongest = "; ".join(told) or "no pair says more or less together than apart"
    return f"Map of the pairs of {style.counted(len(data.features))}: {strongest}."
