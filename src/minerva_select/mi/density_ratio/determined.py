"""Whether one side determines the other, so that their information has no upper limit."""

from __future__ import annotations

import numpy as np

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.closed_forms import fit_gaussian
from minerva_select.mi.density_ratio.side import Side


def seems_determined(x: Side, y: Side) -> bool:
    """Whether a numeric combination of y is a function of x up to the resolution of the rows.

    Either two canonical variables are equal, or y hardly changes between rows with neighboring values of x.
    """
    if not x.quantiles.shape[1] or not y.quantiles.shape[1] or x.n_rows < DENSITY_RATIO.min_rows_determined:
        return False
    if x.n_columns + y.n_columns <= min(DENSITY_RATIO.max_columns, x.n_rows // 2):
        numeric = fit_gaussian(x.normal_scores, y.normal_scores, np.arange(x.n_rows))
        if numeric.correlations.max(initial=0.0) ** 2 >= DENSITY_RATIO.max_squared_correlation:
            return True
    if x.quantiles.shape[1] != 1:
        return False
    order = np.argsort(x.quantiles[:, 0], kind="stable")
    steps = np.abs(np.diff(y.quantiles[order], axis=0)) * x.n_rows
    is_varied = np.array([len(np.unique(column)) > x.n_rows // 2 for column in y.quantiles.T])
    most = min(DENSITY_RATIO.neighbor_ranks, DENSITY_RATIO.neighbor_share * x.n_rows)
    return bool((np.median(steps[:, is_varied], axis=0) <= most).any())
