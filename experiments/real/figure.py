"""Draw the share of information against the share of kept columns: one panel per method, one point per table."""

import io
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from methods import ALL, LABELS, OURS
from minerva_select.io.atomic import atomic_write
from minerva_select.report.figures.theme import LIGHT
from summary import GOAL, Outcome

N_PANELS = 4  # per line
LOWEST, HIGHEST = 0.4, 1.15  # shares beyond are drawn at the border, as triangles
COLORS = ("#0072b2", "#bb5200", "#a8518a", "#8a6d00", "#6a51a3", "#3f4a5a")  # of the baselines, in their order
OTHERS = "#c9ccd1"  # points of the other methods


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """Write the figure as SVG; without an outcome, nothing."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    points = [outcome for outcome in outcomes if outcome.method != ALL and outcome.share is not None]
    methods = [method for method in LABELS if any(outcome.method == method for outcome in points)]
    if not methods:
        return
    with mpl.rc_context({"svg.hashsalt": "real", "font.size": 9, "font.family": "DejaVu Sans"}):
        n_lines = -(-(len(methods) + 1) // N_PANELS)
        n_columns = min(N_PANELS, len(methods) + 1)
        drawn = Figure(figsize=(2.6 * n_columns, 2.7 * n_lines), layout="constrained")
        panels = drawn.subplots(n_lines, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
        for panel, method in zip(panels, methods, strict=False):
            prepare(panel, LABELS[method])
            draw_method(panel, method, points)
        prepare(panels[len(methods)], "means of all methods")
        draw_means(panels[len(methods)], methods, points)
        for panel in panels[len(methods) + 1 :]:
            panel.set_axis_off()
        drawn.supxlabel("kept columns as a share of all", fontsize=9, color=LIGHT.ink)
        drawn.supylabel("share of the information of all columns", fontsize=9, color=LIGHT.ink)
        picture = io.BytesIO()
        drawn.savefig(picture, format="svg", metadata={"Date": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, picture.getvalue())


def prepare(panel: Any, title: str) -> None:
    """Set the axes, the title, and the lines of all information and of the goal."""
    panel.set_title(title, fontsize=9.5, color=LIGHT.ink, loc="left")
    panel.set_xlim(-0.03, 1.03)
    panel.set_ylim(LOWEST - 0.03, HIGHEST + 0.03)
    panel.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
    panel.set_yticks([0.4, 0.6, 0.8, 1.0])
    panel.tick_params(colors=LIGHT.soft, length=0)
    panel.spines[:].set_visible(False)
    panel.grid(color=LIGHT.line, linewidth=0.7)
    panel.set_axisbelow(True)
    panel.axhline(1.0, color=LIGHT.soft, linewidth=0.8)
    panel.axhline(GOAL, color=LIGHT.soft, linewidth=0.7, linestyle=(0, (3, 3)))


def draw_method(panel: Any, method: str, points: Sequence[Outcome]) -> None:
    """The points of all methods in gray, those of the method in color, and their mean as a cross."""
    own = [point for point in points if point.method == method]
    others = [point for point in points if point.method != method]
    panel.scatter([point.kept_share for point in others], [clip(point.share) for point in others], s=9, c=OTHERS, lw=0)
    color = color_of(method)
    for point in own:
        marker = "^" if point.share > HIGHEST else "v" if point.share < LOWEST else "o"
        place = [point.kept_share], [clip(point.share)]
        panel.scatter(*place, s=26, c=color, marker=marker, edgecolors="white", linewidths=0.6, zorder=3)
    if method == OURS:
        label_lowest(panel, own)
    x, y = center(own)
    panel.plot([x], [y], marker="+", markersize=13, markeredgewidth=2, color=LIGHT.ink, zorder=4)


def label_lowest(panel: Any, points: Sequence[Outcome]) -> None:
    """Name the tables below the goal."""
    for point in points:
        if point.share < GOAL:
            place = (point.kept_share, clip(point.share))
            panel.annotate(
                point.table, place, (4, -3), textcoords="offset points", va="top", fontsize=6.5, color=LIGHT.soft
            )


def draw_means(panel: Any, methods: Sequence[str], points: Sequence[Outcome]) -> None:
    """One point per method, with a legend in the empty part of the panel."""
    for method in methods:
        x, y = center([point for point in points if point.method == method])
        panel.plot(
            [x], [y], marker="o", linestyle="", markersize=9 if method == OURS else 5.5, color=color_of(method),
            markeredgecolor="white", zorder=3 if method == OURS else 4, label=LABELS[method],
        )  # fmt: skip
    panel.legend(
        loc="lower left", fontsize=7, frameon=False, labelcolor=LIGHT.ink, handletextpad=0.1, labelspacing=0.35,
        borderaxespad=0.0,
    )  # fmt: skip


def center(points: Sequence[Outcome]) -> tuple[float, float]:
    """Means of both shares; the share of information within the panel."""
    return (
        statistics.fmean(point.kept_share for point in points),
        clip(statistics.fmean(point.share for point in points)),
    )


def clip(share: float) -> float:
    return min(HIGHEST, max(LOWEST, share))


def color_of(method: str) -> str:
    others = [name for name in LABELS if name not in (ALL, OURS)]
    return LIGHT.kept if method == OURS else COLORS[others.index(method)]
