"""How far a target is a function of other columns: the coefficient T of Azadkia and Chatterjee (2021)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError
from minerva_select.selectors.baselines.nearest_neighbors import Floats, Places, Points, nearest_neighbours

Measure = Callable[[Places], float]
"""T of a target, given the nearest neighbour of every row."""


def codependence(y: NDArray[Any], Z: Floats, rng: np.random.Generator) -> float:
    """T(Y, Z): about 0 where y is independent of Z, 1 where it is a function of Z.

    Z is taken as it is: columns of unlike scale are for the caller to standardise. Rows equally near are drawn from
    at random, so T is too where Z has ties.

    Examples
    --------
    >>> z = np.array([[7.0], [1.0], [11.0], [2.0], [4.0]])
    >>> codependence(np.arange(5), z, np.random.default_rng(0))
    -0.25
    """
    return ordered_measure(y)(nearest_neighbours(Points.of(Z), rng))


def conditional_codependence(y: NDArray[Any], Z: Floats, X: Floats, rng: np.random.Generator) -> float:
    """T(Y, Z | X): about 0 where Z tells nothing about y beyond X, 1 where y is a function of both together.

    NaN where every neighbour in X alone ranks at least as high, so that nothing is left to tell.

    Examples
    --------
    >>> y = np.array([3, 1, 4, 1, 5, 9])
    >>> x = np.array([[0.0], [2.0], [5.0], [9.0], [14.0], [20.0]])
    >>> z = np.array([[3.0], [-1.0], [4.0], [1.0], [-5.0], [9.0]])
    >>> round(conditional_codependence(y, z, x, np.random.default_rng(0)), 6)
    -0.428571
    """
    ranks = _ranks(y)
    given = Points.of(X)
    without = _lost(ranks, nearest_neighbours(given, rng))
    return 1 - _lost(ranks, nearest_neighbours(given.beside(Points.of(Z)), rng)) / without if without else float("nan")


def ordered_measure(y: NDArray[Any]) -> Measure:
    """T of a target with an order.

    With R_i the number of y_j <= y_i, L_i the number of y_j >= y_i and M(i) the neighbour of row i, the definition is
    T = sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i)). Since R and L have the same sum, this is
    1 - n sum(max(0, R_i - R_M(i))) / sum(L_i (n - L_i)), which is exactly 1 where no neighbour ranks lower.
    """
    n_rows = len(y)
    ranks = _ranks(y)
    ranks_down = _ranks(-np.asarray(y)).astype(np.float64)
    most = float(ranks_down @ (n_rows - ranks_down)) / n_rows
    if most == 0:
        raise InputError("The target has only one value; there is nothing to tell about it.")
    return lambda neighbours: 1 - _lost(ranks, neighbours) / most


def class_measure(classes: NDArray[np.integer[Any]]) -> Measure:
    """T of classes without an order: of one class against the rest, averaged with the weights that make it simple.

    For one class the denominator of T is proportional to p (1 - p); averaged over the classes with these weights, T is
    1 - (share of neighbours of another class) / (the same share, had neighbours been drawn at random).
    """
    most = 1 - float(np.sum((np.bincount(classes) / len(classes)) ** 2))
    return lambda neighbours: 1 - float(np.mean(classes != classes[neighbours])) / most


def _ranks(y: NDArray[Any]) -> NDArray[np.int64]:
    """How many values are no higher."""
    return np.searchsorted(np.sort(y), y, side="right")


def _lost(ranks: NDArray[np.int64], neighbours: Places) -> float:
    return float(np.maximum(ranks - ranks[neighbours], 0).sum())
