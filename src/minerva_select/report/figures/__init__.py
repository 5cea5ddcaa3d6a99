"""Figures of a selection. Each module has ``read``, which returns the data of a figure or None, and ``draw``."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from minerva_select.errors import InputError, unknown_name
from minerva_select.report.figures import contributions, effects, pair_map, pairs, path, stability, training
from minerva_select.report.figures.theme import DARK, LIGHT
from minerva_select.results import Selection

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["DARK", "KINDS", "LIGHT", "figure", "has"]

_MODULES: dict[str, ModuleType] = {
    "contributions": contributions,
    "effects": effects,
    "pair_map": pair_map,
    "path": path,
    "pairs": pairs,
    "training": training,
    "stability": stability,
}
KINDS = tuple(_MODULES)

_NEEDS = {
    "contributions": "it needs a selected feature with a contribution or a weight",
    "effects": "it needs the effects of kept features, which MinervaSelector measures for one target",
    "pair_map": "it needs the effects of two kept features whose interaction was measured",
    "path": "it needs two sets whose information was measured",
    "pairs": "it needs two selected features whose interaction was measured",
    "training": "it needs a training history",
    "stability": "it needs a repeated fit",
}


def figure(selection: Selection, kind: str, *, dark: bool = False) -> go.Figure:
    """Draw a figure of a selection; see :meth:`minerva_select.results.Selection.plot`."""
    data = _read(selection, kind)
    if data is None:
        known = ", ".join(repr(other) for other in KINDS if has(selection, other)) or "none"
        raise InputError(f"This selection has no data for the figure {kind!r}: {_NEEDS[kind]}; available: {known}.")
    drawn: go.Figure = _MODULES[kind].draw(data, DARK if dark else LIGHT)
    return drawn


def has(selection: Selection, kind: str) -> bool:
    """Whether a selection has data for a figure."""
    return _read(selection, kind) is not None


def _read(selection: Selection, kind: str) -> Any:
    if kind not in _MODULES:
        raise unknown_name("figure", kind, KINDS)
    return _MODULES[kind].read(selection)
