"""Columns and targets as a few codes each, so that counts of pairs stay small."""

from __future__ import annotations

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows, index_on_device

MAX_LEVELS = 24  # levels of a column that are counted separately; rarer ones share the last code
N_BINS = 8  # bins of a numeric column
N_CLASSES = 8  # classes of the target that are counted separately


def discretize_columns(x: Rows) -> Tensor:  # (..., n_features) uint8
    """Every column as few codes: bins of ranks, frequent levels, and one for missing. Columns in feature order."""
    bins = (x.quantiles.nan_to_num(0.0) * N_BINS).to(torch.uint8).clamp(0, N_BINS - 1) + 1
    bins = torch.where(x.quantiles.isnan(), 0, bins)
    levels = x.codes.clamp(max=MAX_LEVELS - 1).to(torch.uint8)
    place = {position: k for k, position in enumerate(x.layout.positions)}
    order = index_on_device(x.device, tuple(place[feature] for feature in range(x.layout.n_features)))
    return torch.cat([bins, levels], dim=-1).index_select(-1, order)


def coarsen_target(bins: Tensor, bin_order: Tensor, n_classes: int = N_CLASSES) -> Tensor:
    """Bins of the target as at most so many classes of about equal weight, neighbours in ``bin_order`` together."""
    counts = torch.bincount(bins, minlength=len(bin_order)).double()
    if len(bin_order) <= n_classes:
        return bins
    sorted_bins = bin_order.argsort()
    middle = counts[sorted_bins].cumsum(0) - counts[sorted_bins] / 2
    classes = torch.empty_like(sorted_bins)
    classes[sorted_bins] = (middle / counts.sum() * n_classes).long().clamp(0, n_classes - 1)
    return classes[bins]
