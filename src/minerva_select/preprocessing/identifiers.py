"""Columns that identify rows, such as a customer number, and carry nothing that holds for new rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from minerva_select.codes import Conversion, IdentifierPattern
from minerva_select.config import IDENTIFIERS
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.schema import Array, Column, ColumnType, Table

_PROBE_ROWS = 1024
_MIN_PROBE_SHARE = 0.97  # of distinct values in a probe; far below that of an identifier
_MAX_INTEGER = 2.0**64
_TIMES = (Conversion.DATE, Conversion.TIME, Conversion.DURATION)


@dataclass(frozen=True)
class Identifier:
    """What makes a column look like an identifier.

    A fit may still learn from it: from the order of numbers, since a row number reveals how the rows were collected, or
    from which values are missing.
    """

    pattern: IdentifierPattern
    learnable: bool
    values: Mapping[str, float] = field(default_factory=dict)  # numbers that belong to the pattern


def find_identifiers(table: Table, column_types: Mapping[str, ColumnType]) -> dict[str, Identifier]:
    """Columns that look like identifiers, by name.

    These are categorical columns with unique values (or nearly unique ones, in a long table), and unique integers, if
    they are many or have equal steps. Numbers with fractions, dates and times may well be unique without identifying
    anything.
    """
    found = {}
    for column in table.columns:
        is_categorical = column_types[column.name] == ColumnType.CATEGORICAL
        identifier = _check_categorical(column) if is_categorical else _check_integers(column)
        if identifier is not None:
            found[column.name] = identifier
    return found


def _check_categorical(column: Column) -> Identifier | None:
    n_present = len(column.values) - int(np.count_nonzero(column.missing))
    share = IDENTIFIERS.min_unique_share if n_present >= IDENTIFIERS.min_rows_for_repeats else 1
    dictionary = column.dictionary
    few_levels = dictionary is not None and len(dictionary.values) < share * n_present  # as in most columns
    if n_present < IDENTIFIERS.min_rows or few_levels or not _is_probe_unique(column):
        return None
    if column.is_numeric:
        n_distinct = len(count_values(column)[0])
    else:
        n_distinct = int(np.count_nonzero(np.bincount(column.values + 1)[1:]))
    if n_distinct < share * n_present:
        return None
    some_missing = n_present < len(column.values)
    values = {"some_missing": True} if some_missing else {}
    if n_distinct == n_present:
        return Identifier(IdentifierPattern.UNIQUE, some_missing, values)
    counts = {"n_distinct": n_distinct, "n_rows": n_present}
    return Identifier(IdentifierPattern.NEARLY_UNIQUE, some_missing, {**counts, **values})


def _check_integers(column: Column) -> Identifier | None:
    # A few rows settle most columns, so that only the others are sorted
    if column.conversion in _TIMES or not _are_integers(column.values[:_PROBE_ROWS]) or not _is_probe_unique(column):
        return None
    present = column.values[~np.isnan(column.values)].astype(np.float64)
    if len(present) < IDENTIFIERS.min_rows or not _are_integers(present):
        return None
    steps = np.diff(np.sort(present))
    if steps.min() <= 0:
        return None
    if steps.min() == steps.max():
        return Identifier(IdentifierPattern.ROW_NUMBER, learnable=True, values={"step": float(steps[0])})
    if len(present) < IDENTIFIERS.min_integer_rows:
        return None
    return Identifier(IdentifierPattern.UNIQUE_INTEGERS, learnable=True)


def _is_probe_unique(column: Column) -> bool:
    """Whether hardly any value repeats in rows from all parts of the column."""
    probe = column.values[:: max(1, len(column.values) // _PROBE_ROWS)]
    present = probe[~np.isnan(probe)] if column.is_numeric else probe[probe >= 0]
    return len(np.unique(present)) >= _MIN_PROBE_SHARE * len(present)


def _are_integers(values: Array) -> bool:
    present = values[~np.isnan(values)]
    return bool((np.floor(present) == present).all() and (np.abs(present) < _MAX_INTEGER).all())
