"""Draw estimates against the truth: one panel per estimator, one point per task, with its interval."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mi.case import Case
from mi.cells import Key, Record
from mi.goals import MAIN_ROWS
from mi.methods import BASELINES, LABELS, OURS
from mi.summary import covers, measure, select
from minerva_select.io.atomic import atomic_write
from minerva_select.report.figures.theme import LIGHT

COLORS = ("#0072b2", "#bb5200", "#a8518a", "#8a6d00")  # of the baselines, in their order
HIGHEST = 2.0  # nats; estimates beyond are drawn at the border, as triangles
MISSED = 0.35  # opacity of intervals that do not include the truth


def draw(catalog: Sequence[Case], runs: Mapping[Key, Record], path: Path) -> None:
    """Draw the first seed of every task with 5,000 rows; without matplotlib or records, draw nothing."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:  # an optional package
        return
    tasks = [case for case in catalog if case.group == "tasks"]
    found = {method: [one for one in select(runs, tasks, method, MAIN_ROWS) if one["seed"] == 0] for method in LABELS}
    if not any(found.values()):
        return
    with mpl.rc_context({"svg.hashsalt": "mutual-information", "font.size": 9, "font.family": "DejaVu Sans"}):
        drawn = Figure(figsize=(2.4 * len(LABELS), 2.9), layout="constrained")
        panels = drawn.subplots(1, len(LABELS), sharex=True, sharey=True, squeeze=False).ravel()
        for panel, (method, records) in zip(panels, found.items(), strict=True):
            draw_panel(panel, method, records)
        drawn.supxlabel("true mutual information in nats", fontsize=9, color=LIGHT.ink)
        drawn.supylabel("estimate and 95% interval", fontsize=9, color=LIGHT.ink)
        picture = io.BytesIO()
        drawn.savefig(picture, format="svg", metadata={"Date": None})
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, picture.getvalue())


def draw_panel(panel: Any, method: str, records: Sequence[Record]) -> None:
    """The line of perfect estimates, points with intervals, and the mean error in the title."""
    figures = measure(records)
    title = LABELS[method] if figures is None else f"{LABELS[method]}, error {figures.error:.3f}"
    prepare(panel, title)
    if figures is None:
        panel.text(HIGHEST / 2, HIGHEST / 2, "not run", ha="center", color=LIGHT.soft)
    for record in records:
        color = color_of(method)
        ends = [min(HIGHEST, record[name]) for name in ("low", "high")]
        opacity = 1.0 if covers(record) else MISSED
        panel.plot([record["truth"]] * 2, ends, color=color, linewidth=1.4, alpha=opacity, solid_capstyle="butt")
        marker = "^" if record["nats"] > HIGHEST else "o"
        place = [record["truth"]], [min(HIGHEST, record["nats"])]
        panel.scatter(*place, s=18, c=color, marker=marker, edgecolors="white", linewidths=0.6, zorder=3)


def prepare(panel: Any, title: str) -> None:
    """Set the axes and the title, and draw the line of perfect estimates."""
    panel.set_title(title, fontsize=9.5, color=LIGHT.ink, loc="left")
    panel.set_xlim(-0.05, HIGHEST + 0.05)
    panel.set_ylim(-0.05, HIGHEST + 0.05)
    panel.set_xticks([0, 0.5, 1, 1.5, 2], ["0", "0.5", "1", "1.5", "2"])
    panel.set_yticks([0, 0.5, 1, 1.5, 2], ["0", "0.5", "1", "1.5", "2"])
    panel.tick_params(colors=LIGHT.soft, length=0)
    panel.spines[:].set_visible(False)
    panel.grid(color=LIGHT.line, linewidth=0.7)
    panel.set_axisbelow(True)
    panel.plot([0, HIGHEST], [0, HIGHEST], color=LIGHT.soft, linewidth=0.8)


def color_of(method: str) -> str:
    return LIGHT.kept if method == OURS else COLORS[BASELINES.index(method)]
