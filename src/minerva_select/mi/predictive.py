"""Pointwise information from predictions: class probabilities, or numbers with the residuals of other rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from minerva_select.config import JUDGE
from minerva_select.mi.arrays import ArrayTarget, FoldArrays

_GRID = np.linspace(-8.0, 8.0, 801)
_MIN_SCALE = 1e-3
_MAX_SHAPE_ROWS = 2000  # residuals that give the shape of the distribution
_MIN_PROBABILITY = 1e-9  # of a bin, so that its logarithm is finite
_LOG_NEVER = -50.0  # log prior of bins that do not occur in training


@dataclass(frozen=True, eq=False)
class ResidualDistribution:
    """Residuals of a model on rows that it was not trained on: their local scale, and their shape."""

    centers: NDArray[np.float64]  # ascending predictions
    scales: NDArray[np.float64]  # standard deviation of the residuals near each center
    cumulative: NDArray[np.float64]  # distribution function of scaled residuals, on a grid

    @classmethod
    def fit(
        cls, predicted: NDArray[np.float64], observed: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> ResidualDistribution:
        """Learn scale and shape from predictions of tuning rows."""
        order = np.argsort(predicted, kind="stable")
        residuals = (observed - predicted)[order]
        n_rows = len(order)
        n_near = max(min(n_rows, 20), int(JUDGE.scale_neighbors * n_rows))
        squares = np.concatenate([[0.0], np.cumsum(residuals**2)])
        starts = np.linspace(0, n_rows - n_near, min(32, n_rows - n_near + 1)).astype(np.int64)
        overall = squares[-1] / n_rows
        local = (squares[starts + n_near] - squares[starts]) / n_near
        # A few residuals say little about their scale: mix in those of all rows
        scales = np.sqrt((n_near * local + 10 * overall) / (n_near + 10)).clip(_MIN_SCALE)
        centers = predicted[order][starts + n_near // 2]
        scaled = residuals / np.interp(predicted[order], centers, scales)
        width = 1.06 * min(1.0, float(scaled.std()) or 1.0) * n_rows**-0.2
        shape = slice(None, None, -(-n_rows // _MAX_SHAPE_ROWS))  # regular in the order of predictions
        own = weights[order][shape]
        cumulative = ndtr((_GRID[:, None] - scaled[shape]) / width) @ (own / own.sum())
        cumulative = (1 - JUDGE.wide_share) * cumulative + JUDGE.wide_share * ndtr(_GRID / 3)
        return cls(centers, scales, cumulative)

    def information(
        self, predicted: NDArray[np.float64], bins: NDArray[np.int64], target: ArrayTarget
    ) -> NDArray[np.float64]:
        """Pointwise information log q(bin) / p(bin) of rows with these predictions."""
        scale = np.interp(predicted, self.centers, self.scales)
        upper = self._cumulative((target.edges[bins + 1] - predicted) / scale)
        lower = self._cumulative((target.edges[bins] - predicted) / scale)
        return _information(upper - lower, bins, target)

    def _cumulative(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = np.interp(scaled, _GRID, self.cumulative)
        return np.where(np.isneginf(scaled), 0.0, np.where(np.isposinf(scaled), 1.0, inside))


@dataclass(frozen=True, eq=False)
class PredictionScorer:
    """Pointwise information of rows from what a model predicts for them.

    A number is not a distribution: the residuals of the tuning rows give the distribution around it.
    """

    target: ArrayTarget
    residuals: ResidualDistribution | None  # of a number

    @classmethod
    def fit(cls, predicted: NDArray[np.float64], arrays: FoldArrays, tune: NDArray[np.int64]) -> PredictionScorer:
        """Learn the residuals from predictions of tuning rows, if the target is a number."""
        target = arrays.target
        if target.is_class:
            return cls(target, None)
        observed = target.scores[target.bins[tune]]
        return cls(target, ResidualDistribution.fit(predicted, observed, arrays.weights[tune]))

    def information(
        self, predicted: NDArray[np.float64], classes: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:  # (n_rows,)
        """Pointwise information of rows from probabilities of these classes, or from numbers."""
        bins = self.target.bins[rows]
        if self.residuals is None:
            return class_information(predicted, classes, bins, self.target)
        return self.residuals.information(predicted, bins, self.target)


def class_information(
    probability: NDArray[np.float64], classes: NDArray[np.int64], bins: NDArray[np.int64], target: ArrayTarget
) -> NDArray[np.float64]:
    """Pointwise information of rows from the probability of each class, (n_rows, n_classes)."""
    column = np.full(target.n_bins, -1)
    column[classes] = np.arange(len(classes))
    own = np.where(column[bins] < 0, 0.0, probability[np.arange(len(bins)), column[bins]])
    return _information(own, bins, target)


def _information(probability: NDArray[np.float64], bins: NDArray[np.int64], target: ArrayTarget) -> NDArray[np.float64]:
    """Log q / p of each row; 0 for bins that do not occur in training."""
    log_prior = target.log_prior[bins]
    information = np.log(probability.clip(_MIN_PROBABILITY)) - log_prior
    return np.where(log_prior < _LOG_NEVER, 0.0, information)
