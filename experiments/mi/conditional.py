"""Conditional information with closed forms: normal columns, discrete tables, and a class that flips a slope."""

import math

import numpy as np
import pandas as pd

from mi.case import Case, Floats, Sample, frame
from mi.discrete import table_case


def normal_case(name: str, covariance: Floats, sides: tuple[list[int], list[int], list[int]], **rest: object) -> Case:
    """Make a case of jointly normal columns at the given positions of X, y and the condition.

    I(X; Y | Z) = 1/2 log(det(C of x, z) det(C of y, z) / (det(C of z) det(C of x, y, z))).
    """
    x, y, z = sides
    log_det = [np.linalg.slogdet(covariance[np.ix_(at, at)])[1] for at in (x + z, y + z, z, x + y + z)]
    root = np.linalg.cholesky(covariance)

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        columns = rng.standard_normal((n_rows, len(covariance))) @ root.T
        return Sample(*(frame(columns[:, at], prefix) for at, prefix in zip(sides, "xyz", strict=True)))

    truth = float(log_det[0] + log_det[1] - log_det[2] - log_det[3]) / 2
    return Case(name, "conditional", (len(x), len(y)), max(0.0, truth), draw, **rest)


def covariance_of(loadings: Floats, noise: float = 1.0) -> Floats:
    """Covariance of columns that are these combinations of independent factors, plus noise of this variance."""
    return loadings @ loadings.T + noise * np.eye(len(loadings))


def chain_of(n_columns: int, correlation: float) -> Floats:
    """Covariance of a chain in which neighbors have this correlation."""
    at = np.arange(n_columns)
    return correlation ** np.abs(at[:, None] - at)


def flipped(bit: np.ndarray, share: float) -> Floats:
    """p(bit = a, noisy copy = b) with the marginal p(bit), for two levels."""
    return bit[:, None] * np.array([[1 - share, share], [share, 1 - share]])


def slope_sign_case(correlation: float = 0.8) -> Case:
    """Make a case of two normal columns whose correlation has the sign that the condition gives."""

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        sign = rng.choice([-1, 1], n_rows)
        x, error = rng.standard_normal((2, n_rows))
        y = sign * correlation * x + math.sqrt(1 - correlation**2) * error
        z = pd.DataFrame({"z": np.where(sign > 0, "up", "down")})
        return Sample(pd.DataFrame({"x": x}), pd.DataFrame({"y": y}), z)

    return Case("sign-of-slope", "conditional", (1, 1), -math.log1p(-(correlation**2)) / 2, draw, is_numeric=False)


def make_conditional_cases() -> list[Case]:
    """Ten cases."""
    chain = chain_of(3, 0.8)  # x, z, y
    collider = covariance_of(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 0.25)  # x, y and their sum
    factors = covariance_of(np.random.default_rng(3).standard_normal((7, 3)))
    half = np.array([0.5, 0.5])
    # p(x, y, z): z copies x and y copies z; y = x xor z; both copy z
    discrete_chain = flipped(half, 0.1)[:, None, :] * flipped(np.ones(2), 0.2).T[None]
    exclusive = np.zeros((2, 2, 2))
    for x in range(2):
        for z in range(2):
            exclusive[x, x ^ z, z], exclusive[x, 1 - (x ^ z), z] = 0.225, 0.025
    copies = 0.5 * flipped(np.ones(2), 0.1)[:, None] * flipped(np.ones(2), 0.2)[None]
    return [
        normal_case("chain-end-given-middle", chain, ([0], [2], [1]), is_quick=True),
        normal_case("chain-middle-given-end", chain, ([1], [2], [0]), is_quick=True),
        normal_case("chain-of-5-given-neighbors", chain_of(5, 0.7), ([0, 4], [2], [1, 3])),
        normal_case("two-given-a-sum", collider, ([0], [1], [2])),
        normal_case("factors-2-2-3", factors, ([0, 1], [2, 3], [4, 5, 6])),
        normal_case("given-5-noise-columns", _with_noise(chain[::2, ::2], 5), ([0], [1], [2, 3, 4, 5, 6])),
        table_case("bits-in-a-chain", "conditional", discrete_chain),
        table_case("exclusive-or", "conditional", exclusive, is_quick=True),
        table_case("two-copies-of-a-bit", "conditional", copies),
        slope_sign_case(),
    ]


def _with_noise(covariance: Floats, n_noise: int) -> Floats:
    larger = np.eye(len(covariance) + n_noise)
    larger[: len(covariance), : len(covariance)] = covariance
    return larger
