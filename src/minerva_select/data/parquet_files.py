"""Parquet files, one or many, read a few thousand rows at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import pyarrow as pa
from pyarrow import compute, dataset, parquet

from minerva_select.data.columns import check_unique_names
from minerva_select.data.file_discovery import StoredFile, TableFiles
from minerva_select.errors import InputError

_READ_ERRORS = (pa.ArrowException, OSError, ValueError)
_BATCH_ROWS = 8_192  # twice as fast as batches of 65,536 when columns are many, and in half the memory
_SMALL_BYTES = 1 << 25
_BUFFER_BYTES = 1 << 16  # per column: without it a whole row group is held, 2 GB for a million rows of 214 columns


@dataclass(frozen=True)
class ParquetChunk:
    """The rows of one Parquet file.

    Attributes
    ----------
    file : StoredFile
    ends : tuple of int
        Rows at which row groups end.
    stamp : str
        Identity of the rows.
    constants : mapping
        Values of columns that the file's folders tell (``year=2024``).
    """

    file: StoredFile
    ends: tuple[int, ...]
    stamp: str
    constants: Mapping[str, Any] = field(default_factory=dict)

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Give rows ``start`` to ``stop`` as tables of at most ``n_rows``."""
        self.file.check()
        first, last = bisect_right(self.ends, start), bisect_right(self.ends, stop - 1)
        row = self.ends[first - 1] if first else 0
        with open_parquet_file(self.file) as reader:
            kept = set(reader.schema_arrow.names) - set(self.constants)
            # A file without any of the columns still tells how many rows there are.
            names = [name for name in schema.names if name in kept] or reader.schema_arrow.names[:1]
            groups = list(range(first, last + 1))
            batches = reader.iter_batches(min(n_rows, _BATCH_ROWS), row_groups=groups, columns=names)
            while row < stop:
                try:
                    batch = next(batches)
                    batch.validate(full=True)  # text may be no UTF-8
                    table = conform(batch, schema, self.constants)
                except (*_READ_ERRORS, StopIteration) as error:
                    raise self._unreadable(error, names, row) from None
                if self.file.is_local:  # after it was read: what is handed on is of the file that was opened
                    self.file.check()
                low, high = max(start - row, 0), min(stop - row, batch.num_rows)
                row += batch.num_rows
                if low < high:
                    yield table.slice(low, high - low)

    def _unreadable(self, error: BaseException, names: Sequence[str], row: int) -> InputError:
        group = bisect_right(self.ends, row)
        place = f"row group {group}"
        for name in names:  # one after another, to find the one that is broken
            try:
                with open_parquet_file(self.file) as reader:
                    for _ in reader.iter_batches(row_groups=[group], columns=[name]):
                        pass
            except (*_READ_ERRORS, InputError):
                place += f", column {name!r}"
                break
        return self.file.unreadable("Parquet", error, place)


def open_parquet_file(file: StoredFile) -> Any:
    """Open one file for reading in small pieces, whatever the size of its row groups."""
    try:
        # Far away, a request for every 64 KB would be slower than a row group at once. A small file needs no buffer:
        # with one, the bytes that a page claims to have, up to 2 GB, are given their memory before they are missed.
        is_buffered = file.is_local and file.size > _SMALL_BYTES
        how = {"buffer_size": _BUFFER_BYTES if is_buffered else 0, "pre_buffer": not file.is_local}
        # Whatever a footer claims to hold takes a byte at least, and is given its memory before it is read.
        how |= dict.fromkeys(("thrift_string_size_limit", "thrift_container_size_limit"), max(file.size, 1))
        return parquet.ParquetFile(file.open_file(), page_checksum_verification=True, **how)
    except _READ_ERRORS as error:
        raise file.unreadable("Parquet", error) from None


def open_parquet(place: TableFiles) -> tuple[Any, list[ParquetChunk]]:
    """Schema and chunks of the files of a place; columns that some files lack are missing there."""
    opened = []
    for file in place.files:
        try:
            opened.append(_open_chunk(file))
        except InputError as error:
            many = f"{place.name!r} cannot be read as Parquet: " if len(place.files) > 1 else ""
            raise InputError(f"{many}{error}") from None
    schema = join_schemas([(file.name, found) for file, (_, found) in zip(place.files, opened, strict=True)])
    chunks = [chunk for chunk, _ in opened]
    return (schema, chunks) if place.base is None else _with_folders(place, schema, chunks)


