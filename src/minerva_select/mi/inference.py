"""Means over rows with their errors, and tests that hold their level over many features."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.mi.bounds import donsker_varadhan
from minerva_select.mi.student import student_quantile, student_tail

Z_95 = 1.959964
LEAST_FREEDOM = 1e-3  # one cluster with nearly all the weight says nothing of how others would differ
WIDEST = 1e3  # nats to either side of a mean of which nothing is known; a file has no place for infinity
FEW_ROWS = 30  # of equal weight, worth as much as those given: the error is then uncertain itself


@dataclass(frozen=True)
class MeanEstimate:
    """A weighted mean over rows and its standard error.

    ``freedom`` counts the independent deviations that the error was measured from; infinite where they are so many that
    the error is as good as known.
    """

    mean: float
    standard_error: float
    degrees_of_freedom: float = math.inf

    @property
    def z(self) -> float:
        """The mean in standard errors; 0 where every row says exactly 0."""
        return (
            self.mean / self.standard_error if self.standard_error > 0 else math.inf * self.mean if self.mean else 0.0
        )

    @property
    def p_value(self) -> float:
        """One-sided probability of so large a mean if the truth is 0."""
        return student_tail(self.z, self.degrees_of_freedom)

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval, of a finite width always."""
        half = (
            Z_95 if math.isinf(self.degrees_of_freedom) else student_quantile(0.025, self.degrees_of_freedom)
        ) * self.standard_error
        half = min(half, WIDEST)
        return self.mean - half, self.mean + half


def estimate_mean(values: Tensor, weights: Tensor, clusters: Tensor | None = None) -> MeanEstimate:
    """Evidence of a value a row, where rows of different clusters are independent (without clusters: all rows).

    Parameters
    ----------
    values, weights : Tensor, shape (n_rows,)
        The value of each row and how much it counts.
    clusters : Tensor of int, shape (n_rows,), optional
        Number of the group that each row is of, any whole numbers. Rows of a group may say the same thing over and
        over: the error then comes from sums over groups, and few groups make it uncertain itself.

    Examples
    --------
    Rows that come twice are worth no more than once, if they are known to belong together:

    >>> import torch
    >>> values, pairs = torch.tensor([1.0, 1.0, 2.0, 2.0, 6.0, 6.0]), torch.tensor([0, 0, 1, 1, 2, 2])
    >>> once, twice = estimate_mean(values[::2], torch.ones(3), pairs[::2]), estimate_mean(values, torch.ones(6), pairs)
    >>> once == twice, round(estimate_mean(values, torch.ones(6)).standard_error / twice.standard_error, 3)
    (True, 0.577)
    """
    values, weights = values.double(), weights.double()
    total = weights.sum()
    mean = (values * weights).sum() / total
    if clusters is not None:
        return _estimate_clustered_mean(mean, weights * (values - mean), weights, clusters)
    if total**2 < FEW_ROWS * (weights**2).sum() and weights.min() < weights.max():
        # The mean is that of few heavy rows, from which they cannot deviate: by itself it would seem certain
        return _estimate_clustered_mean(
            mean, weights * (values - mean), weights, torch.arange(len(weights)).to(weights.device)
        )
    error = ((weights * (values - mean)) ** 2).sum().sqrt() / total
    return MeanEstimate(float(mean), float(error))


def _estimate_clustered_mean(mean: Tensor, deviations: Tensor, weights: Tensor, clusters: Tensor) -> MeanEstimate:
    lowest, highest = int(clusters.min()), int(clusters.max())
    if lowest < 0 or highest >= 10 * len(clusters):  # else take them as places: naming anew costs four times the sums
        clusters = clusters.unique(return_inverse=True)[1]
        highest = int(clusters.max())
    nothing = torch.zeros(highest + 1, dtype=torch.float64, device=weights.device)
    shares = nothing.scatter_add(0, clusters, weights) / weights.sum()
    freedom = 1.0 / float((shares**2).sum()) - 1.0  # clusters of unequal weight are worth fewer of equal weight
    if freedom < LEAST_FREEDOM:
        return MeanEstimate(float(mean), math.inf)
    n_clusters = int((shares > 0).sum())
    squares = (nothing.scatter_add(0, clusters, deviations) ** 2).sum() * n_clusters / (n_clusters - 1)
    return MeanEstimate(float(mean), float(squares.sqrt() / weights.sum()), freedom)


def estimate_bound(joint_scores: Tensor, marginal_scores: Tensor) -> MeanEstimate:
    """Donsker-Varadhan's bound with its standard error, that of the logarithm by the delta method."""
    joint, ratio = joint_scores.double(), (marginal_scores.double() - marginal_scores.double().max()).exp()
    n_rows = len(joint)
    variance = joint.var() / n_rows + ratio.var() / ratio.mean() ** 2 / n_rows
    return MeanEstimate(float(donsker_varadhan(joint, marginal_scores.double())), float(variance.sqrt()))


def holm_bonferroni(p_values: list[float], level: float, n_tests: int | None = None) -> list[bool]:
    """Which hypotheses fall at a family-wise level, by Holm's steps; ``n_tests`` counts those not listed too.

    Examples
    --------
    >>> holm_bonferroni([0.001, 0.04, 0.03], level=0.05)
    [True, False, False]
    """
    n_tests = len(p_values) if n_tests is None else n_tests
    fallen = [False] * len(p_values)
    for place, index in enumerate(torch.tensor(p_values, dtype=torch.float64).argsort(stable=True).tolist()):
        if p_values[index] > level / (n_tests - place):
            break
        fallen[index] = True
    return fallen
