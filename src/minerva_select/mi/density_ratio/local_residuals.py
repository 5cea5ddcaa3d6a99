"""How closely neighboring rows predict a column: whether it is a function of other columns, with any number of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from scipy.special import digamma

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side

Array = NDArray[np.float64]

# E[log |e|] of a standard normal e
_MEAN_LOG = float(digamma(0.5) + np.log(2.0)) / 2


@dataclass(frozen=True, eq=False)
class LocalFit:
    """What linear fits to neighboring rows say of every numeric column of a side."""

    information: Array  # (n_columns,) nats, if what is left is normal; -inf if it was not measured
    growth: Array  # (n_columns,) by how much it exceeds that of a quarter of the rows

    @property
    def is_determined(self) -> NDArray[np.bool_]:  # (n_columns,)
        """Whether what is left is small, and smaller the closer the neighbors: no noise is seen.

        A standard deviation of the noise bounds the information, however many rows there are.
        """
        settings = DENSITY_RATIO
        grows = (self.information > settings.local_nats) & (self.growth > settings.local_growth)
        found: NDArray[np.bool_] = grows | (self.information > settings.largest_local_nats)
        return found

    def is_unresolved(self, nats: float) -> bool:
        """Whether there seems to be more than this information, and more rows would show it."""
        settings = DENSITY_RATIO
        most = max(settings.unresolved_nats, nats - settings.unresolved_nats / 4)
        return bool(((self.information > most) & (self.growth > settings.unresolved_growth)).any())


def fit_locally(x: Side, y: Side) -> LocalFit:
    """Predict the numeric columns of y from those of x by linear fits to the nearest other rows.

    Of rows that are equal in all columns, one is used; so are only those columns of y that have many distinct values.
    """
    settings = DENSITY_RATIO
    n_columns = y.quantiles.shape[1]
    unknown = LocalFit(np.full(n_columns, -np.inf), np.zeros(n_columns))
    if not n_columns or not x.n_columns:
        return unknown
    both = np.hstack([x.values, y.normal_scores])
    both = both[np.sort(np.unique(both, axis=0, return_index=True)[1])]
    inputs, outputs = both[:, : x.n_columns], both[:, x.n_columns :]
    is_varied = np.array([len(np.unique(column)) > len(outputs) // 2 for column in outputs.T])
    outputs = outputs[:, is_varied]
    inputs = _strongest(inputs, outputs)
    if not is_varied.any() or len(inputs) // 4 < 4 * (inputs.shape[1] + 1):
        return unknown
    rows = np.unique(np.linspace(0, len(inputs) - 1, settings.max_local_rows).astype(np.int64))
    left, left_of_few = (
        np.log(np.abs(_residuals(inputs, outputs, rows, pool)) + 1e-4 / len(inputs))
        for pool in (np.arange(len(inputs)), np.arange(0, len(inputs), 4))
    )
    unknown.information[is_varied] = _MEAN_LOG - left.mean(axis=0)
    unknown.growth[is_varied] = (left_of_few - left).mean(axis=0)
    return unknown


def _strongest(inputs: Array, outputs: Array) -> Array:
    """The inputs that correlate most with an output, if there are many."""
    most = DENSITY_RATIO.max_local_columns
    if inputs.shape[1] <= most:
        return inputs
    x, y = (values - values.mean(axis=0) for values in (inputs, outputs))
    scales = np.outer(np.linalg.norm(x, axis=0), np.linalg.norm(y, axis=0))
    strength = (np.abs(x.T @ y) / scales.clip(min=1e-12)).max(axis=1, initial=0.0)
    return inputs[:, np.sort(np.argsort(-strength, kind="stable")[:most])]


def _residuals(x: Array, y: Array, rows: NDArray[np.int64], pool: NDArray[np.int64]) -> Array:  # (n_rows, n_outputs)
    """Residuals of these rows, by linear fits to twice as many other rows of the pool as there are parameters."""
    n_parameters = x.shape[1] + 1
    neighbors = pool[KDTree(x[pool]).query(x[rows], 2 * n_parameters + 1)[1]]
    is_own = neighbors == rows[:, None]  # at most one: all rows differ
    neighbors = np.take_along_axis(neighbors, np.argsort(is_own, axis=1, kind="stable"), axis=1)[:, :-1]
    steps = x[neighbors] - x[rows, None]
    steps /= np.sqrt((steps**2).mean(axis=(1, 2), keepdims=True)).clip(min=1e-12)
    design = np.concatenate([np.ones((*steps.shape[:2], 1)), steps], axis=2)
    gram = design.transpose(0, 2, 1) @ design + 1e-9 * np.eye(n_parameters)
    coefficients = np.linalg.solve(gram, design.transpose(0, 2, 1) @ y[neighbors])
    residuals: Array = y[rows] - coefficients[:, 0]
    return residuals
