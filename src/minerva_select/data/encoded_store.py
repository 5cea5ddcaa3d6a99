"""All rows of a table, encoded once into compact files that are read row by row."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.data.encoded_rows import PackedRows, pack_quantiles
from minerva_select.data.encoded_store_files import (
    CODES,
    QUANTILES,
    State,
    append,
    check_codes,
    check_space,
    damaged,
    read_state,
    record,
    remove,
    told,
)
from minerva_select.data.frames import as_table
from minerva_select.data.memmap import RESIDENT_BYTES, MemmapReader
from minerva_select.data.memory_budget import available_memory
from minerva_select.data.source import Source
from minerva_select.errors import InputError, InputTypeError, MinervaError
from minerva_select.io.atomic import make_private_directory
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import EncodedTable, TableEncoder

BLOCK_ROWS = 16_384
_RECORD_SECONDS = 5.0  # of work that a run killed may lose; to record it waits for the disk
_THREADS = 2

T = TypeVar("T")


class EncodedStore:
    """All rows of a table, encoded once into compact files: a byte for a level, two for a rank.

    Made by :meth:`build`. Beside the rows, ``store.json`` says what they are and how many of them are written.

    Attributes
    ----------
    folder : Path
        Where the files are.
    n_rows : int
        Number of rows.
    n_bytes : int
        Bytes of the files.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from minerva_select.data.open_table import open_source
    >>> from minerva_select.preprocessing.column_types import infer_column_types
    >>> people = pd.DataFrame({"height": [1.62, None, 1.80], "country": ["NL", "IT", "NL"]})
    >>> table = as_table(people)
    >>> encoder = TableEncoder(infer_column_types(table)).fit(table)
    >>> with tempfile.TemporaryDirectory() as folder, open_source(people) as source:
    ...     store = EncodedStore.build(source, encoder, Path(folder), key="people")
    ...     rows = store.rows().take(torch.tensor([2, 1]))
    >>> rows.quantiles
    tensor([[0.7500],
            [   nan]])
    >>> rows.codes.tolist(), store.n_bytes
    ([[2], [3]], 9)
    """

    def __init__(self, folder: Path, state: State) -> None:
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
        """Encode all rows of a table, or go on where an earlier run has stopped.

        Parameters
        ----------
        source : Source
            The table; has the columns that the encoder was fitted on, and maybe others.
        encoder : TableEncoder
            Fitted, for instance on a :func:`sample`.
        folder : Path
            Where to write; made if it is not there, for this user alone.
        key : str
            Identity of the rows and of the encoder: what a folder holds under the same key is used as it is.
        block_rows : int
            Rows that are read at once; four such blocks are in memory at a time.
        on_block : callable
            Told after every block how many rows are written.

        Raises
        ------
        InputError
            The folder holds something else, its disk is full, or a column cannot be read; says in which rows.
        """
        with told(folder):
            make_private_directory(folder)
            new = _new_state(source, encoder, key)
            state = read_state(folder) or new
        if state.key != key:
            raise InputError(
                f"The folder {str(folder)!r} holds the rows of another table or of other settings; "
                "remove it, or give another with --cache DIR."
            )
        if replace(state, n_written=0, any_missing=False) != new:
            raise damaged(folder)
        with told(folder):
            check_codes(folder, state)
        if state.n_written < state.n_rows:
            check_space(folder, state)
            blocks = _encoded(source.select(encoder.names_), encoder, block_rows, state.n_written)
            try:
                with told(folder, sum(state.row_bytes.values()) * state.n_rows):
                    state = _write(folder, state, blocks, on_block)
            except (InputError, InputTypeError):  # rows that will never be complete; those of a run killed may
                remove(folder)
                raise
        return cls(folder, state)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._state.n_rows

    @property
    def n_bytes(self) -> int:
        """Bytes of the files."""
        return self.n_rows * sum(self._state.row_bytes.values())

    def rows(self, resident: int = RESIDENT_BYTES) -> PackedRows:
        """The rows, read when they are taken; of files above ``resident`` bytes nothing stays in memory."""
        # To read ahead on a disk whose files memory cannot hold is to read the same again and again.
        mapping = MemmapReader(resident, scattered=self.n_bytes > available_memory())
        state = self._state
        with told(self.folder):  # somebody may have removed it
            quantiles = mapping.open(self.folder / QUANTILES, np.int16, (self.n_rows, state.n_numeric))
            codes = mapping.open(self.folder / CODES, state.code_type, (self.n_rows, len(state.n_levels)))
        return PackedRows(quantiles, codes, state.layout, gather=mapping.gather)


def sample(source: Source, rows: NDArray[np.int64], block_rows: int = BLOCK_ROWS) -> Any:
    """Read the rows at these positions, ascending, in one pass; only they and one block are ever in memory.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> import pandas as pd
    >>> from minerva_select.data.open_table import open_source
    >>> with open_source(pd.DataFrame({"age": [31, 42, 53]})) as source:
    ...     sample(source, np.array([0, 2]))["age"].to_pylist()
    [31, 53]
    """
    import pyarrow as pa  # noqa: PLC0415 - half a second, only when a table is streamed

    pieces, start = [], 0
    for block in source.blocks(block_rows):
        first, last = np.searchsorted(rows, [start, start + block.num_rows])
        pieces.append(block.take(pa.array(rows[first:last] - start)))
        start += block.num_rows
        if last == len(rows):
            break
    return pa.concat_tables(pieces).unify_dictionaries().combine_chunks()


def _new_state(source: Source, encoder: TableEncoder, key: str) -> State:
    amounts = [k for k, one in enumerate(encoder.encoders_) if isinstance(one, QuantileEncoder)]
    levels = {k: one.n_levels for k, one in enumerate(encoder.encoders_) if not isinstance(one, QuantileEncoder)}
    return State(key, source.n_rows, len(amounts), tuple(levels.values()), (*amounts, *levels))


def _encoded(
    source: Source, encoder: TableEncoder, block_rows: int, n_written: int
) -> Generator[EncodedTable, None, None]:
    """Encode the blocks that are not written yet, several at once."""

    def encode(start: int, block: Any) -> EncodedTable:
        try:
            return encoder.transform(as_table(block))
        except MinervaError as error:
            first = source.first_row + start
            where = f"in rows {first + 1:,} to {first + block.num_rows:,}"
            raise type(error)(f"{str(error).rstrip('.')} ({where}).") from None

    def tasks() -> Iterator[Callable[[], EncodedTable]]:
        start = n_written
        for block in _after(n_written, source.blocks(block_rows)):
            yield partial(encode, start, block)
            start += block.num_rows

    return _in_order(tasks())


def _after(n_rows: int, blocks: Iterable[Any]) -> Iterator[Any]:
    """Leave out the first rows of a stream."""
    for block in blocks:
        n_left_out = min(n_rows, block.num_rows)
        n_rows -= n_left_out
        if n_left_out < block.num_rows:
            yield block.slice(n_left_out)


def _in_order(tasks: Iterable[Callable[[], T]]) -> Generator[T, None, None]:
    """Results of tasks in their order, computed by threads that are not more than a few tasks ahead."""
    ahead: deque[Future[T]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for task in tasks:
            ahead.append(pool.submit(task))
            if len(ahead) > _THREADS:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _write(
    folder: Path, state: State, blocks: Generator[EncodedTable, None, None], on_block: Callable[[int], None]
) -> State:
    """Write blocks, and every few seconds how many rows are safely on the disk."""
    recorded = time.monotonic()
    with (
        contextlib.closing(blocks),
        append(folder, QUANTILES, state) as quantiles,
        append(folder, CODES, state) as codes,
    ):
        for block in blocks:
            quantiles.write(pack_quantiles(torch.from_numpy(block.quantiles)).numpy().data)
            codes.write(np.ascontiguousarray(block.codes, dtype=state.code_type).data)
            any_missing = state.any_missing or bool(np.isnan(block.quantiles).any())
            state = replace(state, n_written=state.n_written + block.n_rows, any_missing=any_missing)
            if time.monotonic() - recorded > _RECORD_SECONDS:
                record(folder, state, quantiles, codes)
                recorded = time.monotonic()
            on_block(state.n_written)
        if state.n_written != state.n_rows:
            raise InputError(f"The table gave {state.n_written:,} rows instead of {state.n_rows:,}; start again.")
        record(folder, state, quantiles, codes)
    return state
