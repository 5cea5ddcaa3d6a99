"""Types of columns and targets: inferred from the values, or as the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minerva_select.checks import check_choice
from minerva_select.config import COLUMN_TYPES
from minerva_select.errors import InputError, brief, unknown_name
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.schema import Array, Column, ColumnType, Table, TargetType

CategoricalFeatures = str | Sequence[Any] | Mapping[Any, bool]
"""The parameter ``categorical_features``: "auto", the categorical columns, or what some columns are."""

_PROBE_ROWS = 4096


def infer_column_type(column: Column) -> ColumnType:
    """Infer the type of one column from its values.

    Text, booleans and categories are categorical. Numbers are categorical if all present ones are integers (also if
    stored as floats, because of missing values) and they are few: at most ``COLUMN_TYPES.max_categorical_values``
    distinct ones, and either two or at least ``COLUMN_TYPES.min_rows_per_value`` present rows for each. All other
    columns are numeric.
    """
    if not column.is_numeric:
        return ColumnType.CATEGORICAL
    # The first rows settle most columns without a dictionary; a full pass and sort takes 0.3 s per 3 M rows
    if column.dictionary is None and not (
        _may_be_levels(column.values[:_PROBE_ROWS]) and _may_be_levels(column.values)
    ):
        return ColumnType.NUMERIC
    values, counts = count_values(column)
    most = min(COLUMN_TYPES.max_categorical_values, max(2, int(counts.sum()) // COLUMN_TYPES.min_rows_per_value))
    return ColumnType.CATEGORICAL if 0 < len(values) <= most else ColumnType.NUMERIC


def _may_be_levels(values: Array) -> bool:
    present = values[~np.isnan(values)]
    return bool((present == np.floor(present)).all()) and len(np.unique(present)) <= COLUMN_TYPES.max_categorical_values


def infer_column_types(table: Table, categorical: CategoricalFeatures = "auto") -> dict[str, ColumnType]:
    """Type of every column of a table, by name.

    With ``categorical="auto"`` the types are inferred. With a list, the named columns and all that are not numbers are
    categorical. With a mapping, columns are categorical where it is true and numeric where it is false; the types of
    all others are inferred.
    """
    if isinstance(categorical, str):
        if categorical != "auto":
            raise InputError(
                f"categorical_features must be 'auto' or a list of column names, got {brief(categorical)}."
            )
        return {column.name: infer_column_type(column) for column in table.columns}
    named, known = set(categorical), set(table.names)
    for name in categorical:
        if name not in known:
            raise unknown_name("column", name, table.names)
    if isinstance(categorical, Mapping):
        return {column.name: _given_type(column, categorical.get(column.name)) for column in table.columns}
    return {
        column.name: ColumnType.CATEGORICAL if column.name in named or not column.is_numeric else ColumnType.NUMERIC
        for column in table.columns
    }


def _given_type(column: Column, is_categorical: bool | None) -> ColumnType:
    """The type that a user gave a column; the inferred one for None."""
    if is_categorical is None:
        return infer_column_type(column)
    if is_categorical:
        return ColumnType.CATEGORICAL
    if not column.is_numeric:
        raise InputError(
            f"Column {column.name!r} has text or categories and cannot be numeric; convert it to numbers first."
        )
    return ColumnType.NUMERIC


@dataclass(frozen=True)
class TargetTypes:
    """Types of the columns of a target, decided once per fit."""

    column_types: Mapping[str, ColumnType]

    @property
    def is_discrete(self) -> bool:
        """Whether all columns are categorical."""
        return all(column_type == ColumnType.CATEGORICAL for column_type in self.column_types.values())


def infer_target_types(table: Table, target_type: str = "auto") -> TargetTypes:
    """Decide once for a fit whether its target is discrete or continuous, column by column."""
    check_choice("target_type", target_type, ("auto", *TargetType))
    if target_type == "auto":
        return TargetTypes({column.name: infer_column_type(column) for column in table.columns})
    if target_type == TargetType.DISCRETE:
        return TargetTypes(dict.fromkeys(table.names, ColumnType.CATEGORICAL))
    for column in table.columns:
        if not column.is_numeric:
            raise InputError(
                f"The target {column.name!r} has text or categories and cannot be continuous; "
                "use target_type='discrete' or convert it to numbers."
            )
    return TargetTypes(dict.fromkeys(table.names, ColumnType.NUMERIC))
