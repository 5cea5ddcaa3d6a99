"""Which columns are amounts and which are names: found by themselves, or as the user says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minerva_select.checks import check_choice
from minerva_select.errors import InputError, brief, unknown_name
from minerva_select.preprocessing.value_counts import distinct
from minerva_select.schema import Array, Column, ColumnKind, Table, TargetKind

MAX_CATEGORICAL_VALUES = 32
"""A numeric column with more distinct values than this is never taken for a categorical one."""

MIN_ROWS_PER_VALUE = 10
"""A numeric column of more than two values is categorical only with this many present rows for each of them."""

_PROBE_ROWS = 4096


def find_kind(column: Column) -> ColumnKind:
    """Kind of one column, from its values.

    Text, booleans and categories are categorical. Numbers are categorical when all present ones are whole (also when
    stored as floats, as missing values make of integers), and few: at most ``MAX_CATEGORICAL_VALUES`` distinct ones,
    and either two or at least ``MIN_ROWS_PER_VALUE`` present rows for each. Everything else is continuous.

    Examples
    --------
    >>> import numpy as np
    >>> find_kind(Column("children", np.tile([0.0, 1.0, 2.0, np.nan], 10))).value
    'categorical'
    >>> find_kind(Column("height", np.array([1.62, 1.80, 1.75]))).value
    'continuous'
    """
    if not column.is_numeric:
        return ColumnKind.CATEGORICAL
    # Most columns without a coding are settled by their first rows; a full pass and sort costs 0.3 s per 3 M rows.
    if column.coding is None and not (_may_be_levels(column.values[:_PROBE_ROWS]) and _may_be_levels(column.values)):
        return ColumnKind.CONTINUOUS
    values, counts = distinct(column)
    most = min(MAX_CATEGORICAL_VALUES, max(2, int(counts.sum()) // MIN_ROWS_PER_VALUE))
    return ColumnKind.CATEGORICAL if 0 < len(values) <= most else ColumnKind.CONTINUOUS


def _may_be_levels(values: Array) -> bool:
    present = values[~np.isnan(values)]
    return bool((present == np.floor(present)).all()) and len(np.unique(present)) <= MAX_CATEGORICAL_VALUES


def find_kinds(table: Table, categorical: str | Sequence[str] = "auto") -> dict[str, ColumnKind]:
    """Kind of every column of a table.

    Parameters
    ----------
    table : Table
        The training rows.
    categorical : "auto" or sequence of str
        "auto" finds the kinds with :func:`find_kind`. With names, exactly these are categorical, and of the others
        those that hold no numbers, which cannot be anything else.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table((Column("a", np.array([1.0, 2.0, 2.0])), Column("b", np.array([0.1, 0.2, 0.3]))), 3)
    >>> [kind.value for kind in find_kinds(table).values()]
    ['categorical', 'continuous']
    >>> [kind.value for kind in find_kinds(table, categorical=["b"]).values()]
    ['continuous', 'categorical']
    """
    if isinstance(categorical, str):
        if categorical != "auto":
            raise InputError(f"categorical must be 'auto' or a list of column names, got {brief(categorical)}.")
        return {column.name: find_kind(column) for column in table.columns}
    named, known = set(categorical), set(table.names)
    for name in categorical:
        if name not in known:
            raise unknown_name("column", name, table.names)
    return {
        column.name: (
            ColumnKind.CATEGORICAL if column.name in named or not column.is_numeric else ColumnKind.CONTINUOUS
        )
        for column in table.columns
    }


def find_target_kind(table: Table, target: str = "auto") -> dict[str, ColumnKind]:
    """Kind of every column of a target; classes are categorical, amounts continuous.

    Parameters
    ----------
    table : Table
        The target's training rows, one column or several.
    target : {"auto", "discrete", "continuous"}
        "auto" finds the kinds with :func:`find_kind`; the others set them for all columns.

    Examples
    --------
    >>> import numpy as np
    >>> y = Table((Column("y", np.array([0.0, 1.0, 1.0, 0.0])),), 4)
    >>> find_target_kind(y)["y"].value, find_target_kind(y, "continuous")["y"].value
    ('categorical', 'continuous')
    """
    check_choice("kind of target", target, ("auto", *TargetKind))
    if target == "auto":
        return {column.name: find_kind(column) for column in table.columns}
    if target == TargetKind.DISCRETE:
        return dict.fromkeys(table.names, ColumnKind.CATEGORICAL)
    for column in table.columns:
        if not column.is_numeric:
            raise InputError(
                f"The target {column.name!r} holds text or categories and cannot be continuous; "
                "use target_type='discrete' or turn it into numbers."
            )
    return dict.fromkeys(table.names, ColumnKind.CONTINUOUS)
