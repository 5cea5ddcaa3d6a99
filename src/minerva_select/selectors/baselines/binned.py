"""Columns as a few bins or levels, and the information of such columns about one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

MAX_BINS = 10
MAX_LEVELS = 32


def bin_amounts(values: NDArray[Any], weights: Floats, max_bins: int = MAX_BINS) -> Codes:
    """Bins of equal weight, numbered from 0; equal values share a bin, and a value as heavy as several has its own.

    Examples
    --------
    >>> bin_amounts(np.array([0.0, 0.0, 0.0, 0.0, 7.0, 9.0]), np.ones(6), max_bins=3).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    place = np.unique(values, return_inverse=True)[1]
    heaviness = np.bincount(place, weights=weights)
    mid_ranks = (np.cumsum(heaviness) - heaviness / 2) / heaviness.sum()
    return np.unique((mid_ranks * max_bins).astype(np.intp), return_inverse=True)[1][place]


def join_rare(values: NDArray[Any], weights: Floats, max_levels: int = MAX_LEVELS) -> Codes:
    """Levels numbered from 0, the heaviest first; the lightest share the last number where they are too many.

    Examples
    --------
    >>> join_rare(np.array([5, 5, 5, 1, 2, 2, 3]), np.ones(7), max_levels=3).tolist()
    [0, 0, 0, 2, 1, 1, 2]
    """
    place = np.unique(values, return_inverse=True)[1]
    heaviest = np.argsort(-np.bincount(place, weights=weights), kind="stable")
    number = np.empty_like(heaviest)
    number[heaviest] = np.minimum(np.arange(len(heaviest)), max_levels - 1)
    return number[place]


def binned_information(first: Codes, second: Codes, weights: Floats) -> float:
    """Mutual information in nats from the table of counts, less what independent columns show by chance.

    That is (r - 1)(c - 1) / 2n to first order, n being the number of equal weights that would be as sure as these. So
    the information of independent columns is about 0, and may be below.

    Examples
    --------
    >>> coin, weights = np.array([0, 1] * 50), np.ones(100)
    >>> round(binned_information(coin, coin, weights), 4)  # log(2) - 1/200
    0.6881
    """
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    total = weights.sum()
    cells = np.bincount(first * n_second + second, weights=weights, minlength=n_first * n_second)
    table = cells.reshape(n_first, n_second) / total
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    is_present = table > 0
    found = np.sum(table[is_present] * np.log(table[is_present] / expected[is_present]))
    by_chance = (n_first - 1) * (n_second - 1) * (weights @ weights) / (2 * total**2)
    return float(found - by_chance)


@dataclass(frozen=True, eq=False)
class Order:
    """Columns in the order in which they tell most that is new.

    Attributes
    ----------
    columns : tuple of int
        The columns chosen, the first one first.
    relevance : ndarray of float64, shape (n_columns,)
        Information of every column about the target, in nats.
    redundancy : ndarray of float64, shape (n_columns,)
        Mean information of every column about those chosen before it; for one not chosen, about all that are.
    """

    columns: tuple[int, ...]
    relevance: Floats
    redundancy: Floats


def order_columns(columns: Sequence[Codes], target: Codes, weights: Floats, n_wanted: int) -> Order:
    """Choose columns one at a time by relevance less redundancy (the difference form of Peng, Long and Ding, 2005).

    Each step compares the column chosen last with those left: the work grows with ``n_wanted`` times the columns.

    Examples
    --------
    >>> target = np.array([0, 0, 1, 1, 2, 2, 3, 3] * 20)
    >>> columns = [target // 2, target // 2, target % 2]
    >>> order_columns(columns, target, np.ones(160), n_wanted=3).columns
    (0, 2, 1)
    """
    relevance = np.array([binned_information(column, target, weights) for column in columns])
    shared = np.zeros(len(columns))
    redundancy = np.zeros(len(columns))
    left = np.ones(len(columns), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < min(n_wanted, len(columns)):
        chosen.append(int(np.argmax(np.where(left, relevance - redundancy, -np.inf))))
        left[chosen[-1]] = False
        for other in np.flatnonzero(left).tolist():
            shared[other] += binned_information(columns[chosen[-1]], columns[other], weights)
        redundancy[left] = shared[left] / len(chosen)
    return Order(tuple(chosen), relevance, redundancy)
