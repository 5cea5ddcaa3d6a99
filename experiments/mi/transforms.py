"""Injective maps of a side, which leave the mutual information unchanged."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from mi.distributions import Distribution, Floats

Map = Callable[[Floats], Floats]
N_BISECTIONS = 60


def transform(distribution: Distribution, map_x: Map, map_y: Map | None = None) -> Distribution:
    """Apply a map to each side; without ``map_y`` the same one to both."""

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        x, y = distribution.draw(n_rows, rng)
        return map_x(x), (map_y or map_x)(y)

    probe = draw(1, np.random.default_rng(0))
    return Distribution(probe[0].shape[1], probe[1].shape[1], distribution.information, draw)


def identity(values: Floats) -> Floats:
    return values


def half_cube(values: Floats) -> Floats:
    """The power 3/2 of the size, with the sign of the value."""
    return np.sign(values) * np.abs(values) ** 1.5


def wiggly_x(x: Floats) -> Floats:
    """An increasing sum of a line and three waves, and :func:`wiggly_y` another one."""
    return x + 0.4 * np.sin(x) + 0.2 * np.sin(1.7 * x + 1) + 0.03 * np.sin(3.3 * x - 2.5)


def wiggly_y(y: Floats) -> Floats:
    return y - 0.4 * np.sin(0.4 * y) + 0.17 * np.sin(1.3 * y + 3.5) + 0.02 * np.sin(4.3 * y - 2.5)


def bimodal(share: float, left: float, right: float) -> Map:
    """Map normal values to a mixture of two normal distributions, by the inverse of its distribution function."""

    def map_values(values: Floats) -> Floats:
        probability = ndtr(values)
        low, high = np.full_like(values, left - 10.0), np.full_like(values, right + 10.0)
        for _ in range(N_BISECTIONS):
            middle = (low + high) / 2
            is_below = share * ndtr(middle - left) + (1 - share) * ndtr(middle - right) < probability
            low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
        return (low + high) / 2

    return map_values


def swiss_roll(values: Floats) -> Floats:  # (n_rows, 2)
    """Roll up one column of values in [0, 1] in the plane."""
    angle = 1.5 * np.pi * (1 + 2 * values)
    return np.hstack([angle * np.cos(angle), angle * np.sin(angle)]) / 21


def spiral(first: int) -> Map:
    """Rotate each row in the plane of two neighboring columns, by its squared norm over the number of columns."""

    def map_values(values: Floats) -> Floats:
        angle = (values**2).sum(axis=1) / values.shape[1]
        a, b = values[:, first], values[:, first + 1]
        rotated = values.copy()
        rotated[:, first] = np.cos(angle) * a - np.sin(angle) * b
        rotated[:, first + 1] = np.sin(angle) * a + np.cos(angle) * b
        return rotated

    return map_values
