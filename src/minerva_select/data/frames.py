"""Convert numpy, scipy, pandas, polars and Arrow data, and lists, to tables, targets and columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from minerva_select.data.columns import check_unique_names, column_from_array, column_from_series
from minerva_select.data.materialize import materialize
from minerva_select.data.matrices import columns_from_matrix, is_matrix_of_numbers, matrix_from_frame
from minerva_select.data.sparse import columns_from_sparse, is_sparse
from minerva_select.errors import InputError, InputTypeError, brief, first_line
from minerva_select.schema import Column, Table


def as_table(X: Any, what: str = "X", *, allow_infinite: bool = False) -> Table:
    """Convert data to a :class:`~minerva_select.schema.Table`; ``what`` names it in errors."""
    X = materialize(X, what)
    frame = _as_frame(X)
    if isinstance(frame, nw.DataFrame):
        table = _table_from_frame(frame, what)
    else:
        array: Any = _as_array(X, what) if frame is None else frame.to_numpy()
        if array.ndim == 1:
            remedy = f"{what}.reshape(-1, 1) if it is one column, or {what}.reshape(1, -1) if it is one row"
            remedy = f"{what}.to_frame()" if hasattr(X, "to_frame") else remedy
            raise InputError(
                f"{what} must have two dimensions, rows and columns, got shape {array.shape}; Reshape your data with "
                f"{remedy}."
            )
        # A generator: a sparse matrix may claim more columns than there is memory for their names
        names = (f"x{i}" for i in range(array.shape[1] if array.ndim == 2 else 0))
        table = _table_from_array(array, names, what)
    for column in () if allow_infinite else table.columns:
        _check_finite(column, f"Column {column.name!r}", "column")
    return table


def as_target(y: Any, n_rows: int) -> Table:
    """Convert a target of one or several columns without missing values."""
    if y is None:
        raise InputError("This method requires y to be passed, but the target y is None.")
    table = read_columns(y, "y")
    check_length(table, n_rows)
    check_target(table)
    return table


def check_length(target: Table, n_rows: int) -> None:
    """Raise unless a target has a value for every row."""
    if target.n_rows != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {target.n_rows}]; "
            "give X and y the same number of rows."
        )


def check_target(target: Table) -> None:
    """Raise if a target has missing or infinite values, or one value only."""
    for column in target.columns:
        what = f"The target {column.name!r}"
        _check_finite(column, what, "rows")
        _check_present(column, what)
        if (column.values == column.values[0]).all():
            first = column.values[0]
            value = brief(column.levels[first]) if column.levels is not None else str(first).removesuffix(".0")
            raise InputError(
                f"{what} has only one value ({value} in all {target.n_rows} samples); choose a target that varies."
            )


def as_column(values: Any, n_rows: int, what: str) -> Column:
    """Convert an array, Series, one-column table or list with one value per row, such as times, without missing values.

    ``what`` is the name for errors, and for values without a name.
    """
    table = read_columns(values, what)
    if len(table.columns) != 1:
        raise InputError(f"{what} must be one column, got {len(table.columns)}; give one value per row.")
    column = table.columns[0]
    what = what if column.name == what else f"{what} {column.name!r}"
    if table.n_rows != n_rows:
        raise InputError(f"{what} has {_count(table.n_rows, 'row')} and X has {n_rows:,}; give one value per row.")
    _check_finite(column, what, "rows")
    _check_present(column, what)
    return column


def read_columns(y: Any, what: str) -> Table:
    """Convert an array, a Series or a table of a few columns, such as a target, as it is; ``what`` names it."""
    y = materialize(y, what)
    frame = _as_frame(y)
    if isinstance(frame, nw.Series):
        name = what if frame.name is None or frame.name == "" else _name_text(frame.name)
        return Table((column_from_series(name, frame),), len(frame))
    if frame is not None:
        return _table_from_frame(frame, what)
    array = _as_array(y, what)
    if array.ndim == 1:
        array = array[:, None]
    n_columns = array.shape[1] if array.ndim == 2 else 0
    return _table_from_array(array, [what] if n_columns == 1 else [f"{what}{i}" for i in range(n_columns)], what)


def _as_frame(X: Any) -> nw.DataFrame[Any] | nw.Series[Any] | None:
    """Return pandas, polars or Arrow data as a narwhals frame or series, None for anything else."""
    if isinstance(X, type):  # the class DataFrame has the attributes of a table
        return None
    # Checked here because narwhals has its own message; polars has no duplicate names
    if hasattr(X, "column_names"):
        check_unique_names(X.column_names)
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        check_unique_names(_name_text(name) for name in X.columns)
    try:
        frame = nw.from_native(X, allow_series=True, pass_through=True)
    except DuplicateError:  # pandas treats 1 and True as one name
        raise InputError("X has a column name more than once; rename the columns so that all differ.") from None
    return frame if isinstance(frame, nw.DataFrame | nw.Series) else None


def _name_text(name: Any) -> str:
    text = str(name)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"The name {text!r} contains an unpaired surrogate; rename the column.") from None
    return text


def _table_from_frame(frame: nw.DataFrame[Any], what: str = "X") -> Table:
    _check_shape(frame.shape, what)
    matrix = matrix_from_frame(frame.to_native()) if frame.implementation.is_pandas() else None
    if matrix is not None:
        columns = columns_from_matrix(matrix, map(str, frame.columns))
    else:
        columns = [column_from_series(str(name), frame.get_column(name)) for name in frame.columns]
    return Table(tuple(columns), len(frame))


def _as_array(X: Any, what: str) -> Any:
    """Return arrays, matrices and lists as an array; a sparse matrix stays sparse."""
    if is_sparse(X) or isinstance(X, np.ma.MaskedArray):
        return X
    if isinstance(X, np.ndarray):
        return np.asarray(X)  # columns of np.matrix have two dimensions
    if isinstance(X, list | tuple | range):
        rows: list[Any] = [row for row in X if isinstance(row, list | tuple | np.ndarray)]
        shapes = {row.shape if isinstance(row, np.ndarray) else (len(row),) for row in rows}
        if len(shapes) > 1:
            raise InputError(f"The rows of {what} differ in length; give all rows the same number of values.")
        return np.array(X, dtype=object)  # columns may differ in type
    if hasattr(X, "__array__") and not isinstance(X, type):
        try:
            return np.asarray(X)
        except Exception as error:  # every library has its own exceptions
            raise InputTypeError(
                f"{what}, a {type(X).__name__}, cannot be converted to a numpy array ({first_line(error)}); "
                "convert it first."
            ) from None
    remedy = "pass an array or a data frame"
    if isinstance(X, str) and what == "X":
        remedy = "open the file with minerva_select.open_source"
    raise InputTypeError(f"{what} has type {type(X).__name__}, which is not a table; {remedy}.")


def _table_from_array(array: Any, names: Iterable[str], what: str) -> Table:
    if array.ndim != 2:
        raise InputError(f"{what} must have two dimensions, rows and columns, got {array.ndim}.")
    _check_shape(array.shape, what)
    if is_sparse(array):
        return Table(tuple(columns_from_sparse(array, names, what)), array.shape[0])
    if is_matrix_of_numbers(array):
        return Table(tuple(columns_from_matrix(array, names)), len(array))
    array = np.asanyarray(array, order="F")
    columns = [column_from_array(name, array[:, i]) for i, name in enumerate(names)]
    return Table(tuple(columns), len(array))


def _check_shape(shape: tuple[int, ...], what: str) -> None:
    for size, unit, remedy in ((shape[0], "sample", "rows"), (shape[1], "feature", "columns")):
        if size == 0:
            raise InputError(
                f"Found {what} with 0 {unit}(s) (shape={shape}) while a minimum of 1 is required; "
                f"pass a table with {remedy}."
            )


def _check_finite(column: Column, what: str, unit: str) -> None:
    is_infinite = np.isinf(column.values) if column.is_numeric else np.zeros(0, dtype=bool)
    if is_infinite.any():
        n_infinite = int(is_infinite.sum())
        pronoun = "it" if n_infinite == 1 else "them"
        raise InputError(f"{what} has {_count(n_infinite, 'infinite value')}; replace {pronoun} or drop the {unit}.")


def _check_present(column: Column, what: str) -> None:
    n_missing = int(column.missing.sum())
    if n_missing:
        raise InputError(f"{what} has {_count(n_missing, 'missing value')} (NaN); drop those rows or fill them.")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
