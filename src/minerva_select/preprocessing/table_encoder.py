"""A whole table as ranks and codes, fitted on training rows only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError, unknown_name
from minerva_select.preprocessing.categories import MAX_LEVELS, LevelEncoder, check_same_type, code_type
from minerva_select.preprocessing.quantiles import RankEncoder
from minerva_select.preprocessing.value_counts import distinct
from minerva_select.schema import Column, ColumnKind, Table

# Columns that are written together: a row then takes four cache lines of codes; fewer of a long table, for its memory
_MOST_COLUMNS, _LEAST_COLUMNS = 256, 8
_BLOCK_VALUES = 1 << 25


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """Rows as ranks and codes; a column's place in the table is its feature index.

    Attributes
    ----------
    ranks : ndarray of float32, shape (n_rows, n_continuous)
        Ranks between 0 and 1, NaN where missing.
    codes : ndarray of uint8 or int64, shape (n_rows, n_categorical)
        Codes: 0 missing, 1 unseen or rare, then the levels. Bytes where no column has more than 256 codes.
    n_levels : tuple of int
        Number of codes of each categorical column, the two shared ones included.
    continuous, categorical : tuple of int
        Places in the table of the columns of ``ranks`` and ``codes``.
    n_columns : int
        Number of columns of the table.
    """

    ranks: NDArray[np.float32]
    codes: NDArray[np.integer[Any]]
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
    >>> from minerva_select.preprocessing import find_kinds
    >>> from minerva_select.schema import Column
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

    def fit(self, table: Table, rows: NDArray[Any] | None = None) -> TableEncoder:
        """Fit one encoder a column on the training rows: all of the table, or those at these positions."""
        self.names_ = table.names
        self.encoders_ = self._new_encoders(table)
        for encoder, column in zip(self.encoders_, table.columns, strict=True):
            if isinstance(encoder, LevelEncoder):
                encoder.fit(column, rows)
            else:
                encoder.fit_counts(*distinct(column, rows))
        return self

    def transform(self, table: Table) -> EncodedTable:
        """Encode rows, new ones or those of the training."""
        known = set(table.names)
        for name in self.names_:
            if name not in known:
                raise unknown_name("column", name, table.names)
        return self._assemble(table.select(self.names_), _rank)

    def fit_transform(self, table: Table) -> EncodedTable:
        """Fit and encode the training rows; quicker than the two calls."""
        self.names_ = table.names
        self.encoders_ = self._new_encoders(table)
        for encoder, column in zip(self.encoders_, table.columns, strict=True):
            if isinstance(encoder, LevelEncoder):
                encoder.fit(column)
        return self._assemble(table, lambda encoder, column: encoder.fit_transform(column.values))

    def _new_encoders(self, table: Table) -> tuple[RankEncoder | LevelEncoder, ...]:
        for column in table.columns:
            if self.kinds[column.name] == ColumnKind.CONTINUOUS and not column.is_numeric:
                raise InputError(f"Column {column.name!r} holds text or categories and cannot be continuous.")
        return tuple(
            RankEncoder() if self.kinds[name] == ColumnKind.CONTINUOUS else LevelEncoder(self.max_levels)
            for name in table.names
        )

    def _assemble(self, table: Table, rank: Callable[[RankEncoder, Column], NDArray[np.floating[Any]]]) -> EncodedTable:
        """Encode column by column; columns of different kinds go to different arrays."""
        pairs = list(enumerate(zip(self.encoders_, table.columns, strict=True)))
        amounts = [(k, encoder, column) for k, (encoder, column) in pairs if isinstance(encoder, RankEncoder)]
        names = [(k, encoder, column) for k, (encoder, column) in pairs if isinstance(encoder, LevelEncoder)]
        n_levels = tuple(encoder.n_levels for _, encoder, _ in names)
        ranks = np.empty((table.n_rows, len(amounts)), dtype=np.float32)
        codes = np.empty((table.n_rows, len(names)), dtype=code_type(max(n_levels, default=0)))
        _fill(ranks, (rank(encoder, column) for _, encoder, column in amounts))
        _fill(codes, (encoder.transform(column) for _, encoder, column in names))
        continuous, categorical = tuple(k for k, _, _ in amounts), tuple(k for k, _, _ in names)
        return EncodedTable(ranks, codes, n_levels, continuous, categorical, len(pairs))


def _fill(rows: NDArray[Any], columns: Iterator[NDArray[Any]]) -> None:
    """Write columns into an array of rows, several at a time: each row then takes a run of values, not one alone."""
    n_rows, n_columns = rows.shape
    n_together = max(_LEAST_COLUMNS, min(_MOST_COLUMNS, _BLOCK_VALUES // max(1, n_rows)))
    for start in range(0, n_columns, n_together):
        block = np.stack(list(islice(columns, n_together)))
        rows[:, start : start + len(block)] = block.T


def _rank(encoder: RankEncoder, column: Column) -> NDArray[np.floating[Any]]:
    check_same_type(column, numeric=True)
    if not column.is_numeric:
        return np.full(len(column.values), np.nan)
    if column.coding is None:
        return encoder.transform(column.values)
    rank_of_place = encoder.transform(np.append(np.nan, column.coding.values))
    return rank_of_place.take(column.coding.places)
