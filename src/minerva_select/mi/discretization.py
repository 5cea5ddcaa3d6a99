"""Columns and targets as a few codes each, so that counts of pairs stay small."""

from __future__ import annotations

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows, places_on

MAX_LEVELS = 24  # levels of a column that are counted separately; rarer ones share the last code
N_BINS = 8  # bins of a numeric column
N_CLASSES = 8  # classes of the target that are counted separately


def discretize_columns(x: Rows) -> Tensor:  # (..., n_features) uint8
    """Every column as few codes: bins of ranks, frequent levels, and one for missing. Columns in feature order."""
    bins = (x.ranks.nan_to_num(0.0) * N_BINS).to(torch.uint8).clamp(0, N_BINS - 1) + 1
    bins = torch.where(x.ranks.isnan(), 0, bins)
    levels = x.codes.clamp(max=MAX_LEVELS - 1).to(torch.uint8)
    place = {position: k for k, position in enumerate(x.layout.positions)}
    order = places_on(x.device, tuple(place[feature] for feature in range(x.layout.n_features)))
    return torch.cat([bins, levels], dim=-1).index_select(-1, order)


def coarsen_target(atoms: Tensor, atom_order: Tensor, n_classes: int = N_CLASSES) -> Tensor:
    """Atoms of the target as at most so many classes of about equal weight, neighbours in ``atom_order`` together."""
    counts = torch.bincount(atoms, minlength=len(atom_order)).double()
    if len(atom_order) <= n_classes:
        return atoms
    sorted_atoms = atom_order.argsort()
    middle = counts[sorted_atoms].cumsum(0) - counts[sorted_atoms] / 2
    classes = torch.empty_like(sorted_atoms)
    classes[sorted_atoms] = (middle / counts.sum() * n_classes).long().clamp(0, n_classes - 1)
    return classes[atoms]
