"""Write encoded columns into arrays of rows, several columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Columns written at a time: up to four cache lines of codes per row, and fewer for a long table to save memory
_MAX_COLUMNS, _MIN_COLUMNS = 256, 8
_BLOCK_VALUES = 1 << 25
_ROWS_PER_THREAD = 12_500  # with more threads for shorter columns, most of them wait for Python's lock
_BLOCKS_PER_THREAD = 4  # so that all threads end at about the same time


def fill_rows(
    tables: Sequence[NDArray[Any]], encode: Callable[[int], Sequence[NDArray[Any]]], n_threads: int = 1
) -> None:
    """Fill arrays (n_rows, n_columns) of one shape; ``encode`` returns a column of each."""
    n_rows, n_columns = tables[0].shape

    def fill(start: int, stop: int) -> None:
        blocks = [np.empty((stop - start, n_rows), dtype=table.dtype) for table in tables]
        for k in range(start, stop):
            for block, column in zip(blocks, encode(k), strict=True):
                block[k - start] = column
        for table, block in zip(tables, blocks, strict=True):
            table[:, start:stop] = block.T  # each row gets several adjacent values

    n_threads = min(n_threads, max(1, n_rows // _ROWS_PER_THREAD))
    n_fair = n_columns if n_threads < 2 else n_columns // (_BLOCKS_PER_THREAD * n_threads)
    n_together = max(_MIN_COLUMNS, min(_MAX_COLUMNS, _BLOCK_VALUES // max(1, n_rows * len(tables)), n_fair))
    jobs = [partial(fill, k, min(k + n_together, n_columns)) for k in range(0, n_columns, n_together)]
    if n_threads < 2:
        for job in jobs:
            job()
        return
    from minerva_select.runtime.parallel import run_in_threads  # noqa: PLC0415 - loads torch

    run_in_threads(jobs, n_threads)
