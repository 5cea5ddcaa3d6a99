"""Tables of any size and origin, read a block at a time."""

from __future__ import annotations

import os
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


def open_source(data: Any, folder: str | os.PathLike[str] | None = None) -> Source:
    r"""Open a table for reading in blocks, in little memory whatever its size.

    What can be read only once or only slowly (CSV, Arrow streams, generators, lazy frames) is copied once to a
    temporary Parquet file and read from there.

    Parameters
    ----------
    data : path, address or table
        CSV, Parquet, Feather or Arrow file; folder or pattern of Parquet files; address of such in an object store
        (``"s3://bucket/rows.parquet"``, needs fsspec). Or a pandas or polars frame, lazy too, a two-dimensional array,
        an Arrow table, batch, reader or dataset, an iterable of record batches, or anything else that gives an Arrow
        stream.
    folder : path, optional
        Where the copy is kept, so that a later run finds it; by default a private folder that is removed when the
        source is closed or dropped.

    Raises
    ------
    InputError, InputTypeError, MissingPackageError
        One sentence on what is wrong, where, and what to do; also while blocks are read.

    Examples
    --------
    >>> import pandas as pd
    >>> with open_source(pd.DataFrame({"amount": [1.5, 2.5, 3.5], "country": ["NL", "IT", "NL"]})) as source:
    ...     print(source.names, source.n_rows)
    ...     print([block["country"].to_pylist() for block in source.select(["country"]).blocks(2)])
    ('amount', 'country') 3
    [['NL', 'IT'], ['NL']]
    """
    from minerva_select.data.open_table import open_runs  # noqa: PLC0415 - Arrow takes half a second to load

    return open_runs(data, folder)
