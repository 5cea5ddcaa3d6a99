"""Tables that are not in memory yet, or in several pieces: computed, read and joined into one frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import narwhals.stable.v1 as nw

from minerva_select.errors import InputError, InputTypeError


def gather(X: Any, what: str = "X") -> Any:
    """Give a table as one frame in memory; whatever is in memory already, or is no table, comes back as it is.

    Parameters
    ----------
    X : lazy frame, Arrow batch, reader, dataset or scanner, or iterable of Arrow batches or tables
        An iterator is used up. What any other library offers as an Arrow stream is read too.
    what : str
        What to call it in an error.

    Examples
    --------
    >>> import pyarrow as pa
    >>> batches = pa.table({"a": [1, 2]}).to_batches(max_chunksize=1)
    >>> gather(iter(batches)).to_pydict()
    {'a': [1, 2]}
    """
    if _is_arrow(X):
        return _read(X, what)
    if isinstance(X, Iterator):
        first = next(X, None)
        if first is not None and not _is_arrow(first):
            raise InputTypeError(
                f"{what} is a {type(X).__name__} of {type(first).__name__} values, which is not a table; "
                "give Arrow record batches, an array or a data frame."
            )
        return _join(chain([] if first is None else [first], X), what)
    if isinstance(X, list | tuple) and X and _is_arrow(X[0]):
        return _join(X, what)
    frame = nw.from_native(X, allow_series=True, pass_through=True) if hasattr(X, "collect") else X
    if isinstance(frame, nw.LazyFrame):
        return _collect(frame, what)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__"):  # pandas and polars have both
        import pyarrow as pa  # noqa: PLC0415 - only where it is needed

        try:
            return pa.table(X)
        except Exception as error:  # whatever that library raises
            raise _unreadable(X, what, error) from None
    return X


def _is_arrow(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow")


def _read(X: Any, what: str) -> Any:
    """Turn Arrow's other containers into those that narwhals knows."""
    import pyarrow as pa  # noqa: PLC0415 - loaded already, since X is of it

    if isinstance(X, pa.Array):
        return pa.chunked_array([X])
    if isinstance(X, pa.RecordBatch):
        return pa.Table.from_batches([X])
    read = getattr(X, "read_all", None) or getattr(X, "to_table", None)
    try:
        return X if read is None else read()
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(X, what, error) from None


def _collect(frame: nw.LazyFrame[Any], what: str) -> Any:
    try:
        return frame.collect().to_native()
    except Exception as error:
        if type(error).__module__.startswith(("polars", "narwhals")) or isinstance(error, OSError):
            raise _unreadable(frame.to_native(), what, error) from None
        raise


def _join(batches: Iterable[Any], what: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    tables = []
    for i, batch in enumerate(batches):
        if not isinstance(batch, pa.RecordBatch | pa.Table):
            raise InputTypeError(
                f"Item {i} of {what} is of type {type(batch).__name__}; give nothing but Arrow record batches."
            )
        tables.append(batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch]))
    if not tables:
        raise InputError(f"Found {what} with 0 sample(s): it gave no record batch; pass a table with rows.")
    try:
        return pa.concat_tables(tables, promote_options="permissive")  # columns that some lack are missing there
    except pa.ArrowException as error:
        raise InputError(f"The record batches of {what} do not fit together: {first_line(error)}.") from None


def _unreadable(X: Any, what: str, error: Exception) -> InputError:
    return InputError(f"{what}, a {type(X).__name__}, cannot be read: {first_line(error)}.")


def first_line(error: Exception) -> str:
    """What another library says of an error, in short."""
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0].split(". ")[0][:200].rstrip(". ")
