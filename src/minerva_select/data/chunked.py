"""A table as chunks of rows, each read a piece at a time from wherever it lies."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Protocol

import pyarrow as pa

from minerva_select.data.columns import check_unique_names
from minerva_select.data.staging import StagingDirectory
from minerva_select.errors import InputError, unknown_name

_SAMPLE_ROWS = 1_000
_GROUPS_PER_PART = 4  # with fewer, whole groups make parts of very different sizes


def bytes_of(table: Any) -> int:
    """Bytes of an Arrow table; of one with text views, which Arrow before 24 cannot measure, those of its buffers."""
    try:
        return int(table.nbytes)
    except pa.ArrowTypeError:
        return int(table.get_total_buffer_size())


class Chunk(Protocol):
    """Rows that are stored together."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Rows at which its groups end, the last of them its length: reading from one costs nothing extra."""

    @property
    def stamp(self) -> str:
        """What tells whether these are the rows they were; empty where only the rows themselves can."""

    def read(self, schema: Any, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        """Give rows from ``start`` to ``stop`` as tables of ``schema``, about ``n_rows`` each."""


@dataclass(frozen=True)
class ChunkedSource:
    """The implementation of :class:`~minerva_select.data.source.Source`: rows ``first_row`` to ``stop`` of its chunks.

    Examples
    --------
    >>> from minerva_select.data.in_memory import ArrowTableChunk
    >>> chunk = ArrowTableChunk(pa.table({"age": [31, 42, 53]}))
    >>> source = ChunkedSource.whole("people", chunk.schema, [chunk])
    >>> [block["age"].to_pylist() for block in source.part(0, 1).blocks(2)]
    [[31, 42], [53]]
    """

    name: str
    schema: Any
    chunks: tuple[Chunk, ...]
    first_row: int
    stop: int
    staging: StagingDirectory | None = None

    @classmethod
    def whole(
        cls, name: str, schema: Any, chunks: Iterable[Chunk], staging: StagingDirectory | None = None
    ) -> ChunkedSource:
        """All rows of some chunks."""
        chunks = tuple(chunk for chunk in chunks if chunk.ends)
        check_unique_names(schema.names)
        schema = pa.schema([field.with_nullable(True) for field in schema])  # some writers say so and have gaps
        return cls(name, schema, chunks, 0, sum(chunk.ends[-1] for chunk in chunks), staging)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.schema.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.stop - self.first_row

    @property
    def nbytes(self) -> int:
        """About what the rows take in memory; text is judged by the first rows."""
        widths = {field.name: _bits(field.type) for field in self.schema}
        total = sum(bits for bits in widths.values() if bits is not None) * self.n_rows // 8
        texts = [name for name, bits in widths.items() if bits is None]
        if texts and self.n_rows:
            head = next(self.select(texts).blocks(min(_SAMPLE_ROWS, self.n_rows)))
            total += bytes_of(head) * self.n_rows // head.num_rows
        return total

    @property
    def fingerprint(self) -> str:
        """Identity of the data, without reading it: the same rows of the same files give the same."""
        columns = [(field.name, str(field.type)) for field in self.schema]
        digest = hashlib.sha256(f"{columns} {self.first_row} {self.stop}".encode())
        for chunk in self.chunks:
            digest.update(f"{chunk.stamp} {chunk.ends[-1]}".encode())
        if not all(chunk.stamp for chunk in self.chunks):
            for row in sorted({0, self.n_rows // 2, self.n_rows - 1}):
                digest.update(repr([table.to_pydict() for table in self._read(row, row + 1, 1)]).encode())
        return digest.hexdigest()

    def select(self, names: Sequence[str]) -> ChunkedSource:
        """Only these columns, in this order; nothing else is decoded."""
        for name in names:
            if name not in self.schema.names:
                raise unknown_name("column", name, self.schema.names)
        if not names:
            raise InputError("A table needs at least one column; name one.")
        check_unique_names(names)
        return replace(self, schema=pa.schema([self.schema.field(name) for name in names]))

    def part(self, rank: int, size: int) -> ChunkedSource:
        """The ``rank``-th of ``size`` contiguous parts of about equal length, of whole groups if there are enough."""
        if not 0 <= rank < size:
            raise InputError(f"The part must be one of 0 to {size - 1}, got {rank}.")
        cuts = [self.first_row + self.n_rows * k // size for k in range(size + 1)]
        ends = [end for end in self._ends() if self.first_row < end < self.stop]
        if len(ends) + 1 >= _GROUPS_PER_PART * size:
            near = [cuts[0], *(_nearest(ends, cut) for cut in cuts[1:-1]), cuts[-1]]
            longest = max(stop - start for start, stop in pairwise(near))
            if longest * size <= 1.5 * self.n_rows:  # groups may be of very different sizes
                cuts = near
        return replace(self, first_row=cuts[rank], stop=cuts[rank + 1])

    def blocks(self, n_rows: int = 65_536) -> Iterator[Any]:
        """Every row once, in order, as tables of exactly ``n_rows`` rows but the last."""
        if n_rows < 1:
            raise InputError(f"A block needs at least one row, got n_rows={n_rows}.")
        if self.staging is not None and self.staging.is_closed:
            raise InputError(f"{self.name} is closed; open it again.")
        return in_blocks(self._read(0, self.n_rows, n_rows), n_rows)

    def read(self) -> Any:
        """All rows in memory, as a :class:`pyarrow.Table`."""
        tables = list(self._read(0, self.n_rows, 1 << 18))
        return pa.concat_tables(tables).unify_dictionaries() if tables else pa.Table.from_batches([], self.schema)

    def close(self) -> None:
        """Remove what was written to read this table; no part of it can be read any longer."""
        if self.staging is not None:
            self.staging.close()

    def __enter__(self) -> ChunkedSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, start: int, stop: int, n_rows: int) -> Iterator[Any]:
        first = self.first_row + start
        last = self.first_row + stop
        offset = 0
        for chunk in self.chunks:
            low, high = max(first - offset, 0), min(last - offset, chunk.ends[-1])
            if low < high:
                yield from chunk.read(self.schema, low, high, n_rows)
            offset += chunk.ends[-1]

    def _ends(self) -> list[int]:
        starts = accumulate((chunk.ends[-1] for chunk in self.chunks), initial=0)
        return [start + end for start, chunk in zip(starts, self.chunks, strict=False) for end in chunk.ends]


def in_blocks(tables: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Cut a stream of tables into tables of ``n_rows`` rows, the last one shorter."""
    held: list[Any] = []
    n_held = 0
    for table in tables:
        held.append(table)
        n_held += table.num_rows
        while n_held >= n_rows:
            # Dictionaries differ from piece to piece; few tools that take a column accept more than one.
            joined = pa.concat_tables(held)
            yield _unified(joined.slice(0, n_rows))
            held, n_held = [joined.slice(n_rows)], n_held - n_rows
    if n_held:
        yield _unified(pa.concat_tables(held))


def _unified(table: Any) -> Any:
    try:
        return table.unify_dictionaries()
    except pa.ArrowException:  # of levels that Arrow cannot compare, such as a missing one
        return table


def _nearest(sorted_values: list[int], value: int) -> int:
    i = bisect_left(sorted_values, value)
    return min(sorted_values[max(i - 1, 0) : i + 1], key=lambda near: abs(near - value))


def _bits(kind: Any) -> int | None:
    """Bits that a value takes; None where that depends on the value."""
    if pa.types.is_null(kind):
        return 0
    if pa.types.is_dictionary(kind):
        kind = kind.index_type
    try:
        return int(kind.bit_width)
    except ValueError:
        return None
