"""Encoded rows as tensors, and what the network needs to know of their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

MISSING_RANK = -32768  # of packed ranks
_N_CELLS = 65535  # the other values of 16 bits
_MIDDLE = 32767.5
_MOVED_ROWS = 65536  # taken at once to another device


@dataclass(frozen=True)
class Layout:
    """Which columns a block of rows has: continuous ones first, then categorical ones.

    ``positions[k]`` is the place that the k-th column of this order has among the features.
    """

    n_continuous: int
    n_levels: tuple[int, ...]
    positions: tuple[int, ...]
    any_missing: bool = True  # whether a rank may be NaN

    @property
    def n_features(self) -> int:
        """Number of columns of both kinds."""
        return self.n_continuous + len(self.n_levels)

    def only(self, features: Sequence[int]) -> tuple[Layout, list[int], list[int]]:
        """Layout of these features, in the order given, and the places of its ranks and of its codes in this one."""
        place = {position: k for k, position in enumerate(self.positions)}
        continuous = [place[f] for f in features if place[f] < self.n_continuous]
        categorical = [place[f] for f in features if place[f] >= self.n_continuous]
        new_place = {f: k for k, f in enumerate(features)}
        positions = tuple(new_place[self.positions[k]] for k in continuous + categorical)
        categorical = [k - self.n_continuous for k in categorical]
        levels = tuple(self.n_levels[k] for k in categorical)
        return Layout(len(continuous), levels, positions, self.any_missing), continuous, categorical


@lru_cache(maxsize=4096)
def places_on(device: torch.device, places: tuple[int, ...]) -> Tensor:
    """An index on a device, sent there once: a step that is captured as a graph can send nothing."""
    return torch.tensor(places, dtype=torch.int64, device=device)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table as the critic reads them."""

    ranks: Tensor  # (..., n_continuous) float in (0, 1), NaN where missing
    codes: Tensor  # (..., n_categorical) uint8, or int64 where a column has more than 256; never an index by itself
    layout: Layout

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @property
    def device(self) -> torch.device:
        """Where the rows live."""
        return self.codes.device

    @property
    def n_bytes(self) -> int:
        """Bytes of the values, in memory or in files."""
        return self.ranks.nbytes + self.codes.nbytes

    def take(self, rows: Tensor) -> Rows:
        """Rows at these positions; an index of any shape gives a block of that shape."""
        return Rows(gather_cells(self.ranks, rows), gather_cells(self.codes, rows), self.layout)

    def only(self, features: Tensor | list[int]) -> Rows:
        """The same rows with only these features, in the order given."""
        wanted = [int(f) for f in features]
        if wanted == list(range(self.layout.n_features)):
            return self
        layout, continuous, categorical = self.layout.only(wanted)
        ranks, codes = places_on(self.device, tuple(continuous)), places_on(self.device, tuple(categorical))
        return Rows(self.ranks.index_select(-1, ranks), self.codes.index_select(-1, codes), layout)

    def column(self, feature: int) -> Tensor:  # (...,)
        """Ranks or codes of one feature."""
        place, n_continuous = self.layout.positions.index(feature), self.layout.n_continuous
        return self.ranks[..., place] if place < n_continuous else self.codes[..., place - n_continuous]

    def to(self, device: torch.device) -> Rows:
        """The same rows on a device."""
        return replace(self, ranks=self.ranks.to(device), codes=self.codes.to(device))

    def pack(self) -> PackedRows:
        """The same rows in half the memory, or less; see :func:`pack_ranks`."""
        return PackedRows(pack_ranks(self.ranks), self.codes, self.layout)


Gather = Callable[[Tensor, Tensor, Tensor | None], Tensor]


def gather_cells(table: Tensor, rows: Tensor, columns: Tensor | None = None) -> Tensor:
    """Cells at these rows, an index of any shape, of all columns or of these."""
    cells = table.index_select(0, rows.reshape(-1))  # copies row by row; table[rows] goes cell by cell, 10 times slower
    if columns is not None:
        cells = cells.index_select(-1, columns)
    return cells.view(*rows.shape, *cells.shape[1:])


