"""Limit the number of columns that a density ratio is fitted to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side


def max_columns(n_train: int) -> int:
    """Most columns of both sides together that are used."""
    return min(DENSITY_RATIO.max_columns, max(4, n_train // DENSITY_RATIO.min_rows_per_column))


def limit_columns(x: Side, y: Side, train: NDArray[np.int64]) -> tuple[Side, Side]:
    """The columns of both sides that correlate most with a column of the other side, if there are too many.

    Correlations are those of the training rows.
    """
    most = max_columns(len(train))
    if x.n_columns + y.n_columns <= most:
        return x, y
    x_values, y_values = (side.values[train] - side.values[train].mean(axis=0) for side in (x, y))
    scales = np.outer(np.linalg.norm(x_values, axis=0), np.linalg.norm(y_values, axis=0))
    correlations = np.abs(x_values.T @ y_values) / scales.clip(min=1e-12)
    n_x = min(x.n_columns, max(most // 2, most - y.n_columns))
    return (
        _take_best(x, correlations.max(axis=1, initial=0.0), n_x),
        _take_best(y, correlations.max(axis=0, initial=0.0), most - n_x),
    )


def _take_best(side: Side, correlations: NDArray[np.float64], n_columns: int) -> Side:
    return (
        side
        if side.n_columns <= n_columns
        else side.take(np.sort(np.argsort(-correlations, kind="stable")[:n_columns]))
    )
