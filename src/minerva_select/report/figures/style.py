"""What all figures share: names as plain text, numbers as said, and a quiet layout."""

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
ROW_HEIGHT = 24  # pixels a feature

_BUTTONS = "zoom pan select lasso zoomin zoomout autoscale resetscale hovercompare hoverclosest togglespikelines"


def plotly() -> ModuleType:
    """``plotly.graph_objects``, or one sentence on how to get it."""
    try:
        import plotly.graph_objects  # noqa: PLC0415 - the terminal does without, and starts faster
    except ImportError:
        raise MissingPackageError("Figures need plotly: install it with `pip install plotly`.") from None
    module: ModuleType = plotly.graph_objects
    return module


def shown(name: str, columns: int = 20) -> str:
    r"""A name on one line of at most so many columns; wide characters take two, and nothing is not invisible.

    Examples
    --------
    >>> print(shown("two\nlines"), shown(""), shown("a_very_long_column_name", columns=11))
    two\nlines "" a_ver…_name
    """
    line = formatting.printable(name) or '""'
    n_wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line[:columns])
    if len(line) + n_wide <= columns:
        return line
    return formatting.printable(line, limit=columns - n_wide // 2)


def escaped(words: str) -> str:
    """Text that plotly draws as it is: it would read tags, entities, %{templates} and formulas between dollars.

    Examples
    --------
    >>> escaped("<b>$x$</b> %{y}")
    '&lt;b&gt;&#36;x&#36;&lt;/b&gt; &#37;{y}'
    """
    return html.escape(words, quote=False).replace("$", "&#36;").replace("%{", "&#37;{")


def label(name: str, columns: int = 20) -> str:
    """A name as a label: cut, and escaped."""
    return escaped(shown(name, columns))


def hover(name: str, *lines: str) -> str:
    """What is shown when a mark is pointed at: the name, whole unless very long, and lines that are text already.

    Examples
    --------
    >>> hover("a<b", "adds 0.5 nats")
    '<b>a&lt;b</b><br>adds 0.5 nats'
    """
    wrapped = textwrap.wrap(shown(name, 320), 44) or [""]
    return "<br>".join([f"<b>{'<br>'.join(map(escaped, wrapped))}</b>", *map(escaped, filter(None, lines))])


def finite(value: float | None) -> float | None:
    """A number that can be drawn, or None."""
    return value if value is not None and math.isfinite(value) else None


def thinned(moments: Sequence[T], most: int) -> Sequence[T]:
    """About so many of them, evenly, and the last one in any case: more are not seen and weigh on a page.

    Examples
    --------
    >>> thinned(range(10), 3)
    [0, 4, 8, 9]
    """
    stride = -(-len(moments) // most)
    return moments if stride <= 1 else [*moments[: len(moments) - 1 : stride], moments[-1]]


def counted(n_features: int) -> str:
    """A number of features in words.

    Examples
    --------
    >>> counted(1), counted(5000)
    ('1 feature', '5,000 features')
    """
    return f"{n_features:,} feature" + ("" if n_features == 1 else "s")


def measured(nats: float | None, low: float | None, high: float | None, digits: int) -> str:
    """An amount with its interval, in words.

    Examples
    --------
    >>> measured(0.5, 0.48, 0.52, 3), measured(0.5, None, None, 3)
    ('0.500 nats (0.480 to 0.520)', '0.500 nats')
    """
    ends = formatting.interval(low, high, digits)
    return f"{formatting.number(nats, digits)} nats" + (f" ({ends})" if ends else "")


def figure(theme: Theme, height: int, **layout: Any) -> Any:
    """An empty figure: transparent, as wide as there is room, no title, a legend above, no tools but the download."""
    base = {
        "template": plotly().layout.Template(),  # the default one weighs 7 kB a figure and is overwritten throughout
        "autosize": True,
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 12, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12.5, "color": theme.ink},
        "hoverlabel": {
            "bgcolor": theme.paper,
            "bordercolor": theme.soft,
            "font": {"family": FONT, "size": 12.5, "color": theme.ink},
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
        "dragmode": False,  # a finger on a chart scrolls the page
        "modebar": {"remove": _BUTTONS.split(), "bgcolor": "rgba(0,0,0,0)", "color": theme.soft},
        "barcornerradius": 3,
    }
    return plotly().Figure(layout={**base, **layout})


def axis(theme: Theme, title: str = "", **rest: Any) -> dict[str, Any]:
    """An axis with a grid and no line."""
    # An empty title would take the room of one.
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
        **rest,
    }


def name_axis(theme: Theme, names: Sequence[str], columns: int = 20, **rest: Any) -> dict[str, Any]:
    """An axis of names, the first on top, at places 0, 1, ...: two names that look alike when cut stay two rows."""
    places = list(range(len(names)))
    labels = [label(name, columns) for name in names]
    ticks = {"tickmode": "array", "tickvals": places, "ticktext": labels, "showgrid": False, "ticklabelstandoff": 6}
    tickfont = {"size": 12.5, "color": theme.ink}
    return axis(theme, **{**ticks, "range": [len(names) - 0.4, -0.6], "tickfont": tickfont, **rest})


def note(theme: Theme, words: str) -> dict[str, Any]:
    """A remark at the foot of a figure, as its title: no annotation can be placed by the figure's own edge."""
    font = {"size": 12, "color": theme.soft}
    edge = {"xref": "container", "yref": "container", "x": 0, "y": 0, "xanchor": "left", "yanchor": "bottom"}
    return {"text": escaped(words), "font": font, **edge, "pad": {"l": 8, "b": 6}}
