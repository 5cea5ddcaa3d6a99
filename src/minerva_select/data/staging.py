"""Parquet copies of tables that can be read only once, or only slowly."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from minerva_select.data.columns import check_unique_names
from minerva_select.data.source import rechunk, table_bytes
from minerva_select.errors import InputError, first_line
from minerva_select.io.atomic import atomic_file, explain_disk_errors
from minerva_select.io.tempdirs import TempDir

ROW_GROUP_ROWS = 65_536
ORIGINAL_SCHEMA = b"minerva:schema"
"""Metadata key of the schema before the copy: Parquet has no timestamps in seconds, for example."""

_REMEDY = "choose another folder for temporary files"
_MIN_ROW_GROUP_ROWS, _ROW_GROUP_BYTES = 1_024, 1 << 26
_WITHOUT_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


class StagingDirectory:
    """A folder for copies of tables: a given one keeps them for later runs, a temporary one is removed when closed."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._disk = Path(folder or tempfile.gettempdir())
        with explain_disk_errors(self._disk, _REMEDY):
            self._temporary = TempDir() if folder is None else None
            self.folder = self._disk if self._temporary is None else self._temporary.path
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, key: str) -> Path:
        """Path of the copy called ``key``."""
        return self.folder / f"{key}.parquet"

    def write(self, key: str, fill: Callable[[Path], None]) -> Path:
        """Let ``fill`` write a copy; if it fails or is killed, an earlier copy stays as it was."""
        with explain_disk_errors(self._disk, _REMEDY), atomic_file(self.path(key)) as temporary:
            fill(temporary)
        return self.path(key)

    @property
    def is_closed(self) -> bool:
        """Whether the temporary folder was removed."""
        return self._temporary is not None and self._temporary.is_closed

    def close(self) -> None:
        """Remove a temporary folder; a given one stays."""
        if self._temporary is not None:
            self._temporary.close()


def write_parquet(tables: Iterator[Any], path: Path, name: str) -> None:
    """Write Arrow tables of any sizes to a Parquet file with row groups of at most 64 MB."""
    tables = map(_as_storable, tables)
    first = next(tables, None)
    if first is None:
        raise InputError(f"{name} gives no rows; give at least one record batch.")
    check_unique_names(first.column_names)
    texts = [one.name for one in first.schema if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)]
    schema = first.schema.with_metadata({ORIGINAL_SCHEMA: first.schema.remove_metadata().serialize().to_pybytes()})
    with _open_writer(path, schema, name, compression="lz4", use_dictionary=texts) as writer:
        second = next(tables, first.slice(0, 0))  # the first one may have no rows
        row_bytes = (table_bytes(first) + table_bytes(second)) // max(first.num_rows + second.num_rows, 1)
        n_rows = min(ROW_GROUP_ROWS, max(_MIN_ROW_GROUP_ROWS, _ROW_GROUP_BYTES // max(row_bytes, 1)))
        for block in rechunk(chain([first, second], tables), n_rows):
            try:
                writer.write_table(block, row_group_size=n_rows)
            except pa.ArrowException as error:
                reason = first_line(error)
                raise InputError(f"{name} cannot be read in blocks: {reason}; fix or drop that column.") from None


def _as_storable(table: Any) -> Any:
    """Make all columns nullable, and replace text views, which pyarrow before 21 does not write."""
    table = without_views(table)
    schema = pa.schema([pa.field(name, one.type) for name, one in zip(table.column_names, table.columns, strict=True)])
    return pa.Table.from_arrays(table.columns, schema=schema)


def without_views(table: Any) -> Any:
    """The table with plain text in place of text views, of which pyarrow cannot choose rows."""
    for place, field in enumerate(table.schema):
        if field.type in _WITHOUT_VIEWS:
            table = table.set_column(place, field.name, table.column(place).cast(_WITHOUT_VIEWS[field.type]))
    return table


def _open_writer(path: Path, schema: Any, name: str, **options: Any) -> Any:
    try:
        # not atomic: the file is renamed when it is complete
        return parquet.ParquetWriter(path, schema, **options)
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the disk
            raise
        for column in schema:  # find the one that Parquet cannot store
            try:
                # not atomic: writes to memory
                parquet.ParquetWriter(pa.BufferOutputStream(), pa.schema([column])).close()
            except (pa.ArrowException, OSError):
                break
        raise InputError(
            f"Column {column.name!r} of {name} has type {column.type}, which cannot be read in blocks; "
            "convert it or drop the column."
        ) from None
