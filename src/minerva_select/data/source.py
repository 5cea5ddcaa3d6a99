"""Tables of any size and origin, read a block at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Protocol


class Source(Protocol):
    """A table that is read a block at a time, as often as wanted.

    Sources are closed, or used in a ``with`` statement; one that is merely dropped cleans up as well.
    """

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def schema(self) -> Any:
        """Names and types of the columns, a :class:`pyarrow.Schema`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def first_row(self) -> int:
        """Where a part begins in the whole; 0 for the whole."""

    @property
    def nbytes(self) -> int:
        """About what the table takes in memory as Arrow columns."""

    @property
    def fingerprint(self) -> str:
        """Identity of the data, found without reading it: the same rows of the same files give the same."""

    def select(self, names: Sequence[str]) -> Source:
        """Only these columns, in this order; nothing else is decoded."""

    def part(self, rank: int, size: int) -> Source:
        """The ``rank``-th of ``size`` contiguous runs of rows, alike in length."""

    def blocks(self, n_rows: int = 65_536) -> Iterator[Any]:
        """Every row once, in order, as :class:`pyarrow.Table` of exactly ``n_rows`` rows but the last."""

    def read(self) -> Any:
        """All rows in memory, as a :class:`pyarrow.Table`."""

    def close(self) -> None:
        """Remove what was written to read this table."""

    def __enter__(self) -> Source: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
