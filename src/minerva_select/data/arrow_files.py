"""Feather and Arrow IPC files: those with a list of batches at their end, and streams without."""

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
_FIRST_FEATHER = b"FEA1"
_VIEWS = (pa.string_view(), pa.binary_view())
_VIEW_BYTES = 16


@dataclass(frozen=True)
class ArrowFileChunk:
    """The rows of one Arrow file, read one of its batches at a time."""

    file: StoredFile
    ends: tuple[int, ...]
    stamp: str

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Give rows ``start`` to ``stop`` as tables; their sizes are those of the file's batches."""
        del n_rows
        self.file.check()
        group = bisect_right(self.ends, start)
        row = self.ends[group - 1] if group else 0
        try:
            with self.file.open_file() as source:
                reader = _open_reader(source, schema.names)
                while row < stop:
                    table = _checked(reader.get_batch(group)).select(schema.names).cast(schema)
                    if self.file.is_local:  # after it was read: what is handed on is of the file that was opened
                        self.file.check()
                    low = max(start - row, 0)
                    yield table.slice(low, min(stop - row, table.num_rows) - low)
                    row, group = self.ends[group], group + 1
        except InputError:
            raise
        except _READ_ERRORS as error:
            raise self.file.unreadable(_KIND, error, f"batch {group}") from None


def open_arrow(file: StoredFile) -> tuple[Any, ArrowFileChunk] | None:
    """Schema and chunk of an Arrow file; None if it is a stream."""
    try:
        with file.open_file() as source:
            try:
                reader = pa.ipc.open_file(source)
            except pa.ArrowInvalid:
                return None
            schema = reader.schema.remove_metadata()
            counter = _open_reader(source, schema.names[:1])  # a batch tells its length only when read
            sizes = [counter.get_batch(i).num_rows for i in range(counter.num_record_batches)]
    except _READ_ERRORS as error:
        raise file.unreadable(_KIND, error) from None
    return schema, ArrowFileChunk(file, tuple(accumulate(sizes)), f"{file.size} {file.modified}")


def read_stream(file: StoredFile) -> Iterator[Any]:
    """Give the batches of an Arrow stream as tables."""
    n_rows = 0
    try:
        with file.open_file() as source:
            if source.read(len(_FIRST_FEATHER)) == _FIRST_FEATHER:  # Arrow reads it unchecked: a bad one is a crash
                raise InputError(
                    f"{file.name!r} is Feather of version 1, which is not read any longer; save it as version 2."
                )
            source.seek(0)
            with pa.ipc.open_stream(source) as stream:
                check_unique_names(stream.schema.names)  # and may be read: a name may be no UTF-8
                yield pa.Table.from_batches([], stream.schema.remove_metadata())
                for batch in stream:
                    n_rows += batch.num_rows
                    yield _checked(batch).replace_schema_metadata()
    except InputError:
        raise
    except _READ_ERRORS as error:
        raise file.unreadable(_KIND, error, f"after row {n_rows:,}" if n_rows else "") from None


def _checked(batch: Any) -> Any:
    """The batch as a table, once all in it is what its type says: Arrow trusts files of its own format."""
    batch.validate(full=True)
    table = pa.Table.from_batches([batch])
    for i, field in enumerate(table.schema):
        if field.type in _VIEWS and table.column(i).null_count:
            table = table.set_column(i, field, _blank(batch.column(i)))
    return table


def _blank(views: Any) -> Any:
    """The same views, all zeros where a value is missing: Arrow leaves those unchecked, and follows them in a cast."""
    is_valid, cells, *texts = views.buffers()
    blanked = np.frombuffer(cells, np.uint8).reshape(-1, _VIEW_BYTES).copy()
    blanked[views.offset :][: len(views)][views.is_null().to_numpy(zero_copy_only=False)] = 0
    buffers = [is_valid, pa.py_buffer(blanked), *texts]
    return pa.Array.from_buffers(views.type, len(views), buffers, views.null_count, views.offset)


def _open_reader(source: Any, names: list[str]) -> Any:
    schema = pa.ipc.open_file(source).schema
    fields = [schema.get_field_index(name) for name in names]
    return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))
