"""Paired differences of two methods: over the splits of one table, or over several tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

from scipy.special import stdtrit

from minerva_select.evaluation.leaderboard import Comparison, MethodResult

_UPPER = 0.975  # quantile of a 95% interval


class Measure(StrEnum):
    """What is compared."""

    INFORMATION = "information"  # of the kept features, divided by that of all features
    SCORE = "score"


@dataclass(frozen=True)
class Difference:
    """Mean difference of pairs, with its 95% interval; None for both ends with a single pair."""

    value: float
    low: float | None
    high: float | None
    n_pairs: int


def compare_splits(comparison: Comparison, method: str, reference: str, measure: Measure) -> Difference | None:
    """Mean difference of a method from another one over the splits that both finished; None without such a split.

    The splits share rows, so that their differences are not independent: with n splits and a share q of held-out rows,
    the variance of their mean is 1 + n q / (1 - q) times that of independent ones (Nadeau and Bengio, 2003).

    Examples
    --------
    >>> from minerva_select.evaluation.leaderboard import SplitValues
    >>> one, two = (
    ...     MethodResult(name, name, by_split=tuple(SplitValues(None, score) for score in scores))
    ...     for name, scores in (("a", (0.9, 0.8)), ("b", (0.8, 0.8)))
    ... )
    >>> comparison = Comparison("y", ("x",), 90, 30, "R2", (one, two), MethodResult("all", "all features"))
    >>> round(compare_splits(comparison, "a", "b", Measure.SCORE).value, 3)
    0.05
    """
    rows = {row.method: row for row in (*comparison.results, comparison.all_features)}
    first, second, every = (_by_split(row, measure) for row in (rows[method], rows[reference], comparison.all_features))
    if measure is Measure.INFORMATION:
        first, second = (
            [None if value is None or not total else value / total for value, total in zip(values, every, strict=False)]
            for values in (first, second)
        )
    pairs = [a - b for a, b in zip(first, second, strict=False) if a is not None and b is not None]
    held_out = comparison.n_held_out / comparison.n_rows if comparison.n_rows else 0.0
    overlap = held_out / (1 - held_out) if held_out < 1 else 0.0
    return _mean(pairs, overlap)


def compare_tables(differences: Sequence[float]) -> Difference | None:
    """Mean of the differences on several tables, which are independent; None without any."""
    return _mean(differences, 0.0)


def _by_split(row: MethodResult, measure: Measure) -> list[float | None]:
    return [split.nats if measure is Measure.INFORMATION else split.score for split in row.by_split]


def _mean(pairs: Sequence[float], overlap: float) -> Difference | None:
    if not pairs:
        return None
    value, n = fmean(pairs), len(pairs)
    if n == 1:
        return Difference(value, None, None, 1)
    half = float(stdtrit(n - 1, _UPPER)) * stdev(pairs) * math.sqrt(1 / n + overlap)
    return Difference(value, value - half, value + half, n)
