"""Draw time against rows and against columns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from minerva_select.io.atomic import atomic_write
from minerva_select.report.figures.theme import LIGHT
from speed.catalog import GROWTH_SIZES
from speed.summary import Latest, exponent, growth

FIXED = {"rows": "20 columns", "columns": "1,000 rows"}


def draw(records: Latest, path: Path) -> None:
    """Draw both directions on logarithmic axes; without matplotlib or records, draw nothing."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:  # an optional package
        return
    found = {direction: growth(records, direction) for direction in GROWTH_SIZES}
    if not any(found.values()):
        return
    with mpl.rc_context({"svg.hashsalt": "speed", "font.size": 9, "font.family": "DejaVu Sans"}):
        drawn = Figure(figsize=(7.2, 3.2), layout="constrained")
        panels = drawn.subplots(1, len(found), sharey=True, squeeze=False).ravel()
        for panel, (direction, points) in zip(panels, found.items(), strict=True):
            _draw_panel(panel, direction, points)
        seconds = [value for points in found.values() for _, value in points]
        panels[0].set_ylim(min(seconds) / 5, max(seconds) * 5)
        panels[0].set_ylabel("CPU seconds", color=LIGHT.ink)
        picture = io.BytesIO()
        drawn.savefig(picture, format="svg", metadata={"Date": None})
    atomic_write(path, picture.getvalue())


def _draw_panel(panel: Any, direction: str, points: list[tuple[int, float]]) -> None:
    """Measured times, and a line of slope 1 through the last of them."""
    slope = exponent(points)
    title = "not measured yet" if slope is None else f"exponent {slope:.2f}"
    panel.set_title(f"{direction}, {FIXED[direction]}: {title}", fontsize=9.5, color=LIGHT.ink, loc="left")
    panel.set_xlabel(f"number of {direction}", color=LIGHT.ink)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlim(GROWTH_SIZES[direction][0] / 2, GROWTH_SIZES[direction][-1] * 2)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.7g}")
        axis.set_minor_formatter(lambda value, _: "")
    panel.tick_params(colors=LIGHT.soft, length=0, which="both")
    panel.spines[:].set_visible(False)
    panel.grid(color=LIGHT.line, linewidth=0.7)
    panel.set_axisbelow(True)
    if points:
        sizes, seconds = zip(*points, strict=True)
        linear = [seconds[-1] * size / sizes[-1] for size in sizes]
        panel.plot(sizes, linear, color=LIGHT.soft, linewidth=0.8, linestyle="--", label="linear")
        panel.plot(sizes, seconds, color=LIGHT.kept, marker="o", markersize=4, label="MINERVA")
        panel.legend(frameon=False, labelcolor=LIGHT.ink)
