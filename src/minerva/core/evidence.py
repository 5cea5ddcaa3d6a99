"""Means over rows with their errors, and tests that hold their level over many features."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva.core.bounds import donsker_varadhan

Z_95 = 1.959964


@dataclass(frozen=True)
class Evidence:
    """A weighted mean over rows and its standard error."""

    mean: float
    error: float

    @property
    def z(self) -> float:
        """The mean in standard errors; 0 where every row says exactly 0."""
        return self.mean / self.error if self.error > 0 else math.inf * self.mean if self.mean else 0.0

    @property
    def p_value(self) -> float:
        """One-sided probability of so large a mean if the truth is 0."""
        return 0.5 * math.erfc(self.z / math.sqrt(2.0))

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval."""
        return self.mean - Z_95 * self.error, self.mean + Z_95 * self.error


def weigh(values: Tensor, weights: Tensor) -> Evidence:
    """Evidence of a value a row."""
    values, weights = values.double(), weights.double()
    total = weights.sum()
    mean = (values * weights).sum() / total
    error = ((weights * (values - mean)) ** 2).sum().sqrt() / total
    return Evidence(float(mean), float(error))


def weigh_bound(joint_scores: Tensor, marginal_scores: Tensor) -> Evidence:
    """Donsker-Varadhan's bound with its standard error, that of the logarithm by the delta method."""
    joint, ratio = joint_scores.double(), (marginal_scores.double() - marginal_scores.double().max()).exp()
    n_rows = len(joint)
    variance = joint.var() / n_rows + ratio.var() / ratio.mean() ** 2 / n_rows
    return Evidence(float(donsker_varadhan(joint, marginal_scores.double())), float(variance.sqrt()))


def holm(p_values: list[float], level: float, n_tests: int | None = None) -> list[bool]:
    """Which hypotheses fall at a family-wise level, by Holm's steps; ``n_tests`` counts those not listed too.

    Examples
    --------
    >>> holm([0.001, 0.04, 0.03], level=0.05)
    [True, False, False]
    """
    n_tests = len(p_values) if n_tests is None else n_tests
    fallen = [False] * len(p_values)
    for place, index in enumerate(torch.tensor(p_values, dtype=torch.float64).argsort(stable=True).tolist()):
        if p_values[index] > level / (n_tests - place):
            break
        fallen[index] = True
    return fallen