def open_dataset(whole: Any) -> tuple[Any, list[ParquetChunk]] | None:
    """Schema and chunks of a :class:`pyarrow.dataset.Dataset` of whole Parquet files; None if it is anything else."""
    try:
        fragments = list(whole.get_fragments())
    except ValueError:  # filtered or projected
        return None
    if not all(isinstance(part, dataset.ParquetFileFragment) and part.path for part in fragments):
        return None
    chunks = []
    for part in fragments:
        info = part.filesystem.get_file_info(part.path)
        chunk, _ = _open_chunk(StoredFile(part.path, part.path, part.filesystem, info.size or 0, info.mtime_ns))
        chunks.append(replace(chunk, constants=dataset.get_partition_keys(part.partition_expression)))
    is_whole = sum(chunk.ends[-1] for chunk in chunks if chunk.ends) == whole.count_rows()  # not some row groups only
    return (whole.schema, chunks) if is_whole else None


def join_schemas(named: Sequence[tuple[str, Any]]) -> Any:
    """Columns of several tables, in the order they turn up, each of a type that holds all its values.

    Examples
    --------
    >>> join_schemas([("a", pa.schema([("x", pa.int32())])), ("b", pa.schema([("x", pa.float64()), ("y", pa.utf8())]))])
    x: double
    y: string
    """
    fields: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, schema in named:
        check_unique_names(schema.names)
        for new in schema:
            old = fields.setdefault(new.name, new)
            if pa.types.is_null(old.type) or new.name not in origins:
                origins[new.name] = origin
            if old.type != new.type:
                fields[new.name] = _wider(old, new, origins[new.name], origin)
    return pa.schema(fields.values())


def _wider(old: Any, new: Any, old_origin: str, new_origin: str) -> Any:
    plain = [one.with_type(_plain(one.type)) for one in (old, new)]
    for pair in ([old, new], plain):  # categories in one file may be plain text in the next
        try:
            joined = pa.unify_schemas([pa.schema([one]) for one in pair], promote_options="permissive").field(0)
        except pa.ArrowException:
            continue
        if pa.types.is_binary(joined.type) == pa.types.is_binary(pair[0].type):  # text and bytes are no pair
            return joined
    raise InputError(
        f"Column {old.name!r} is {old.type} in {old_origin!r} and {new.type} in {new_origin!r}; "
        "give it one type in all files."
    )


def conform(batch: Any, schema: Any, constants: Mapping[str, Any]) -> Any:
    """Table of ``schema`` from a batch that may lack columns or have narrower types."""
    columns = []
    for wanted in schema:
        i = batch.schema.get_field_index(wanted.name)
        if wanted.name in constants:
            column = pa.repeat(pa.scalar(constants[wanted.name], _plain(wanted.type)), batch.num_rows).cast(wanted.type)
        elif i < 0:
            column = pa.nulls(batch.num_rows, wanted.type)
        elif batch.column(i).type != wanted.type:
            # Long integers among fractions are rounded to 53 bits, as in every tool that joins them.
            how = compute.CastOptions(wanted.type, allow_float_truncate=pa.types.is_floating(wanted.type))
            column = batch.column(i).cast(options=how)
        else:
            column = batch.column(i)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _open_chunk(file: StoredFile) -> tuple[ParquetChunk, Any]:
    try:
        with open_parquet_file(file) as reader:
            metadata = reader.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
            schema = reader.schema_arrow.remove_metadata()
            check_unique_names(schema.names)  # and may be read: a name may be no UTF-8
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise file.unreadable("Parquet", error, "its schema") from None
    if min(sizes, default=0) < 0:
        raise InputError(f"{file.name!r} cannot be read as Parquet: it claims to have {min(sizes):,} rows.")
    return ParquetChunk(file, tuple(accumulate(sizes)), f"{file.size} {file.modified}"), schema


def _with_folders(place: TableFiles, schema: Any, chunks: Iterable[ParquetChunk]) -> tuple[Any, list[ParquetChunk]]:
    """Add the columns that folders such as ``year=2024`` tell."""
    first, paths = place.files[0], [file.path for file in place.files]
    try:
        found = dataset.dataset(
            paths, format="parquet", filesystem=first.filesystem, partitioning="hive", partition_base_dir=place.base
        )
    except _READ_ERRORS as error:
        raise first.unreadable("Parquet", error, "its folders") from None
    keys = {part.path: dataset.get_partition_keys(part.partition_expression) for part in found.get_fragments()}
    added = [one for one in found.schema if one.name not in schema.names]
    names = {one.name for one in added}  # a column of that name in the files goes before
    schema = pa.schema([*schema, *(one.remove_metadata() for one in added)])
    told = [{name: value for name, value in keys[chunk.file.path].items() if name in names} for chunk in chunks]
    return schema, [
        replace(chunk, constants=constants, stamp=f"{chunk.stamp} {constants}")
        for chunk, constants in zip(chunks, told, strict=True)
    ]


def _plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
