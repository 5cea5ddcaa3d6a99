"""Scores of predictions with their derivatives by the weights of the rows, from which intervals follow.

If a row had a little more weight, the score would change by its derivative. The variance of a score is the sum over
rows (or clusters of rows) of the squares of weight times derivative, the infinitesimal jackknife; that of a difference
of two scores of the same rows takes the difference of the derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Score(NamedTuple):
    """A score of weighted rows."""

    value: float
    derivatives: Floats  # (n_rows,) by the weight of each row

    def __sub__(self, other: Score) -> Score:
        return Score(self.value - other.value, self.derivatives - other.derivatives)


def standard_error(score: Score, weights: Floats, clusters: NDArray[np.int64] | None = None) -> float:
    """Standard error over independent rows, or clusters of rows."""
    changes = weights * score.derivatives
    if clusters is not None:
        changes = np.bincount(clusters, changes).astype(np.float64)
    return float(np.sqrt((changes**2).sum()))


def average(scores: list[Score], weights: list[Floats]) -> Score:
    """Mean score of several parts of the rows, by their weight; derivatives of all rows in this order."""
    shares = np.array([own.sum() for own in weights])
    shares = shares / shares.sum()
    value = float(shares @ [score.value for score in scores])
    parts = [share * score.derivatives for share, score in zip(shares, scores, strict=True)]
    return Score(value, np.concatenate(parts))


def r_squared(predicted: Floats, y: Floats, weights: Floats) -> Score:
    """Share of the variance that predictions explain; 0 if there is none."""
    squares = (y - np.average(y, weights=weights)) ** 2
    errors, total = (y - predicted) ** 2, float(weights @ squares)
    if total <= 0:
        return Score(0.0, np.zeros(len(y)))
    lost = float(weights @ errors) / total
    return Score(1.0 - lost, (lost * squares - errors) / total)


def roc_auc(predicted: Floats, is_positive: NDArray[np.bool_], weights: Floats) -> Score:
    """Probability that a positive is ranked above a negative; ties count half."""
    place, hits, misses = _steps(predicted, is_positive, weights)
    n_hits, n_misses = hits.sum(), misses.sum()
    below, above = (np.cumsum(misses) - misses / 2) / n_misses, (n_hits - np.cumsum(hits) + hits / 2) / n_hits
    value = float(hits @ below / n_hits)
    changes = np.where(is_positive, (below[place] - value) / n_hits, (above[place] - value) / n_misses)
    return Score(value, changes)


def average_precision(predicted: Floats, is_positive: NDArray[np.bool_], weights: Floats) -> Score:
    """Area under the curve of precision by recall, as a mean of the precision at each positive."""
    place, hits, misses = _steps(predicted, is_positive, weights)
    n_hits, found = hits.sum(), np.cumsum(hits[::-1])[::-1]
    seen = np.maximum(found + np.cumsum(misses[::-1])[::-1], np.finfo(float).tiny)
    precision = found / seen
    value = float(hits @ precision / n_hits)
    gain, loss = np.cumsum(hits / seen), np.cumsum(hits * precision / seen)  # of the thresholds up to each step
    changes = np.where(is_positive, precision[place] - value + gain[place], 0.0) - loss[place]
    return Score(value, changes / n_hits)


def macro_roc_auc(probabilities: Floats, classes: NDArray[np.int64], weights: Floats) -> Score:
    """Mean of the area under the ROC curve of each class against the others, over the classes that occur."""
    present = np.unique(classes)
    scores = [roc_auc(probabilities[:, k], classes == k, weights) for k in present]
    return Score(float(np.mean([one.value for one in scores])), np.mean([one.derivatives for one in scores], axis=0))


def _steps(
    predicted: Floats, is_positive: NDArray[np.bool_], weights: Floats
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The step of each row among the distinct predictions, ascending, and the positives and negatives of each step."""
    distinct, place = np.unique(predicted, return_inverse=True)
    hits = np.bincount(place, weights * is_positive, len(distinct)).astype(np.float64)
    return place.astype(np.int64), hits, np.bincount(place, weights, len(distinct)).astype(np.float64) - hits
