"""The bound that a Gaussian density ratio reaches with infinitely many rows, without splitting the rows."""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import digamma

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.closed_forms import Family, FormSettings, close, fit_gaussian
from minerva_select.mi.density_ratio.coupling import pointwise_information
from minerva_select.mi.density_ratio.side import Side


def gaussian_bound(x: Side, y: Side) -> float | None:
    """Bound of the best Gaussian density ratio, corrected for its optimism on the rows it is fitted to.

    The bound on those rows differs from the plug-in value by what normalizing over pairs costs, which is 0 for Gaussian
    rows. The optimism of the plug-in value is known exactly for Gaussian rows. None if there are too many columns.
    """
    if x.n_columns + y.n_columns > DENSITY_RATIO.max_columns:
        return None
    rows = np.arange(x.n_rows)
    pairs = fit_gaussian(x.values, y.values, rows)
    if pairs.n_x + pairs.n_y >= x.n_rows - 1:
        return None
    form = close(FormSettings(Family.GAUSSIAN), pairs)
    found = float(pointwise_information(form, torch.as_tensor(rows)).mean())
    return found - gaussian_optimism(pairs.n_x, pairs.n_y, x.n_rows)


def gaussian_optimism(n_x: int, n_y: int, n_rows: int) -> float:
    """Expected excess of the plug-in information of Gaussian rows, whatever their covariance.

    It follows from the expected log determinant of a Wishart matrix.
    """

    def log_determinant(n_columns: int) -> float:
        degrees = n_rows - 1.0 - np.arange(n_columns)
        return float(digamma(degrees / 2).sum())

    return 0.5 * (log_determinant(n_x) + log_determinant(n_y) - log_determinant(n_x + n_y))
