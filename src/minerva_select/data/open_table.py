"""Which reader opens which table."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet

from minerva_select.data.arrow_files import open_arrow, read_stream
from minerva_select.data.chunked import Chunk, ChunkedSource, bytes_of, in_blocks
from minerva_select.data.columns import check_unique_names
from minerva_select.data.csv_files import CsvFile
from minerva_select.data.file_discovery import find
from minerva_select.data.in_memory import ArrowTableChunk, PandasChunk, PolarsChunk
from minerva_select.data.materialize import first_line
from minerva_select.data.parquet_files import conform, open_dataset, open_parquet
from minerva_select.data.staging import StagingDirectory
from minerva_select.errors import InputError, InputTypeError, MinervaError
from minerva_select.io.atomic import is_regular_file

_GROUP_ROWS = 65_536
_GROUP_BYTES = 1 << 26
_WRITTEN_SCHEMA = b"minerva:schema"
_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def open_source(data: Any, folder: str | os.PathLike[str] | None = None) -> ChunkedSource:
    r"""Open a table for reading in blocks, in little memory whatever its size.

    What can be read only once or only slowly (CSV, Arrow streams, generators, lazy frames) is copied once to a
    temporary Parquet file and read from there.

    Parameters
    ----------
    data : path, address or table
        CSV, Parquet, Feather or Arrow file; folder or pattern of Parquet files; address of such in an object store
        (``"s3://bucket/rows.parquet"``, needs fsspec). Or a pandas or polars frame, lazy too, a two-dimensional array,
        an Arrow table, batch, reader or dataset, an iterable of record batches, or anything else that gives an Arrow
        stream.
    folder : path, optional
        Where the copy is kept, so that a later run finds it; by default a private folder that is removed when the
        source is closed or dropped.

    Raises
    ------
    InputError, InputTypeError, MissingPackageError
        One sentence on what is wrong, where, and what to do; also while blocks are read.

    Examples
    --------
    >>> import pandas as pd
    >>> with open_source(pd.DataFrame({"amount": [1.5, 2.5, 3.5], "country": ["NL", "IT", "NL"]})) as source:
    ...     print(source.names, source.n_rows)
    ...     print([block["country"].to_pylist() for block in source.select(["country"]).blocks(2)])
    ('amount', 'country') 3
    [['NL', 'IT'], ['NL']]
    """
    source = data if isinstance(data, ChunkedSource) else _open(data, folder)
    if not source.names:
        raise InputError(f"{source.name} has no columns; give a table with some.")
    if not source.n_rows:
        raise InputError(f"{source.name} has columns but no rows; give a table with some.")
    return source


def _open(data: Any, folder: str | os.PathLike[str] | None) -> ChunkedSource:
    if isinstance(data, str | os.PathLike):
        return _open_path(data, folder)
    chunk = _chunk_in_memory(data)
    if chunk is not None:
        return ChunkedSource.whole("The table", chunk.schema, [chunk])
    if isinstance(data, dataset.Dataset):
        found = open_dataset(data)
        if found is not None:
            return ChunkedSource.whole("The dataset", *found)
        data = data.scanner(batch_readahead=1, fragment_readahead=1).to_reader()
    if type(data).__module__.startswith("polars") and hasattr(data, "sink_parquet"):
        return _stage_lazy(data, folder)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            data = pa.RecordBatchReader.from_stream(data)
        except Exception as error:  # whatever the library that gives it raises
            raise InputError(f"The stream cannot be read: {first_line(error)}.") from None
    if isinstance(data, pa.RecordBatchReader):
        return _stage(chain([pa.Table.from_batches([], data.schema)], _tables(data)), "The stream", folder)
    if isinstance(data, Iterable) and not hasattr(data, "shape"):  # not the rows of another library's array
        return _stage(_tables(data), "The stream", folder)
    raise InputTypeError(
        f"The data is of type {type(data).__name__}, which is not a table; pass a path, a data frame or an Arrow table."
    )


def _open_path(path: str | os.PathLike[str], folder: str | os.PathLike[str] | None) -> ChunkedSource:
    place = find(path)
    if place.kind == "parquet":
        return ChunkedSource.whole(repr(place.name), *open_parquet(place))
    file = place.files[0]
    found = open_arrow(file) if place.kind == "arrow" else None
    if found is not None:
        return ChunkedSource.whole(repr(place.name), found[0], [found[1]])
    stamp = f"{file.size} {file.modified}"
    key = hashlib.sha256(f"{file.name} {file.path} {stamp}".encode()).hexdigest()[:16]
    staging = StagingDirectory(folder)
    if not is_regular_file(staging.path(key)):  # a link is none of ours, and gives way to the copy
        if place.kind == "csv":
            CsvFile.open(file).stage(lambda tables: staging.write(key, lambda path: _write(tables, path, file.name)))
        else:
            staging.write(key, lambda path: _write(read_stream(file), path, file.name))
    return _open_staged(staging, key, repr(place.name), stamp)


def _chunk_in_memory(data: Any) -> Any:
    """Chunk of a table that is in memory already; None for anything else."""
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
    """Give batches of any kind as tables with the columns of the first."""
    schema = None
    for i, batch in enumerate(_readable(batches)):
        if not isinstance(batch, pa.Table | pa.RecordBatch):
            raise InputTypeError(f"Item {i} of the stream is of type {type(batch).__name__}; give record batches.")
        schema = schema or batch.schema.remove_metadata()
        if sorted(batch.schema.names) != sorted(schema.names):
            raise InputError(f"Batch {i} of the stream has other columns than the first; give all the same ones.")
        try:
            yield conform(batch, schema, {})
        except pa.ArrowException:
            changed = [name for name in schema.names if schema.field(name).type != batch.schema.field(name).type]
            raise InputError(
                f"Column {changed[0]!r} is {schema.field(changed[0]).type} in the first batch of the stream and "
                f"{batch.schema.field(changed[0]).type} in batch {i}; give it one type."
            ) from None


def _readable(batches: Iterable[Any]) -> Iterator[Any]:
    n_read = 0
    try:
        for batch in batches:
            yield batch
            n_read += 1
    except (pa.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].split(". ")[0][:200].rstrip(".")
        raise InputError(f"Batch {n_read} of the stream cannot be read: {reason}.") from None


def _stage(tables: Iterator[Any], name: str, folder: str | os.PathLike[str] | None) -> ChunkedSource:
    staging = StagingDirectory(folder)
    staging.write("stream", lambda path: _write(tables, path, name))
    return _open_staged(staging, "stream", name, "")


def _stage_lazy(frame: Any, folder: str | os.PathLike[str] | None) -> ChunkedSource:
    def sink(path: Path) -> None:
        try:
            frame.sink_parquet(path, row_group_size=_GROUP_ROWS)
        except Exception as error:  # polars has many of its own
            if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
                raise
            if f"os error {errno.ENOSPC}" in str(error):
                raise OSError(errno.ENOSPC, str(error)) from None
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(". ")
            raise InputError(f"The lazy frame cannot be computed: {reason}.") from None

    staging = StagingDirectory(folder)
    staging.write("stream", sink)
    return _open_staged(staging, "stream", "The lazy frame", "")


def _open_staged(staging: StagingDirectory, key: str, name: str, stamp: str) -> ChunkedSource:
    schema, chunks = open_parquet(find(staging.path(key)))
    written = parquet.read_metadata(staging.path(key)).metadata.get(_WRITTEN_SCHEMA)
    if written is not None:  # Parquet has no seconds, among others, and gives milliseconds back
        schema = pa.ipc.read_schema(pa.py_buffer(written))
    staged: list[Chunk] = [replace(chunk, stamp=stamp) for chunk in chunks]
    return ChunkedSource.whole(name, schema, staged, staging)


def _write(tables: Iterator[Any], path: Path, name: str) -> None:
    """Write tables to a Parquet file, in row groups of some MB whatever the tables' sizes."""
    tables = map(_storable, tables)
    first = next(tables, None)
    if first is None:
        raise InputError(f"{name} gives no rows; give at least one record batch.")
    check_unique_names(first.column_names)
    texts = [one.name for one in first.schema if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)]
    schema = first.schema.with_metadata({_WRITTEN_SCHEMA: first.schema.remove_metadata().serialize().to_pybytes()})
    with _open_writer(path, schema, name, compression="lz4", use_dictionary=texts) as writer:
        second = next(tables, first.slice(0, 0))  # the first may have no rows
        row_bytes = (bytes_of(first) + bytes_of(second)) // max(first.num_rows + second.num_rows, 1)
        n_rows = min(_GROUP_ROWS, max(1024, _GROUP_BYTES // max(row_bytes, 1)))
        for block in in_blocks(chain([first, second], tables), n_rows):
            try:
                writer.write_table(block, row_group_size=n_rows)
            except pa.ArrowException as error:
                reason = first_line(error)
                raise InputError(f"{name} cannot be read in blocks: {reason}; mend or drop that column.") from None


def _storable(table: Any) -> Any:
    """The table as Parquet takes it: any cell may be missing, whatever its schema says, and text views are plain text.

    Arrow before 21 writes no views.
    """
    columns = [one.cast(_PLAIN[one.type]) if one.type in _PLAIN else one for one in table.columns]
    schema = pa.schema([pa.field(name, one.type) for name, one in zip(table.column_names, columns, strict=True)])
    return pa.Table.from_arrays(columns, schema=schema)


def _open_writer(path: Path, schema: Any, name: str, **options: Any) -> Any:
    try:
        return parquet.ParquetWriter(path, schema, **options)
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:  # of the disk
            raise
        for column in schema:  # one after another, to find the one that Parquet does not have
            try:
                parquet.ParquetWriter(pa.BufferOutputStream(), pa.schema([column])).close()
            except (pa.ArrowException, OSError):
                break
        raise InputError(
            f"Column {column.name!r} of {name} is of type {column.type}, which cannot be read in blocks; "
            "convert it or drop the column."
        ) from None
