"""Encoded rows as tensors, and what the network needs to know of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


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

    def take(self, rows: Tensor) -> Rows:
        """Rows at these positions; an index of any shape gives a block of that shape."""
        return Rows(self.ranks[rows], self.codes[rows], self.layout)

    def only(self, features: Tensor | list[int]) -> Rows:
        """The same rows with only these features, in the order given."""
        wanted = [int(f) for f in features]
        if wanted == list(range(self.layout.n_features)):
            return self
        place = {position: k for k, position in enumerate(self.layout.positions)}
        n_continuous = self.layout.n_continuous
        continuous = [place[f] for f in wanted if place[f] < n_continuous]
        categorical = [place[f] - n_continuous for f in wanted if place[f] >= n_continuous]
        new_place = {f: k for k, f in enumerate(wanted)}
        positions = [new_place[self.layout.positions[k]] for k in continuous]
        positions += [new_place[self.layout.positions[n_continuous + k]] for k in categorical]
        levels = tuple(self.layout.n_levels[k] for k in categorical)
        layout = Layout(len(continuous), levels, tuple(positions), self.layout.any_missing)
        return Rows(self.ranks[..., continuous], self.codes[..., categorical], layout)


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
    return Rows(
        torch.cat([table.ranks for table in tables]),
        torch.cat([table.codes for table in tables]),
        Layout(first.n_continuous, n_levels, first.positions, any(table.layout.any_missing for table in tables)),
    )


def rows_from_arrays(
    ranks: Any, codes: Any, n_levels: tuple[int, ...], positions: tuple[int, ...], device: torch.device
) -> Rows:
    """Rows on a device from the arrays of an encoder."""
    ranks, codes = torch.as_tensor(ranks, dtype=torch.float32), torch.as_tensor(codes)
    layout = Layout(ranks.shape[1], n_levels, positions, bool(ranks.isnan().any()))
    codes = codes if codes.dtype == torch.uint8 else codes.long()
    return Rows(ranks.to(device), codes.to(device), layout)
