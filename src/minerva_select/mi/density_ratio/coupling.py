"""Normalize log density ratios over the rows of both sides, and read off the pointwise information."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from minerva_select.config import DENSITY_RATIO

# Log density ratios of every x of some rows with every y of others: (n_x_rows, n_y_rows)
LogRatios = Callable[[Tensor, Tensor], Tensor]

_MAX_SPAN = 60.0  # below the largest, so that float32 can hold the exponentials


def couple(log_ratios: Tensor) -> Tensor:  # (n_rows,)
    """Pointwise information of the rows whose own pairs are on the diagonal of a square matrix.

    A density ratio has mean 1 over y for every x, and over x for every y. Both are enforced in turn, as in Sinkhorn's
    algorithm, which can only bring a ratio closer to the true one. Own pairs are part of the means, so no row has more
    information than about the logarithm of the number of rows.
    """
    n_rows = len(log_ratios)
    highest = log_ratios.max()
    ratios = (log_ratios - highest).clamp(min=-_MAX_SPAN).exp()
    by_y = torch.ones(n_rows, dtype=ratios.dtype, device=ratios.device)
    by_x = by_y
    for _ in range(DENSITY_RATIO.n_couplings):
        by_x = n_rows / (ratios @ by_y)
        by_y = n_rows / (ratios.T @ by_x)
    return log_ratios.diagonal() - highest + by_x.log() + by_y.log()


def pointwise_information(log_ratios: LogRatios, rows: Tensor, others: Tensor | None = None) -> Tensor:  # (n_rows,)
    """Pointwise information of these rows, normalized within blocks of bounded size.

    If the rows are few, some of the ``others`` take part in the normalization: a mean over few pairs would be dominated
    by the own one.
    """
    if others is not None and len(rows) < DENSITY_RATIO.min_block_rows:
        others = others[: DENSITY_RATIO.min_block_rows - len(rows)]
        return couple(log_ratios(both := torch.cat([rows, others]), both))[: len(rows)]
    n_blocks = max(1, -(-len(rows) // DENSITY_RATIO.block_rows))
    found = torch.empty(len(rows), device=rows.device)
    for block in range(n_blocks):
        own = slice(block, None, n_blocks)
        found[own] = couple(log_ratios(rows[own], rows[own]))
    return found
