"""Sentences below the charts: what stands out, or why there is no chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import join_names, number

if TYPE_CHECKING:
    from minerva_select.results import FeatureResult, Selection

_MUCH = 0.25  # of the information found, carried alone
_LITTLE = 0.2  # of what a feature carries alone, added to the others


def caption(selection: Selection, kind: str) -> str:
    """Say what stands out in a chart, or why there is none; empty if there is nothing to say.

    Examples
    --------
    >>> from minerva_select.results import PathPoint, Selection
    >>> path = (PathPoint(1, ("a",), 0.5, 0.48, 0.52),)
    >>> caption(Selection("y", (), None, None, n_rows=100, path=path), "path")
    'Only one set was measured, 1 feature with 0.500 nats, so there is no curve to draw.'
    """
    if kind == "contributions":
        return _redundant(selection)
    return _single_point(selection) if kind == "path" else ""


def _redundant(selection: Selection) -> str:
    """Name kept features that carry much alone but add little."""
    digits, found = digits_for(selection), selection.mutual_information
    redundant = [result for result in selection.features if found is not None and _is_redundant(result, found.nats)]
    if not redundant:
        return ""
    names = [result.feature for result in redundant]
    marginals = [number(result.marginal_nats, digits) for result in redundant]
    most = number(max(result.contribution_nats or 0.0 for result in redundant), digits)
    if len(redundant) == 1:
        return f"{join_names(names)} repeats other features: it carries {marginals[0]} nats alone and adds {most}."
    mutual = any({pair.first, pair.second} == set(names) and pair.high < 0 for pair in selection.pairs)
    what = "each other" if mutual else "other kept features"
    alone = f"{join_names(marginals)} nats" if len(marginals) <= 3 else f"at least {min(marginals)} nats each"
    none = "neither" if len(names) == 2 else "none"
    return f"{join_names(names)} repeat {what}: they carry {alone} alone, and {none} adds more than {most}."


def _is_redundant(result: FeatureResult, found: float) -> bool:
    marginal, adds = result.marginal_nats, result.contribution_nats
    if not result.selected or marginal is None or adds is None:
        return False
    return marginal >= _MUCH * found > 0 and adds <= _LITTLE * marginal


def _single_point(selection: Selection) -> str:
    if len(selection.path) != 1:
        return ""
    (point,) = selection.path
    features = f"{point.n_features:,} {'feature' if point.n_features == 1 else 'features'}"
    nats = number(point.nats, digits_for(selection))
    return f"Only one set was measured, {features} with {nats} nats, so there is no curve to draw."
