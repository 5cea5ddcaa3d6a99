"""Read Feather and Arrow IPC files: those that list their batches at the end, and streams that do not."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

from minerva_select.data.columns import check_unique_names
from minerva_select.data.file_discovery import StoredFile
from minerva_select.errors import InputError

_READ_ERRORS = (pa.ArrowException, OSError, ValueError)
_KIND = "Feather or Arrow"
_FEATHER_1_MAGIC = b"FEA1"
_VIEWS = (pa.string_view(), pa.binary_view())
_VIEW_BYTES = 16


@dataclass(frozen=True)
class ArrowFileChunk:
    """The rows of one Arrow file, read batch by batch."""

    file: StoredFile
    ends: tuple[int, ...]
    version: str

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Yield rows ``start`` to ``stop`` as tables with the sizes of the file's batches."""
        del n_rows
        self.file.check_unchanged()
        group = bisect_right(self.ends, start)
        row = self.ends[group - 1] if group else 0
        try:
            with self.file.open_file() as source:
                reader = _open_reader(source, schema.names)
                while row < stop:
                    table = _validate(reader.get_batch(group)).select(schema.names).cast(schema)
                    if self.file.is_local:  # only rows of the file as it was found are handed on
                        self.file.check_unchanged()
                    low = max(start - row, 0)
                    yield table.slice(low, min(stop - row, table.num_rows) - low)
                    row, group = self.ends[group], group + 1
        except InputError:
            raise
        except _READ_ERRORS as error:
            raise self.file.unreadable(_KIND, error, f"batch {group}") from None


def open_arrow(file: StoredFile) -> tuple[Any, list[ArrowFileChunk]] | None:
    """Return the schema and the chunk of an Arrow file; None if it is a stream."""
    try:
        with file.open_file() as source:
            try:
                reader = pa.ipc.open_file(source)
            except pa.ArrowInvalid:
                return None
            schema = reader.schema.remove_metadata()
            counter = _open_reader(source, schema.names[:1])  # the length of a batch is known only when it is read
            sizes = [counter.get_batch(i).num_rows for i in range(counter.num_record_batches)]
    except _READ_ERRORS as error:
        raise file.unreadable(_KIND, error) from None
    return schema, [ArrowFileChunk(file, tuple(accumulate(sizes)), file.version)]


def read_stream(file: StoredFile) -> Iterator[Any]:
    """Yield the batches of an Arrow stream as tables, after an empty one with the schema."""
    n_rows = 0
    try:
        with file.open_file() as source:
            if source.read(len(_FEATHER_1_MAGIC)) == _FEATHER_1_MAGIC:  # a damaged one crashes pyarrow
                raise InputError(f"{file.name!r} is Feather version 1, which is not supported; save it as version 2.")
            source.seek(0)
            with pa.ipc.open_stream(source) as stream:
                check_unique_names(stream.schema.names)  # also raises for a name that is not UTF-8
                yield pa.Table.from_batches([], stream.schema.remove_metadata())
                for batch in stream:
                    n_rows += batch.num_rows
                    yield _validate(batch).replace_schema_metadata()
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise file.unreadable(_KIND, error, f"after row {n_rows:,}" if n_rows else "") from None


def _validate(batch: Any) -> Any:
    """Return a batch as a table, or raise if its values do not match its types: Arrow trusts its own files."""
    batch.validate(full=True)
    table = pa.Table.from_batches([batch])
    for i, field in enumerate(table.schema):
        if field.type in _VIEWS and table.column(i).null_count:
            table = table.set_column(i, field, _zero_nulls(batch.column(i)))
    return table


def _zero_nulls(views: Any) -> Any:
    """Set missing text views to zero: Arrow does not validate them, but follows them in a cast."""
    is_valid, cells, *texts = views.buffers()
    zeroed = np.frombuffer(cells, np.uint8).reshape(-1, _VIEW_BYTES).copy()
    zeroed[views.offset :][: len(views)][views.is_null().to_numpy(zero_copy_only=False)] = 0
    buffers = [is_valid, pa.py_buffer(zeroed), *texts]
    return pa.Array.from_buffers(views.type, len(views), buffers, views.null_count, views.offset)


def _open_reader(source: Any, names: list[str]) -> Any:
    schema = pa.ipc.open_file(source).schema
    fields = [schema.get_field_index(name) for name in names]
    return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))
