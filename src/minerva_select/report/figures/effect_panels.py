"""The data of the effects figure: one panel per feature, and a common axis for the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minerva_select.codes import BinKind, Conversion
from minerva_select.report.figures.cells import Cell
from minerva_select.results import FeatureEffect, Selection
from minerva_select.text.effects import is_ordered

MOST = 30  # features; a browser draws so many in a second

_MIN_SHARE = 0.01  # of the rows; smaller bins do not widen the axis of the target
_MARGIN = 0.06  # of the range of the target, on both sides
_MISSING_GAP = 0.6  # steps between the last number and the missing values

_NUMBERS = Cell(left=0.17, right=0.07)
_LEVELS = Cell(left=0.38, right=0.07)


@dataclass(frozen=True)
class Panel:
    """One feature: its bins in drawing order, with the place of each on its axis."""

    effect: FeatureEffect
    places: tuple[float, ...]
    conversion: Conversion | None

    @property
    def is_ordered(self) -> bool:
        """Whether the bins are numbers, drawn from left to right; levels are drawn from top to bottom."""
        return is_ordered(self.effect.bins)

    @property
    def cell(self) -> Cell:
        """The space of its labels."""
        return _NUMBERS if self.is_ordered else _LEVELS


@dataclass(frozen=True)
class EffectPanels:
    """Panels with a common axis for the target."""

    panels: tuple[Panel, ...]
    outcomes: tuple[str, ...]
    overall: tuple[float, ...]
    limits: tuple[float, float]
    n_left_out: int  # kept features without a panel

    @property
    def is_share(self) -> bool:
        """Whether shares of classes are shown; otherwise the mean of a numeric target."""
        return bool(self.outcomes)

    @property
    def span(self) -> float:
        """Range of the target, which decides the digits of its values."""
        return self.limits[1] - self.limits[0]


def read(selection: Selection) -> EffectPanels | None:
    """The measured effects, strongest feature first; None if there are none."""
    effects = selection.effects
    if effects is None or not effects.features:
        return None
    conversions = {result.feature: result.conversion for result in selection.features}
    panels = tuple(Panel(one, _places(one), conversions[one.feature]) for one in effects.features[:MOST])
    limits = _limits(effects.features, effects.overall, is_share=bool(effects.outcomes))
    n_left_out = len({*selection.selected} - {panel.effect.feature for panel in panels})
    return EffectPanels(panels, effects.outcomes, effects.overall, limits, n_left_out)


def _places(effect: FeatureEffect) -> tuple[float, ...]:
    """Places at distance 1, with a gap before missing values."""
    with_gap = is_ordered(effect.bins) and len(effect.bins) > 1
    return tuple(
        k + _MISSING_GAP if with_gap and one.kind is BinKind.MISSING else float(k) for k, one in enumerate(effect.bins)
    )


def _limits(effects: Sequence[FeatureEffect], overall: Sequence[float], *, is_share: bool) -> tuple[float, float]:
    """Range of the target: all points of bins with enough rows, and zero if it is near."""
    values = [*overall]
    for effect in effects:
        for curve in effect.curves:
            for points in (curve.observed, curve.adjusted):
                pairs = zip(effect.bins, points, strict=False)
                values += [point.value for one, point in pairs if point is not None and one.share >= _MIN_SHARE]
    low, high = min(values), max(values)
    if is_share and low < 0.5 * high:
        low = 0.0
    margin = _MARGIN * ((high - low) or abs(high) or 1.0)
    return low - margin, high + margin
