"""Columns that name their rows, such as a customer number: nothing in them holds for the next row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from minerva_select.codes import Conversion, IdentifierPattern
from minerva_select.preprocessing.value_counts import distinct
from minerva_select.schema import Array, Column, ColumnKind, Table

MIN_ROWS = 20
"""With fewer values, all may be distinct by chance."""

MIN_WHOLE_ROWS = 100
"""Whole numbers without regular steps are identifiers only if at least this many differ."""

MIN_ROWS_FOR_REPEATS = 1000
MIN_DISTINCT_SHARE = 0.995
"""A categorical column of at least that many values is an identifier with this share of distinct ones, too."""

_PROBE_ROWS = 1024
_MIN_PROBE_SHARE = 0.97  # in a probe of an identifier repeats are rarer than this by far
_MAX_WHOLE = 2.0**64
_TIMES = (Conversion.DATE, Conversion.TIME, Conversion.DURATION)


@dataclass(frozen=True)
class Identifier:
    """What makes a column look like an identifier.

    Attributes
    ----------
    pattern : IdentifierPattern
        What the values look like.
    learnable : bool
        Whether a fit may still learn from it: from the order of numbers, since a row number reveals how the rows were
        collected, or from which values are missing.
    values : mapping
        Numbers that belong to the pattern.
    """

    pattern: IdentifierPattern
    learnable: bool
    values: Mapping[str, float] = field(default_factory=dict)


def identifiers(table: Table, kinds: Mapping[str, ColumnKind]) -> dict[str, Identifier]:
    """Columns that look like identifiers, by name.

    Categorical columns, if all values differ (or nearly all, in a long table), and whole numbers, if all differ and
    they are many, or go in regular steps. Amounts with a fraction, and times, may well differ in every row.

    Parameters
    ----------
    table : Table
        The training rows.
    kinds : mapping of str to ColumnKind
        Kind of every column, by name; see :func:`find_kinds`.

    Examples
    --------
    >>> import numpy as np
    >>> number = Column("number", np.arange(30.0))
    >>> email = Column("email", np.arange(30), np.array([f"{i}@example.org" for i in range(30)], dtype=object))
    >>> height = Column("height", np.linspace(1.5, 2.0, 30))
    >>> kinds = {"number": ColumnKind.CONTINUOUS, "email": ColumnKind.CATEGORICAL, "height": ColumnKind.CONTINUOUS}
    >>> for name, found in identifiers(Table((number, email, height), 30), kinds).items():
    ...     print(name, found.pattern, found.learnable)
    number row_number True
    email unique False
    """
    found = {}
    for column in table.columns:
        name_like = kinds[column.name] == ColumnKind.CATEGORICAL
        identifier = _of_names(column) if name_like else _of_whole_numbers(column)
        if identifier is not None:
            found[column.name] = identifier
    return found


def _of_names(column: Column) -> Identifier | None:
    n_present = len(column.values) - int(np.count_nonzero(column.missing))
    least = MIN_DISTINCT_SHARE * n_present if n_present >= MIN_ROWS_FOR_REPEATS else n_present
    few_levels = column.levels is not None and len(column.levels) < least  # as in most columns
    if n_present < MIN_ROWS or few_levels or not _probe_differs(column):
        return None
    # Levels differ from each other, so that codes need no spelling out.
    n_distinct = len(distinct(column)[0]) if column.is_numeric else np.count_nonzero(np.bincount(column.values + 1)[1:])
    if n_distinct < least:
        return None
    some_missing = n_present < len(column.values)
    values = {"some_missing": True} if some_missing else {}
    if n_distinct == n_present:
        return Identifier(IdentifierPattern.UNIQUE, some_missing, values)
    counts = {"n_distinct": int(n_distinct), "n_rows": n_present}
    return Identifier(IdentifierPattern.NEARLY_UNIQUE, some_missing, {**counts, **values})


def _of_whole_numbers(column: Column) -> Identifier | None:
    # A few rows settle most columns; the sort of all is for those left.
    if column.conversion in _TIMES or not _whole(column.values[:_PROBE_ROWS]) or not _probe_differs(column):
        return None
    present = column.values[~np.isnan(column.values)].astype(np.float64)
    if len(present) < MIN_ROWS or not _whole(present):
        return None
    steps = np.diff(np.sort(present))
    if steps.min() <= 0:
        return None
    if steps.min() == steps.max():
        return Identifier(IdentifierPattern.ROW_NUMBER, learnable=True, values={"step": float(steps[0])})
    if len(present) < MIN_WHOLE_ROWS:
        return None
    return Identifier(IdentifierPattern.UNIQUE_INTEGERS, learnable=True)


def _probe_differs(column: Column) -> bool:
    """Whether hardly a value repeats in rows from all over the column."""
    probe = column.values[:: max(1, len(column.values) // _PROBE_ROWS)]
    present = probe[~np.isnan(probe)] if column.is_numeric else probe[probe >= 0]
    return len(np.unique(present)) >= _MIN_PROBE_SHARE * len(present)


def _whole(values: Array) -> bool:
    present = values[~np.isnan(values)]
    return bool((np.floor(present) == present).all() and (np.abs(present) < _MAX_WHOLE).all())
