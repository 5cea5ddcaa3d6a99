"""Feather and Arrow IPC files: those with a list of batches at their end, and streams without."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pyarrow as pa
from pyarrow import feather

from minerva.data.places import StoredFile
from minerva.errors import InputError

_READ_ERRORS = (pa.ArrowException, OSError, ValueError)
_KIND = "Feather or Arrow"


@dataclass(frozen=True)
class ArrowRun:
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
                    if self.file.is_local:
                        self.file.check()
                    table = pa.Table.from_batches([reader.get_batch(group)]).select(schema.names).cast(schema)
                    low = max(start - row, 0)
                    yield table.slice(low, min(stop - row, table.num_rows) - low)
                    row, group = self.ends[group], group + 1
        except InputError:
            raise
        except _READ_ERRORS as error:
            raise self.file.unreadable(_KIND, error, f"batch {group}") from None


def open_arrow(file: StoredFile) -> tuple[Any, ArrowRun] | None:
    """Schema and run of an Arrow file; None if it is a stream, or of the first version of Feather."""
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
    return schema, ArrowRun(file, tuple(accumulate(sizes)), f"{file.size} {file.modified}")


def read_stream(file: StoredFile) -> Iterator[Any]:
    """Give the batches of an Arrow stream as tables, or a file of Feather's first version as one."""
    n_rows = 0
    try:
        with file.open_file() as source:
            if source.read(4) == b"FEA1":
                source.seek(0)
                yield feather.read_table(source)
                return
            source.seek(0)
            with pa.ipc.open_stream(source) as stream:
                yield stream.schema.remove_metadata().empty_table()
                for batch in stream:
                    n_rows += batch.num_rows
                    yield pa.Table.from_batches([batch]).replace_schema_metadata()
    except _READ_ERRORS as error:
        raise file.unreadable(_KIND, error, f"after row {n_rows:,}" if n_rows else "") from None


def _open_reader(source: Any, names: list[str]) -> Any:
    schema = pa.ipc.open_file(source).schema
    fields = [schema.get_field_index(name) for name in names]
    return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))
