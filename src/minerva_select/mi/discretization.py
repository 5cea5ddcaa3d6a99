"""Columns and targets as a few codes each, so that joint counts stay small."""

from __future__ import annotations

import torch
from torch import Tensor

from minerva_select.config import DISCRETIZATION
from minerva_select.data.encoded_rows import Rows, index_on_device


def discretize_columns(x: Rows, n_bins: int = DISCRETIZATION.n_bins) -> Tensor:  # (..., n_features) uint8
    """Bin numeric columns and merge rare levels of categorical ones; 0 is missing. Columns are in feature order."""
    bins = (x.quantiles.nan_to_num(0.0) * n_bins).to(torch.uint8).clamp(0, n_bins - 1) + 1
    bins = torch.where(x.quantiles.isnan(), 0, bins)
    levels = x.codes.clamp(max=DISCRETIZATION.max_levels - 1).to(torch.uint8)
    place = {position: k for k, position in enumerate(x.layout.positions)}
    order = index_on_device(x.device, tuple(place[feature] for feature in range(x.layout.n_features)))
    return torch.cat([bins, levels], dim=-1).index_select(-1, order)


def coarsen_target(bins: Tensor, bin_order: Tensor, n_classes: int = DISCRETIZATION.n_classes) -> Tensor:
    """Merge target values into at most ``n_classes`` classes of similar size, neighbors in ``bin_order`` together."""
    counts = torch.bincount(bins, minlength=len(bin_order)).double()
    if len(bin_order) <= n_classes:
        return bins
    sorted_bins = bin_order.argsort()
    middle = counts[sorted_bins].cumsum(0) - counts[sorted_bins] / 2
    classes = torch.empty_like(sorted_bins)
    classes[sorted_bins] = (middle / counts.sum() * n_classes).long().clamp(0, n_classes - 1)
    return classes[bins]
