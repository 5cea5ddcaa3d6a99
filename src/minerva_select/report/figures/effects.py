"""How the target goes with each kept feature: small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minerva_select.codes import EffectShape
from minerva_select.report.figures import style
from minerva_select.report.figures.cells import DEFAULT_COLUMNS, TITLE_HEIGHT, arrange, arrangements, axis_number
from minerva_select.report.figures.effect_axes import bin_axis
from minerva_select.report.figures.effect_marks import panel_marks
from minerva_select.report.figures.effect_panels import EffectPanels, Panel, read
from minerva_select.report.figures.theme import Theme, make_transparent
from minerva_select.text import tooltips
from minerva_select.text.effect_values import format_outcome
from minerva_select.text.effects import arrow, describe_shape, strongest_outcome

__all__ = ["draw", "read"]

_AXES_HEIGHT = 132  # pixels
_LEVEL_HEIGHT = 15  # pixels per level
_MOST_LETTERS = 34  # of a name in a title
_LETTER_WIDTHS = (8, 7)  # pixels in bold and not, in wide fonts such as DejaVu Sans


def draw(data: EffectPanels, theme: Theme) -> Any:
    """A cell per feature: observed points, the curve given the other features, and bars for the share of rows."""
    most_levels = max([len(panel.places) for panel in data.panels if not panel.is_ordered], default=0)
    height = max(_AXES_HEIGHT, _LEVEL_HEIGHT * most_levels)
    note = tooltips.not_shown(features_with_smaller_contributions=data.n_left_out)
    foot = style.FOOTNOTE_HEIGHT if note else 0
    cells = [panel.cell for panel in data.panels]
    titles = [_title_parts(panel, data.outcomes) for panel in data.panels]
    layout = arrange(cells, height, foot, min(DEFAULT_COLUMNS, len(cells)))
    traces: list[Any] = []
    annotations: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for k, panel in enumerate(data.panels):
        names = {"xaxis": f"x{axis_number(k)}", "yaxis": f"y{axis_number(k)}"}
        traces += panel_marks(panel, data, theme, names)
        axes |= _axes(k, panel, data, theme, layout, names)
        annotations.append(_title(panel, titles[k], theme, names))
    drawn = style.new_figure(  # all at once: plotly checks everything again after each change
        theme,
        layout["height"],
        title=style.footnote(theme, note),
        margin={"l": 2, "r": 2, **layout["margin"], "autoexpand": False},
        barmode="overlay",
        bargap=0.12,
        hovermode="closest",
        barcornerradius=0,
        meta=arrangements(cells, height, foot, max(map(_title_width, titles))),
        annotations=annotations,
        **axes,
    )
    drawn.add_traces([*traces, *_legend(data, theme)])
    return drawn


def _axes(
    k: int, panel: Panel, data: EffectPanels, theme: Theme, layout: dict[str, Any], names: dict[str, str]
) -> dict[str, Any]:
    """Axes of a panel: the target goes up for numbers, and to the right for levels."""
    bins = bin_axis(theme, panel.effect.bins, panel.places, panel.conversion)
    both = [bins, _target_axis(data, panel, theme)]
    x, y = both if panel.is_ordered else reversed(both)
    horizontal, vertical = (f"{name}{axis_number(k)}" for name in ("xaxis", "yaxis"))
    return {
        horizontal: {**x, **layout[horizontal], "anchor": names["yaxis"]},
        vertical: {**y, **layout[vertical], "anchor": names["xaxis"]},
    }


def _target_axis(data: EffectPanels, panel: Panel, theme: Theme) -> dict[str, Any]:
    ticks: dict[str, Any] = {"tickformat": ".0%" if data.span >= 0.04 else ".1%"} if data.is_share else {}
    if not data.is_share:
        ticks["tickformat"] = "~s" if max(map(abs, data.limits)) >= 1000 else "~g"
    return {
        **style.axis(theme, nticks=6 if panel.is_ordered else 5, range=list(data.limits), **ticks),
        "automargin": False,
        "tickfont": {"size": 11, "color": theme.soft},
    }


def _title_parts(panel: Panel, outcomes: Sequence[str]) -> tuple[str, str]:
    """Name of the feature, and an arrow or a word if the target certainly changes with it."""
    outcome = strongest_outcome(panel.effect)
    shape = panel.effect.curves[outcome].shape
    sign = "" if shape is EffectShape.FLAT else arrow(shape) or describe_shape(shape)
    if len(outcomes) > 1 and sign:
        sign = f"{style.shorten_name(outcomes[outcome], 12)} {sign}"
    return style.shorten_name(panel.effect.feature, _MOST_LETTERS), sign


def _title_width(parts: tuple[str, str]) -> int:
    """Pixels of a title, about."""
    name, sign = parts
    return round(_LETTER_WIDTHS[0] * len(name) + _LETTER_WIDTHS[1] * (len(sign) + 2))


def _title(panel: Panel, parts: tuple[str, str], theme: Theme, names: dict[str, str]) -> dict[str, Any]:
    """Title of a panel."""
    name, sign = map(style.escape, parts)
    return {
        "text": f'<b>{name}</b> <span style="color:{theme.soft}">{sign}</span>',
        "xref": f"{names['xaxis']} domain",
        "yref": f"{names['yaxis']} domain",
        "x": panel.cell.title_position,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": TITLE_HEIGHT // 4,
        "showarrow": False,
        "font": {"size": 12.5, "color": theme.ink},
    }


def _legend(data: EffectPanels, theme: Theme) -> list[Any]:
    """Entries of the legend, without marks in the figure."""
    go, empty = style.plotly(), {"x": [None], "y": [None], "hoverinfo": "skip"}
    has_adjusted = any(curve.adjusted for panel in data.panels for curve in panel.effect.curves)
    several = len(data.overall) > 1
    ring = {"size": 7, "symbol": "circle-open", "color": theme.soft, "line": {"width": 1.4}}
    entries = []
    if several:
        for k, outcome in enumerate(data.outcomes):
            color = theme.series[k % len(theme.series)]
            entries.append(
                go.Scatter(**empty, mode="lines", line={"color": color, "width": 2.2}, name=style.label(outcome, 24))
            )
    elif has_adjusted:
        line, diamond = {"color": theme.kept, "width": 2.2}, {"color": theme.kept, "size": 7, "symbol": "diamond"}
        marks = {"mode": "lines+markers", "line": line, "marker": diamond}
        entries.append(go.Scatter(**empty, **marks, name="Given the other kept features"))
    entries.append(go.Scatter(**empty, mode="markers", marker=ring, name="Observed"))
    dashed = {"color": theme.soft, "width": 1, "dash": "dash"}
    overall = "All rows"
    if not several:
        overall += f": {format_outcome(data.overall[0], data.span, is_share=data.is_share)}"
    entries.append(go.Scatter(**empty, mode="lines", line=dashed, name=overall))
    gray = {"size": 10, "symbol": "square", "color": make_transparent(theme.substitute, 0.45)}
    entries.append(go.Scatter(**empty, mode="markers", marker=gray, name="Share of the rows"))
    return entries
