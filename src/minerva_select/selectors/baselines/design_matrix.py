"""A table and its target as most methods read them: one matrix of numbers and one vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode
from minerva_select.data.frames import as_target
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_column_types, infer_target_types
from minerva_select.preprocessing.duplicates import find_unusable
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.schema import Column, ColumnType, Table
from minerva_select.selectors.parameters import as_names, check_still_varies

_MAX_WHOLE = 2.0**53


@dataclass(frozen=True, eq=False)
class Question:
    """What a baseline is asked: which of these columns tell about this target.

    Attributes
    ----------
    X : ndarray of float64, shape (n_rows, n_columns)
        Numbers as they are; text, and names that are no whole numbers, as codes in the order of the levels. A missing
        amount is the column's median, a missing category a level of its own below all others. Amounts that cannot be
        squared are in another unit.
    y : ndarray, shape (n_rows,)
        Class numbers from 0, or amounts, in another unit likewise.
    names, target_name : tuple of str, str
        The columns of X, and how the target is called. Columns that are constant or empty take no part.
    is_categorical, is_text : ndarray of bool, shape (n_columns,)
        Whether a column is names rather than amounts, and whether its numbers are mere codes, without order.
    is_missing : ndarray of bool, shape (n_rows,)
        Rows in which some value was missing.
    is_classification : bool
        Whether y is classes.
    weights : ndarray of float64, shape (n_rows,)
        How much each row counts, above 0.
    seed : int
        Where every draw of the method comes from.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    names: tuple[str, ...]
    target_name: str
    is_categorical: NDArray[np.bool_]
    is_text: NDArray[np.bool_]
    is_missing: NDArray[np.bool_]
    is_classification: bool
    weights: NDArray[np.float64]
    seed: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_columns(self) -> int:
        """Number of columns that take part."""
        return len(self.names)


def ask(
    table: Table,
    y: Any,
    weights: NDArray[np.float64],
    *,
    categorical: str | Sequence[Any],
    target: str,
    seed: int,
) -> tuple[Question, dict[str, ReasonCode]]:
    """Read a table and its target as numbers; also the columns that take no part, with the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> from minerva_select.data.frames import as_table
    >>> X = pd.DataFrame({"colour": ["red", None, "blue"], "size": [1.5, 2.5, None], "unit": [1, 1, 1]})
    >>> question, aside = ask(as_table(X), ["a", "b", "a"], np.ones(3), categorical="auto", target="auto", seed=0)
    >>> question.X.tolist(), question.y.tolist(), aside
    ([[1.0, 1.5], [-1.0, 2.5], [0.0, 2.0]], [0, 1, 0], {'unit': <ReasonCode.CONSTANT: 'constant'>})
    """
    answer = as_target(y, table.n_rows)
    if len(answer.columns) > 1:
        raise InputError(
            f"This method takes one target column, got {len(answer.columns)} ({', '.join(answer.names[:3])}); "
            "choose one, or use MinervaSelector."
        )
    if (weights == 0).any():
        counted = np.flatnonzero(weights)
        table, answer, weights = table.take(counted), answer.take(counted), weights[counted]
        check_still_varies(answer)
    y_column = answer.columns[0]
    is_classification = infer_target_types(answer, target).is_discrete
    listed = categorical if isinstance(categorical, str) else as_names(categorical, table.names, "categorical_features")
    column_types = infer_column_types(table, listed)
    aside = find_unusable(table)
    columns = [column for column in table.columns if column.name not in aside]
    is_categorical = np.array([column_types[column.name] == ColumnType.CATEGORICAL for column in columns], dtype=bool)
    X = np.empty((table.n_rows, len(columns)), order="F")
    is_missing = np.zeros(table.n_rows, dtype=bool)
    for place, column in enumerate(columns):
        X[:, place] = _as_numbers(column, bool(is_categorical[place]))
        is_missing |= column.missing
    return Question(
        X=X,
        y=np.unique(y_column.values, return_inverse=True)[1]
        if is_classification
        else rescale_extremes(y_column.values.astype(np.float64)),
        names=tuple(column.name for column in columns),
        target_name=y_column.name,
        is_categorical=is_categorical,
        is_text=np.array([not column.is_numeric for column in columns], dtype=bool),
        is_missing=is_missing,
        is_classification=is_classification,
        weights=weights,
        seed=seed,
    ), aside


def _as_numbers(column: Column, is_categorical: bool) -> NDArray[np.float64]:
    numbers = column.values.astype(np.float64)
    missing = column.missing
    if is_categorical and not _are_whole(numbers[~missing]):
        numbers[~missing] = np.unique(numbers[~missing], return_inverse=True)[1]
    elif not is_categorical:
        numbers = rescale_extremes(numbers)
    if missing.any():
        present = numbers[~missing]
        numbers[missing] = present.min() - 1 if is_categorical else np.median(present)
    return numbers


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    """Whether these are whole numbers that have others next to them."""
    return bool((numbers == np.floor(numbers)).all() and np.abs(numbers).max() < _MAX_WHOLE)
