"""Read a table into memory, or decide that it is too large and has to be read in blocks."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minerva_select.data.file_discovery import TableFiles, find_files
from minerva_select.data.memory_budget import MemoryBudget, available_memory, format_bytes
from minerva_select.data.sparse import is_sparse
from minerva_select.errors import InputError

if TYPE_CHECKING:
    from minerva_select.data.chunked import ChunkedSource

_FIT_BYTES_PER_CSV_BYTE = 7  # at six characters per cell
_GZIP_RATIO = 8  # typical for CSV
_MIN_CELL_BYTES = 4


def read_table(path: str | os.PathLike[str]) -> Any:
    r"""Read a file, a folder of Parquet files, or a pattern such as ``"sales-*.parquet"`` into a pyarrow Table.

    CSV may be compressed (``.csv.gz``). Its separator (comma, semicolon, tab or bar) is detected, and empty fields are
    missing values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("name;height\nAnn;1.62\nBob;\n")
    ...     read_table(path).to_pylist()
    [{'name': 'Ann', 'height': 1.62}, {'name': 'Bob', 'height': None}]
    """
    return _read_files(find_files(path))


def open_within(files: TableFiles, budget: MemoryBudget, folder: str | os.PathLike[str] | None = None) -> ChunkedSource:
    """Open files and decide whether a fit can hold the table in memory; if so, read it.

    The decision is stored as ``fits_in_memory`` of the source, and :func:`load_or_stream` follows it.
    """
    from minerva_select.data.chunked import ChunkedSource  # noqa: PLC0415 - loads pyarrow
    from minerva_select.data.in_memory import ArrowTableChunk  # noqa: PLC0415
    from minerva_select.data.open_table import open_files  # noqa: PLC0415

    if _is_small_csv(files, budget):  # counting the cells of a CSV file would take as long as reading it
        table = _read_files(files)
    else:
        source = open_files(files, folder)
        if not _fits(source, budget):
            return replace(source, fits_in_memory=False)
        table = source.read()
    source = ChunkedSource.from_chunks(repr(files.name), table.schema, [ArrowTableChunk(table)])
    return replace(source, fits_in_memory=True)


def load_or_stream(X: Any, budget: MemoryBudget, folder: str | os.PathLike[str] | None = None) -> Any:
    """Return a table in memory if a fit of it keeps within the budget, otherwise a source to read in blocks.

    A table that can be read only once (a generator, a reader) is copied to ``folder`` first: its size is unknown.
    """
    size = _size_in_memory(X)
    if is_sparse(X) or (size is not None and budget.fits(*size)):  # sparse matrices are checked when they are read
        return X
    from minerva_select.data.open_table import open_source  # noqa: PLC0415 - loads pyarrow

    source = X if is_source(X) else open_source(X, folder)
    decision = getattr(source, "fits_in_memory", None)
    return source.read() if decision or (decision is None and _fits(source, budget)) else source


def is_source(X: Any) -> bool:
    """Return True for a :class:`~minerva_select.data.source.Source`."""
    return hasattr(X, "blocks") and hasattr(type(X), "fingerprint")  # computing the fingerprint may read rows


def _fits(source: Any, budget: MemoryBudget) -> bool:
    return budget.fits(source.n_rows, len(source.names), source.nbytes)


def _is_small_csv(files: TableFiles, budget: MemoryBudget) -> bool:
    file = files.files[0]
    n_bytes = file.size * (_GZIP_RATIO if file.is_gzipped else 1)
    return files.format == "csv" and _FIT_BYTES_PER_CSV_BYTE * n_bytes <= budget.n_bytes


def _read_files(files: TableFiles) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - half a second, only when a file is read

    from minerva_select.data.arrow_files import read_stream  # noqa: PLC0415
    from minerva_select.data.chunked import ChunkedSource  # noqa: PLC0415
    from minerva_select.data.csv_files import CsvFile  # noqa: PLC0415
    from minerva_select.data.csv_text import decompressed_size  # noqa: PLC0415
    from minerva_select.data.in_memory import ArrowTableChunk  # noqa: PLC0415
    from minerva_select.data.open_table import open_chunks  # noqa: PLC0415

    file = files.files[0]
    if files.format == "csv":
        _check_memory(files.name, decompressed_size(file, available_memory()))
        return CsvFile.open(file).read()
    found = open_chunks(files)
    if found is None:
        table = pa.concat_tables(read_stream(file))
        found = table.schema, [ArrowTableChunk(table)]
    source = ChunkedSource.from_chunks(files.name, *found)
    _check_memory(files.name, _MIN_CELL_BYTES * source.n_rows * len(source.names))
    _check_memory(files.name, source.nbytes)  # a text that a file stores once may occur in every row
    return source.read()


def _check_memory(name: str, n_bytes: int) -> None:
    """Raise if a table does not fit in memory: a tiny file may decompress to, or claim, any number of rows."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{name!r} takes at least {format_bytes(n_bytes)} in memory, and {format_bytes(free)} are free; "
            "give fewer rows or columns, or read it in blocks with minerva_select.open_source."
        )


def _size_in_memory(X: Any) -> tuple[int, int, int] | None:
    """Rows, columns and bytes of a table in memory; None for a table that is read in pieces."""
    shape = getattr(X, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(size, int) for size in shape):
        return None if _is_read_in_pieces(X) else (0, 0, 0)
    try:
        n_bytes = getattr(X, "nbytes", None)
    except (RuntimeError, TypeError):  # sparse tensors, and text views in pyarrow before 24
        n_bytes = None
    return shape[0], shape[1], n_bytes if isinstance(n_bytes, int) else 8 * shape[0] * shape[1]


def _is_read_in_pieces(X: Any) -> bool:
    """Return True for a source, a dataset, a lazy frame, a reader or an iterator of batches."""
    if is_source(X) or hasattr(X, "__next__") or hasattr(X, "to_batches") or hasattr(X, "read_next_batch"):
        return True
    return hasattr(X, "collect") and hasattr(X, "collect_schema")
