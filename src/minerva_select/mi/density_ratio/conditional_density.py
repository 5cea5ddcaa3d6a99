"""Density of one numeric column given the other side: a prediction, a scale that varies, and the shape of residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import ndtr
from torch import Tensor

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.predictions import fit_curves

Array = NDArray[np.float64]

_LIMIT = 10.0  # scaled residuals beyond are taken for this
_N_CELLS = 2000
_MIN_SPREAD = 1e-6  # residuals of a function without noise may all be 0


@dataclass(frozen=True, eq=False)
class ConditionalRatio:
    """Density of a column given the other side, over its own density, which is standard normal."""

    of_x: bool  # whether the column is x
    values: Tensor  # (n_rows,) normal scores of the column
    predicted: Tensor  # (n_rows,)
    log_scale: Tensor  # (n_rows,)
    log_density: Tensor  # (n_cells,) of scaled residuals

    def __call__(self, x_rows: Tensor, y_rows: Tensor) -> Tensor:  # (n_x_rows, n_y_rows)
        """Log density ratios of all pairs of these rows."""
        return self._log_ratios(y_rows, x_rows).T if self.of_x else self._log_ratios(x_rows, y_rows)

    def _log_ratios(self, inputs: Tensor, outputs: Tensor) -> Tensor:  # (n_inputs, n_outputs)
        values, log_scale = self.values[outputs], self.log_scale[inputs, None]
        scaled = (values - self.predicted[inputs, None]) * (-log_scale).exp()
        cells = ((scaled / (2 * _LIMIT) + 0.5) * _N_CELLS).long().clamp_(0, _N_CELLS - 1)
        return self.log_density[cells] - log_scale + values**2 / 2


def fit_conditional_density(
    values: Array, predicted: Array, inputs: Array, train: NDArray[np.int64], *, of_x: bool
) -> ConditionalRatio:
    """Learn scale and shape of the residuals of the training rows, whose predictions are by models without them.

    ``inputs`` are the columns of the other side: (n_rows, n_columns).
    """
    residuals = values[train] - predicted[train]
    smallest = DENSITY_RATIO.min_residual * max(float(residuals.std()), 1e-6)
    given = np.column_stack([inputs, predicted])
    curves = fit_curves(given[train], np.log(residuals**2 + smallest**2) / 2)
    log_scale = curves.predict(given)
    center, limit = log_scale[train].mean(), DENSITY_RATIO.max_log_scale
    log_scale = log_scale.clip(center - limit, center + limit)
    scaled = residuals * np.exp(-log_scale[train])
    spread = max(float(np.sqrt(np.mean(scaled**2))), _MIN_SPREAD)
    log_scale, scaled = log_scale + np.log(spread), scaled / spread
    return ConditionalRatio(
        of_x, *(_tensor(one) for one in (values, predicted, log_scale, _log_density(scaled) + np.log(2 * np.pi) / 2))
    )


def _log_density(scaled: Array) -> Array:  # (n_cells,)
    """Log density of scaled residuals in cells, smoothed; a small share is normal and wide."""
    edges = np.linspace(-_LIMIT, _LIMIT, _N_CELLS + 1)
    ordered = np.sort(scaled)
    middle = float(np.subtract(*np.quantile(ordered, [0.75, 0.25]))) / 1.35
    width = DENSITY_RATIO.smoothing * min(float(ordered.std()), middle or 1.0) * len(ordered) ** -0.2
    counts = np.histogram(ordered.clip(-_LIMIT, _LIMIT), edges)[0] / len(ordered)
    steps = np.arange(-_N_CELLS, _N_CELLS + 1) * (edges[1] - edges[0])
    kernel = np.exp(-((steps / max(width, edges[1] - edges[0])) ** 2) / 2)
    smooth = fftconvolve(counts, kernel / kernel.sum(), mode="full")[_N_CELLS : 2 * _N_CELLS].clip(0.0)
    wide = np.diff(ndtr(edges / DENSITY_RATIO.wide_scale))
    share = DENSITY_RATIO.wide_share
    log_density: Array = np.log(((1 - share) * smooth + share * wide) / (edges[1] - edges[0]))
    return log_density


def _tensor(values: Array) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)
