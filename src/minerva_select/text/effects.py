"""Words, arrows and sparklines for how the target goes with a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minerva_select.codes import BinKind, EffectShape
from minerva_select.text.effect_values import format_outcome, label_bins
from minerva_select.text.formatting import printable

if TYPE_CHECKING:
    from minerva_select.results import Selection
    from minerva_select.results.effects import EffectBin, EffectCurve, EffectPoint, Effects, FeatureEffect

NO_EFFECTS = (
    "This selection has no effects. A fit of MinervaSelector with one target measures them; other methods and "
    "version 0.1 do not."
)

NONE_CERTAIN = "none certain"

_SHAPES = {
    EffectShape.INCREASING: "rises",
    EffectShape.DECREASING: "falls",
    EffectShape.VARYING: "varies",
    EffectShape.FLAT: "no certain change",
}
_ARROWS = {EffectShape.INCREASING: "↗", EffectShape.DECREASING: "↘"}
_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKS = 8  # characters of a sparkline


def outcome_name(selection: Selection, outcome: int = 0, limit: int = 40) -> str:
    """Name what is measured: the share of a class, or the mean of the target."""
    target, effects = printable(selection.target, limit), selection.effects
    if effects is None or not effects.outcomes:
        return f"mean of {target}"
    return f"share of {target} = {printable(effects.outcomes[outcome], limit)}"


def describe_effect_column(selection: Selection) -> str:
    """Say what the effects in a table are effects on; empty if there are none."""
    effects = selection.effects
    if effects is None or not effects.features:
        return ""
    several = len(effects.outcomes) > 1
    what = f"share of the named class of {printable(selection.target, 40)}" if several else outcome_name(selection)
    is_adjusted = any(curve.adjusted for one in effects.features for curve in one.curves)
    return f"Effect: {what}, {'given the other kept features' if is_adjusted else 'as observed'}."


def describe_shape(shape: EffectShape | None) -> str:
    """Say how the target changes with a feature; empty if it was not measured."""
    return "" if shape is None else _SHAPES[shape]


def arrow(shape: EffectShape | None) -> str:
    """An arrow if the target certainly rises or falls with a feature; empty otherwise."""
    return "" if shape is None else _ARROWS.get(shape, "")


def main_points(curve: EffectCurve) -> Sequence[EffectPoint | None]:
    """The points that a short display shows: given the other features, or as observed if that was not measured."""
    return curve.adjusted or curve.observed


def strongest_outcome(effect: FeatureEffect) -> int:
    """Index of the outcome that changes most with a feature."""

    def spread(curve: EffectCurve) -> float:
        values = [point.value for point in main_points(curve) if point is not None]
        return max(values) - min(values) if values else 0.0

    return max(range(len(effect.curves)), key=lambda k: spread(effect.curves[k]))


def is_ordered(bins: Sequence[EffectBin]) -> bool:
    """Whether the bins are numbers in ascending order, except for missing values."""
    return all(one.kind in (BinKind.INTERVAL, BinKind.VALUE, BinKind.MISSING) for one in bins)


def sparkline(effect: FeatureEffect, outcome: int) -> str:
    """The curve of a numeric feature in a few characters; empty for levels, and without a certain change."""
    curve = effect.curves[outcome]
    if not is_ordered(effect.bins) or curve.shape in (None, EffectShape.FLAT):
        return ""
    pairs = zip(effect.bins, main_points(curve), strict=True)
    values = [point.value for one, point in pairs if one.kind is not BinKind.MISSING and point is not None]
    if len(values) < 2:
        return ""
    n_sparks = min(_SPARKS, len(values))
    chosen = [values[round(k * (len(values) - 1) / (n_sparks - 1))] for k in range(n_sparks)]
    low, high = min(chosen), max(chosen)
    width = (high - low) or 1.0
    return "".join(_BLOCKS[round((value - low) / width * (len(_BLOCKS) - 1))] for value in chosen)


def summarize_effect(effects: Effects | None, feature: str, *, with_sparkline: bool = True) -> str:
    """Summarize the effect of a feature in a few characters; empty if it was not measured."""
    effect = None if effects is None else effects.of(feature)
    if effects is None or effect is None:
        return ""
    outcome = strongest_outcome(effect)
    shape = effect.curves[outcome].shape
    parts = [sparkline(effect, outcome)] if with_sparkline else []
    if shape is EffectShape.VARYING and not is_ordered(effect.bins):
        parts.append(f"most: {_highest_level(effect, outcome)}")
    elif shape is EffectShape.FLAT:
        parts.append(NONE_CERTAIN)
    elif with_sparkline:
        parts.append(arrow(shape))
    else:
        parts += [describe_shape(shape), arrow(shape)]
    if len(effects.outcomes) > 1 and shape is not EffectShape.FLAT:
        parts.insert(0, f"{printable(effects.outcomes[outcome], 10)}:")
    return " ".join(filter(None, parts))


def _highest_level(effect: FeatureEffect, outcome: int) -> str:
    pairs = zip(effect.bins, main_points(effect.curves[outcome]), strict=True)
    known = [(point.value, one) for one, point in pairs if point is not None]
    return printable(label_bins([max(known, key=lambda pair: pair[0])[1]])[0], 12) if known else ""


def point_text(point: EffectPoint | None, span: float, *, is_share: bool) -> str:
    """A point with its interval."""
    if point is None:
        return ""
    value, low, high = (format_outcome(x, span, is_share=is_share) for x in (point.value, point.low, point.high))
    return f"{value} ({low} to {high})"


def value_span(curves: Sequence[EffectCurve]) -> float:
    """Range of all points, which decides their digits."""
    values = [point.value for curve in curves for point in (*curve.observed, *curve.adjusted) if point is not None]
    return max(values) - min(values) if values else 0.0
