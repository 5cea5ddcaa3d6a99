"""Weighted means with standard errors, and tests that control the family-wise error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from scipy.special import stdtr, stdtrit
from torch import Tensor

from minerva_select.config import INFERENCE
from minerva_select.mi.bounds import donsker_varadhan


@dataclass(frozen=True)
class MeanEstimate:
    """A weighted mean over rows with its standard error.

    ``degrees_of_freedom`` is infinite where the standard error comes from so many rows that it is known.
    """

    mean: float
    standard_error: float
    degrees_of_freedom: float = math.inf

    @property
    def z(self) -> float:
        """The mean in standard errors; 0 if every row has the value 0."""
        if self.standard_error > 0:
            return self.mean / self.standard_error
        return math.inf * self.mean if self.mean else 0.0

    @property
    def p_value(self) -> float:
        """One-sided p-value of a mean above 0, by Student's t distribution."""
        return float(stdtr(self.degrees_of_freedom, -self.z))

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval; always finite."""
        known = math.isinf(self.degrees_of_freedom)
        quantile = INFERENCE.normal_quantile if known else float(stdtrit(self.degrees_of_freedom, 0.975))
        half = min(quantile * self.standard_error, INFERENCE.max_half_width)
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class IntervalEstimate(MeanEstimate):
    """A mean whose interval includes more than its standard error."""

    low: float = 0.0
    high: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval."""
        return self.low, self.high


def estimate_mean(values: Tensor, weights: Tensor, clusters: Tensor | None = None) -> MeanEstimate:
    """Estimate a weighted mean, with a cluster-robust standard error if rows are clustered."""
    values, weights = values.double(), weights.double()
    total = weights.sum()
    mean = (values * weights).sum() / total
    deviations = weights * (values - mean)
    if clusters is not None:
        return _estimate_clustered_mean(mean, deviations, weights, clusters)
    if total**2 < INFERENCE.few_rows * (weights**2).sum() and weights.min() < weights.max():
        # A few heavy rows determine the mean and hardly deviate from it, which would make it look certain
        return _estimate_clustered_mean(mean, deviations, weights, torch.arange(len(weights)).to(weights.device))
    return MeanEstimate(float(mean), float((deviations**2).sum().sqrt() / total))


def _estimate_clustered_mean(mean: Tensor, deviations: Tensor, weights: Tensor, clusters: Tensor) -> MeanEstimate:
    lowest, highest = int(clusters.min()), int(clusters.max())
    if lowest < 0 or highest >= 10 * len(clusters):  # otherwise used as indices: unique() costs four times the sums
        clusters = clusters.unique(return_inverse=True)[1]
        highest = int(clusters.max())
    zeros = torch.zeros(highest + 1, dtype=torch.float64, device=weights.device)
    shares = zeros.scatter_add(0, clusters, weights) / weights.sum()
    degrees_of_freedom = 1.0 / float((shares**2).sum()) - 1.0  # unequal clusters count as fewer equal ones
    if degrees_of_freedom < INFERENCE.min_degrees_of_freedom:
        return MeanEstimate(float(mean), math.inf)
    n_clusters = int((shares > 0).sum())
    squares = (zeros.scatter_add(0, clusters, deviations) ** 2).sum() * n_clusters / (n_clusters - 1)
    return MeanEstimate(float(mean), float(squares.sqrt() / weights.sum()), degrees_of_freedom)


def estimate_bound(joint_scores: Tensor, marginal_scores: Tensor) -> MeanEstimate:
    """Estimate the Donsker-Varadhan bound, with the standard error of its logarithm by the delta method."""
    joint, ratio = joint_scores.double(), (marginal_scores.double() - marginal_scores.double().max()).exp()
    n_rows = len(joint)
    variance = joint.var() / n_rows + ratio.var() / ratio.mean() ** 2 / n_rows
    return MeanEstimate(float(donsker_varadhan(joint, marginal_scores.double())), float(variance.sqrt()))


def holm_bonferroni(p_values: list[float], level: float, n_tests: int | None = None) -> list[bool]:
    """Reject hypotheses at a family-wise level; ``n_tests`` also counts tests that are not listed."""
    n_tests = len(p_values) if n_tests is None else n_tests
    rejected = [False] * len(p_values)
    for k, index in enumerate(torch.tensor(p_values, dtype=torch.float64).argsort(stable=True).tolist()):
        if p_values[index] > level / (n_tests - k):
            break
        rejected[index] = True
    return rejected
