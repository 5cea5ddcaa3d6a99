"""Columns that a fit can leave out: constant or empty ones, and copies of others."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode
from minerva_select.schema import Column, ColumnType, Table

_PROBE_ROWS = 1024
_HEAD_ROWS = 32


def find_unusable(table: Table) -> dict[str, ReasonCode]:
    """Columns that carry no information, with the reason.

    A column with one value and some missing ones is usable: which values are missing may be informative.
    """
    reasons = {}
    for column in table.columns:
        head = column.values[:_HEAD_ROWS]
        if head.min() < head.max():  # as in most columns: two values, or a level and a missing one
            continue
        missing = column.missing
        if missing.all():
            reasons[column.name] = ReasonCode.ALL_MISSING
        elif not missing.any() and (column.values == column.values[0]).all():
            reasons[column.name] = ReasonCode.CONSTANT
    return reasons


def find_duplicates(table: Table, column_types: Mapping[str, ColumnType] | None = None) -> dict[str, str]:
    """Columns that duplicate an earlier one, with the name of the first.

    Numbers are duplicates if they are equal, including missing ones. Categorical columns (text, booleans, categories;
    with ``column_types`` also numbers) are duplicates also if only the names of their levels differ, provided that
    levels repeat.
    """
    categorical = {name for name, kind in (column_types or {}).items() if kind == ColumnType.CATEGORICAL}
    # A few rows distinguish most columns, so that only likely duplicates are hashed in full
    probe = slice(None, None, max(1, table.n_rows // _PROBE_ROWS))
    likely = _group((column, _digest(column, categorical, probe, spell=False)) for column in table.columns)
    found = {}
    for columns in likely:
        for group in _group((column, _digest(column, categorical)) for column in columns):
            found.update({column.name: group[0].name for column in group[1:]})
    return {name: found[name] for name in table.names if name in found}


def _group(digests: Iterable[tuple[Column, bytes]]) -> list[list[Column]]:
    """Groups of at least two columns with the same digest."""
    groups = defaultdict(list)
    for column, digest in digests:
        groups[digest].append(column)
    return [group for group in groups.values() if len(group) > 1]


def _digest(column: Column, categorical: set[str], rows: slice = slice(None), *, spell: bool = True) -> bytes:
    """Hash of the values in these rows, equal for duplicates only."""
    if column.is_numeric and column.name not in categorical:
        values = column.values[rows].astype(np.float64)
        values[np.isnan(values)] = np.nan  # NaN has many bit patterns
        return hashlib.blake2b((values + 0.0).data, person=b"numbers").digest()  # + 0.0 makes -0.0 equal 0.0
    labels, first_rows = _number_levels(column, rows)
    hasher = hashlib.blake2b(labels.data, person=b"levels")
    # If hardly any level repeats, all columns look like recodings of each other; then the levels must be equal too
    if spell and 2 * len(first_rows) > len(labels):
        values = column.values[first_rows]
        levels = values if column.levels is None else column.levels[values]
        hasher.update("\0".join(map(str, levels)).encode(errors="surrogatepass"))
    return hasher.digest()


def _number_levels(column: Column, rows: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Levels numbered by first appearance, -1 where missing, and the row (of these) where each first appears."""
    if column.dictionary is not None and len(column.dictionary.values) <= _HEAD_ROWS:
        return _number_indices(column.dictionary.indices[rows], len(column.dictionary.values))
    if column.dictionary is None:
        values: NDArray[Any] = column.values[rows]
        present = np.flatnonzero(~np.isnan(values))
    else:
        values = column.dictionary.indices[rows]  # short integers sort five times as fast
        present = np.flatnonzero(values)
    _, first, index = np.unique(values[present], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    labels = np.full(len(values), -1, dtype=np.int64)
    labels[present] = number[index]
    return labels, present[first[order]]


def _number_indices(
    indices: NDArray[np.unsignedinteger[Any]], n_values: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As :func:`_number_levels`, without a sort."""
    first = np.full(n_values + 1, len(indices))
    first[indices[::-1]] = np.arange(len(indices))[::-1]  # of several rows, the last assignment stays
    first[0] = len(indices)
    order = np.argsort(first)[: np.count_nonzero(first < len(indices))]
    number = np.full(n_values + 1, -1)
    number[order] = np.arange(len(order))
    return number.take(indices), first[order]
