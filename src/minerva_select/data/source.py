"""Tables that are read in blocks: a sequence of chunks of rows, such as one chunk per file."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from minerva_select.data.columns import check_unique_names
from minerva_select.errors import InputError, unknown_name

if TYPE_CHECKING:
    from minerva_select.data.staging import StagingDirectory

_SAMPLE_ROWS = 1_000
_MIN_GROUPS_PER_PART = 4  # with fewer, parts made of whole groups differ too much in size
_MAX_UNEVENNESS = 1.5


class Chunk(Protocol):
    """Rows that are stored together."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Rows at which its row groups end; the last one is its number of rows."""

    @property
    def version(self) -> str:
        """Identifies the content without reading it; empty if that is not possible."""

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Yield rows ``start`` to ``stop`` as Arrow tables of this schema, of about ``n_rows`` rows each."""


@dataclass(frozen=True)
class Source:
    """A table of any size, read in blocks as often as needed; made by :func:`minerva_select.open_source`.

    Close a source, or use it in a ``with`` statement; one that is garbage collected removes its temporary files too.

    Attributes
    ----------
    name : str
        Name for messages.
    schema : pyarrow.Schema
        Column names and types.
    first_row, stop : int
        Rows of the whole table that this source reads; see :meth:`part`.
    fits_in_memory : bool or None
        Whether a fit reads it whole; None if that is not decided yet.
    """

    name: str
    schema: Any
    chunks: tuple[Chunk, ...]
    first_row: int
    stop: int
    staging: StagingDirectory | None = None
    fits_in_memory: bool | None = None

    @classmethod
    def from_chunks(
        cls, name: str, schema: Any, chunks: Iterable[Chunk], staging: StagingDirectory | None = None
    ) -> Source:
        """Return all rows of these chunks."""
        chunks = tuple(chunk for chunk in chunks if chunk.ends)
        check_unique_names(schema.names)
        # Some writers declare columns as non-nullable that have nulls
        schema = pa.schema([field.with_nullable(True) for field in schema])
        return cls(name, schema, chunks, 0, sum(chunk.ends[-1] for chunk in chunks), staging)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self.schema.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.stop - self.first_row

    @property
    def nbytes(self) -> int:
        """Estimated size in memory; text is estimated from the first rows."""
        widths = {field.name: _bit_width(field.type) for field in self.schema}
        total = sum(bits for bits in widths.values() if bits is not None) * self.n_rows // 8
        texts = [name for name, bits in widths.items() if bits is None]
        if texts and self.n_rows:
            head = next(self.select(texts).blocks(min(_SAMPLE_ROWS, self.n_rows)))
            total += table_bytes(head) * self.n_rows // head.num_rows
        return total

    @property
    def fingerprint(self) -> str:
        """Hash of the schema and of the versions of the files, or of three rows of a table in memory."""
        columns = [(field.name, str(field.type)) for field in self.schema]
        digest = hashlib.sha256(f"{columns} {self.first_row} {self.stop}".encode())
        for chunk in self.chunks:
            digest.update(f"{chunk.version} {chunk.ends[-1]}".encode())
        if not all(chunk.version for chunk in self.chunks):
            for row in sorted({0, self.n_rows // 2, self.n_rows - 1}):
                digest.update(repr([table.to_pydict() for table in self._read(row, row + 1, 1)]).encode())
        return digest.hexdigest()

    def select(self, names: Sequence[str]) -> Source:
        """Return only these columns, in this order; the others are not decoded."""
        for name in names:
            if name not in self.schema.names:
                raise unknown_name("column", name, self.schema.names)
        if not names:
            raise InputError("A table needs at least one column; name one.")
        check_unique_names(names)
        return replace(self, schema=pa.schema([self.schema.field(name) for name in names]))

    def part(self, rank: int, size: int) -> Source:
        """Return part ``rank`` of ``size`` contiguous parts of about equal length."""
        if not 0 <= rank < size:
            raise InputError(f"The part must be one of 0 to {size - 1}, got {rank}.")
        cuts = [self.first_row + self.n_rows * k // size for k in range(size + 1)]
        ends = [end for end in self._group_ends() if self.first_row < end < self.stop]
        if len(ends) + 1 >= _MIN_GROUPS_PER_PART * size:  # whole row groups are faster to read
            near = [cuts[0], *(_nearest(ends, cut) for cut in cuts[1:-1]), cuts[-1]]
            if max(stop - start for start, stop in pairwise(near)) * size <= _MAX_UNEVENNESS * self.n_rows:
                cuts = near
        return replace(self, first_row=cuts[rank], stop=cuts[rank + 1])

    def parts_at_groups(self, n_skipped: int, n_rows: int) -> Iterator[Source]:
        """Yield the rows after the first ``n_skipped`` in parts of at least ``n_rows`` that end with a row group."""
        start = self.first_row + n_skipped
        for end in [*(end for end in self._group_ends() if start < end < self.stop), self.stop]:
            if end - start >= n_rows or end == self.stop:
                yield replace(self, first_row=start, stop=end)
                start = end

    def blocks(self, n_rows: int = 65_536) -> Iterator[Any]:
        """Yield all rows in order as Arrow tables of ``n_rows`` rows; the last one may be shorter."""
        if n_rows < 1:
            raise InputError(f"A block needs at least one row, got n_rows={n_rows}.")
        if self.staging is not None and self.staging.is_closed:
            raise InputError(f"{self.name} is closed; open it again.")
        return rechunk(self._read(0, self.n_rows, n_rows), n_rows)

    def read(self) -> Any:
        """Read all rows into an Arrow table."""
        tables = list(self._read(0, self.n_rows, 1 << 18))
        # Schema.empty_table() does not support all types
        return pa.concat_tables(tables).unify_dictionaries() if tables else pa.Table.from_batches([], self.schema)

    def close(self) -> None:
        """Remove temporary files; this source, and all made from it, cannot be read any longer."""
        if self.staging is not None:
            self.staging.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        start, stop = self.first_row + start, self.first_row + stop
        offset = 0
        for chunk in self.chunks:
            low, high = max(start - offset, 0), min(stop - offset, chunk.ends[-1])
            if low < high:
                yield from chunk.read(self.schema, low, high, n_rows)
            offset += chunk.ends[-1]

    def _group_ends(self) -> list[int]:
        starts = accumulate((chunk.ends[-1] for chunk in self.chunks), initial=0)
        return [start + end for start, chunk in zip(starts, self.chunks, strict=False) for end in chunk.ends]


def rechunk(tables: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Yield a stream of Arrow tables again as tables of ``n_rows`` rows; the last one may be shorter."""
    held: list[Any] = []
    n_held = 0
    for table in tables:
        held.append(table)
        n_held += table.num_rows
        while n_held >= n_rows:
            joined = pa.concat_tables(held)
            yield _unify_dictionaries(joined.slice(0, n_rows))
            held, n_held = [joined.slice(n_rows)], n_held - n_rows
    if n_held:
        yield _unify_dictionaries(pa.concat_tables(held))


def table_bytes(table: Any) -> int:
    """Size of an Arrow table in memory."""
    try:
        return int(table.nbytes)
    except pa.ArrowTypeError:  # text views, before pyarrow 24
        return int(table.get_total_buffer_size())


def _unify_dictionaries(table: Any) -> Any:
    try:
        return table.unify_dictionaries()
    except pa.ArrowException:  # levels that Arrow cannot compare, such as null
        return table


def _nearest(sorted_values: list[int], value: int) -> int:
    i = bisect_left(sorted_values, value)
    return min(sorted_values[max(i - 1, 0) : i + 1], key=lambda near: abs(near - value))


def _bit_width(kind: Any) -> int | None:
    """Bits per value; None if they depend on the value."""
    if pa.types.is_null(kind):
        return 0
    if pa.types.is_dictionary(kind):
        kind = kind.index_type
    try:
        return int(kind.bit_width)
    except ValueError:
        return None
