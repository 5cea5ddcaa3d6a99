"""The interface of tables that are read in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Protocol


class Source(Protocol):
    """A table of any size, read in blocks as often as needed; see :func:`minerva_select.open_source`.

    Close a source, or use it in a ``with`` statement; one that is garbage collected removes its temporary files too.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    @property
    def schema(self) -> Any:
        """Column names and types, a :class:`pyarrow.Schema`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def first_row(self) -> int:
        """Position of the first row in the whole table: 0 unless this is a :meth:`part`."""

    @property
    def nbytes(self) -> int:
        """Estimated size in memory as Arrow columns."""

    @property
    def fingerprint(self) -> str:
        """Hash that identifies the data; computed without reading all rows."""

    def select(self, names: Sequence[str]) -> Source:
        """Return only these columns, in this order; the others are not decoded."""

    def part(self, rank: int, size: int) -> Source:
        """Return part ``rank`` of ``size`` contiguous parts of about equal length."""

    def blocks(self, n_rows: int = 65_536) -> Iterator[Any]:
        """Yield all rows in order as :class:`pyarrow.Table` of ``n_rows`` rows; the last one may be shorter."""

    def read(self) -> Any:
        """Read all rows into a :class:`pyarrow.Table`."""

    def close(self) -> None:
        """Remove temporary files."""

    def __enter__(self) -> Source: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
