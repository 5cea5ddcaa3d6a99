"""Rows of a table divided among ranks: which rank holds which rows, and how results of all ranks are combined.

All ranks know the target, the weights and the number of every row, and draw the same random numbers. Features are
sharded: each rank holds only its own rows. Computations take blocks of row numbers, (n, length); each rank computes its
shard of a block, and all ranks get the whole result.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup


@dataclass(frozen=True, eq=False)
class Shard:
    """Rows of a block that this rank holds; lines with fewer rows than others are padded."""

    rows: Tensor  # (n, n_own) row numbers
    length: int  # of the block
    ranks: ProcessGroup = SINGLE_PROCESS
    positions: Tensor | None = None  # (n, n_own) in the block; None if the shard is the whole block
    is_padding: Tensor | None = None  # (n, n_own)

    def select(self, values: Tensor) -> Tensor:  # (n, n_own, ...)
        """Select this rank's part of values for the whole block (n, length, ...); 0 at the padding."""
        if self.positions is None or self.is_padding is None:
            return values
        expand = (..., *[None] * (values.dim() - 2))
        own = values.take_along_dim(self.positions[expand], dim=1)
        return own.masked_fill(self.is_padding[expand], 0)

    def gather(self, values: Tensor) -> Tensor:  # (n, length)
        """Combine the values of all ranks for their own rows to those of the whole block."""
        if self.positions is None or self.is_padding is None:
            return values
        whole = values.new_zeros(len(values), self.length)
        # Padding is at positions of other ranks' rows
        whole.scatter_(1, self.positions, values.masked_fill(self.is_padding, 0))
        return self.ranks.sum_(whole)


@dataclass(frozen=True)
class Sharding:
    """Which contiguous rows of a table each rank holds.

    With several folds, each may encode the table differently and number its rows separately: number k * n_rows + i is
    row i as fold k encodes it. The table of a rank then holds its own rows once per fold, or once for all folds.
    """

    ranks: ProcessGroup = SINGLE_PROCESS
    offsets: tuple[
        int, ...
    ] = ()  # rank r holds rows offsets[r] to offsets[r + 1] - 1; empty: row numbers are positions

    @classmethod
    def of_ranks(cls, ranks: ProcessGroup, n_own: int) -> Self:
        """Sharding in which this rank holds ``n_own`` rows; rows are in the order of the ranks."""
        return cls(ranks, tuple(accumulate(ranks.gather(n_own), initial=0)))

    @property
    def n_rows(self) -> int:
        """Number of rows of all ranks."""
        return self.offsets[-1]

    @property
    def own_range(self) -> tuple[int, int]:
        """First row of this rank, and the one after its last."""
        return self.offsets[self.ranks.rank], self.offsets[self.ranks.rank + 1]

    def owns(self, rows: Tensor) -> Tensor:  # bool
        """Whether this rank holds each of these rows."""
        if self.ranks.size == 1:
            return torch.ones_like(rows, dtype=torch.bool)
        start, end = self.own_range
        rows = rows % self.n_rows
        return (rows >= start) & (rows < end)

    def positions(self, rows: Tensor, n_held: int) -> Tensor:
        """Positions of rows in this rank's table of ``n_held`` rows; any valid position for rows of other ranks."""
        if not self.offsets:
            return rows
        start, end = self.own_range
        positions = rows % self.n_rows - start
        if n_held > end - start:
            positions = positions + rows // self.n_rows * (end - start)
        return positions if self.ranks.size == 1 else positions.masked_fill(~self.owns(rows), 0)

    def take(self, x: Rows, rows: Tensor) -> Rows:
        """Rows of this rank by number."""
        return x.take(self.positions(rows, len(x)))

    def select_own(self, rows: Tensor) -> Tensor:  # (n_own,)
        """Those of a list of rows that this rank holds."""
        return rows if self.ranks.size == 1 else rows[self.owns(rows)]

    def shard(self, rows: Tensor) -> Shard:
        """Rows of a block (n, length) that this rank holds, in their order."""
        if self.ranks.size == 1:
            return Shard(rows, rows.shape[1])
        owns = self.owns(rows)
        n_own = owns.sum(1, keepdim=True)
        positions = (~owns).byte().argsort(dim=1, stable=True)[:, : int(n_own.max())]
        is_padding = torch.arange(positions.shape[1], device=rows.device) >= n_own
        return Shard(rows.gather(1, positions), rows.shape[1], self.ranks, positions, is_padding)

    def gather_rows(self, x: Rows, rows: Tensor) -> tuple[Rows, Tensor]:
        """A table that has all of these rows (n, length) on every rank, and their positions in it."""
        if self.ranks.size == 1:
            return x, self.positions(rows, len(x))
        mine = self.owns(rows.flatten()).nonzero().squeeze(1)
        own = self.take(x, rows.flatten()[mine])
        cells = [self.ranks.gather_rows(values, mine, rows.numel()) for values in (own.quantiles, own.codes)]
        return Rows(cells[0], cells[1], x.layout), torch.arange(rows.numel(), device=rows.device).view(rows.shape)


UNSHARDED = Sharding()  # this process holds every row
