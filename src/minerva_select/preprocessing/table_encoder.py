"""Encoder of whole tables as quantiles and codes, fitted on training rows only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError, unknown_name
from minerva_select.preprocessing.categories import MAX_LEVELS, LevelEncoder, check_same_type, code_type
from minerva_select.preprocessing.quantiles import Pack, QuantileEncoder, encode_quantiles
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.schema import Column, ColumnType, Table

# Columns written at a time: up to four cache lines of codes per row, and fewer for a long table to save memory
_MAX_COLUMNS, _MIN_COLUMNS = 256, 8
_BLOCK_VALUES = 1 << 25
_MIN_ROWS_OF_THREADS = 1 << 14  # below, threads wait for Python's lock most of the time
_BLOCKS_PER_THREAD = 4  # so that all threads end at about the same time
_FLOAT: np.dtype[Any] = np.dtype(np.float32)


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
        return self._assemble(table.select(self.names_), find_quantiles, quantile_type=_quantile_type(self.encoders_))

    def fit_transform(self, table: Table) -> EncodedTable:
        """Fit and encode the training rows; faster than both calls."""
        self._create_encoders(table)
        for encoder, column in zip(self.encoders_, table.columns, strict=True):
            if isinstance(encoder, LevelEncoder):
                encoder.fit(column)
        return self._assemble(table, lambda encoder, column: encoder.fit_transform(column.values))

    def fit_and_encode(
        self, table: Table, rows: NDArray[Any], pack: Pack | None = None, n_threads: int = 1
    ) -> EncodedTable:
        """Fit to the training rows at these positions, each given once, and encode all rows.

        Faster than both calls, and in less memory: the encoders of quantiles are not kept.
        """
        self._create_encoders(table)
        in_training = np.zeros(table.n_rows, dtype=bool)
        in_training[rows] = True

        codes: dict[str, NDArray[Any] | None] = {}  # of the indices of the dictionary of each categorical column

        def fit_levels(columns: slice) -> None:
            for encoder, column in zip(self.encoders_[columns], table.columns[columns], strict=True):
                if isinstance(encoder, LevelEncoder):
                    codes[column.name] = encoder.fit_codes(column, rows)

        def encode_levels(encoder: LevelEncoder, column: Column) -> NDArray[Any]:
            code_of_index, dictionary = codes[column.name], column.dictionary
            if code_of_index is None or dictionary is None:
                return encoder.transform(column)
            return code_of_index.take(dictionary.indices)

        def encode(_: QuantileEncoder, column: Column) -> NDArray[Any]:
            if column.dictionary is None:
                return encode_quantiles(column.values, in_training, pack)
            encoder = QuantileEncoder().fit(*count_values(column, rows))
            return find_quantiles(encoder if pack is None else encoder.packed(pack), column)

        _for_blocks(fit_levels, table.n_rows, len(table.columns), n_threads)
        missing = QuantileEncoder.missing_ if pack is None else pack(np.full(1, QuantileEncoder.missing_))
        return self._assemble(table, encode, encode_levels, missing.dtype, n_threads)

    def packed(self, pack: Pack) -> TableEncoder:
        """A copy whose :meth:`transform` returns quantiles in another representation, such as integers."""
        other = copy(self)
        other.encoders_ = tuple(one.packed(pack) if isinstance(one, QuantileEncoder) else one for one in self.encoders_)
        return other

    def _create_encoders(self, table: Table) -> None:
        for column in table.columns:
            if self.column_types[column.name] == ColumnType.NUMERIC and not column.is_numeric:
                raise InputError(f"Column {column.name!r} has text or categories and cannot be numeric.")
        self.names_ = table.names
        self.encoders_ = tuple(
            QuantileEncoder() if self.column_types[name] == ColumnType.NUMERIC else LevelEncoder(self.max_levels)
            for name in table.names
        )

    def _assemble(
        self,
        table: Table,
        find_quantiles: Callable[[Any, Column], NDArray[Any]],
        find_codes: Callable[[Any, Column], NDArray[Any]] = LevelEncoder.transform,
        quantile_type: np.dtype[Any] = _FLOAT,
        n_threads: int = 1,
    ) -> EncodedTable:
        """Encode column by column; columns of different types go to different arrays."""
        # Positions, not tuples of objects: with very many, Python would look for garbage again and again
        encoders, columns = self.encoders_, table.columns
        numeric = [k for k, encoder in enumerate(encoders) if isinstance(encoder, QuantileEncoder)]
        categorical = [k for k, encoder in enumerate(encoders) if isinstance(encoder, LevelEncoder)]
        n_levels = tuple(encoder.n_levels for encoder in encoders if isinstance(encoder, LevelEncoder))
        quantiles = np.empty((table.n_rows, len(numeric)), dtype=quantile_type)
        codes = np.empty((table.n_rows, len(categorical)), dtype=code_type(max(n_levels, default=0)))
        _fill(quantiles, lambda k: find_quantiles(encoders[numeric[k]], columns[numeric[k]]), n_threads)
        _fill(codes, lambda k: find_codes(encoders[categorical[k]], columns[categorical[k]]), n_threads)
        return EncodedTable(quantiles, codes, n_levels, tuple(numeric), tuple(categorical), len(encoders))


def _fill(rows: NDArray[Any], encode: Callable[[int], NDArray[Any]], n_threads: int) -> None:
    """Write columns into an array of rows, several at a time, so that each row gets several adjacent values."""

    def fill(columns: slice) -> None:
        block = np.empty((columns.stop - columns.start, len(rows)), dtype=rows.dtype)
        for k in range(columns.start, columns.stop):
            block[k - columns.start] = encode(k)
        rows[:, columns] = block.T

    _for_blocks(fill, len(rows), rows.shape[1], n_threads)


def _for_blocks(work: Callable[[slice], None], n_rows: int, n_columns: int, n_threads: int) -> None:
    """Call a function for adjacent columns, several at a time; for those of long tables, in threads."""
    n_threads = n_threads if n_rows >= _MIN_ROWS_OF_THREADS else 1
    n_fair = n_columns // (_BLOCKS_PER_THREAD * n_threads) if n_threads > 1 else n_columns
    n_together = max(_MIN_COLUMNS, min(_MAX_COLUMNS, _BLOCK_VALUES // max(1, n_rows), n_fair))
    blocks = [slice(start, min(start + n_together, n_columns)) for start in range(0, n_columns, n_together)]
    if n_threads < 2:
        for block in blocks:
            work(block)
        return
    from minerva_select.runtime.parallel import run_in_threads  # noqa: PLC0415 - loads torch

    run_in_threads([partial(work, block) for block in blocks], n_threads)


def _quantile_type(encoders: Iterable[QuantileEncoder | LevelEncoder]) -> np.dtype[Any]:
    numeric = (encoder for encoder in encoders if isinstance(encoder, QuantileEncoder))
    return next((np.asarray(encoder.missing_).dtype for encoder in numeric), _FLOAT)


def find_quantiles(encoder: QuantileEncoder, column: Column) -> NDArray[Any]:
    """Quantiles of a column, which may have become empty text since training."""
    check_same_type(column, numeric=True)
    if not column.is_numeric:
        return np.full(len(column.values), encoder.missing_)
    if column.dictionary is None:
        return encoder.transform(column.values)
    quantile_of_index = encoder.transform(np.append(np.nan, column.dictionary.values))
    return quantile_of_index.take(column.dictionary.indices)
