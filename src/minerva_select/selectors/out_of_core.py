"""Fit tables that do not fit in memory: encode all rows once into files, with encoders fitted on a sample."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.data.block_pipeline import MIN_THREADS, PipelineSize
from minerva_select.data.encoded_rows import PackedRows
from minerva_select.data.encoded_store import EncodedStore, read_rows
from minerva_select.data.frames import as_table
from minerva_select.data.memory_budget import MemoryBudget, is_source, load_or_stream, release_memory
from minerva_select.data.sharding import Sharding
from minerva_select.io.tempdirs import TempDir
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.runtime.device import available_threads
from minerva_select.runtime.distributed import SINGLE_PROCESS, ProcessGroup
from minerva_select.schema import ColumnType, Table
from minerva_select.selectors.row_sample import RowSample, sample_rows

if TYPE_CHECKING:
    from minerva_select.data.source import Source


DEVICE_SHARE = 0.6  # of a device's free memory that rows may use; the rest is for critics and batches


@dataclass(frozen=True, eq=False)
class Stream:
    """A table too large for memory, and the folder of its encoded rows."""

    source: Source
    budget: MemoryBudget
    folder: Path
    on_rows: Callable[[int, int], None]  # called with the number of encoded rows and of all rows
    ranks: ProcessGroup = SINGLE_PROCESS  # each reads and keeps a part of the rows

    @cached_property
    def part(self) -> Source:
        """The rows that this process reads."""
        return self.source if self.ranks.size == 1 else self.source.part(self.ranks.rank, self.ranks.size)

    def sample_rows(self, strata: NDArray[np.int64], at_most: int) -> RowSample:
        """Sample as many rows as memory allows."""
        return sample_rows(strata, min(at_most, self.budget.sample_rows(len(self.source.names))))

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Read these rows into a table, in every process."""
        first = self.part.first_row
        own = rows[(rows >= first) & (rows < first + self.part.n_rows)] - first
        block_rows = self.budget.block_rows(len(self.source.names))
        return as_table(_joined(read_rows(self.part, own, block_rows), self.ranks))

    def encode(
        self, table: Table, column_types: Mapping[str, ColumnType], key: str, device: torch.device
    ) -> tuple[PackedRows, Sharding]:
        """Encode the rows of this process, with encoders fitted on the sample, and return them with their sharding.

        Only columns of the sample are read.
        """
        encoder = TableEncoder(column_types).fit(table)
        source = self.part.select(table.names)
        n_threads = max(MIN_THREADS, available_threads())
        store = EncodedStore.build(
            source,
            encoder,
            self.folder / f"rows-{self.ranks.rank}",
            key=key,
            block_rows=self.budget.block_rows(len(table.names), PipelineSize(n_threads).n_blocks),
            n_threads=n_threads,
            device=device,
            on_block=lambda n_done: self.on_rows(n_done, source.n_rows),
        )
        release_memory()
        return move_to_device(store.rows(self.budget.resident_bytes), device), Sharding.of_ranks(
            self.ranks, source.n_rows
        )


def _joined(table: Any, ranks: ProcessGroup) -> Any:
    """Concatenate the Arrow tables of all ranks."""
    if ranks.size == 1:
        return table
    import pyarrow as pa  # noqa: PLC0415 - already loaded

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    pieces = [pa.ipc.open_stream(piece).read_all() for piece in ranks.gather(sink.getvalue().to_pybytes())]
    return pa.concat_tables(pieces).unify_dictionaries().combine_chunks()


def open_stream(
    X: Any,
    budget: MemoryBudget,
    cache: Path | None,
    on_rows: Callable[[int, int], None],
    ranks: ProcessGroup = SINGLE_PROCESS,
) -> tuple[Stream | None, Any]:
    """Return a stream of a table that does not fit in memory, and that table; or None and a table in memory."""
    table = load_or_stream(X, budget, cache)
    if not is_source(table):
        return None, table
    if cache is not None:
        return Stream(table, budget, cache, on_rows, ranks), X
    temporary = TempDir()
    stream = Stream(table, budget, temporary.path, on_rows, ranks)
    weakref.finalize(stream, temporary.close)
    return stream, X


def move_to_device(rows: PackedRows, device: torch.device) -> PackedRows:
    """Move rows to a device; if they exceed its memory, send batches instead."""
    if device.type == "cpu":
        return rows
    if device.type == "cuda" and rows.n_bytes > DEVICE_SHARE * torch.cuda.mem_get_info(device)[0]:
        return rows.streamed_to(device)
    try:
        return rows.to(device)
    except torch.OutOfMemoryError:
        return rows.streamed_to(device)
