"""All rows of a table, encoded once into compact files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.data.block_encoder import CPU, BlockEncoder
from minerva_select.data.block_pipeline import MIN_THREADS, PipelineSize, map_blocks
from minerva_select.data.encoded_rows import MISSING_QUANTILE, PackedRows, pack_array
from minerva_select.data.encoded_store_files import (
    CODES,
    QUANTILES,
    REMEDY,
    StoreState,
    check_codes,
    check_disk_space,
    damaged,
    open_for_writing,
    read_state,
    record_state,
    remove_store,
)
from minerva_select.data.memmap import RESIDENT_BYTES, MemmapReader
from minerva_select.data.memory_budget import available_memory
from minerva_select.errors import InputError, InputTypeError
from minerva_select.io.atomic import explain_disk_errors, make_private_directory
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder

if TYPE_CHECKING:
    from minerva_select.data.source import Source

BLOCK_ROWS = 16_384
_RECORD_SECONDS = 5.0  # work that a killed run may lose; recording waits for the disk


class EncodedStore:
    """All rows of a table in compact files: one byte per categorical value, two per numeric one (its quantile).

    Made by :meth:`build`; ``store.json`` describes the columns and says how many rows are written.
    """

    def __init__(self, folder: Path, state: StoreState) -> None:
        self.folder = folder
        self._state = state

    @classmethod
    def build(
        cls,
        source: Source,
        encoder: TableEncoder,
        folder: Path,
        *,
        key: str,
        block_rows: int = BLOCK_ROWS,
        n_threads: int = MIN_THREADS,
        device: torch.device = CPU,
        on_block: Callable[[int], None] = lambda n_done: None,
    ) -> EncodedStore:
        """Encode all rows of a table, or continue where an earlier run stopped.

        ``key`` identifies the rows and the fitted encoder: a store with the same key is used as it is. Blocks of
        ``block_rows`` are read and encoded in parallel (see :class:`PipelineSize`), numbers on ``device`` if it is a
        GPU; ``on_block`` is called after each with the number of rows written.
        """
        with explain_disk_errors(folder, REMEDY):
            make_private_directory(folder)
            new = _new_state(source, encoder, key)
            state = read_state(folder) or new
        if state.key != key:
            raise InputError(
                f"The folder {str(folder)!r} has rows of another table or of other settings; remove it, or {REMEDY}."
            )
        if replace(state, n_written=0, any_missing=False) != new:
            raise damaged(folder)
        with explain_disk_errors(folder, REMEDY):
            check_codes(folder, state)
        if state.n_written < state.n_rows:
            check_disk_space(folder, state)
            encode = BlockEncoder(encoder.packed(pack_array), device)
            blocks = map_blocks(
                source.select(encoder.names_), encode, block_rows, PipelineSize(n_threads), state.n_written
            )
            try:
                with explain_disk_errors(folder, REMEDY):
                    state = _write(folder, state, blocks, on_block)
            except (InputError, InputTypeError):  # these rows cannot be completed by a later run
                remove_store(folder)
                raise
        return cls(folder, state)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._state.n_rows

    @property
    def n_bytes(self) -> int:
        """Size of the files."""
        return self.n_rows * sum(self._state.row_bytes.values())

    def rows(self, resident: int = RESIDENT_BYTES) -> PackedRows:
        """Return the rows, read on access; files above ``resident`` bytes in total are not kept in memory."""
        # Reading ahead in files that do not fit in the page cache only evicts what is needed next
        reader = MemmapReader(resident, random_access=self.n_bytes > available_memory())
        state = self._state
        with explain_disk_errors(self.folder, REMEDY):  # the folder may have been removed
            quantiles = reader.open(self.folder / QUANTILES, np.int16, (self.n_rows, state.n_numeric))
            codes = reader.open(self.folder / CODES, state.code_type, (self.n_rows, len(state.n_levels)))
        return PackedRows(quantiles, codes, state.layout, gather=reader.gather)


def read_rows(source: Source, rows: NDArray[np.int64], block_rows: int = BLOCK_ROWS) -> Any:
    """Read the rows at these ascending positions into an Arrow table, in one pass and block by block."""
    import pyarrow as pa  # noqa: PLC0415 - loaded already by the source

    pieces, start = [], 0
    for block in source.blocks(block_rows):
        first, last = np.searchsorted(rows, [start, start + block.num_rows])
        pieces.append(block.take(pa.array(rows[first:last] - start)))
        start += block.num_rows
        if last == len(rows):
            break
    return pa.concat_tables(pieces).unify_dictionaries().combine_chunks()


def _new_state(source: Source, encoder: TableEncoder, key: str) -> StoreState:
    numeric = [k for k, one in enumerate(encoder.encoders_) if isinstance(one, QuantileEncoder)]
    levels = {k: one.n_levels for k, one in enumerate(encoder.encoders_) if not isinstance(one, QuantileEncoder)}
    return StoreState(key, source.n_rows, len(numeric), tuple(levels.values()), (*numeric, *levels))


def _write(
    folder: Path,
    state: StoreState,
    blocks: Generator[tuple[int, EncodedTable], None, None],
    on_block: Callable[[int], None],
) -> StoreState:
    """Write blocks at their rows, and record every few seconds how many leading rows are there."""
    recorded, n_done = time.monotonic(), state.n_written
    ends: dict[int, int] = {}  # of finished blocks beyond the leading ones, by first row
    with (
        contextlib.closing(blocks),
        open_for_writing(folder, QUANTILES, state) as quantiles,
        open_for_writing(folder, CODES, state) as codes,
    ):
        for start, block in blocks:
            for file, name, cells in ((quantiles, QUANTILES, block.quantiles), (codes, CODES, block.codes)):
                file.seek(start * state.row_bytes[name])
                file.write(np.ascontiguousarray(cells, dtype=state.cell_type(name)).data)
            any_missing = state.any_missing or bool((block.quantiles == MISSING_QUANTILE).any())
            ends[start] = start + block.n_rows
            n_done += block.n_rows
            n_written = state.n_written
            while n_written in ends:
                n_written = ends.pop(n_written)
            state = replace(state, n_written=n_written, any_missing=any_missing)
            if time.monotonic() - recorded > _RECORD_SECONDS:
                record_state(folder, state, quantiles, codes)
                recorded = time.monotonic()
            on_block(n_done)
        if state.n_written != state.n_rows:
            raise InputError(f"The table gave {n_done:,} rows instead of {state.n_rows:,}; start again.")
        record_state(folder, state, quantiles, codes)
    return state
