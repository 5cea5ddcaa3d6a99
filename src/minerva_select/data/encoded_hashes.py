"""Hashes of encoded rows, read block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.data.encoded_rows import PackedRows
from minerva_select.preprocessing.row_hashes import hash_integers
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup

_BLOCK_ROWS = 65_536


@dataclass(frozen=True, eq=False)
class EncodedHashes:
    """Packed rows of all processes, in rank order, to find copies in."""

    rows: PackedRows  # of this process
    features: Sequence[int]  # to hash
    ranks: ProcessGroup = SINGLE_PROCESS

    @property
    def n_rows(self) -> int:
        """Number of rows of all processes."""
        return sum(self.ranks.gather(len(self.rows)))

    @cached_property
    def is_categorical(self) -> list[bool]:
        """Whether each feature is categorical."""
        return [k >= self.rows.layout.n_numeric for k in self._indices]

    def hash(self, columns: Sequence[int]) -> NDArray[np.uint64]:
        """Hash of every row in these columns, numbered as in ``features``."""
        hashes = np.zeros(len(self.rows), dtype=np.uint64)
        for start in range(0, len(self.rows), _BLOCK_ROWS):
            rows = torch.arange(start, min(start + _BLOCK_ROWS, len(self.rows)))
            for column, values in zip(columns, self._read(rows, columns), strict=True):
                hashes[start : start + len(rows)] += hash_integers(values, column)
        return np.concatenate(self.ranks.gather(hashes))

    def take(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Values of every column at these ascending rows."""
        first = sum(self.ranks.gather(len(self.rows))[: self.ranks.rank])
        own = torch.as_tensor(rows[(rows >= first) & (rows < first + len(self.rows))] - first)
        pieces = self.ranks.gather(list(self._read(own, range(len(self.features)))))
        return [np.concatenate(column) for column in zip(*pieces, strict=True)]

    @cached_property
    def _indices(self) -> list[int]:
        return [self.rows.layout.positions.index(feature) for feature in self.features]

    def _read(self, rows: torch.Tensor, columns: Sequence[int]) -> Iterator[NDArray[Any]]:
        """Packed quantiles or codes of each column at rows of this process."""
        rows, n_numeric = rows.to(self.rows.codes.device), self.rows.layout.n_numeric
        tables = [self.rows.gather(table, rows, None).cpu().numpy() for table in (self.rows.quantiles, self.rows.codes)]
        for k in (self._indices[column] for column in columns):
            yield tables[0][:, k] if k < n_numeric else tables[1][:, k - n_numeric]
