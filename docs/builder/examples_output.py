"""How the examples of the gallery run, and how their figures get into the pages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import plotly.io
from plotly.io import to_html
from plotly.io.base_renderers import HtmlRenderer

PLOTLY_SCRIPT = "plotly.min.js"


def pattern() -> str:
    """Which examples to run: those whose path contains MINERVA_SITE_ONLY, by default all."""
    return os.environ.get("MINERVA_SITE_ONLY", "") or r"\.py$"


class OfflineRenderer(HtmlRenderer):
    """Draw a plotly figure with the copy of the plotly library that is part of the site."""

    def __init__(self) -> None:
        super().__init__(full_html=False, include_plotlyjs=False)

    def to_mimebundle(self, fig_dict: dict[str, Any]) -> dict[str, str]:
        """HTML of a figure, without the library."""
        html = to_html(fig_dict, include_plotlyjs=False, full_html=False, config={"displaylogo": False})
        return {"text/html": f'<div class="site-figure">{html}</div>'}


def reset(gallery_conf: dict[str, Any], fname: str, when: str = "before") -> None:
    """Give every example the same surroundings: figures of this size, this renderer, one empty working folder."""
    import matplotlib as mpl  # noqa: PLC0415 - sets its backend first
    from matplotlib import pyplot as plt  # noqa: PLC0415

    plt.close("all")
    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(
        {
            "figure.figsize": (7.2, 4.0),
            "figure.dpi": 100,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#e5e5e5",
            "axes.axisbelow": True,
            "font.size": 11,
            "figure.autolayout": True,
        }
    )
    plotly.io.renderers["site"] = OfflineRenderer()
    plotly.io.renderers.default = "site"


def copy_plotly(static: Path) -> None:
    """Put the plotly library into a folder of the site."""
    source = Path(plotly.__file__).parent / "package_data" / PLOTLY_SCRIPT
    shutil.copyfile(source, static / PLOTLY_SCRIPT)
