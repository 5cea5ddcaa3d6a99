"""Turn lazy frames, Arrow readers and batches into one table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import narwhals.stable.v1 as nw

from minerva_select.errors import InputError, InputTypeError, first_line


def materialize(X: Any, name: str = "X") -> Any:
    """Return a lazy frame, Arrow reader, dataset, stream or iterable of batches as one table; anything else as it is.

    An iterator is consumed.
    """
    if _is_arrow(X):
        return _read(X, name)
    if isinstance(X, Iterator):
        first = next(X, None)
        if first is not None and not _is_arrow(first):
            raise InputTypeError(
                f"{name} is a {type(X).__name__} of {type(first).__name__} values, which is not a table; "
                "give Arrow record batches, an array or a data frame."
            )
        return _join(chain([] if first is None else [first], X), name)
    if isinstance(X, list | tuple) and X and _is_arrow(X[0]):
        return _join(X, name)
    frame = nw.from_native(X, allow_series=True, pass_through=True) if hasattr(X, "collect") else X
    if isinstance(frame, nw.LazyFrame):
        return _collect(frame, name)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__"):  # pandas and polars have both
        import pyarrow as pa  # noqa: PLC0415 - only when it is needed

        try:
            return pa.table(X)
        except Exception as error:  # every library has its own exceptions
            raise _unreadable(X, name, error) from None
    return X


def _is_arrow(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow")


def _read(X: Any, name: str) -> Any:
    """Convert Arrow objects to those that narwhals supports."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(X, pa.Array):
        return pa.chunked_array([X])
    if isinstance(X, pa.RecordBatch):
        return pa.Table.from_batches([X])
    read = getattr(X, "read_all", None) or getattr(X, "to_table", None)
    try:
        return X if read is None else read()
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(X, name, error) from None


def _collect(frame: nw.LazyFrame[Any], name: str) -> Any:
    try:
        return frame.collect().to_native()
    except Exception as error:
        if type(error).__module__.startswith(("polars", "narwhals")) or isinstance(error, OSError):
            raise _unreadable(frame.to_native(), name, error) from None
        raise


def _join(batches: Iterable[Any], name: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    tables = []
    for i, batch in enumerate(batches):
        if not isinstance(batch, pa.RecordBatch | pa.Table):
            raise InputTypeError(f"Item {i} of {name} has type {type(batch).__name__}; give only Arrow record batches.")
        tables.append(batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch]))
    if not tables:
        raise InputError(f"Found {name} with 0 sample(s): it has no record batches; pass a table with rows.")
    try:
        return pa.concat_tables(tables, promote_options="permissive")  # a column that a batch lacks is missing there
    except pa.ArrowException as error:
        raise InputError(f"The record batches of {name} cannot be joined: {first_line(error)}.") from None


def _unreadable(X: Any, name: str, error: Exception) -> InputError:
    return InputError(f"{name}, a {type(X).__name__}, cannot be read: {first_line(error)}.")
