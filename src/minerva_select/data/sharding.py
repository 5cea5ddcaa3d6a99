"""Rows of one table, shared out among the ranks: who holds which, and how what each computes of its own becomes whole.

All ranks know the target, the weights and the number of every row, and draw the same numbers; of the features each
holds its own rows alone. Blocks of row numbers go in, (n, length) as members or jobs ask for them; each rank computes
what it holds of a block, and all get the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup


@dataclass(frozen=True, eq=False)
class Portion:
    """What a rank holds of a block of rows: as many places for each line of it, filled up where it holds fewer."""

    rows: Tensor  # (n, n_own) row numbers
    length: int  # of the block
    ranks: ProcessGroup = SINGLE_PROCESS
    places: Tensor | None = None  # (n, n_own) where in the block they are; None: it is the whole block
    is_filling: Tensor | None = None  # (n, n_own)

    def pick(self, values: Tensor) -> Tensor:  # (n, n_own, ...)
        """The part of what is known of all rows of the block (n, length, ...); 0 at the filling."""
        if self.places is None or self.is_filling is None:
            return values
        deep = (..., *[None] * (values.dim() - 2))
        own = values.take_along_dim(self.places[deep], dim=1)
        return own.masked_fill(self.is_filling[deep], 0)

    def join(self, values: Tensor) -> Tensor:  # (n, length)
        """The whole block, on every rank, of which each has a value for its own rows."""
        if self.places is None or self.is_filling is None:
            return values
        whole = values.new_zeros(len(values), self.length)
        whole.scatter_(1, self.places, values.masked_fill(self.is_filling, 0))  # the filling lies on others' places
        return self.ranks.sum_(whole)


@dataclass(frozen=True)
class Shares:
    """Which rows of a table each rank holds: one run of them, and the runs follow each other.

    Folds may each have a stretch of row numbers, one after the other, of the same rows: number k * n_rows + i is row i
    as fold k encodes it. A table then holds as many stretches of own rows, or one that serves all folds.

    Parameters
    ----------
    ranks
        The processes.
    bounds
        Rank r holds the rows from ``bounds[r]`` to below ``bounds[r + 1]``; none at all where numbers are places.

    Examples
    --------
    >>> import torch
    >>> shares = Shares(SINGLE_PROCESS, (0, 3))
    >>> shares.places(torch.tensor([1, 2, 4, 5]), n_held=3)
    tensor([1, 2, 1, 2])
    """

    ranks: ProcessGroup = SINGLE_PROCESS
    bounds: tuple[int, ...] = ()

    @classmethod
    def of(cls, ranks: ProcessGroup, n_own: int) -> Self:
        """Shares of ranks that each hold so many rows, in the order of the ranks."""
        bounds = [0]
        for n_rows in ranks.gather(n_own):
            bounds.append(bounds[-1] + n_rows)
        return cls(ranks, tuple(bounds))

    @property
    def n_rows(self) -> int:
        """Rows of all ranks."""
        return self.bounds[-1]

    @property
    def own(self) -> tuple[int, int]:
        """The first row of this rank, and the one after its last."""
        return self.bounds[self.ranks.rank], self.bounds[self.ranks.rank + 1]

    def hold(self, rows: Tensor) -> Tensor:  # bool
        """Whether this rank holds each of these rows."""
        if self.ranks.size == 1:
            return torch.ones_like(rows, dtype=torch.bool)
        start, end = self.own
        rows = rows % self.n_rows
        return (rows >= start) & (rows < end)

    def places(self, rows: Tensor, n_held: int) -> Tensor:
        """Where rows are in a table of ``n_held``; for those of other ranks, somewhere in it."""
        if not self.bounds:
            return rows
        start, end = self.own
        places = rows % self.n_rows - start
        if n_held > end - start:
            places = places + rows // self.n_rows * (end - start)
        return places if self.ranks.size == 1 else places.masked_fill(~self.hold(rows), 0)

    def take(self, x: Rows, rows: Tensor) -> Rows:
        """Rows of this rank by number."""
        return x.take(self.places(rows, len(x)))

    def own_of(self, rows: Tensor) -> Tensor:  # (n_own,)
        """Those of a list of rows that this rank holds."""
        return rows if self.ranks.size == 1 else rows[self.hold(rows)]

    def portion(self, rows: Tensor) -> Portion:
        """What this rank holds of a block of rows (n, length), in their order."""
        if self.ranks.size == 1:
            return Portion(rows, rows.shape[1])
        hold = self.hold(rows)
        n_own = hold.sum(1, keepdim=True)
        places = (~hold).byte().argsort(dim=1, stable=True)[:, : int(n_own.max())]
        is_filling = torch.arange(places.shape[1], device=rows.device) >= n_own
        return Portion(rows.gather(1, places), rows.shape[1], self.ranks, places, is_filling)

    def exchange(self, x: Rows, rows: Tensor) -> tuple[Rows, Tensor]:
        """A table that has all of these rows (n, length) on every rank, and their places in it."""
        if self.ranks.size == 1:
            return x, self.places(rows, len(x))
        mine = self.hold(rows.flatten()).nonzero().squeeze(1)
        own = self.take(x, rows.flatten()[mine])
        ranks, codes = (self.ranks.gather_rows(cells, mine, rows.numel()) for cells in (own.ranks, own.codes))
        return Rows(ranks, codes, x.layout), torch.arange(rows.numel(), device=rows.device).view(rows.shape)


HELD_WHOLE = Shares()  # this process holds every row
