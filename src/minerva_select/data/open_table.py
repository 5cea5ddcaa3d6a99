"""Open any table for reading in blocks: choose the reader by the type of the data."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet

from minerva_select.data.arrow_files import open_arrow, read_stream
from minerva_select.data.csv_files import CsvFile
from minerva_select.data.file_discovery import TableFiles, find_files
from minerva_select.data.in_memory import ArrowTableChunk, PandasChunk, PolarsChunk
from minerva_select.data.parquet_files import conform, open_dataset, open_parquet
from minerva_select.data.source import Chunk, Source
from minerva_select.data.staging import ORIGINAL_SCHEMA, ROW_GROUP_ROWS, StagingDirectory, write_parquet
from minerva_select.errors import InputError, InputTypeError, MinervaError, first_line
from minerva_select.io.atomic import is_regular_file

_Folder = str | os.PathLike[str] | None


def open_source(data: Any, folder: _Folder = None) -> Source:
    r"""Open a table for reading in blocks, with little memory whatever its size.

    Data that can be read only once or only slowly (CSV, Arrow streams, generators, lazy frames) is copied to a
    temporary Parquet file and read from there.

    Parameters
    ----------
    data : path, URL or table
        CSV, Parquet, Feather or Arrow file; folder or pattern of Parquet files; URL of such in an object store
        (``"s3://bucket/rows.parquet"``, needs fsspec). Or a pandas or polars frame, eager or lazy, a two-dimensional
        array, an Arrow table, batch, reader or dataset, an iterable of record batches, or any other object that
        exports an Arrow stream.
    folder : path, optional
        Folder that keeps the copy for later runs. By default the copy is in a private temporary folder, which is
        removed when the source is closed or garbage collected.

    Returns
    -------
    Source
        ``names`` and ``n_rows`` say what it has; ``select`` takes columns, ``blocks`` gives Arrow tables, and ``read``
        all rows. It is a context manager, and ``fit`` accepts it as a table.

    Raises
    ------
    InputError, InputTypeError, MissingPackageError
        If the data cannot be read; also while blocks are read.

    Examples
    --------
    >>> import pandas as pd
    >>> with open_source(pd.DataFrame({"amount": [1.5, 2.5, 3.5], "country": ["NL", "IT", "NL"]})) as source:
    ...     print(source.names, source.n_rows)
    ...     print([block["country"].to_pylist() for block in source.select(["country"]).blocks(2)])
    ('amount', 'country') 3
    [['NL', 'IT'], ['NL']]
    """
    if isinstance(data, str | os.PathLike):
        return open_files(find_files(data), folder)
    return _check_not_empty(data if isinstance(data, Source) else _open_object(data, folder))


def open_files(files: TableFiles, folder: _Folder = None) -> Source:
    """Open the files of a table; see :func:`open_source`."""
    name = repr(files.name)
    found = open_chunks(files)
    if found is not None:
        return _check_not_empty(Source.from_chunks(name, *found))
    file = files.files[0]
    key = hashlib.sha256(f"{file.name} {file.path} {file.version}".encode()).hexdigest()[:16]
    staging = StagingDirectory(folder)
    if not is_regular_file(staging.path(key)):  # a link is replaced by the copy

        def write(tables: Iterator[Any]) -> None:
            staging.write(key, lambda path: write_parquet(tables, path, file.name))

        if files.format == "csv":
            CsvFile.open(file).stream_to(write)
        else:
            write(read_stream(file))
    return _check_not_empty(open_staged(staging, key, name, file.version))


def open_chunks(files: TableFiles) -> tuple[Any, list[Any]] | None:
    """Return the schema and the chunks of files that can be read at any position; None for CSV and Arrow streams."""
    if files.format == "parquet":
        return open_parquet(files)
    return open_arrow(files.files[0]) if files.format == "arrow" else None


def _check_not_empty(source: Source) -> Source:
    if not source.names:
        raise InputError(f"{source.name} has no columns; give a table with some.")
    if not source.n_rows:
        raise InputError(f"{source.name} has columns but no rows; give a table with some.")
    return source


def _open_object(data: Any, folder: _Folder) -> Source:
    chunk = _chunk_in_memory(data)
    if chunk is not None:
        return Source.from_chunks("The table", chunk.schema, [chunk])
    if isinstance(data, dataset.Dataset):
        found = open_dataset(data)
        if found is not None:
            return Source.from_chunks("The dataset", *found)
        data = data.scanner(batch_readahead=1, fragment_readahead=1).to_reader()
    if type(data).__module__.startswith("polars") and hasattr(data, "sink_parquet"):
        return _stage("The lazy frame", lambda path: _sink(data, path), folder)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            data = pa.RecordBatchReader.from_stream(data)
        except Exception as error:  # every library has its own exceptions
            raise InputError(f"The stream cannot be read: {first_line(error)}.") from None
    if isinstance(data, pa.RecordBatchReader):
        tables: Iterator[Any] = chain([pa.Table.from_batches([], data.schema)], _tables(data))
    elif isinstance(data, Iterable) and not hasattr(data, "shape"):  # not an array of another library
        tables = _tables(data)
    else:
        raise InputTypeError(
            f"The data has type {type(data).__name__}, which is not a table; "
            "pass a path, a data frame or an Arrow table."
        )
    return _stage("The stream", lambda path: write_parquet(tables, path, "The stream"), folder)


def _chunk_in_memory(data: Any) -> Any:
    package = type(data).__module__.partition(".")[0]
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return ArrowTableChunk(data)
    if package == "pandas" and hasattr(data, "iloc") and hasattr(data, "columns"):
        return PandasChunk(data)
    if package == "polars" and hasattr(data, "to_arrow") and hasattr(data, "columns"):
        return PolarsChunk(data)
    if isinstance(data, np.ndarray) and data.ndim == 2:
        import pandas as pd  # noqa: PLC0415 - a second, only for arrays

        try:
            return PandasChunk(pd.DataFrame(data, columns=[f"x{i}" for i in range(data.shape[1])], copy=False))
        except (TypeError, ValueError) as error:
            if isinstance(error, MinervaError):
                raise
            raise InputError(f"An array of type {data.dtype} cannot be read; convert it.") from None
    return None


def _tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches as tables with the columns of the first one."""
    schema = None
    for i, batch in enumerate(_catch_read_errors(batches)):
        if not isinstance(batch, pa.Table | pa.RecordBatch):
            raise InputTypeError(f"Item {i} of the stream has type {type(batch).__name__}; give record batches.")
        schema = schema or batch.schema.remove_metadata()
        if sorted(batch.schema.names) != sorted(schema.names):
            raise InputError(f"Batch {i} of the stream has other columns than the first; give all the same columns.")
        try:
            yield conform(batch, schema, {})
        except pa.ArrowException:
            changed = [name for name in schema.names if schema.field(name).type != batch.schema.field(name).type]
            raise InputError(
                f"Column {changed[0]!r} is {schema.field(changed[0]).type} in the first batch of the stream and "
                f"{batch.schema.field(changed[0]).type} in batch {i}; give it one type."
            ) from None


