"""The screen: information of every column and every pair of columns about the target, in one sweep of counts."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup

LEVEL = 0.05  # probability that any one of columns that tell nothing seems to tell something
_ONE_HOT_CELLS = {"cpu": 1 << 23, "cuda": 1 << 31}  # zeros and ones of one block of columns that are held at once
_WIDE_CELLS = 1 << 21  # codes that are held as long integers at once
_MOST_PADDING = 1.5  # cells of a column in a block, for each that it needs
_BLOCK_CELLS = {"cpu": 1024, "cuda": 16384}  # one-hot columns of one block: a GPU needs large products to be busy


@dataclass(frozen=True)
class PairwiseInformation:
    """Plug-in information in nats, and how many standard deviations it lies above what independence gives."""

    marginal_nats: Tensor  # (n_features,) corrected for the bias of empty cells, never below 0
    marginal_z: Tensor  # (n_features,)
    pairs: Tensor  # (n_pairs, 2) features of the pairs with the most synergy, the strongest first
    pair_z: Tensor  # (n_pairs,)

    @property
    def informative(self) -> list[bool]:
        """Whether each column tells something alone: more than the luckiest of as many null ones would."""
        level = torch.tensor(LEVEL / max(1, len(self.marginal_z)), dtype=torch.float64)
        informative: list[bool] = (self.marginal_z > -torch.special.ndtri(level)).tolist()
        return informative


def screen(
    codes: Tensor,
    classes: Tensor,
    *,
    n_pairs: int,
    ranks: ProcessGroup = SINGLE_PROCESS,
    deadline: Deadline | None = None,
) -> PairwiseInformation:
    """Count all columns and all pairs against the classes, in blocks of columns; pairs until the time is up.

    The one-hot columns of the rows of one class, multiplied with themselves, hold the counts of all pairs at once;
    I(X_i, X_j; Y) is then a sum of n log n. Memory is that of one block of pairs, never d x d cells. Several ranks each
    count their own rows; counts add up exactly.
    """
    occur = ranks.sum_(torch.bincount(classes, minlength=_size(classes, ranks)))
    n_rows, sizes = int(occur.sum()), occur[occur > 0]
    codes, n_levels = _compact(codes, ranks)
    parts, device = [codes[classes == c] for c in occur.nonzero().squeeze(1)], codes.device
    del codes  # as large as the parts
    nlogn = _table_of_nlogn(n_rows, device)
    alone = nlogn[sizes].sum() - nlogn[n_rows]  # of the classes, as every column and pair shares it
    marginal = _marginal(parts, n_levels, nlogn, alone, ranks)
    freedom = (n_levels.double() - 1) * (len(parts) - 1)
    marginal_z = (2 * n_rows * marginal - freedom) / (2 * freedom).clamp(min=1).sqrt()
    marginal_nats = (marginal - freedom / (2 * n_rows)).clamp(min=0)
    best = torch.empty(0, 3, dtype=torch.float64, device=device)
    blocks = _blocks(n_levels, _BLOCK_CELLS.get(device.type, 1024))
    for a, first in enumerate(blocks):
        for second in blocks[a:]:
            if deadline is not None and deadline.expired:
                break
            inside, n_cells = _of_pairs(parts, first, second, n_levels, nlogn, ranks)
            synergy = (inside - alone) / n_rows - marginal[first][:, None] - marginal[second]
            # Twice n times the synergy is about chi-squared with one degree of freedom a free cell; only cells that
            # occur count, which corrects the bias of empty ones
            free = (n_cells - n_levels[first][:, None] - n_levels[second] + 1).clamp(min=1) * (len(parts) - 1)
            z = (2 * n_rows * synergy - free) / (2.0 * free).clamp(min=1).sqrt()
            if second is first:
                z = z.masked_fill(torch.ones_like(z, dtype=torch.bool).tril(), -torch.inf)
            best = _merge(best, z, first, second, n_pairs)
    best = best.cpu()
    return PairwiseInformation(
        marginal_nats.float().cpu(), marginal_z.float().cpu(), best[:, :2].long(), best[:, 2].float()
    )


def _size(values: Tensor, ranks: ProcessGroup) -> int:
    """One more than the largest value of any rank."""
    return max(ranks.gather(int(values.max()) + 1 if values.numel() else 0))


def _compact(codes: Tensor, ranks: ProcessGroup) -> tuple[Tensor, Tensor]:
    """Codes renumbered so that every column uses 0, 1, ... without gaps, and how many it uses."""
    top = _size(codes, ranks)
    compact, sizes = torch.empty_like(codes), []
    for columns in _few_columns(codes):
        part = codes[:, columns].long()
        present = torch.zeros(len(columns), top, dtype=torch.int64, device=codes.device)
        present = ranks.sum_(present.scatter_(1, part.T, 1)) > 0
        number = present.long().cumsum(1) - 1
        compact[:, columns] = number.T.gather(0, part).to(codes.dtype)
        sizes.append(present.sum(1))
    return compact, torch.cat(sizes)


def _table_of_nlogn(n_rows: int, device: torch.device) -> Tensor:  # (n_rows + 1,)
    """All n log n that counts can give; in double, as those of many rows have more digits than a float."""
    n = torch.arange(n_rows + 1, dtype=torch.float64, device=device)
    table: Tensor = torch.special.xlogy(n, n)
    return table


def _marginal(
    parts: list[Tensor], n_levels: Tensor, nlogn: Tensor, alone: Tensor, ranks: ProcessGroup
) -> Tensor:  # (n_features,)
    """Plug-in information of every column."""
    width = int(n_levels.max())
    marginal = []
    for columns in _few_columns(max(parts, key=len)):
        offsets = torch.arange(len(columns), device=n_levels.device) * width
        counts = torch.stack(
            [
                torch.bincount((part[:, columns].long() + offsets).flatten(), minlength=len(columns) * width)
                for part in parts
            ]
        )
        counts = ranks.sum_(counts).view(len(parts), len(columns), width)
        inside = nlogn[counts].sum(dim=(0, 2)) - nlogn[counts.sum(0)].sum(1)
        marginal.append((inside - alone) / (len(nlogn) - 1))
    return torch.cat(marginal)


def _few_columns(codes: Tensor) -> tuple[Tensor, ...]:
    """Columns to look at together: as many as make a block that is small beside the codes of many rows."""
    n_columns = max(1, min(256, _WIDE_CELLS // max(1, len(codes))))
    blocks: tuple[Tensor, ...] = torch.arange(codes.shape[1], device=codes.device).split(n_columns)
    return blocks


def _blocks(n_levels: Tensor, max_cells: int) -> list[Tensor]:
    """Columns to count at once: of about as many levels, since all of a block take as many cells as its largest."""
    sizes, blocks = n_levels.tolist(), list[list[int]]()
    for column in sorted(range(len(sizes)), key=sizes.__getitem__):
        n_cells, least = sizes[column], sizes[blocks[-1][0]] if blocks else 0
        if n_cells > _MOST_PADDING * least or (len(blocks[-1]) + 1) * n_cells > max_cells:
            blocks.append([])
        blocks[-1].append(column)
    return [torch.tensor(block, device=n_levels.device) for block in blocks]


def _one_hot(codes: Tensor, columns: Tensor, levels: Tensor) -> Tensor:  # (n_rows, n_columns * n_levels)
    """Columns as zeros and ones, all with as many cells as there are levels."""
    dtype = torch.bfloat16 if columns.is_cuda else torch.float32
    return (codes[:, columns].unsqueeze(-1) == levels).flatten(1).to(dtype)


def _count(part: Tensor, first: Tensor, second: Tensor, n_levels: Tensor) -> Tensor:
    """Counts of all pairs of cells of two blocks of columns, (n_first, n_levels, n_second, n_levels).

    Exact: zeros and ones are multiplied, and added up as floats of 24 digits.
    """
    levels = [
        torch.arange(int(n_levels[block].max()), device=part.device, dtype=part.dtype) for block in (first, second)
    ]
    n_cells = max(len(first) * len(levels[0]), len(second) * len(levels[1]))
    counts = torch.zeros((), device=part.device)
    for rows in part.split(max(1, _ONE_HOT_CELLS.get(part.device.type, 1 << 23) // n_cells)):
        mine = _one_hot(rows, first, levels[0])
        other = mine if second is first else _one_hot(rows, second, levels[1])
        counts = counts + (torch.mm(mine.T, other, out_dtype=torch.float32) if mine.is_cuda else mine.T @ other)
    return counts.int().view(len(first), len(levels[0]), len(second), len(levels[1]))


def _of_pairs(
    parts: list[Tensor], first: Tensor, second: Tensor, n_levels: Tensor, nlogn: Tensor, ranks: ProcessGroup
) -> tuple[Tensor, Tensor]:  # (n_first, n_second) each
    """Sums of n log n, with the classes less without them, and the number of cells that occur, of every pair."""
    total, inside = torch.zeros((), dtype=torch.int32, device=nlogn.device), torch.zeros_like(nlogn[0])
    for part in parts:
        counts = ranks.sum_(_count(part, first, second, n_levels))
        total = total + counts
        inside = inside + nlogn[counts].sum(dim=(1, 3))
    return inside - nlogn[total].sum(dim=(1, 3)), (total > 0).sum(dim=(1, 3))


def _merge(best: Tensor, z: Tensor, first: Tensor, second: Tensor, n_pairs: int) -> Tensor:
    """The strongest pairs of those known and those of one block."""
    top = z.flatten().topk(min(n_pairs, z.numel()))
    found = torch.stack(
        [first[top.indices // len(second)].double(), second[top.indices % len(second)].double(), top.values], dim=1
    )
    merged = torch.cat([best, found])
    merged = merged[merged[:, 2].argsort(descending=True, stable=True)[:n_pairs]]
    return merged[merged[:, 2] > -torch.inf]
