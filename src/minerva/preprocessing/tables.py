"""A whole table as ranks and codes, fitted on training rows only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva.errors import InputError, unknown_name
from minerva.preprocessing.categories import MAX_LEVELS, LevelEncoder, check_same_type
from minerva.preprocessing.ranks import RankEncoder
from minerva.schema import Column, ColumnKind, Table


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """Rows as ranks and codes; a column's place in the table is its feature index.

    Attributes
    ----------
    ranks : ndarray of float32, shape (n_rows, n_continuous)
        Ranks between 0 and 1, NaN where missing.
    codes : ndarray of int64, shape (n_rows, n_categorical)
        Codes: 0 missing, 1 unseen or rare, then the levels.
    n_levels : tuple of int
        Number of codes of each categorical column, the two shared ones included.
    continuous, categorical : tuple of int
        Places in the table of the columns of ``ranks`` and ``codes``.
    n_columns : int
        Number of columns of the table.
    """

    ranks: NDArray[np.float32]
    codes: NDArray[np.int64]
    n_levels: tuple[int, ...]
    continuous: tuple[int, ...]
    categorical: tuple[int, ...]
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.ranks)

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """Return the same columns with only these rows (positions)."""
        return EncodedTable(
            self.ranks[rows], self.codes[rows], self.n_levels, self.continuous, self.categorical, self.n_columns
        )


class TableEncoder:
    """Encode continuous columns with :class:`RankEncoder` and categorical ones with :class:`LevelEncoder`.

    Parameters
    ----------
    kinds : mapping of str to ColumnKind
        Kind of every column, by name; see :func:`find_kinds`.
    max_levels : int
        Most levels of a categorical column with a code of their own.

    Attributes
    ----------
    names_ : tuple of str
        Columns of the training table, in order. A table to transform needs these names, in any order.
    encoders_ : tuple
        One fitted encoder a column.

    Examples
    --------
    >>> import numpy as np
    >>> from minerva.preprocessing import find_kinds
    >>> from minerva.schema import Column
    >>> colour = Column("colour", np.array([0, 1, 1]), np.array(["blue", "red"], dtype=object))
    >>> table = Table((colour, Column("height", np.array([1.6, 1.9, np.nan]))), 3)
    >>> encoded = TableEncoder(find_kinds(table)).fit_transform(table)
    >>> encoded.codes.ravel().tolist(), encoded.ranks.ravel().tolist()
    ([3, 2, 2], [0.25, 0.75, nan])
    >>> encoded.categorical, encoded.continuous, encoded.n_levels
    ((0,), (1,), (4,))
    """

    names_: tuple[str, ...]
    encoders_: tuple[RankEncoder | LevelEncoder, ...]

    def __init__(self, kinds: Mapping[str, ColumnKind], max_levels: int = MAX_LEVELS) -> None:
        self.kinds = kinds
        self.max_levels = max_levels

    def fit(self, table: Table) -> TableEncoder:
        """Fit one encoder a column on the training rows."""
        self.names_ = table.names
        self.encoders_ = tuple(
            encoder.fit(column.values) if isinstance(encoder, RankEncoder) else encoder.fit(column)
            for encoder, column in zip(self._new_encoders(table), table.columns, strict=True)
        )
        return self

    def transform(self, table: Table) -> EncodedTable:
        """Encode rows, new ones or those of the training."""
        for name in self.names_:
            if name not in table.names:
                raise unknown_name("column", name, table.names)
        columns = table.select(self.names_).columns
        pairs = zip(self.encoders_, columns, strict=True)
        return self._assemble((_transform(encoder, column) for encoder, column in pairs), table.n_rows)

    def fit_transform(self, table: Table) -> EncodedTable:
        """Fit and encode the training rows; quicker than the two calls."""
        self.names_ = table.names
        self.encoders_ = self._new_encoders(table)
        pairs = zip(self.encoders_, table.columns, strict=True)
        return self._assemble((_fit_transform(encoder, column) for encoder, column in pairs), table.n_rows)

    def _new_encoders(self, table: Table) -> tuple[RankEncoder | LevelEncoder, ...]:
        for column in table.columns:
            if self.kinds[column.name] == ColumnKind.CONTINUOUS and not column.is_numeric:
                raise InputError(f"Column {column.name!r} holds text or categories and cannot be continuous.")
        return tuple(
            RankEncoder() if self.kinds[name] == ColumnKind.CONTINUOUS else LevelEncoder(self.max_levels)
            for name in table.names
        )

    def _assemble(self, encoded: Iterable[NDArray[Any]], n_rows: int) -> EncodedTable:
        """Fill the two arrays column by column, as they come, so that no more than one is held twice."""
        is_rank = [isinstance(encoder, RankEncoder) for encoder in self.encoders_]
        continuous = tuple(np.flatnonzero(is_rank).tolist())
        categorical = tuple(np.flatnonzero(~np.array(is_rank, dtype=bool)).tolist())
        ranks = np.empty((n_rows, len(continuous)), dtype=np.float32)
        codes = np.empty((n_rows, len(categorical)), dtype=np.int64)
        place = {column: i for i, column in enumerate(continuous)} | {column: i for i, column in enumerate(categorical)}
        for column, values in enumerate(encoded):
            (ranks if is_rank[column] else codes)[:, place[column]] = values
        n_levels = tuple(encoder.n_levels for encoder in self.encoders_ if isinstance(encoder, LevelEncoder))
        return EncodedTable(ranks, codes, n_levels, continuous, categorical, len(is_rank))


def _transform(encoder: RankEncoder | LevelEncoder, column: Column) -> NDArray[Any]:
    if isinstance(encoder, LevelEncoder):
        return encoder.transform(column)
    check_same_type(column, numeric=True)
    return encoder.transform(column.values) if column.is_numeric else np.full(len(column.values), np.nan)


def _fit_transform(encoder: RankEncoder | LevelEncoder, column: Column) -> NDArray[Any]:
    if isinstance(encoder, LevelEncoder):
        return encoder.fit(column).transform(column)
    return encoder.fit_transform(column.values)
