"""All rows of a table, encoded once into compact files."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.data.encoded_rows import PackedRows, pack_quantiles
from minerva_select.data.encoded_store_files import (
    CODES,
    QUANTILES,
    REMEDY,
    StoreState,
    check_codes,
    check_disk_space,
    damaged,
    open_for_append,
    read_state,
    record_state,
    remove_store,
)
from minerva_select.data.frames import as_table
from minerva_select.data.memmap import RESIDENT_BYTES, MemmapReader
from minerva_select.data.memory_budget import available_memory
from minerva_select.errors import InputError, InputTypeError, MinervaError
from minerva_select.io.atomic import explain_disk_errors, make_private_directory
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder

if TYPE_CHECKING:
    from minerva_select.data.source import Source

BLOCK_ROWS = 16_384
_RECORD_SECONDS = 5.0  # work that a killed run may lose; recording waits for the disk
_THREADS = 2

T = TypeVar("T")


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
        on_block: Callable[[int], None] = lambda n_done: None,
    ) -> EncodedStore:
        """Encode all rows of a table, or continue where an earlier run stopped.

        ``key`` identifies the rows and the fitted encoder: a store with the same key is used as it is. Four blocks of
        ``block_rows`` are in memory at a time; ``on_block`` is called after each with the number of rows written.
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
            blocks = _encoded(source.select(encoder.names_), encoder, block_rows, state.n_written)
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


def _encoded(
    source: Source, encoder: TableEncoder, block_rows: int, n_written: int
) -> Generator[EncodedTable, None, None]:
    """Encode the blocks that are not written yet, several at a time."""

    def encode(start: int, block: Any) -> EncodedTable:
        try:
            return encoder.transform(as_table(block))
        except MinervaError as error:
            first = source.first_row + start
            where = f"in rows {first + 1:,} to {first + block.num_rows:,}"
            raise type(error)(f"{str(error).rstrip('.')} ({where}).") from None

    def tasks() -> Iterator[Callable[[], EncodedTable]]:
        start = n_written
        for block in _skip_rows(n_written, source.blocks(block_rows)):
            yield partial(encode, start, block)
            start += block.num_rows

    return _in_order(tasks())


def _skip_rows(n_rows: int, blocks: Iterable[Any]) -> Iterator[Any]:
    for block in blocks:
        n_skipped = min(n_rows, block.num_rows)
        n_rows -= n_skipped
        if n_skipped < block.num_rows:
            yield block.slice(n_skipped)


def _in_order(tasks: Iterable[Callable[[], T]]) -> Generator[T, None, None]:
    """Yield the results of tasks in order, computed by threads that are at most a few tasks ahead."""
    ahead: deque[Future[T]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for task in tasks:
            ahead.append(pool.submit(task))
            if len(ahead) > _THREADS:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _write(
    folder: Path, state: StoreState, blocks: Generator[EncodedTable, None, None], on_block: Callable[[int], None]
) -> StoreState:
    """Write blocks, and record the progress every few seconds."""
    recorded = time.monotonic()
    with (
        contextlib.closing(blocks),
        open_for_append(folder, QUANTILES, state) as quantiles,
        open_for_append(folder, CODES, state) as codes,
    ):
        for block in blocks:
            quantiles.write(pack_quantiles(torch.from_numpy(block.quantiles)).numpy().data)
            codes.write(np.ascontiguousarray(block.codes, dtype=state.code_type).data)
            any_missing = state.any_missing or bool(np.isnan(block.quantiles).any())
            state = replace(state, n_written=state.n_written + block.n_rows, any_missing=any_missing)
            if time.monotonic() - recorded > _RECORD_SECONDS:
                record_state(folder, state, quantiles, codes)
                recorded = time.monotonic()
            on_block(state.n_written)
        if state.n_written != state.n_rows:
            raise InputError(f"The table gave {state.n_written:,} rows instead of {state.n_rows:,}; start again.")
        record_state(folder, state, quantiles, codes)
    return state
