"""Encoder of whole tables as quantiles and codes, fitted on training rows only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError, unknown_name
from minerva_select.preprocessing.categories import MAX_LEVELS, LevelEncoder, check_same_type, code_type
from minerva_select.preprocessing.column_blocks import fill_rows
from minerva_select.preprocessing.quantiles import Pack, QuantileEncoder
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.schema import Column, ColumnType, Table


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """Rows as quantiles and codes; the index of a column in the table is its feature index."""

    quantiles: NDArray[Any]  # (n_rows, n_numeric) between 0 and 1, NaN where missing; or as a packed encoder gives them
    codes: NDArray[np.integer[Any]]  # (n_rows, n_categorical) bytes if no column has more than 256 codes
    n_levels: tuple[int, ...]  # number of codes of each categorical column
    numeric: tuple[int, ...]  # index in the table of each column of quantiles
    categorical: tuple[int, ...]  # index in the table of each column of codes
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.quantiles)

    def take(self, rows: NDArray[Any]) -> EncodedTable:
        """The same columns with only the rows at these positions."""
        return replace(self, quantiles=self.quantiles[rows], codes=self.codes[rows])


class TableEncoder:
    """Encode numeric columns with :class:`QuantileEncoder` and categorical ones with :class:`LevelEncoder`.

    A table to transform needs the columns of the training table, by name and in any order.
    """

    names_: tuple[str, ...]
    encoders_: tuple[QuantileEncoder | LevelEncoder, ...]  # one per column

    def __init__(self, column_types: Mapping[str, ColumnType], max_levels: int = MAX_LEVELS) -> None:
        self.column_types = column_types
        self.max_levels = max_levels

    def fit(self, table: Table, rows: NDArray[Any] | None = None) -> TableEncoder:
        """Fit one encoder per column on the training rows: all rows of the table, or those at these positions."""
        self._create_encoders(table)
        for encoder, column in zip(self.encoders_, table.columns, strict=True):
            if isinstance(encoder, LevelEncoder):
                encoder.fit(column, rows)
            else:
                encoder.fit(*count_values(column, rows))
        return self

    def transform(self, table: Table) -> EncodedTable:
        """Encode rows."""
        known = set(table.names)
        for name in self.names_:
            if name not in known:
                raise unknown_name("column", name, table.names)
        return self._assemble(table.select(self.names_), find_quantiles)

    def fit_transform(self, table: Table) -> EncodedTable:
        """Fit and encode the training rows; faster than both calls."""
        self._create_encoders(table)
        for encoder, column in zip(self.encoders_, table.columns, strict=True):
            if isinstance(encoder, LevelEncoder):
                encoder.fit(column)
        return self._assemble(table, lambda encoder, column: encoder.fit_transform(column.values))

    def packed(self, pack: Pack) -> TableEncoder:
        """A copy whose :meth:`transform` returns quantiles in another representation, such as integers."""
        other = copy(self)
        other.encoders_ = tuple(one.packed(pack) if isinstance(one, QuantileEncoder) else one for one in self.encoders_)
        return other

    def _create_encoders(self, table: Table) -> None:
        check_column_types(table, self.column_types)
        self.names_ = table.names
        self.encoders_ = tuple(
            QuantileEncoder() if self.column_types[name] == ColumnType.NUMERIC else LevelEncoder(self.max_levels)
            for name in table.names
        )

    def _assemble(
        self, table: Table, find_quantiles: Callable[[QuantileEncoder, Column], NDArray[Any]]
    ) -> EncodedTable:
        """Encode column by column; columns of different types go to different arrays."""
        pairs = list(enumerate(zip(self.encoders_, table.columns, strict=True)))
        numeric = [(k, encoder, column) for k, (encoder, column) in pairs if isinstance(encoder, QuantileEncoder)]
        categorical = [(k, encoder, column) for k, (encoder, column) in pairs if isinstance(encoder, LevelEncoder)]
        n_levels = tuple(encoder.n_levels for _, encoder, _ in categorical)
        quantiles = np.empty((table.n_rows, len(numeric)), dtype=_quantile_type(encoder for _, encoder, _ in numeric))
        codes = np.empty((table.n_rows, len(categorical)), dtype=code_type(max(n_levels, default=0)))
        fill_rows([quantiles], lambda k: [find_quantiles(*numeric[k][1:])])
        fill_rows([codes], lambda k: [categorical[k][1].transform(categorical[k][2])])
        positions = [tuple(k for k, _, _ in columns) for columns in (numeric, categorical)]
        return EncodedTable(quantiles, codes, n_levels, positions[0], positions[1], len(pairs))


def check_column_types(table: Table, column_types: Mapping[str, ColumnType]) -> None:
    """Raise if a column of text or categories has the type of numbers."""
    for column in table.columns:
        if column_types[column.name] == ColumnType.NUMERIC and not column.is_numeric:
            raise InputError(f"Column {column.name!r} has text or categories and cannot be numeric.")


def _quantile_type(encoders: Iterable[QuantileEncoder]) -> np.dtype[Any]:
    return next((np.asarray(encoder.missing_).dtype for encoder in encoders), np.dtype(np.float32))


def find_quantiles(encoder: QuantileEncoder, column: Column) -> NDArray[Any]:
    """Quantiles of a column, which may have become empty text since training."""
    check_same_type(column, numeric=True)
    if not column.is_numeric:
        return np.full(len(column.values), encoder.missing_)
    if column.dictionary is None:
        return encoder.transform(column.values)
    quantile_of_index = encoder.transform(np.append(np.nan, column.dictionary.values))
    return quantile_of_index.take(column.dictionary.indices)
