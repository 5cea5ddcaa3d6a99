"""Encoded rows as tensors, with the layout of their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

MISSING_QUANTILE = -32768  # of packed quantiles
_N_CELLS = 65535  # the other values of 16 bits
_MIDDLE = 32767.5
_MOVED_ROWS = 65536  # copied to another device at a time


@dataclass(frozen=True)
class ColumnLayout:
    """Columns of a block of rows: numeric ones first, then categorical ones.

    ``positions[k]`` is the feature index of the k-th column in this order.
    """

    n_numeric: int
    n_levels: tuple[int, ...]
    positions: tuple[int, ...]
    any_missing: bool = True  # whether a quantile may be NaN

    @property
    def n_features(self) -> int:
        """Number of columns of both types."""
        return self.n_numeric + len(self.n_levels)

    def select(self, features: Sequence[int]) -> tuple[ColumnLayout, list[int], list[int]]:
        """Layout of these features in the given order, and the indices of its numeric and categorical columns."""
        index = {position: k for k, position in enumerate(self.positions)}
        numeric = [index[f] for f in features if index[f] < self.n_numeric]
        categorical = [index[f] for f in features if index[f] >= self.n_numeric]
        new_position = {f: k for k, f in enumerate(features)}
        positions = tuple(new_position[self.positions[k]] for k in numeric + categorical)
        categorical = [k - self.n_numeric for k in categorical]
        levels = tuple(self.n_levels[k] for k in categorical)
        return ColumnLayout(len(numeric), levels, positions, self.any_missing), numeric, categorical


@lru_cache(maxsize=4096)
def index_on_device(device: torch.device, index: tuple[int, ...]) -> Tensor:
    """Index tensor, copied to the device only once: a step captured as a CUDA graph cannot copy."""
    return torch.tensor(index, dtype=torch.int64, device=device)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table as the critic reads them."""

    quantiles: Tensor  # (..., n_numeric) float in (0, 1), NaN where missing
    codes: Tensor  # (..., n_categorical) uint8, or int64 if a column has more than 256; not for use as an index
    layout: ColumnLayout

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @property
    def device(self) -> torch.device:
        """Device of the rows."""
        return self.codes.device

    @property
    def n_bytes(self) -> int:
        """Size of the values, in memory or in files."""
        return self.quantiles.nbytes + self.codes.nbytes

    def take(self, rows: Tensor) -> Rows:
        """Rows at these positions; an index of any shape gives a block of that shape."""
        return Rows(gather_cells(self.quantiles, rows), gather_cells(self.codes, rows), self.layout)

    def select(self, features: Tensor | list[int]) -> Rows:
        """The same rows with only these features, in the given order."""
        wanted = [int(f) for f in features]
        if wanted == list(range(self.layout.n_features)):
            return self
        layout, *indices = self.layout.select(wanted)
        numeric, categorical = (index_on_device(self.device, tuple(index)) for index in indices)
        return Rows(self.quantiles.index_select(-1, numeric), self.codes.index_select(-1, categorical), layout)

    def column(self, feature: int) -> Tensor:  # (...,)
        """Quantiles or codes of one feature."""
        k, n_numeric = self.layout.positions.index(feature), self.layout.n_numeric
        return self.quantiles[..., k] if k < n_numeric else self.codes[..., k - n_numeric]

    def to(self, device: torch.device) -> Rows:
        """The same rows on a device."""
        return replace(self, quantiles=self.quantiles.to(device), codes=self.codes.to(device))

    def pack(self) -> PackedRows:
        """The same rows in half the memory or less; see :func:`pack_quantiles`."""
        return PackedRows(pack_quantiles(self.quantiles), self.codes, self.layout)


Gather = Callable[[Tensor, Tensor, Tensor | None], Tensor]


def gather_cells(table: Tensor, rows: Tensor, columns: Tensor | None = None) -> Tensor:
    """Cells of these rows, an index of any shape, and of all or some columns."""
    cells = table.index_select(0, rows.reshape(-1))  # copies whole rows; table[rows] copies cells, 10 times slower
    if columns is not None:
        cells = cells.index_select(-1, columns)
    return cells.view(*rows.shape, *cells.shape[1:])


@dataclass(frozen=True, eq=False)
class PackedRows(Rows):
    """Rows of a large table, in memory or memory-mapped: two bytes per quantile, and never copied as a whole.

    Only :meth:`take` reads them, and returns ordinary :class:`Rows`. The tensors keep all columns; ``layout`` describes
    those in ``selected``.
    """

    selected: tuple[Tensor, Tensor] | None = None  # indices of numeric and categorical columns; None for all
    gather: Gather = gather_cells
    batch_device: torch.device | None = None  # where taken rows go, if not to the device of the tensors

    @property
    def device(self) -> torch.device:
        """Device of taken rows."""
        return self.batch_device or self.codes.device

    def take(self, rows: Tensor) -> Rows:
        """Rows at these positions, unpacked; an index of any shape gives a block of that shape."""
        numeric, categorical = self.selected or (None, None)
        rows = rows.to(self.codes.device) % len(self)  # every fold numbers the rows of the table separately
        quantiles = self.gather(self.quantiles, rows, numeric).to(self.device)
        codes = self.gather(self.codes, rows, categorical).to(self.device)
        codes = codes if codes.dtype == torch.uint8 else codes.long()
        return Rows(unpack_quantiles(quantiles, self.layout.any_missing), codes, self.layout)

    def select(self, features: Tensor | list[int]) -> PackedRows:
        """The same rows with only these features, in the given order, without a copy."""
        wanted = [int(f) for f in features]
        if wanted == list(range(self.layout.n_features)):
            return self
        layout, *indices = self.layout.select(wanted)
        chosen = [index_on_device(self.codes.device, tuple(index)) for index in indices]
        if self.selected is not None:
            chosen = [before[now] for before, now in zip(self.selected, chosen, strict=True)]
        return replace(self, layout=layout, selected=(chosen[0], chosen[1]))

    def column(self, feature: int) -> Tensor:  # (n_rows,)
        """Quantiles or codes of one feature, unpacked."""
        return self.select([feature]).take(torch.arange(len(self))).column(0)

    def to(self, device: torch.device) -> PackedRows:
        """The same rows in the memory of a device."""
        pieces = [self._move(table, device) for table in (self.quantiles, self.codes)]
        selected = None if self.selected is None else (self.selected[0].to(device), self.selected[1].to(device))
        return PackedRows(pieces[0], pieces[1], self.layout, selected)

    def streamed_to(self, device: torch.device) -> PackedRows:
        """The same rows, of which only taken ones are copied to a device."""
        return replace(self, batch_device=device)

    def pack(self) -> PackedRows:
        """The same rows."""
        return self

    def _move(self, table: Tensor, device: torch.device) -> Tensor:
        """Copy in pieces, so that at most one piece needs extra memory."""
        moved = torch.empty(table.shape, dtype=table.dtype, device=device)
        for start in range(0, len(table), _MOVED_ROWS):
            piece = torch.arange(start, min(start + _MOVED_ROWS, len(table)), device=table.device)
            moved[start : start + len(piece)] = self.gather(table, piece, None)
        return moved


