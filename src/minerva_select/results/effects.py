"""How the target goes with each kept feature."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.codes import BinKind, EffectShape
from minerva_select.results.parsing import ParseError


@dataclass(frozen=True)
class EffectBin:
    """Rows with similar values of a feature: an interval, one value, one or several levels, or missing values.

    Attributes
    ----------
    kind : BinKind
        What the rows have in common.
    n_rows : int
        Number of rows.
    share : float
        Share of all rows, by weight.
    low, high : float, optional
        Smallest and largest value of an interval; the value itself if there is only one.
    level : str, optional
        Label of a level.
    n_levels : int
        Number of levels; rare ones share a bin.

    Examples
    --------
    >>> EffectBin(BinKind.INTERVAL, n_rows=250, share=0.25, low=10.0, high=20.0).kind == "interval"
    True
    """

    kind: BinKind
    n_rows: int
    share: float  # of all rows, by weight
    low: float | None = None  # smallest and largest value of an interval; the value itself if there is only one
    high: float | None = None
    level: str | None = None
    n_levels: int = 1  # rare levels that share the bin


@dataclass(frozen=True)
class EffectPoint:
    """Share of a class, or mean of the target, with its 95% interval.

    Attributes
    ----------
    value : float
        The share or the mean.
    low, high : float
        Ends of the 95% interval.

    Examples
    --------
    >>> EffectPoint(0.12, low=0.10, high=0.15).value
    0.12
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class EffectCurve:
    """One class, or the mean of a numeric target, by the bins of a feature.

    Attributes
    ----------
    observed : tuple of EffectPoint
        One point per bin, as observed.
    adjusted : tuple of EffectPoint or None
        Given the other kept features; None for a bin that could not be measured, empty if nothing was measured.
    shape : EffectShape, optional
        Whether the target rises or falls for certain.

    Examples
    --------
    >>> curve = EffectCurve((EffectPoint(0.1, 0.08, 0.12), EffectPoint(0.3, 0.26, 0.34)), shape=EffectShape.INCREASING)
    >>> [point.value for point in curve.observed]
    [0.1, 0.3]
    """

    observed: tuple[EffectPoint, ...]
    adjusted: tuple[EffectPoint | None, ...] = ()  # given the other kept features; empty if it was not measured
    shape: EffectShape | None = None


@dataclass(frozen=True)
class FeatureEffect:
    """How the target goes with one feature.

    Attributes
    ----------
    feature : str
        Name of the feature.
    bins : tuple of EffectBin
        Intervals or levels of the feature.
    curves : tuple of EffectCurve
        One per outcome.

    Examples
    --------
    >>> bins = (EffectBin(BinKind.LEVEL, 60, 0.6, level="NL"), EffectBin(BinKind.LEVEL, 40, 0.4, level="IT"))
    >>> curve = EffectCurve((EffectPoint(0.1, 0.05, 0.15), EffectPoint(0.3, 0.2, 0.4)))
    >>> effect = FeatureEffect("country", bins, (curve,))
    >>> {bin_.level: point.value for bin_, point in zip(effect.bins, effect.curves[0].observed)}
    {'NL': 0.1, 'IT': 0.3}
    """

    feature: str
    bins: tuple[EffectBin, ...]
    curves: tuple[EffectCurve, ...]  # one per outcome


@dataclass(frozen=True)
class PairMap:
    """Share of a class, or mean of the target, by the bins of two features.

    Attributes
    ----------
    first, second : str
        Names of the features.
    outcome : int
        Index of the outcome in ``Effects.outcomes``.
    first_bins, second_bins : tuple of EffectBin
        Bins of the features.
    values : tuple of tuple of float or None
        Share or mean by bin of the first, then of the second feature; None without rows.
    n_rows : tuple of tuple of int
        Number of rows, in the same order.

    Examples
    --------
    >>> bins = tuple(EffectBin(BinKind.VALUE, 50, 0.5, low=value, high=value) for value in (0.0, 1.0))
    >>> pair = PairMap("a", "b", 0, bins, bins, values=((0.1, 0.9), (0.9, 0.1)), n_rows=((25, 25), (25, 25)))
    >>> pair.values[0][1]
    0.9
    """

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

    Attributes
    ----------
    outcomes : tuple of str
        Classes whose shares are measured; empty for a numeric target, whose mean is measured.
    overall : tuple of float
        Share of each outcome in all rows, or the mean of the target.
    features : tuple of FeatureEffect
        One per kept feature, strongest first.
    n_rows : int
        Number of rows of the sample of the table that was used.
    pair : PairMap, optional
        Map of the pair with the strongest interaction.

    Examples
    --------
    >>> bins = (EffectBin(BinKind.LEVEL, 60, 0.6, level="NL"), EffectBin(BinKind.LEVEL, 40, 0.4, level="IT"))
    >>> curve = EffectCurve((EffectPoint(0.1, 0.05, 0.15), EffectPoint(0.3, 0.2, 0.4)))
    >>> effects = Effects(("fraud",), (0.18,), (FeatureEffect("country", bins, (curve,)),), n_rows=100)
    >>> effects.of("country").bins[1].level
    'IT'
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
