"""What a reader should see in a chart at once, in a sentence beside it."""

from __future__ import annotations

from minerva_select.results import FeatureResult, Selection
from minerva_select.text import feature_order, formatting

_MUCH = 0.25  # of the information found, told alone
_LITTLE = 0.2  # of what a feature tells alone, added to the others


def remark(selection: Selection, kind: str) -> str:
    """Say what stands out in a chart, or why there is none; empty where there is nothing to say.

    Examples
    --------
    >>> from minerva_select.results import PathPoint
    >>> path = (PathPoint(1, ("a",), 0.5, 0.48, 0.52),)
    >>> remark(Selection("y", (), None, None, n_rows=100, path=path), "path")
    'Only one set was measured, 1 feature with 0.500 nats, so there is no curve to draw.'
    """
    if kind == "contributions":
        return _repeating(selection)
    return _single(selection) if kind == "path" else ""


def _repeating(selection: Selection) -> str:
    """Name the kept features with short bars that tell much alone."""
    digits, found = feature_order.digits_for(selection), selection.mutual_information
    repeating = [result for result in selection.features if found is not None and _repeats(result, found.nats)]
    if not repeating:
        return ""
    names = [result.feature for result in repeating]
    tells = [formatting.amount(result.marginal_nats, digits) for result in repeating]
    most = formatting.amount(max(result.contribution_nats or 0.0 for result in repeating), digits)
    if len(repeating) == 1:
        return f"{formatting.spoken(names)} repeats what others tell: alone it tells {tells[0]} nats, and adds {most}."
    mutual = any({pair.first, pair.second} == set(names) and pair.high < 0 for pair in selection.pairs)
    what = "each other" if mutual else "what other kept features tell"
    alone = f"{formatting.spoken(tells)} nats" if len(tells) <= 3 else f"at least {min(tells)} nats each"
    none = "neither" if len(names) == 2 else "none"
    return f"{formatting.spoken(names)} repeat {what}: alone they tell {alone}, and {none} adds more than {most}."


def _repeats(result: FeatureResult, found: float) -> bool:
    alone, adds = result.marginal_nats, result.contribution_nats
    if not result.selected or alone is None or adds is None:
        return False
    return alone >= _MUCH * found > 0 and adds <= _LITTLE * alone


def _single(selection: Selection) -> str:
    if len(selection.path) != 1:
        return ""
    (point,) = selection.path
    features = f"{point.n_features:,} {'feature' if point.n_features == 1 else 'features'}"
    nats = formatting.amount(point.nats, feature_order.digits_for(selection))
    return f"Only one set was measured, {features} with {nats} nats, so there is no curve to draw."