def _catch_read_errors(batches: Iterable[Any]) -> Iterator[Any]:
    n_read = 0
    try:
        for batch in batches:
            yield batch
            n_read += 1
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"Batch {n_read} of the stream cannot be read: {first_line(error)}.") from None


def _sink(lazy_frame: Any, path: Path) -> None:
    try:
        # not atomic: staging renames the file when it is complete
        lazy_frame.sink_parquet(path, row_group_size=ROW_GROUP_ROWS)
    except Exception as error:  # polars has many of its own
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            raise
        if f"os error {errno.ENOSPC}" in str(error):
            raise OSError(errno.ENOSPC, str(error)) from None
        raise InputError(f"The lazy frame cannot be computed: {first_line(error)}.") from None


def _stage(name: str, fill: Callable[[Path], None], folder: _Folder) -> Source:
    staging = StagingDirectory(folder)
    staging.write("stream", fill)
    return open_staged(staging, "stream", name, version="")


def open_staged(staging: StagingDirectory, key: str, name: str, version: str) -> Source:
    """Open a copy in a staging directory; ``version`` identifies its content."""
    schema, chunks = open_parquet(find_files(staging.path(key)))
    original = parquet.read_metadata(staging.path(key)).metadata.get(ORIGINAL_SCHEMA)
    if original is not None:
        schema = pa.ipc.read_schema(pa.py_buffer(original))
    staged: list[Chunk] = [replace(chunk, version=version) for chunk in chunks]
    return Source.from_chunks(name, schema, staged, staging)
