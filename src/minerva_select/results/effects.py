"""How the target goes with each kept feature."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.codes import BinKind, EffectShape
from minerva_select.results.parsing import ParseError


@dataclass(frozen=True)
class EffectBin:
    """Rows with similar values of a feature: an interval, one value, one or several levels, or missing values."""

    kind: BinKind
    n_rows: int
    share: float  # of all rows, by weight
    low: float | None = None  # smallest and largest value of an interval; the value itself if there is only one
    high: float | None = None
    level: str | None = None
    n_levels: int = 1  # rare levels that share the bin


@dataclass(frozen=True)
class EffectPoint:
    """Share of a class, or mean of the target, with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class EffectCurve:
    """One class, or the mean of a numeric target, by the bins of a feature."""

    observed: tuple[EffectPoint, ...]
    adjusted: tuple[EffectPoint | None, ...] = ()  # given the other kept features; empty if it was not measured
    shape: EffectShape | None = None


@dataclass(frozen=True)
class FeatureEffect:
    """How the target goes with one feature."""

    feature: str
    bins: tuple[EffectBin, ...]
    curves: tuple[EffectCurve, ...]  # one per outcome


@dataclass(frozen=True)
class PairMap:
    """Share of a class, or mean of the target, by the bins of two features."""

    first: str
    second: str
    outcome: int  # index of the outcome
    first_bins: tuple[EffectBin, ...]
    second_bins: tuple[EffectBin, ...]
    values: tuple[tuple[float | None, ...], ...]  # by bin of the first, then of the second; None without rows
    n_rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Effects:
    """How the target goes with the kept features, strongest first.

    ``outcomes`` are the classes whose shares are measured: the second one of two classes, and of more the ones whose
    shares change most. It is empty for a numeric target, whose mean is measured.
    """

    outcomes: tuple[str, ...]
    overall: tuple[float, ...]  # share of each outcome in all rows, or the mean of the target
    features: tuple[FeatureEffect, ...]
    n_rows: int  # of the sample of the table that was used
    pair: PairMap | None = None  # the pair with the strongest interaction

    def of(self, feature: str) -> FeatureEffect | None:
        """The effect of one feature; None if it was not measured."""
        return next((effect for effect in self.features if effect.feature == feature), None)


def check_effects(effects: Effects | None) -> None:
    """Raise if the numbers of bins, curves and outcomes do not agree."""
    if effects is None:
        return
    n_curves = len(effects.overall)
    if n_curves != max(1, len(effects.outcomes)):
        raise ParseError("effects.overall must have one number per outcome")
    for k, effect in enumerate(effects.features):
        n_bins, curves = len(effect.bins), effect.curves
        sizes = {len(curve.observed) for curve in curves} | {len(curve.adjusted) or n_bins for curve in curves}
        if len(curves) != n_curves or sizes - {n_bins}:
            raise ParseError(f"effects.features[{k}] must have a curve per outcome, each with a point per bin")
    pair = effects.pair
    if pair is not None:
        shape = [len(pair.second_bins)] * len(pair.first_bins)
        if [len(row) for row in pair.values] != shape or [len(row) for row in pair.n_rows] != shape:
            raise ParseError("effects.pair must have a value and a number of rows for each pair of bins")
        if not 0 <= pair.outcome < n_curves:
            raise ParseError("effects.pair.outcome must be the index of an outcome")
