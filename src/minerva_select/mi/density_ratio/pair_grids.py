"""Density ratios of two numeric columns, each as a grid over their normal scores.

Two columns need no critics: closed forms, smoothed counts and conditional densities of either column learn as much in a
tenth of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtr
from torch import Tensor

from minerva_select.config import DENSITY_RATIO, JUDGE
from minerva_select.mi.density_ratio.closed_forms import choose, close, fit_forms
from minerva_select.mi.density_ratio.conditional_density import fit_conditional_density
from minerva_select.mi.density_ratio.coupling import LogRatios
from minerva_select.mi.density_ratio.fold import FoldInformation, FoldRows
from minerva_select.mi.density_ratio.predictions import predict_by_curves
from minerva_select.mi.density_ratio.side import Side
from minerva_select.mi.stacking import mix, mixture_weights

Array = NDArray[np.float64]


def is_pair(x: Side, y: Side) -> bool:
    """Whether either side is one numeric column without missing values."""
    return x.n_columns == y.n_columns == 1 and x.is_numeric and y.is_numeric


@dataclass(frozen=True, eq=False)
class PairGrid:
    """Two columns, followed by the centers of the cells of a grid as further rows."""

    x: Side
    y: Side
    n_rows: int

    @classmethod
    def of(cls, x: Side, y: Side) -> PairGrid:
        """Divide the normal scores of both columns into cells."""
        more = ndtr(_centers())[:, None]
        sides = (
            Side(np.vstack([side.quantiles, more]), np.empty((len(side.quantiles) + len(more), 0))) for side in (x, y)
        )
        extended_x, extended_y = sides
        return cls(extended_x, extended_y, x.n_rows)

    @cached_property
    def cells(self) -> tuple[Tensor, Tensor]:  # (n_rows,) each
        """Cell of every row in x and in y."""
        n_cells, limit = DENSITY_RATIO.grid_cells, DENSITY_RATIO.grid_limit
        found = (
            np.rint((side.normal_scores[: self.n_rows, 0] / limit + 1) / 2 * (n_cells - 1)).clip(0, n_cells - 1)
            for side in (self.x, self.y)
        )
        x, y = (torch.as_tensor(cells.astype(np.int64)) for cells in found)
        return x, y

    @cached_property
    def shares(self) -> tuple[Tensor, Tensor]:  # (n_cells,) each
        """Share of the rows in every cell of x and of y."""
        x, y = (torch.bincount(cells, minlength=DENSITY_RATIO.grid_cells) / self.n_rows for cells in self.cells)
        return x, y

    def evaluate(self, ratio: LogRatios) -> Tensor:  # (n_cells, n_cells)
        """Normalized log density ratios in the centers of the cells."""
        centers = torch.arange(self.n_rows, self.x.n_rows)
        return self.normalize(ratio(centers, centers))

    def normalize(self, log_ratios: Tensor) -> Tensor:
        """Make the mean over y 1 for every x, and the mean over x for every y."""
        highest = log_ratios.max()
        ratios = (log_ratios - highest).clamp(min=-DENSITY_RATIO.max_span).exp()
        x_shares, y_shares = self.shares
        by_y = torch.ones_like(y_shares)
        for _ in range(DENSITY_RATIO.n_grid_couplings):
            by_x = 1 / (ratios @ (y_shares * by_y))
            by_y = 1 / (ratios.T @ (x_shares * by_x))
        return log_ratios - highest + by_x.log()[:, None] + by_y.log()[None]

    def smooth(self, rows: NDArray[np.int64], n_train: int) -> Iterator[Tensor]:
        """Density ratios of smoothed counts of rows, with the kernels that are wide enough for so many rows."""
        n_cells, share = DENSITY_RATIO.grid_cells, DENSITY_RATIO.independent_share
        x, y = (cells[torch.as_tensor(rows)] for cells in self.cells)
        counts = torch.bincount(x * n_cells + y, minlength=n_cells**2).view(n_cells, n_cells).double() / len(rows)
        for width, kernel in zip(DENSITY_RATIO.kernel_widths, _kernels(), strict=True):
            if n_train * width**2 < DENSITY_RATIO.min_kernel_rows:
                continue
            density = kernel @ counts @ kernel
            expected = torch.outer(density.sum(dim=1), density.sum(dim=0))
            is_known = expected > DENSITY_RATIO.min_expected
            ratio = (1 - share) * density / expected.clamp(min=DENSITY_RATIO.min_expected) + share
            yield self.normalize(torch.where(is_known, ratio, 1.0).log().float())

    def information(self, grids: Tensor, rows: Tensor) -> Tensor:  # (n_grids, n_rows)
        """Pointwise information of rows."""
        return grids[:, self.cells[0][rows], self.cells[1][rows]]


def cross_fit_pair(x: Side, y: Side, rows: FoldRows, rng: np.random.Generator) -> FoldInformation:
    """Information of the held-out rows of one fold, by a mixture with weights that are best on its tuning rows."""
    grid, n_train = PairGrid.of(x, y), len(rows.train)
    forms = fit_forms(grid.x, grid.y, rows.train, rows.tune)
    best = forms.index(choose(forms))
    densities = [grid.evaluate(density) for density in _conditional_densities(grid, rows.train, rng)]
    chosen = [*(grid.evaluate(form.ratio) for form in forms), *densities, *grid.smooth(rows.train, n_train)]
    finals = (close(form.settings, form.settings.fit(grid.x, grid.y, rows.rest)) for form in forms)
    final = torch.stack([*(grid.evaluate(one) for one in finals), *densities, *grid.smooth(rows.rest, n_train)])
    tune, held_out, train = (torch.as_tensor(one) for one in (rows.tune, rows.held_out, rows.train))
    tuning = grid.information(torch.stack(chosen), tune)
    weights = mixture_weights(tuning, torch.ones(len(tune)), JUDGE.weight_prior_rows)
    unseen, seen = grid.information(final, held_out), grid.information(final, train)
    return FoldInformation(
        is_gaussian=best == 0,
        plain=float(unseen[: len(forms)].mean(dim=1).max()),
        closed=unseen[best],
        mixed=mix(unseen, weights),
        closed_in_training=float(seen[best].mean()),
        mixed_in_training=float(mix(seen, weights).mean()),
    )


def _conditional_densities(grid: PairGrid, train: NDArray[np.int64], rng: np.random.Generator) -> Iterator[LogRatios]:
    """Density of either column given the other one."""
    if len(train) < DENSITY_RATIO.min_rows_predicted:
        return
    for of_x, own, other in ((False, grid.y, grid.x), (True, grid.x, grid.y)):
        values, inputs = own.normal_scores[:, 0], other.normal_scores
        predicted = predict_by_curves(inputs, values, train, rng)
        yield fit_conditional_density(values, predicted, inputs, train, of_x=of_x)


@cache
def _kernels() -> tuple[Tensor, ...]:  # (n_cells, n_cells) each
    """Normal kernels of all widths, between all cells."""
    distances = torch.as_tensor(np.subtract.outer(_centers(), _centers()))
    return tuple((-((distances / width) ** 2) / 2).exp() for width in DENSITY_RATIO.kernel_widths)


def _centers() -> Array:
    return np.linspace(-DENSITY_RATIO.grid_limit, DENSITY_RATIO.grid_limit, DENSITY_RATIO.grid_cells)
