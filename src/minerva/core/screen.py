"""The screen: information of every column and every pair of columns about the target, in one sweep of counts."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from minerva.core.inputs import Rows

MAX_LEVELS = 24  # levels of a column that are counted apart; rarer ones share the last
N_BINS = 8  # bins of a continuous column
N_CLASSES = 8  # classes of the target that are counted apart
_BLOCK_CELLS = 1024  # one-hot columns of one block


@dataclass(frozen=True)
class Screen:
    """Plug-in information in nats, and how many standard deviations it lies above what independence gives."""

    marginal_nats: Tensor  # (n_features,) corrected for the bias of empty cells, never below 0
    marginal_z: Tensor  # (n_features,)
    pairs: Tensor  # (n_pairs, 2) features of the pairs with the most synergy, the strongest first
    pair_z: Tensor  # (n_pairs,)


def coarse_codes(x: Rows) -> Tensor:  # (n_rows, n_features)
    """Every column as few codes: bins of ranks, frequent levels, and one for missing. Columns in feature order."""
    bins = (x.ranks.nan_to_num(0.0) * N_BINS).long().clamp(0, N_BINS - 1) + 1
    bins = torch.where(x.ranks.isnan(), 0, bins)
    levels = x.codes.clamp(max=MAX_LEVELS - 1)
    codes = torch.empty(len(x), x.layout.n_features, dtype=torch.int64, device=x.device)
    codes[:, torch.tensor(x.layout.positions, device=x.device)] = torch.cat([bins, levels], dim=1)
    return codes


def coarse_classes(atoms: Tensor, atom_order: Tensor) -> Tensor:
    """Atoms of the target as at most N_CLASSES classes of about equal weight, neighbours in ``atom_order`` together."""
    counts = torch.bincount(atoms, minlength=len(atom_order)).double()
    if len(atom_order) <= N_CLASSES:
        return atoms
    sorted_atoms = atom_order.argsort()
    middle = counts[sorted_atoms].cumsum(0) - counts[sorted_atoms] / 2
    classes = torch.empty_like(sorted_atoms)
    classes[sorted_atoms] = (middle / counts.sum() * N_CLASSES).long().clamp(0, N_CLASSES - 1)
    return classes[atoms]


def screen(codes: Tensor, classes: Tensor, *, n_pairs: int) -> Screen:
    """Count all columns and all pairs against the classes, in blocks of columns.

    The one-hot columns of the rows of one class, multiplied with themselves, hold the counts of all pairs at once;
    I(X_i, X_j; Y) is then a sum of n log n. Memory is that of one block of pairs, never d x d cells.
    """
    n_rows, n_features = codes.shape
    classes = classes.unique(return_inverse=True)[1]
    n_classes = int(classes.max()) + 1
    codes, n_levels = _compact(codes)
    by_class = [codes[classes == c] for c in range(n_classes)]
    singles = [
        torch.stack([torch.bincount(part[:, j], minlength=int(n_levels[j])) for part in by_class]).double().cpu()
        for j in range(n_features)
    ]
    marginal = torch.stack([_information(counts) for counts in singles])
    freedom = (n_levels.double() - 1) * (n_classes - 1)
    marginal_z = (2 * n_rows * marginal - freedom) / (2 * freedom).clamp(min=1).sqrt()
    marginal_nats = (marginal - freedom / (2 * n_rows)).clamp(min=0)
    best = torch.empty(0, 3, dtype=torch.float64)
    order = n_levels.argsort(stable=True)  # columns of equal size in one block waste no cells
    blocks = order.split(max(1, _BLOCK_CELLS // int(n_levels.max())))
    for a, first in enumerate(blocks):
        one_hot = [_one_hot(part[:, first], int(n_levels[first].max())) for part in by_class]
        for second in blocks[a:]:
            others = (
                one_hot if second is first else [_one_hot(p[:, second], int(n_levels[second].max())) for p in by_class]
            )
            counts = torch.stack([mine.T @ other for mine, other in zip(one_hot, others, strict=True)])
            counts = counts.view(n_classes, len(first), -1, len(second), others[0].shape[1] // len(second))
            z = _synergy_z(
                counts, marginal[first][:, None] + marginal[second], n_levels[first][:, None] + n_levels[second]
            )
            if second is first:
                z = z.masked_fill(torch.ones_like(z, dtype=torch.bool).tril(), -torch.inf)
            best = _merge(best, z, first, second, n_pairs)
    return Screen(marginal_nats.float(), marginal_z.float(), best[:, :2].long(), best[:, 2].float())


def _compact(codes: Tensor) -> tuple[Tensor, Tensor]:
    """Codes renumbered so that every column uses 0, 1, ... without gaps, and how many it uses."""
    top = int(codes.max()) + 1
    present = torch.zeros(codes.shape[1], top, dtype=torch.bool, device=codes.device)
    present[torch.arange(codes.shape[1], device=codes.device).expand_as(codes), codes] = True
    number = present.long().cumsum(1) - 1
    return number.T.contiguous().gather(0, codes), present.sum(1).cpu()


def _one_hot(codes: Tensor, n_levels: int) -> Tensor:  # (n_rows, n_columns * n_levels)
    return torch.nn.functional.one_hot(codes, n_levels).flatten(1).float()


def _nlogn(counts: Tensor) -> Tensor:
    product: Tensor = torch.special.xlogy(counts, counts)
    return product


def _information(counts: Tensor) -> Tensor:
    """Plug-in mutual information of counts (n_classes, n_cells)."""
    total = counts.sum()
    inside: Tensor = _nlogn(counts).sum() - _nlogn(counts.sum(0)).sum() - _nlogn(counts.sum(1)).sum() + _nlogn(total)
    return inside / total


def _synergy_z(counts: Tensor, marginal: Tensor, n_levels: Tensor) -> Tensor:  # (n_first, n_second)
    """How far I(X_i, X_j; Y) - I(X_i; Y) - I(X_j; Y) lies above what no interaction gives, in standard deviations.

    ``counts`` is (n_classes, n_first, levels, n_second, levels). Twice n times the synergy is about chi-squared with
    one degree of freedom a free cell; only cells that occur count, which corrects the bias of empty ones.
    """
    n_classes, counts = len(counts), counts.double()  # n log n of many rows has more digits than a float
    total = counts.sum(0)
    n_rows = float(total[0, :, 0, :].sum())
    per_class = counts[:, 0, :, 0, :].sum(dim=(1, 2))
    inside = _nlogn(counts).sum(dim=(0, 2, 4)) - _nlogn(total).sum(dim=(1, 3))
    nats = (inside.cpu() - (_nlogn(per_class).sum() - _nlogn(per_class.sum())).cpu()) / n_rows
    cells = (total > 0).sum(dim=(1, 3)).cpu()
    freedom = (cells - n_levels + 1).clamp(min=1) * (n_classes - 1)
    return (2 * n_rows * (nats - marginal) - freedom) / (2 * freedom).clamp(min=1).sqrt()


def _merge(best: Tensor, z: Tensor, first: Tensor, second: Tensor, n_pairs: int) -> Tensor:
    """The strongest pairs of those known and those of one block."""
    top = z.flatten().topk(min(n_pairs, z.numel()))
    found = torch.stack(
        [first[top.indices // len(second)].double(), second[top.indices % len(second)].double(), top.values], dim=1
    )
    merged = torch.cat([best, found[top.values > -torch.inf]])
    return merged[merged[:, 2].argsort(descending=True, stable=True)[:n_pairs]]
