"""Joint distributions of two continuous sides, with their mutual information in closed form."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

Floats = NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Distribution:
    """A joint distribution of ``n_x`` and ``n_y`` columns; ``draw`` returns both sides."""

    n_x: int
    n_y: int
    information: float  # nats
    draw: Draw


def normal(covariance: Floats, n_x: int) -> Distribution:
    """Jointly normal columns, the first ``n_x`` of which are the one side.

    I = 1/2 log(det(Cxx) det(Cyy) / det(C)).
    """
    x_block, y_block = covariance[:n_x, :n_x], covariance[n_x:, n_x:]
    log_determinants = [np.linalg.slogdet(block)[1] for block in (x_block, y_block, covariance)]
    root = np.linalg.cholesky(covariance)

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        both = rng.standard_normal((n_rows, len(covariance))) @ root.T
        return both[:, :n_x], both[:, n_x:]

    information = float(log_determinants[0] + log_determinants[1] - log_determinants[2]) / 2
    return Distribution(n_x, len(covariance) - n_x, information, draw)


def dense(n_x: int, n_y: int, correlation: float = 0.5) -> Distribution:
    """Normal columns that all have the same correlation."""
    size = n_x + n_y
    return normal(np.full((size, size), correlation) + (1 - correlation) * np.eye(size), n_x)


def sparse(n_x: int, n_y: int, n_pairs: int = 2, strength: float = 2.0) -> Distribution:
    """Normal columns with ``n_pairs`` dependent pairs: ``strength`` times a common factor plus noise of variance 1."""
    covariance = np.eye(n_x + n_y)
    for k in range(n_pairs):
        covariance[k, n_x + k] = covariance[n_x + k, k] = strength**2 / (1 + strength**2)
    return normal(covariance, n_x)


def student(n_x: int, n_y: int, degrees_of_freedom: int) -> Distribution:
    """Uncorrelated Student columns, which share the scale of a row and are dependent by it alone."""
    n = degrees_of_freedom

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        both = rng.standard_normal((n_rows, n_x + n_y)) / np.sqrt(rng.chisquare(n, size=(n_rows, 1)) / n)
        return both[:, :n_x], both[:, n_x:]

    information = student_entropy(n_x, n) + student_entropy(n_y, n) - student_entropy(n_x + n_y, n)
    return Distribution(n_x, n_y, information, draw)


def student_entropy(n_columns: int, degrees_of_freedom: int) -> float:
    """Differential entropy of the standard Student distribution."""
    half, half_sum = degrees_of_freedom / 2, (degrees_of_freedom + n_columns) / 2
    log_density_at_0 = gammaln(half_sum) - gammaln(half) - n_columns / 2 * math.log(degrees_of_freedom * math.pi)
    return float(half_sum * (digamma(half_sum) - digamma(half)) - log_density_at_0)


def additive(width: float) -> Distribution:
    """x uniform on [0, 1], and y = x plus uniform noise on [-width, width].

    I = h(y) - log(2 width). The density of y is a trapezoid, so h(y) = ``width`` if the noise is narrower than x, and
    log(2 width) + 1 / (4 width) otherwise.
    """

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        x = rng.uniform(size=(n_rows, 1))
        return x, x + rng.uniform(-width, width, size=(n_rows, 1))

    information = width - math.log(2 * width) if width <= 0.5 else 1 / (4 * width)
    return Distribution(1, 1, information, draw)
