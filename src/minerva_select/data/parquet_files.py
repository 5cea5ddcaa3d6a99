"""Read Parquet files, one or many, a few thousand rows at a time."""

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
_BATCH_ROWS = 8_192  # for wide tables twice as fast as 65,536, and in half the memory
_SMALL_BYTES = 1 << 25
_BUFFER_BYTES = 1 << 16  # per column; without it a whole row group is held, 2 GB for a million rows of 214 columns


@dataclass(frozen=True)
class ParquetChunk:
    """The rows of one Parquet file."""

    file: StoredFile
    ends: tuple[int, ...]  # rows at which row groups end
    version: str
    constants: Mapping[str, Any] = field(default_factory=dict)  # partition columns, from folder names (year=2024)

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Yield rows ``start`` to ``stop`` as tables of at most ``n_rows`` rows."""
        self.file.check_unchanged()
        first, last = bisect_right(self.ends, start), bisect_right(self.ends, stop - 1)
        row = self.ends[first - 1] if first else 0
        with open_parquet_file(self.file) as reader:
            kept = set(reader.schema_arrow.names) - set(self.constants)
            # A file that has none of the columns still has rows
            names = [name for name in schema.names if name in kept] or reader.schema_arrow.names[:1]
            groups = list(range(first, last + 1))
            batches = reader.iter_batches(min(n_rows, _BATCH_ROWS), row_groups=groups, columns=names)
            while row < stop:
                try:
                    batch = next(batches)
                    batch.validate(full=True)  # text may not be UTF-8
                    table = conform(batch, schema, self.constants)
                except (*_READ_ERRORS, StopIteration) as error:
                    raise self._unreadable(error, names, row) from None
                if self.file.is_local:  # only rows of the file as it was found are handed on
                    self.file.check_unchanged()
                low, high = max(start - row, 0), min(stop - row, batch.num_rows)
                row += batch.num_rows
                if low < high:
                    yield table.slice(low, high - low)

    def _unreadable(self, error: BaseException, names: Sequence[str], row: int) -> InputError:
        group = bisect_right(self.ends, row)
        where = f"row group {group}"
        for name in names:  # find the column that is broken
            try:
                with open_parquet_file(self.file) as reader:
                    for _ in reader.iter_batches(row_groups=[group], columns=[name]):
                        pass
            except (*_READ_ERRORS, InputError):
                where += f", column {name!r}"
                break
        return self.file.unreadable("Parquet", error, where)


def open_parquet_file(file: StoredFile) -> Any:
    """Open a file for reading in small pieces, whatever the size of its row groups."""
    try:
        # A remote file is read by row groups, since a request per 64 KB would be slow. A small local file needs no
        # buffer: with one, Arrow allocates the size that a page claims, up to 2 GB, before it notices damage.
        is_buffered = file.is_local and file.size > _SMALL_BYTES
        how = {"buffer_size": _BUFFER_BYTES if is_buffered else 0, "pre_buffer": not file.is_local}
        # Arrow allocates what the footer claims before reading it; every item takes at least a byte of the file
        how |= dict.fromkeys(("thrift_string_size_limit", "thrift_container_size_limit"), max(file.size, 1))
        return parquet.ParquetFile(file.open_file(), page_checksum_verification=True, **how)
    except _READ_ERRORS as error:
        raise file.unreadable("Parquet", error) from None


def open_parquet(table: TableFiles) -> tuple[Any, list[ParquetChunk]]:
    """Return the joined schema and the chunks of Parquet files; a column that a file lacks is missing there."""
    opened = []
    for file in table.files:
        try:
            opened.append(_open_chunk(file))
        except InputError as error:
            many = f"{table.name!r} cannot be read as Parquet: " if len(table.files) > 1 else ""
            raise InputError(f"{many}{error}") from None
    schema = join_schemas([(file.name, found) for file, (_, found) in zip(table.files, opened, strict=True)])
    chunks = [chunk for chunk, _ in opened]
    return (schema, chunks) if table.partition_root is None else _add_partition_columns(table, schema, chunks)


def open_dataset(whole: Any) -> tuple[Any, list[ParquetChunk]] | None:
    """Return the schema and chunks of a :class:`pyarrow.dataset.Dataset` of whole Parquet files; None for any other."""
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
    # A fragment may be a selection of row groups
    is_whole = sum(chunk.ends[-1] for chunk in chunks if chunk.ends) == whole.count_rows()
    return (whole.schema, chunks) if is_whole else None


def join_schemas(named: Sequence[tuple[str, Any]]) -> Any:
    """Join schemas: every column once, in order of appearance, with a type that fits all its values."""
    fields: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, schema in named:
        check_unique_names(schema.names)
        for new in schema:
            old = fields.setdefault(new.name, new)
            if pa.types.is_null(old.type) or new.name not in origins:
                origins[new.name] = origin
            if old.type != new.type:
                fields[new.name] = _common_type(old, new, origins[new.name], origin)
    return pa.schema(fields.values())


def _common_type(old: Any, new: Any, old_origin: str, new_origin: str) -> Any:
    plain = [one.with_type(_decoded_type(one.type)) for one in (old, new)]
    for pair in ([old, new], plain):  # categories in one file may be plain text in the next
        try:
            joined = pa.unify_schemas([pa.schema([one]) for one in pair], promote_options="permissive").field(0)
        except pa.ArrowException:
            continue
        if pa.types.is_binary(joined.type) == pa.types.is_binary(pair[0].type):  # text and bytes do not mix
            return joined
    raise InputError(
        f"Column {old.name!r} is {old.type} in {old_origin!r} and {new.type} in {new_origin!r}; "
        "give it one type in all files."
    )


def conform(batch: Any, schema: Any, constants: Mapping[str, Any]) -> Any:
    """Return a batch, which may lack columns or have narrower types, as a table of ``schema``."""
    columns = []
    for wanted in schema:
        i = batch.schema.get_field_index(wanted.name)
        if wanted.name in constants:
            constant = pa.scalar(constants[wanted.name], _decoded_type(wanted.type))
            column = pa.repeat(constant, batch.num_rows).cast(wanted.type)
        elif i < 0:
            column = pa.nulls(batch.num_rows, wanted.type)
        elif batch.column(i).type != wanted.type:
            # Large integers in a column of floats are rounded to 53 bits
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
            check_unique_names(schema.names)  # also raises for a name that is not UTF-8
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise file.unreadable("Parquet", error, "schema") from None
    if min(sizes, default=0) < 0:
        raise InputError(
            f"{file.name!r} cannot be read as Parquet: it claims to have {min(sizes):,} rows; write it again."
        )
    return ParquetChunk(file, tuple(accumulate(sizes)), file.version), schema


def _add_partition_columns(
    table: TableFiles, schema: Any, chunks: Iterable[ParquetChunk]
) -> tuple[Any, list[ParquetChunk]]:
    """Add the columns of folder names such as ``year=2024``; a column of that name in the files takes precedence."""
    first, paths = table.files[0], [file.path for file in table.files]
    try:
        found = dataset.dataset(
            paths,
            format="parquet",
            filesystem=first.filesystem,
            partitioning="hive",
            partition_base_dir=table.partition_root,
        )
    except _READ_ERRORS as error:
        raise first.unreadable("Parquet", error, "folder names") from None
    keys = {part.path: dataset.get_partition_keys(part.partition_expression) for part in found.get_fragments()}
    added = [one.remove_metadata() for one in found.schema if one.name not in schema.names]
    partitioned = []
    for chunk in chunks:
        values = keys[chunk.file.path]
        constants = {one.name: values[one.name] for one in added if one.name in values}
        partitioned.append(replace(chunk, constants=constants, version=f"{chunk.version} {constants}"))
    return pa.schema([*schema, *added]), partitioned


def _decoded_type(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
