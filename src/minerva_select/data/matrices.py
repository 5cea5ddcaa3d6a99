"""Columns of arrays and frames in which all numbers have one type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.data.memory_budget import available_memory
from minerva_select.schema import Column

_TILE_BYTES = 512  # of a row that are read at a time: several cache lines, all of them used
_TILE_ROWS = 512  # a tile stays in the cache of a core
_BLOCK_BYTES = 1 << 21  # NumPy asks for huge pages of larger arrays, whose first use is slow on a virtual machine
_MEMORY_SHARE = 0.25  # of the available memory that columns may take so that they are contiguous


def is_matrix_of_numbers(array: Any) -> bool:
    """Whether an array has two dimensions and plain numbers."""
    is_plain = isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray)
    return is_plain and array.ndim == 2 and _is_number(array.dtype)


def matrix_from_frame(frame: Any) -> NDArray[Any] | None:
    """The values of a pandas frame, without a copy, if they are numbers of one type in one matrix; None otherwise."""
    types = set(frame.dtypes)
    dtype = types.pop() if len(types) == 1 else None
    if not isinstance(dtype, np.dtype) or not _is_number(dtype):
        return None
    first, last = (frame.iloc[:, k].to_numpy() for k in (0, -1))
    # Otherwise, each column is an array of its own, and to_numpy copies all of them
    is_view = first.base is not None and first.base is last.base
    return frame.to_numpy() if is_view else None


def columns_from_matrix(matrix: NDArray[Any], names: Iterable[str]) -> list[Column]:
    """Convert the columns of a matrix of numbers: floats of 4 and 8 bytes as they are, all others as 8 bytes.

    Columns of a matrix in the order of rows become contiguous, if memory allows: every pass over a column that is not
    takes several times as long.
    """
    is_kept = matrix.dtype in (np.dtype(np.float32), np.dtype(np.float64))
    if is_kept and (matrix.strides[0] == matrix.itemsize or not _fits(matrix.nbytes)):
        return [Column(name, matrix[:, k]) for k, name in enumerate(names)]
    dtype = matrix.dtype if is_kept else np.dtype(np.float64)
    n_rows, n_columns = matrix.shape
    n_together = max(1, _TILE_BYTES // matrix.itemsize)
    n_block = max(1, _BLOCK_BYTES // (n_rows * dtype.itemsize))
    columns: list[NDArray[Any]] = []
    with np.errstate(over="ignore"):  # becomes infinite, which is refused later with the column name
        for start in range(0, n_columns, n_together):
            group = range(start, min(start + n_together, n_columns), n_block)
            blocks = [np.empty((min(n_block, group.stop - k), n_rows), dtype=dtype) for k in group]
            for row in range(0, n_rows, _TILE_ROWS):
                tile = matrix[row : row + _TILE_ROWS].T
                for k, block in zip(group, blocks, strict=True):
                    block[:, row : row + _TILE_ROWS] = tile[k : k + len(block)]
            columns.extend(values for block in blocks for values in block)
    return [Column(name, values) for name, values in zip(names, columns, strict=True)]


def _is_number(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iuf" and dtype.isnative and dtype.itemsize <= 8


def _fits(n_bytes: int) -> bool:
    return n_bytes <= _MEMORY_SHARE * available_memory()
