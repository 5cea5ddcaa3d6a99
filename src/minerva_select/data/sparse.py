"""Read scipy sparse matrices as dense columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minerva_select.data.columns import column_from_array
from minerva_select.data.memory_budget import format_bytes, total_memory
from minerva_select.errors import InputError
from minerva_select.schema import Column

_UNKNOWN_MEMORY = 1 << 36  # bytes assumed if the system does not say


def is_sparse(X: Any) -> bool:
    """Return True for a scipy sparse matrix or array, without importing scipy."""
    return type(X).__module__.startswith("scipy.sparse")


def columns_from_sparse(X: Any, names: Iterable[str], what: str) -> list[Column]:
    """Read a sparse matrix of any format as dense columns; cells that are not stored are 0."""
    n_rows, n_columns = X.shape
    # int(): sizes of a numpy type could overflow
    n_bytes = int(n_rows) * int(n_columns) * max(X.dtype.itemsize, np.dtype(np.float32).itemsize)
    memory = total_memory() or _UNKNOWN_MEMORY
    if n_bytes > memory:
        raise InputError(
            f"{what} is a sparse matrix of shape {X.shape} and takes {format_bytes(n_bytes)} as dense columns, but "
            f"this machine has {format_bytes(memory)}; select fewer columns or rows first."
        )
    stored = _check_indices(X, what).tocsc()
    if not stored.has_canonical_format:  # a cell may be stored as several summands
        stored = stored.copy()
        stored.sum_duplicates()
    columns = []
    for name, start, stop in zip(names, stored.indptr[:-1], stored.indptr[1:], strict=True):
        values = np.zeros(n_rows, dtype=stored.dtype)
        values[stored.indices[start:stop]] = stored.data[start:stop]
        columns.append(column_from_array(name, values))
    return columns


def _check_indices(X: Any, what: str) -> Any:
    """Return the matrix if its indices fit its shape; scipy's compiled code relies on it."""
    try:
        if X.format == "coo":
            return type(X)((X.data, (X.row, X.col)), shape=X.shape)  # checks all indices
        if X.format not in ("csr", "csc", "bsr"):
            X = X.tocsr()
        # A view, since check_format() may change the index type in place
        view = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
        view.check_format(full_check=True)
        if np.any(np.diff(view.indptr) < 0):  # not checked by scipy if nothing is stored
            raise ValueError("index pointers must not decrease")
        return view
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{what} is a sparse matrix whose indices do not fit its shape {X.shape}: {error}; build it again."
        ) from error
