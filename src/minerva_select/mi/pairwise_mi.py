"""Information of every column and every pair of columns about the target, from counts."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.config import SEARCH, VETTING
from minerva_select.runtime.deadline import Deadline
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup

_ONE_HOT_CELLS = {"cpu": 1 << 23, "cuda": 1 << 31}  # one-hot entries of a block of columns in memory at once
_WIDE_CELLS = 1 << 21  # codes held as 64-bit integers at once
_MAX_PADDING = 1.5  # one-hot positions per level of a column, in a block of columns
_BLOCK_CELLS = {"cpu": 1024, "cuda": 16384}  # one-hot columns per block: a GPU needs large products


@dataclass(frozen=True)
class PairwiseInformation:
    """Plug-in information in nats, and its distance from independence in standard deviations."""

    marginal_nats: Tensor  # (n_features,) bias-corrected, at least 0
    marginal_z: Tensor  # (n_features,)
    pairs: Tensor  # (n_pairs, 2) features of the pairs with the most synergy, strongest first
    pair_z: Tensor  # (n_pairs,)

    @property
    def informative(self) -> list[bool]:
        """Whether each column carries information alone, with Bonferroni correction."""
        level = torch.tensor(VETTING.level / max(1, len(self.marginal_z)), dtype=torch.float64)
        informative: list[bool] = (self.marginal_z > -torch.special.ndtri(level)).tolist()
        return informative


def count_information(
    codes: Tensor,
    classes: Tensor,
    *,
    n_pairs: int,
    ranks: ProcessGroup = SINGLE_PROCESS,
    deadline: Deadline | None = None,
) -> PairwiseInformation:
    """Count all columns and pairs against the classes, in blocks of columns; pairs until the deadline.

    The product of one-hot columns of the rows of one class with themselves holds the counts of all pairs, and
    I(X_i, X_j; Y) is a sum of n log n over counts. Memory is that of one block of pairs, never d x d cells. Every rank
    counts its own rows, and counts add up exactly.
    """
    n_of_class = ranks.sum_(torch.bincount(classes, minlength=_size(classes, ranks)))
    codes, n_levels = _compact(codes, ranks)
    parts = [codes[classes == c] for c in n_of_class.nonzero().squeeze(1)]
    del codes  # as large as the parts
    rows = _ClassRows.of(parts, n_levels, ranks)
    freedom = (n_levels.double() - 1) * (len(parts) - 1)
    marginal_z = (2 * rows.n_rows * rows.marginal - freedom) / (2 * freedom).clamp(min=1).sqrt()
    marginal_nats = (rows.marginal - freedom / (2 * rows.n_rows)).clamp(min=0)
    best = _count_synergies(_thin_out(rows, n_of_class[n_of_class > 0], ranks), n_pairs, deadline).cpu()
    return PairwiseInformation(
        marginal_nats.float().cpu(), marginal_z.float().cpu(), best[:, :2].long(), best[:, 2].float()
    )


@dataclass(frozen=True, eq=False)
class _ClassRows:
    """Codes of the rows of every class, and what the counts of all columns and pairs of them need."""

    parts: list[Tensor]  # of each class, (n_rows, n_features)
    n_levels: Tensor  # (n_features,)
    n_rows: int  # of all classes and ranks
    nlogn: Tensor  # (n_rows + 1,)
    of_classes: Tensor  # n log n of the classes minus that of all rows
    marginal: Tensor  # (n_features,) plug-in information of every column
    ranks: ProcessGroup

    @classmethod
    def of(cls, parts: list[Tensor], n_levels: Tensor, ranks: ProcessGroup) -> _ClassRows:
        sizes = ranks.sum_(torch.tensor([len(part) for part in parts], device=n_levels.device))
        n_rows = int(sizes.sum())
        nlogn = _table_of_nlogn(n_rows, n_levels.device)
        of_classes = nlogn[sizes].sum() - nlogn[n_rows]
        marginal = _marginal_information(parts, n_levels, nlogn, of_classes, ranks)
        return cls(parts, n_levels, n_rows, nlogn, of_classes, marginal, ranks)


def _thin_out(rows: _ClassRows, sizes: Tensor, ranks: ProcessGroup) -> _ClassRows:
    """Keep some rows of a class that nearly all rows have: beside few others, more of them tell no more of pairs."""
    largest = int(sizes.argmax())
    n_wanted = SEARCH.majority_ratio * (rows.n_rows - int(sizes[largest]))
    step = int(sizes[largest]) // max(SEARCH.min_screen_rows, n_wanted)
    if step < 2:
        return rows
    parts = [part[::step] if k == largest else part for k, part in enumerate(rows.parts)]
    return _ClassRows.of(parts, rows.n_levels, ranks)


def _count_synergies(rows: _ClassRows, n_pairs: int, deadline: Deadline | None) -> Tensor:  # (n_found, 3)
    """The pairs that tell most beyond what both columns tell alone: their features, and their z-scores."""
    n_levels, marginal, device = rows.n_levels, rows.marginal, rows.nlogn.device
    best = torch.empty(0, 3, dtype=torch.float64, device=device)
    blocks = _blocks(n_levels, _BLOCK_CELLS.get(device.type, 1024))
    for a, first in enumerate(blocks):
        for second in blocks[a:]:
            if deadline is not None and deadline.expired:
                break
            of_pairs, n_cells = _sum_pairs(rows, first, second)
            synergy = (of_pairs - rows.of_classes) / rows.n_rows - marginal[first][:, None] - marginal[second]
            # 2 n times the synergy is about chi-squared. Only cells that occur count as degrees of freedom, which
            # corrects the bias of empty ones.
            free = (n_cells - n_levels[first][:, None] - n_levels[second] + 1).clamp(min=1) * (len(rows.parts) - 1)
            z = (2 * rows.n_rows * synergy - free) / (2.0 * free).clamp(min=1).sqrt()
            if second is first:
                z = z.masked_fill(torch.ones_like(z, dtype=torch.bool).tril(), -torch.inf)
            best = _merge(best, z, first, second, n_pairs)
    return best


def _size(values: Tensor, ranks: ProcessGroup) -> int:
    """One more than the largest value of any rank."""
    return max(ranks.gather(int(values.max()) + 1 if values.numel() else 0))


def _compact(codes: Tensor, ranks: ProcessGroup) -> tuple[Tensor, Tensor]:
    """Renumber the codes of every column as 0, 1, ... without gaps; also returns how many each column has."""
    top = _size(codes, ranks)
    compact, sizes = torch.empty_like(codes), []
    for columns in _narrow_blocks(codes):
        part = codes[:, columns].long()
        present = torch.zeros(len(columns), top, dtype=torch.int64, device=codes.device)
        present = ranks.sum_(present.scatter_(1, part.T, 1)) > 0
        number = present.long().cumsum(1) - 1
        compact[:, columns] = number.T.gather(0, part).to(codes.dtype)
        sizes.append(present.sum(1))
    return compact, torch.cat(sizes)


def _table_of_nlogn(n_rows: int, device: torch.device) -> Tensor:  # (n_rows + 1,)
    """All n log n that counts can give; in double precision, which many rows need."""
    n = torch.arange(n_rows + 1, dtype=torch.float64, device=device)
    table: Tensor = torch.special.xlogy(n, n)
    return table


def _look_up(table: Tensor, index: Tensor) -> Tensor:
    return table.index_select(0, index.flatten()).view(index.shape)  # a third of the time of table[index]


def _marginal_information(
    parts: list[Tensor], n_levels: Tensor, nlogn: Tensor, of_classes: Tensor, ranks: ProcessGroup
) -> Tensor:  # (n_features,)
    """Plug-in information of every column."""
    width = int(n_levels.max())
    marginal = []
    for columns in _narrow_blocks(max(parts, key=len)):
        offsets = torch.arange(len(columns), device=n_levels.device) * width
        counts = torch.stack(
            [
                torch.bincount((part[:, columns].long() + offsets).flatten(), minlength=len(columns) * width)
                for part in parts
            ]
        )
        counts = ranks.sum_(counts).view(len(parts), len(columns), width)
        of_columns = _look_up(nlogn, counts).sum(dim=(0, 2)) - _look_up(nlogn, counts.sum(0)).sum(1)
        marginal.append((of_columns - of_classes) / (len(nlogn) - 1))
    return torch.cat(marginal)


def _narrow_blocks(codes: Tensor) -> tuple[Tensor, ...]:
    """Blocks of columns that are small compared with the codes of many rows."""
    n_columns = max(1, min(256, _WIDE_CELLS // max(1, len(codes))))
    blocks: tuple[Tensor, ...] = torch.arange(codes.shape[1], device=codes.device).split(n_columns)
    return blocks


def _blocks(n_levels: Tensor, max_cells: int) -> list[Tensor]:
    """Blocks of columns with similar numbers of levels, since all columns of a block are padded to the largest."""
    sizes, blocks = n_levels.tolist(), list[list[int]]()
    for column in sorted(range(len(sizes)), key=sizes.__getitem__):
        n_cells, least = sizes[column], sizes[blocks[-1][0]] if blocks else 0
        if n_cells > _MAX_PADDING * least or (len(blocks[-1]) + 1) * n_cells > max_cells:
            blocks.append([])
        blocks[-1].append(column)
    return [torch.tensor(block, device=n_levels.device) for block in blocks]


def _one_hot(codes: Tensor, columns: Tensor, levels: Tensor) -> Tensor:  # (n_rows, n_columns * n_levels)
    dtype = torch.bfloat16 if columns.is_cuda else torch.float32
    return (codes[:, columns].unsqueeze(-1) == levels).flatten(1).to(dtype)


def _count_pairs(part: Tensor, first: Tensor, second: Tensor, n_levels: Tensor) -> Tensor:
    """Joint counts of two blocks of columns, (n_first, n_levels, n_second, n_levels).

    They are exact: products of zeros and ones, summed with 24-bit mantissas.
    """
    levels = [
        torch.arange(int(n_levels[block].max()), device=part.device, dtype=part.dtype) for block in (first, second)
    ]
    n_cells = max(len(first) * len(levels[0]), len(second) * len(levels[1]))
    counts = torch.zeros((), device=part.device)
    for rows in part.split(max(1, _ONE_HOT_CELLS.get(part.device.type, 1 << 23) // n_cells)):
        a = _one_hot(rows, first, levels[0])
        b = a if second is first else _one_hot(rows, second, levels[1])
        counts = counts + (torch.mm(a.T, b, out_dtype=torch.float32) if a.is_cuda else a.T @ b)
    return counts.int().view(len(first), len(levels[0]), len(second), len(levels[1]))


def _sum_pairs(rows: _ClassRows, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:  # (n_first, n_second) each
    """Sum of n log n within classes minus over all rows, and number of cells that occur, for every pair."""
    nlogn = rows.nlogn
    total, within = torch.zeros((), dtype=torch.int32, device=nlogn.device), torch.zeros_like(nlogn[0])
    for part in rows.parts:
        counts = rows.ranks.sum_(_count_pairs(part, first, second, rows.n_levels))
        total = total + counts
        within = within + _look_up(nlogn, counts).sum(dim=(1, 3))
    return within - _look_up(nlogn, total).sum(dim=(1, 3)), (total > 0).sum(dim=(1, 3))


def _merge(best: Tensor, z: Tensor, first: Tensor, second: Tensor, n_pairs: int) -> Tensor:
    """Strongest pairs among those found so far and those of one block."""
    top = z.flatten().topk(min(n_pairs, z.numel()))
    found = torch.stack(
        [first[top.indices // len(second)].double(), second[top.indices % len(second)].double(), top.values], dim=1
    )
    merged = torch.cat([best, found])
    merged = merged[merged[:, 2].argsort(descending=True, stable=True)[:n_pairs]]
    return merged[merged[:, 2] > -torch.inf]
