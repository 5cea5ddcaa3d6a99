"""Sparse matrices of scipy as plain columns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from minerva.data.columns import column_from_array
from minerva.errors import InputError
from minerva.schema import Column

_UNKNOWN_MEMORY = 1 << 36


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix or array, told without loading scipy."""
    return type(X).__module__.startswith("scipy.sparse")


def columns_from_sparse(X: Any, names: Iterable[str], what: str) -> list[Column]:
    """Read a sparse matrix or array of any format, column by column; cells that are not stored are 0.

    The columns take as much memory as those of a plain array.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.coo_array(([1.5, 2.5], ([0, 2], [0, 1])), shape=(3, 2))
    >>> [column.values.tolist() for column in columns_from_sparse(X, ["a", "b"], "X")]
    [[1.5, 0.0, 0.0], [0.0, 0.0, 2.5]]
    """
    n_rows, n_columns = X.shape
    # Shapes need not be of Python's numbers, which alone do not overflow.
    n_bytes = int(n_rows) * int(n_columns) * max(X.dtype.itemsize, np.dtype(np.float32).itemsize)
    if n_bytes > _memory():
        raise InputError(
            f"{what} is sparse and of shape {X.shape}: as columns it takes {n_bytes / 1e9:,.0f} GB, and this machine "
            f"has {_memory() / 1e9:,.0f} GB; choose fewer columns or rows first."
        )
    stored = X.tocsc()
    if not stored.has_canonical_format:  # a cell may be stored in parts
        stored = stored.copy()
        stored.sum_duplicates()
    columns = []
    for name, start, stop in zip(names, stored.indptr[:-1], stored.indptr[1:], strict=True):
        values = np.zeros(n_rows, dtype=stored.dtype)
        values[stored.indices[start:stop]] = stored.data[start:stop]
        columns.append(column_from_array(name, values))
    return columns


def _memory() -> int:
    """Bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not told on every system
        return _UNKNOWN_MEMORY