@dataclass(frozen=True, eq=False)
class PackedRows(Rows):
    """Rows of a large table: two bytes a rank, and never copied, in memory or in a file.

    Only :meth:`take` reads them, and gives ordinary :class:`Rows`. The tensors keep all their columns; ``layout`` is of
    those that ``picked`` lists.
    """

    picked: tuple[Tensor, Tensor] | None = None  # places of the columns of ranks and of codes; None: all of them
    gather: Gather = gather_cells
    taken_to: torch.device | None = None  # where rows go when taken, if not where they live

    @property
    def device(self) -> torch.device:
        """Where rows are when taken."""
        return self.taken_to or self.codes.device

    def take(self, rows: Tensor) -> Rows:
        """Rows at these positions, unpacked; an index of any shape gives a block of that shape."""
        of_ranks, of_codes = self.picked or (None, None)
        rows = rows.to(self.codes.device) % len(self)  # every fold of a table has numbers of its own for its rows
        ranks = self.gather(self.ranks, rows, of_ranks).to(self.device)
        codes = self.gather(self.codes, rows, of_codes).to(self.device)
        codes = codes if codes.dtype == torch.uint8 else codes.long()
        return Rows(unpack_ranks(ranks, self.layout.any_missing), codes, self.layout)

    def only(self, features: Tensor | list[int]) -> PackedRows:
        """The same rows with only these features, in the order given; nothing is copied."""
        wanted = [int(f) for f in features]
        if wanted == list(range(self.layout.n_features)):
            return self
        layout, *places = self.layout.only(wanted)
        chosen = [places_on(self.codes.device, tuple(place)) for place in places]
        if self.picked is not None:
            chosen = [before[now] for before, now in zip(self.picked, chosen, strict=True)]
        return replace(self, layout=layout, picked=(chosen[0], chosen[1]))

    def column(self, feature: int) -> Tensor:  # (n_rows,)
        """Ranks or codes of one feature, unpacked."""
        return self.only([feature]).take(torch.arange(len(self))).column(0)

    def to(self, device: torch.device) -> PackedRows:
        """The same rows on a device, out of their files."""
        pieces = [self._move(table, device) for table in (self.ranks, self.codes)]
        picked = None if self.picked is None else (self.picked[0].to(device), self.picked[1].to(device))
        return PackedRows(pieces[0], pieces[1], self.layout, picked)

    def streamed_to(self, device: torch.device) -> PackedRows:
        """The same rows where they are; what is taken goes to a device, and no more."""
        return replace(self, taken_to=device)

    def pack(self) -> PackedRows:
        """The same rows."""
        return self

    def _move(self, table: Tensor, device: torch.device) -> Tensor:
        """A copy made piece by piece, so that no more than one of them is in memory beside it."""
        moved = torch.empty(table.shape, dtype=table.dtype, device=device)
        for start in range(0, len(table), _MOVED_ROWS):
            piece = torch.arange(start, min(start + _MOVED_ROWS, len(table)), device=table.device)
            moved[start : start + len(piece)] = self.gather(table, piece, None)
        return moved


def pack_ranks(ranks: Tensor) -> Tensor:  # int16
    """Ranks in two bytes, as the middles of 65,535 equal cells of (0, 1): order stays, and errors are below 8e-6.

    Examples
    --------
    >>> packed = pack_ranks(torch.tensor([0.0, 0.5, 1.0, torch.nan]))
    >>> packed.tolist()
    [-32767, 0, 32767, -32768]
    >>> unpack_ranks(packed)[1:]
    tensor([0.5000, 1.0000,    nan])
    """
    cells = (ranks * _N_CELLS).floor_().clamp_(max=_N_CELLS - 1).add_(1 + MISSING_RANK)
    return cells.nan_to_num_(nan=MISSING_RANK).to(torch.int16)


def unpack_ranks(packed: Tensor, any_missing: bool = True) -> Tensor:  # float32
    """Ranks strictly inside (0, 1), NaN where missing."""
    ranks = packed.to(torch.float32).add_(_MIDDLE).div_(_N_CELLS)
    # A missing one is below 0 now; a mask would take 8 times as long.
    return functional.threshold(ranks, 0.0, torch.nan, inplace=True) if any_missing else ranks


def stack_rows(blocks: Sequence[Rows]) -> Rows:
    """Blocks of as many rows each, as one with a leading place a block."""
    ranks, codes = torch.stack([block.ranks for block in blocks]), torch.stack([block.codes for block in blocks])
    return Rows(ranks, codes, blocks[0].layout)


def join_rows(tables: Sequence[Rows]) -> Rows:
    """Rows of several tables of the same columns, one table after the other."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0].layout
    n_levels = tuple(max(sizes) for sizes in zip(*(table.layout.n_levels for table in tables), strict=True))
    return replace(
        tables[0],  # ordinary or packed, as all of them
        ranks=torch.cat([table.ranks for table in tables]),
        codes=torch.cat([table.codes for table in tables]),
        layout=Layout(first.n_continuous, n_levels, first.positions, any(table.layout.any_missing for table in tables)),
    )


def rows_from_arrays(
    ranks: Any, codes: Any, n_levels: tuple[int, ...], positions: tuple[int, ...], device: torch.device
) -> Rows:
    """Rows on a device from the arrays of an encoder."""
    ranks, codes = torch.as_tensor(ranks, dtype=torch.float32), torch.as_tensor(codes)
    layout = Layout(ranks.shape[1], n_levels, positions, bool(ranks.isnan().any()))
    codes = codes if codes.dtype == torch.uint8 else codes.long()
    return Rows(ranks.to(device), codes.to(device), layout)
