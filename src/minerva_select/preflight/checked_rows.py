"""The rows of a table that are checked: all of them, or a sample of a large table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from minerva_select.config import PREFLIGHT
from minerva_select.data.frames import as_table
from minerva_select.data.memory_budget import MemoryBudget, is_source, load_or_stream
from minerva_select.errors import InputError
from minerva_select.preprocessing.binned_information import bin_ranks
from minerva_select.preprocessing.column_names import as_names
from minerva_select.preprocessing.column_types import TargetTypes
from minerva_select.schema import Column, ColumnType, Table

_N_TARGET_BINS = {ColumnType.CATEGORICAL: PREFLIGHT.max_classes, ColumnType.NUMERIC: PREFLIGHT.n_target_bins}


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Features and target of the rows that are checked; the target has no missing values in them."""

    table: Table
    target: Table
    column_types: dict[str, ColumnType]
    target_types: TargetTypes

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """Class of the target in every row; intervals of a continuous target."""
        types = self.target_types.column_types
        parts = [
            bin_column(column, types[column.name], _N_TARGET_BINS[types[column.name]]) for column in self.target.columns
        ]
        codes = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        return merge_rare(codes, PREFLIGHT.max_classes)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def bins(self, column: Column) -> NDArray[np.int64]:
        """Bins of a column that are fine enough to recognize a column that explains the target."""
        n_bins = int(np.clip(self.n_rows // PREFLIGHT.rows_per_bin, PREFLIGHT.min_bins, PREFLIGHT.max_bins))
        return bin_column(column, self.column_types[column.name], n_bins)

    def without(self, names: set[str]) -> CheckedRows:
        """The same rows without these columns."""
        left = [name for name in self.table.names if name not in names]
        return dataclasses.replace(self, table=self.table.select(left))

    def take(self, rows: NDArray[np.int64]) -> CheckedRows:
        """Only the rows at these positions."""
        return dataclasses.replace(self, table=self.table.take(rows), target=self.target.take(rows))


def bin_column(column: Column, column_type: ColumnType, n_bins: int) -> NDArray[np.int64]:
    """Bins of a numeric column by rank, or levels of a categorical one; rare levels share one, missing values too."""
    missing = column.missing
    if column_type is ColumnType.CATEGORICAL:
        codes = np.unique(np.where(missing, -np.inf, column.values), return_inverse=True)[1]
        return merge_rare(codes, n_bins)
    ranks = np.full(len(column.values), np.nan)
    present = ~missing
    ranks[present] = (rankdata(column.values[present]) - 0.5) / max(1, int(present.sum()))
    return np.unique(bin_ranks(ranks, n_bins), return_inverse=True)[1].astype(np.int64)


def merge_rare(codes: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Number codes by frequency; those beyond the ``most - 1`` most frequent ones become one."""
    counts = np.bincount(codes)
    place = np.empty(len(counts), dtype=np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    merged: NDArray[np.int64] = np.minimum(place, most - 1)[codes]
    return merged


@dataclass(frozen=True, eq=False)
class SampledTable:
    """The rows and columns of a table that are checked."""

    table: Table
    positions: NDArray[np.int64]  # of the rows in the whole table
    n_rows: int  # of the whole table
    n_columns: int
    names: tuple[str, ...]  # of all columns, also of those that are dropped


def sample_table(X: Any, drop: Sequence[str]) -> SampledTable:
    """Read the rows and columns to check of a table of any kind, without the columns in ``drop``."""
    whole = X if is_source(X) else load_or_stream(X, MemoryBudget.from_max_memory(None))
    if not is_source(whole):
        whole = as_table(whole, allow_infinite=True)
    dropped = {*as_names(drop, whole.names, "drop")}
    names = [name for name in whole.names if name not in dropped]
    if not names:
        raise InputError("drop names all columns; drop fewer.")
    chosen = _thin_columns(names)
    if isinstance(whole, Table):
        rows = _sampled_rows(whole.n_rows, len(names), PREFLIGHT.n_slices)
        table = whole.select(chosen)
        return SampledTable(
            table if len(rows) == whole.n_rows else table.take(rows), rows, whole.n_rows, len(names), tuple(whole.names)
        )
    rows = _sampled_rows(whole.n_rows, len(names), PREFLIGHT.n_source_slices)
    table = as_table(_read_slices(whole.select(chosen), rows), allow_infinite=True)
    return SampledTable(table, rows, whole.n_rows, len(names), tuple(whole.names))


def _thin_columns(names: list[str]) -> list[str]:
    """At most ``PREFLIGHT.max_columns`` names, evenly chosen."""
    return [names[k] for k in np.unique(np.linspace(0, len(names) - 1, PREFLIGHT.max_columns).astype(np.int64))]


def _sampled_rows(n_rows: int, n_columns: int, n_slices: int) -> NDArray[np.int64]:
    """Rows in evenly spaced slices, because neighboring rows are read faster than single ones."""
    most = max(PREFLIGHT.min_rows, PREFLIGHT.max_cells // max(1, n_columns))
    if n_rows <= most:
        return np.arange(n_rows)
    length = most // n_slices
    starts = np.linspace(0, n_rows - length, n_slices).astype(np.int64)
    return np.unique((starts[:, None] + np.arange(length)).reshape(-1))


def _read_slices(source: Any, rows: NDArray[np.int64]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - only for sources, which have loaded it

    ends = np.flatnonzero(np.diff(rows) > 1) + 1
    slices = [
        dataclasses.replace(
            source, first_row=source.first_row + int(part[0]), stop=source.first_row + int(part[-1]) + 1
        )
        for part in np.split(rows, ends)
    ]
    return pa.concat_tables([one.read() for one in slices]).unify_dictionaries()
