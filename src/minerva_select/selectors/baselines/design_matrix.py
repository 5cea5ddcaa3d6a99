"""A table and its target as one numeric matrix and one vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode
from minerva_select.data.frames import as_target
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_names import resolve_categorical
from minerva_select.preprocessing.column_types import CategoricalFeatures, infer_column_types, infer_target_types
from minerva_select.preprocessing.duplicates import find_unusable
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.schema import Column, ColumnType, Table
from minerva_select.selectors.parameters import check_still_varies

_MAX_EXACT = 2.0**53  # up to here a float holds every integer


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """Input of a baseline.

    Numbers that are too large or too small to be squared are rescaled. Integer categories stay integers; other ones
    are codes in the order of the levels. Missing values are the median of a numeric column, and a level below all
    others in a categorical one. Constant and empty columns are left out.
    """

    X: NDArray[np.float64]  # (n_rows, n_columns)
    y: NDArray[Any]  # (n_rows,) class codes from 0, or numbers
    names: tuple[str, ...]
    target_name: str
    is_categorical: NDArray[np.bool_]  # (n_columns,)
    is_text: NDArray[np.bool_]  # (n_columns,) categories whose codes have no order
    has_missing: NDArray[np.bool_]  # (n_rows,)
    is_classification: bool
    sample_weight: NDArray[np.float64]  # (n_rows,) above 0
    seed: int  # of all random numbers of the method

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)


def make_design_matrix(
    table: Table,
    y: Any,
    sample_weight: NDArray[np.float64],
    *,
    categorical_features: CategoricalFeatures,
    target_type: str,
    seed: int,
) -> tuple[DesignMatrix, dict[str, ReasonCode]]:
    """Convert a table and its target to numbers; also return the columns left out, with the reason."""
    target = as_target(y, table.n_rows)
    if len(target.columns) > 1:
        raise InputError(
            f"This method takes one target column, got {len(target.columns)} ({', '.join(target.names[:3])}); "
            "choose one, or use MinervaSelector."
        )
    if (sample_weight == 0).any():
        rows = np.flatnonzero(sample_weight)
        table, target, sample_weight = table.take(rows), target.take(rows), sample_weight[rows]
        check_still_varies(target)
    y_column = target.columns[0]
    is_classification = infer_target_types(target, target_type).is_discrete
    types = infer_column_types(table, resolve_categorical(categorical_features, table.names))
    unused = find_unusable(table)
    columns = [column for column in table.columns if column.name not in unused]
    is_categorical = np.array([types[column.name] == ColumnType.CATEGORICAL for column in columns], dtype=bool)
    X = np.empty((table.n_rows, len(columns)), order="F")
    has_missing = np.zeros(table.n_rows, dtype=bool)
    for place, column in enumerate(columns):
        X[:, place] = _encode(column, bool(is_categorical[place]))
        has_missing |= column.missing
    return DesignMatrix(
        X=X,
        y=np.unique(y_column.values, return_inverse=True)[1]
        if is_classification
        else rescale_extremes(y_column.values.astype(np.float64)),
        names=tuple(column.name for column in columns),
        target_name=y_column.name,
        is_categorical=is_categorical,
        is_text=np.array([not column.is_numeric for column in columns], dtype=bool),
        has_missing=has_missing,
        is_classification=is_classification,
        sample_weight=sample_weight,
        seed=seed,
    ), unused


def _encode(column: Column, is_categorical: bool) -> NDArray[np.float64]:
    values, missing = column.values.astype(np.float64), column.missing
    if not is_categorical:
        values = rescale_extremes(values)
    elif not _are_integers(values[~missing]):
        values[~missing] = np.unique(values[~missing], return_inverse=True)[1]
    if missing.any():
        present = values[~missing]
        values[missing] = present.min() - 1 if is_categorical else np.median(present)
    return values


def _are_integers(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all() and np.abs(values).max() < _MAX_EXACT)
