"""Layout, labels and hover texts that all figures share."""

from __future__ import annotations

import html
import math
import textwrap
import unicodedata
from collections.abc import Sequence
from types import ModuleType
from typing import Any, TypeVar

from minerva_select.errors import MissingPackageError
from minerva_select.report.figures.theme import Theme
from minerva_select.text import formatting

T = TypeVar("T")

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
ROW_HEIGHT = 24  # pixels per feature
FOOTNOTE_HEIGHT = 22
WIDE_NAME = 44  # characters of a name on an axis, and
NARROW_NAME = 20  # in a figure that is narrower than
NARROW_BELOW = 640  # pixels

_BUTTONS = "zoom pan select lasso zoomin zoomout autoscale resetscale hovercompare hoverclosest togglespikelines"


def plotly() -> ModuleType:
    """Import ``plotly.graph_objects``; raise MissingPackageError if it is not installed."""
    try:
        import plotly.graph_objects  # noqa: PLC0415 - the terminal starts faster without it
    except ImportError:
        raise MissingPackageError("Figures need plotly: install it with `pip install plotly`.") from None
    module: ModuleType = plotly.graph_objects
    return module


def shorten_name(name: str, width: int = NARROW_NAME) -> str:
    """Shorten a name to one line; wide characters count twice, and an empty name becomes quotes."""
    line = formatting.printable(name) or '""'
    n_wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line[:width])
    if len(line) + n_wide <= width:
        return line
    return formatting.printable(line, limit=width - n_wide // 2)


def escape(text: str) -> str:
    """Escape tags, entities, %{templates} and dollar signs, which plotly would interpret."""
    return html.escape(text, quote=False).replace("$", "&#36;").replace("%{", "&#37;{")


def label(name: str, width: int = NARROW_NAME) -> str:
    """Shorten and escape a name."""
    return escape(shorten_name(name, width))


def hover_text(name: str, *lines: str) -> str:
    """Hover text of a mark: the name in bold, then the lines that are not empty."""
    wrapped = textwrap.wrap(shorten_name(name, 320), 44) or [""]
    return "<br>".join([f"<b>{'<br>'.join(map(escape, wrapped))}</b>", *map(escape, filter(None, lines))])


def hover(texts: Sequence[Any]) -> dict[str, Any]:
    """Arguments of a trace that shows these hover texts."""
    return {"hovertext": texts, "hoverinfo": "text"}


def finite(value: float | None) -> float | None:
    """Return a finite number, or None."""
    return value if value is not None and math.isfinite(value) else None


def thin(points: Sequence[T], most: int) -> Sequence[T]:
    """Keep about ``most`` points at equal distances, and the last one."""
    stride = -(-len(points) // most)
    return points if stride <= 1 else [*points[: len(points) - 1 : stride], points[-1]]


def new_figure(theme: Theme, height: int, **layout: Any) -> Any:
    """Create an empty transparent figure with a legend on top; its width follows the page."""
    font = {"family": FONT, "size": 12.5, "color": theme.ink}
    base = {
        "template": plotly().layout.Template(),  # the default template takes 7 kB per figure and is overridden anyway
        "autosize": True,
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 12, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": font,
        "hoverlabel": {
            "bgcolor": theme.paper,
            "bordercolor": theme.soft,
            "font": font,
            "align": "left",
            "namelength": -1,
        },
        "legend": {
            "orientation": "h",
            "font": {"size": 12},
            "x": 0,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
        },
        "dragmode": False,  # dragging on a touch screen scrolls the page
        "modebar": {"remove": _BUTTONS.split(), "bgcolor": "rgba(0,0,0,0)", "color": theme.soft},
        "barcornerradius": 3,
    }
    return plotly().Figure(layout={**base, **layout})


def bar_figure(theme: Theme, n_bars: int, note: str, legend_lines: int = 1, **layout: Any) -> Any:
    """Create a figure for horizontal bars with a footnote."""
    foot = FOOTNOTE_HEIGHT if note else 0
    return new_figure(
        theme,
        76 + 30 * legend_lines + foot + ROW_HEIGHT * n_bars,
        bargap=0.42,
        title=footnote(theme, note),
        margin={"l": 8, "r": 16, "t": 12, "b": 44 + foot},
        **layout,
    )


def axis(theme: Theme, title: str = "", **options: Any) -> dict[str, Any]:
    """An axis with a grid and no line."""
    # An empty title would take up space.
    named = {"title": {"text": title, "font": {"size": 12.5, "color": theme.soft}, "standoff": 10}} if title else {}
    return {
        **named,
        "tickfont": {"size": 12, "color": theme.soft},
        "gridcolor": theme.line,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "automargin": True,
        "fixedrange": True,
        **options,
    }


def name_axis(theme: Theme, names: Sequence[str], **options: Any) -> dict[str, Any]:
    """An axis of names, from top to bottom at positions 0, 1, ...: names with the same short form stay separate."""
    return axis(
        theme,
        **{
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": [label(name, WIDE_NAME) for name in names],
            "showgrid": False,
            "ticklabelstandoff": 6,
            "range": [len(names) - 0.4, -0.6],
            "tickfont": {"size": 12.5, "color": theme.ink},
            **options,
        },
    )


def narrow(**changes: Any) -> dict[str, Any]:
    """Changes of the layout for narrow pages, as ``meta`` of a figure; the script of the page applies them."""
    return {"narrow_below": NARROW_BELOW, "narrow": changes}


def footnote(theme: Theme, text: str) -> dict[str, Any]:
    """A note below a figure, as its title: only a title can be placed relative to the edge of the figure."""
    font = {"size": 12, "color": theme.soft}
    edge = {"xref": "container", "yref": "container", "x": 0, "y": 0, "xanchor": "left", "yanchor": "bottom"}
    return {"text": escape(text), "font": font, **edge, "pad": {"l": 8, "b": 6}}