def pack_quantiles(quantiles: Tensor) -> Tensor:  # int16
    """Round quantiles to the middles of 65,535 equal cells of (0, 1): keeps their order, with errors below 8e-6."""
    cells = (quantiles * _N_CELLS).floor_().clamp_(max=_N_CELLS - 1).add_(1 + MISSING_QUANTILE)
    return cells.nan_to_num_(nan=MISSING_QUANTILE).to(torch.int16)


def pack_array(quantiles: NDArray[np.float32]) -> NDArray[np.int16]:
    """Pack an array as :func:`pack_quantiles` does, to the same bits, in a single thread."""
    cells: NDArray[np.float32] = np.floor(quantiles * np.float32(_N_CELLS))
    np.minimum(cells, np.float32(_N_CELLS - 1), out=cells)
    cells += np.float32(1 + MISSING_QUANTILE)
    cells[np.isnan(cells)] = MISSING_QUANTILE
    packed: NDArray[np.int16] = cells.astype(np.int16)
    return packed


def unpack_quantiles(packed: Tensor, any_missing: bool = True) -> Tensor:  # float32
    """Quantiles strictly inside (0, 1), NaN where missing."""
    quantiles = packed.to(torch.float32).add_(_MIDDLE).div_(_N_CELLS)
    # Missing ones are below 0 now; a mask would take 8 times as long
    return functional.threshold(quantiles, 0.0, torch.nan, inplace=True) if any_missing else quantiles


def stack_rows(blocks: Sequence[Rows]) -> Rows:
    """Stack blocks of equal length along a new first dimension."""
    quantiles, codes = (
        torch.stack(tensors) for tensors in zip(*((block.quantiles, block.codes) for block in blocks), strict=True)
    )
    return Rows(quantiles, codes, blocks[0].layout)


def join_rows(tables: Sequence[Rows]) -> Rows:
    """Concatenate the rows of tables with the same columns."""
    if len(tables) == 1:
        return tables[0]
    layouts = [table.layout for table in tables]
    n_levels = tuple(max(sizes) for sizes in zip(*(layout.n_levels for layout in layouts), strict=True))
    return replace(
        tables[0],  # all are Rows, or all are PackedRows
        quantiles=torch.cat([table.quantiles for table in tables]),
        codes=torch.cat([table.codes for table in tables]),
        layout=replace(layouts[0], n_levels=n_levels, any_missing=any(layout.any_missing for layout in layouts)),
    )


def join_columns(parts: Sequence[tuple[Rows, Sequence[int]]]) -> Rows:
    """Tables of the same rows side by side; with each, the feature numbers that its columns get."""
    layouts = [table.layout for table, _ in parts]
    positions = [[numbers[k] for k in table.layout.positions] for table, numbers in parts]
    numeric = [k for layout, own in zip(layouts, positions, strict=True) for k in own[: layout.n_numeric]]
    categorical = [k for layout, own in zip(layouts, positions, strict=True) for k in own[layout.n_numeric :]]
    n_levels = [size for layout in layouts for size in layout.n_levels]
    order = [sorted(range(len(of_type)), key=of_type.__getitem__) for of_type in (numeric, categorical)]
    layout = ColumnLayout(
        len(numeric),
        tuple(n_levels[k] for k in order[1]),
        (*sorted(numeric), *sorted(categorical)),
        any(layout.any_missing for layout in layouts),
    )
    quantiles = torch.cat([table.quantiles for table, _ in parts], dim=1)[:, order[0]]
    codes = torch.cat([table.codes for table, _ in parts], dim=1)[:, order[1]]
    return replace(parts[0][0], quantiles=quantiles, codes=codes, layout=layout)


def rows_from_arrays(
    quantiles: Any, codes: Any, n_levels: tuple[int, ...], positions: tuple[int, ...], device: torch.device
) -> Rows:
    """Rows on a device from the arrays of an encoder."""
    quantiles, codes = torch.as_tensor(quantiles, dtype=torch.float32), torch.as_tensor(codes)
    layout = ColumnLayout(quantiles.shape[1], n_levels, positions, bool(quantiles.isnan().any()))
    codes = codes if codes.dtype == torch.uint8 else codes.long()
    return Rows(quantiles.to(device), codes.to(device), layout)
