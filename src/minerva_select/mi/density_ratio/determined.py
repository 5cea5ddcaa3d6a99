"""Whether one side determines the other, so that their information has no upper limit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.closed_forms import fit_gaussian
from minerva_select.mi.density_ratio.local_residuals import fit_locally
from minerva_select.mi.density_ratio.side import Side


def has_equal_variables(x: Side, y: Side) -> bool:
    """Whether two canonical variables are equal: a linear combination of the scores of x is one of y."""
    if not _has_numbers(x, y) or x.n_columns + y.n_columns > min(DENSITY_RATIO.max_columns, x.n_rows // 2):
        return False
    numeric = fit_gaussian(x.normal_scores, y.normal_scores, np.arange(x.n_rows))
    return bool(numeric.correlations.max(initial=0.0) ** 2 >= DENSITY_RATIO.max_squared_correlation)


def find_determined(x: Side, y: Side) -> NDArray[np.bool_]:  # (n_numeric,)
    """Which numeric columns of y are functions of x, up to the resolution of the rows."""
    if not _has_numbers(x, y):
        return np.zeros(y.quantiles.shape[1], dtype=bool)
    if x.n_columns > 1:
        return fit_locally(x, y).is_determined
    return _hardly_changes(x.quantiles[:, 0], y.quantiles)


def find_sums(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:  # (n_columns of y,)
    """Which columns of y with many distinct values are linear combinations of x, but for errors of arithmetic.

    Ranks hide a sum of many columns. Some of the rows are read, and of them those without missing values.
    """
    step = -(-len(x) // DENSITY_RATIO.max_sum_rows)
    x, y = x[::step], y[::step]
    complete = ~np.isnan(np.column_stack([x, y])).any(axis=1)
    x, y = _standardize(x[complete]), _standardize(y[complete])
    if not x.shape[1] or x.shape[1] > min(DENSITY_RATIO.max_columns, len(x) // 2):
        return np.zeros(y.shape[1], dtype=bool)
    left = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    is_varied = np.array([len(np.unique(column)) > len(y) // 2 for column in y.T])
    exact: NDArray[np.bool_] = is_varied & (np.abs(left).max(axis=0, initial=0.0) < DENSITY_RATIO.sum_error)
    return exact


def _standardize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(values).max(axis=0, initial=0.0)
    scaled = values / np.where(largest > 0, largest, 1.0)  # so that no square overflows
    centered = scaled - scaled.mean(axis=0) if len(scaled) else scaled
    deviations = centered.std(axis=0) if len(scaled) else np.ones(values.shape[1])
    standard: NDArray[np.float64] = centered / np.where(deviations > 0, deviations, 1.0)
    return standard


def _has_numbers(x: Side, y: Side) -> bool:
    has_both = x.quantiles.shape[1] > 0 and y.quantiles.shape[1] > 0
    return has_both and x.n_rows >= DENSITY_RATIO.min_rows_determined


def _hardly_changes(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:  # (n_columns,)
    """Whether columns hardly change between rows with neighboring values of one column.

    Equal rows count as one, and rows with equal values of x are in random order.
    """
    rows = np.unique(np.column_stack([x, y]), axis=0)
    rows = np.random.default_rng(0).permutation(rows)
    x, y = rows[:, 0], rows[:, 1:]
    steps = np.abs(np.diff(y[np.argsort(x, kind="stable")], axis=0)) * len(rows)
    is_varied = np.array([len(np.unique(column)) > len(rows) // 2 for column in y.T])
    most = min(DENSITY_RATIO.neighbor_ranks, DENSITY_RATIO.neighbor_share * len(rows))
    hardly: NDArray[np.bool_] = is_varied & (np.median(steps, axis=0) <= most)
    return hardly
