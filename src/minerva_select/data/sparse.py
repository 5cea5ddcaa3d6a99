"""Sparse matrices of scipy as plain columns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from minerva_select.data.columns import column_from_array
from minerva_select.errors import InputError
from minerva_select.schema import Column

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
    stored = _checked(X, what).tocsc()
    if not stored.has_canonical_format:  # a cell may be stored in parts
        stored = stored.copy()
        stored.sum_duplicates()
    columns = []
    for name, start, stop in zip(names, stored.indptr[:-1], stored.indptr[1:], strict=True):
        values = np.zeros(n_rows, dtype=stored.dtype)
        values[stored.indices[start:stop]] = stored.data[start:stop]
        columns.append(column_from_array(name, values))
    return columns


def _checked(X: Any, what: str) -> Any:
    """Give the same matrix once its indices are known to fit its shape: the compiled code of scipy relies on it."""
    try:
        if X.format == "coo":
            return type(X)((X.data, (X.row, X.col)), shape=X.shape)  # looks at all indices
        if X.format not in ("csr", "csc", "bsr"):
            X = X.tocsr()
        view = type(X)((X.data, X.indices, X.indptr), shape=X.shape)  # a check puts indices of other types into place
        view.check_format(full_check=True)
        if np.any(np.diff(view.indptr) < 0):  # not looked at where the last one says that nothing is stored
            raise ValueError("index pointers fall")
        return view
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{what} is a sparse matrix whose indices do not fit its shape {X.shape}: {error}; build it anew."
        ) from error


def _memory() -> int:
    """Bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not told on every system
        return _UNKNOWN_MEMORY
