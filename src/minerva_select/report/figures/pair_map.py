"""Map of the target by the pair of features with the strongest interaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minerva_select.codes import Conversion
from minerva_select.config import EFFECTS
from minerva_select.report.figures import style
from minerva_select.report.figures.effect_axes import map_axis
from minerva_select.report.figures.theme import Theme, mix_colors, text_color
from minerva_select.results import PairMap, Selection
from minerva_select.text import tooltips
from minerva_select.text.effect_values import format_outcome, label_bins
from minerva_select.text.effects import is_ordered, outcome_name


@dataclass(frozen=True)
class TargetMap:
    """The map, without cells that have too few rows."""

    pair: PairMap
    values: tuple[tuple[float | None, ...], ...]
    limits: tuple[float, float]
    outcome: str
    conversions: tuple[Conversion | None, Conversion | None]
    is_share: bool

    @property
    def span(self) -> float:
        """Range of the values, which decides their digits."""
        return self.limits[1] - self.limits[0]


def read(selection: Selection) -> TargetMap | None:
    """The map of the strongest pair; None if no pair or no cell was measured."""
    effects = selection.effects
    if effects is None or effects.pair is None:
        return None
    pair = effects.pair
    values = tuple(
        tuple(value if n >= EFFECTS.min_map_rows else None for value, n in zip(*lines, strict=True))
        for lines in zip(pair.values, pair.n_rows, strict=True)
    )
    known = [value for line in values for value in line if value is not None]
    if not known:
        return None
    conversions = {result.feature: result.conversion for result in selection.features}
    return TargetMap(
        pair,
        values,
        (min(known), max(known)),
        outcome_name(selection, pair.outcome, limit=24),
        (conversions[pair.first], conversions[pair.second]),
        is_share=bool(effects.outcomes),
    )


def draw(data: TargetMap, theme: Theme) -> Any:
    """A heat map: the first feature from bottom to top (levels from top to bottom), the second from left to right."""
    first, second = data.pair.first_bins, data.pair.second_bins
    texts = _texts(data)
    text_width = 140 + len(second) * (8 * max(map(len, texts.values())) + 6)
    height = 150 + max(26 * len(first), 110)
    drawn = style.new_figure(
        theme,
        height,
        margin={"l": 8, "r": 36, "t": 12, "b": 96},  # a label that reaches over the right edge would be left out
        meta={"max_width": max(text_width, 260 + 62 * max(6, len(second))), "text_from": text_width},
    )
    drawn.add_trace(_cells(data, theme))
    drawn.add_trace(_cell_texts(data, texts, theme))
    rows = map_axis(theme, first, data.conversions[0], title=style.label(data.pair.first, 40))
    if not is_ordered(first):
        rows["range"] = rows["range"][::-1]
    angles = {"autotickangles": [0, 40, 90]}
    below = {
        "ticks": "outside",
        "ticklen": 6,
        "tickcolor": "rgba(0,0,0,0)",
    }  # the first label is next to one at the left
    columns = map_axis(theme, second, data.conversions[1], title=style.label(data.pair.second, 40), **angles, **below)
    drawn.update_layout(xaxis=columns, yaxis=rows)
    return drawn


def _cells(data: TargetMap, theme: Theme) -> Any:
    low, high = data.limits
    return style.plotly().Heatmap(
        z=data.values,
        zmin=low,
        zmax=high if high > low else low + 1.0,
        colorscale=[[0.0, theme.neither], [1.0, theme.kept]],
        xgap=1,
        ygap=1,
        hoverongaps=False,
        **style.hover(_hover_texts(data)),
        colorbar={
            "orientation": "h",
            "x": 0.5,
            "xanchor": "center",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "thickness": 10,
            "len": 0.6,
            "outlinewidth": 0,
            "ticks": "",
            "tickvals": [low, high],
            "ticktext": [_format(low, data), _format(high, data)],
            "tickfont": {"size": 12, "color": theme.soft},
            "title": {
                "text": style.escape(data.outcome),
                "side": "bottom",
                "font": {"size": 12, "color": theme.soft},
            },
        },
    )


def _format(value: float, data: TargetMap) -> str:
    return format_outcome(value, data.span, is_share=data.is_share)


def _texts(data: TargetMap) -> dict[tuple[int, int], str]:
    """Text of each cell."""
    return {
        (row, column): _format(value, data)
        for row, line in enumerate(data.values)
        for column, value in enumerate(line)
        if value is not None
    }


def _cell_texts(data: TargetMap, texts: dict[tuple[int, int], str], theme: Theme) -> Any:
    shares = [((data.values[row][column] or 0.0) - data.limits[0]) / (data.span or 1.0) for row, column in texts]
    return style.plotly().Scatter(
        x=[column for _, column in texts],
        y=[row for row, _ in texts],
        mode="text",
        text=list(texts.values()),
        textfont={"size": 11, "color": [text_color(mix_colors(theme.neither, theme.kept, s)) for s in shares]},
        hoverinfo="skip",
        showlegend=False,
    )


def _hover_texts(data: TargetMap) -> list[list[str]]:
    pair = data.pair
    names = [
        label_bins(bins, kind) for bins, kind in zip((pair.first_bins, pair.second_bins), data.conversions, strict=True)
    ]
    return [
        [
            ""
            if value is None
            else style.hover_text(
                pair.first,
                *tooltips.map_lines(row, (pair.second, column), f"{data.outcome}: {_format(value, data)}", n_rows),
            )
            for column, value, n_rows in zip(names[1], line, counts, strict=True)
        ]
        for row, line, counts in zip(names[0], data.values, pair.n_rows, strict=True)
    ]
