"""Figures of a selection: the numbers first, then the drawing; all that is shown of a name is plain text."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from minerva_select.errors import InputError, unknown_name
from minerva_select.report.figures import contributions, pairs, path, stability, training
from minerva_select.report.figures.theme import DARK, LIGHT, Theme
from minerva_select.results import Selection

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["CONFIG", "DARK", "KINDS", "LIGHT", "Theme", "describe", "figure", "has"]

KINDS = ("contributions", "path", "pairs", "training", "stability")

CONFIG = {"displayModeBar": False, "responsive": True, "typesetMath": False}  # for a page of its own

# Of each figure: read(selection) gives its numbers, or None; draw(data, theme) the figure; describe(data) a sentence.
_MODULES: dict[str, ModuleType] = dict(zip(KINDS, (contributions, path, pairs, training, stability), strict=True))

_NEEDS = {
    "contributions": "no feature was selected, or the method weighs none",
    "path": "it takes two sets whose information was measured",
    "pairs": "it takes two selected features whose pair was measured",
    "training": "it has no training history",
    "stability": "the fit was not repeated",
}


def figure(selection: Selection, kind: str, *, dark: bool = False) -> go.Figure:
    """Draw one figure of a selection.

    Parameters
    ----------
    selection : Selection
        What a fit handed back, or what :meth:`minerva_select.results.Selection.load` read.
    kind : {"contributions", "path", "pairs", "training", "stability"}
        What each feature adds; information against number of features; who works with whom; the course of training;
        how often each feature was selected in repeated fits.
    dark : bool, default=False
        Colours for a dark page. The background is transparent either way.

    Returns
    -------
    plotly.graph_objects.Figure
        As wide as there is room for.

    Raises
    ------
    InputError
        For a kind that does not exist, and for one that the selection has no numbers for.

    Examples
    --------
    >>> from minerva_select.results import FeatureResult, Reason, ReasonCode
    >>> kept = FeatureResult("amount", True, Reason(ReasonCode.CONTRIBUTES), contribution_nats=0.5)
    >>> selection = Selection("y", (kept,), mutual_information=None, total_information=None, n_rows=1000)
    >>> drawn = figure(selection, "contributions")
    >>> drawn.data[0].x, drawn.layout.yaxis.ticktext
    ((0.5,), ('amount',))
    """
    data = _read(selection, kind)
    if data is None:
        known = ", ".join(repr(other) for other in KINDS if has(selection, other)) or "none"
        raise InputError(f"This selection has nothing to draw as {kind!r}: {_NEEDS[kind]}; it has {known}.")
    drawn: go.Figure = _MODULES[kind].draw(data, DARK if dark else LIGHT)
    return drawn


def has(selection: Selection, kind: str) -> bool:
    """Tell whether there is anything to draw.

    Examples
    --------
    >>> has(Selection("y", (), mutual_information=None, total_information=None, n_rows=10), "path")
    False
    """
    return _read(selection, kind) is not None


def describe(selection: Selection, kind: str) -> str:
    """Say in a plain sentence what a figure shows, for those who do not see it; empty where there is none.

    Examples
    --------
    >>> from minerva_select.results import FeatureResult, Reason, ReasonCode
    >>> kept = FeatureResult("amount", True, Reason(ReasonCode.CONTRIBUTES), weight=1.0)
    >>> describe(Selection("y", (kept,), None, None, n_rows=1000), "contributions")
    'Bar chart of the weights of 1 feature; the largest is amount with 1.000.'
    """
    data = _read(selection, kind)
    return "" if data is None else str(_MODULES[kind].describe(data))


def _read(selection: Selection, kind: str) -> Any:
    if kind not in _MODULES:
        raise unknown_name("figure", kind, KINDS)
    return _MODULES[kind].read(selection)
