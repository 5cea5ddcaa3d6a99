"""Tables and targets as users hold them, numpy, scipy, pandas, polars, Arrow or lists, as plain columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from minerva_select.data.columns import check_unique_names, column_from_array, column_from_series
from minerva_select.data.materialize import first_line, gather
from minerva_select.data.sparse import columns_from_sparse, is_sparse
from minerva_select.errors import InputError, InputTypeError
from minerva_select.schema import Column, Table


def as_table(X: Any) -> Table:
    """Read a table.

    Parameters
    ----------
    X : two-dimensional array, sparse matrix, pandas, polars or Arrow table, iterable of Arrow batches, or list of rows
        Numbers, text, booleans, categories and dates; see ``docs/columns.md``. Arrays have columns ``x0``, ``x1``, ...

    Raises
    ------
    InputError, InputTypeError
        One sentence on what is wrong, where, and what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> table = as_table(pd.DataFrame({"amount": [1.5, None], "country": ["NL", "IT"]}))
    >>> table.names, table.columns[1].levels.tolist(), table.columns[1].values.tolist()
    (('amount', 'country'), ['IT', 'NL'], [1, 0])
    """
    X = gather(X)
    frame = _as_frame(X)
    if isinstance(frame, nw.DataFrame):
        table = _table_from_frame(frame)
    else:
        array: Any = _as_array(X, "X") if frame is None else frame.to_numpy()
        if array.ndim == 1:
            raise InputError(
                f"X must have two dimensions, rows and columns, got one of shape {array.shape}; Reshape your data "
                "with X.reshape(-1, 1) if it is one column, or X.reshape(1, -1) if it is one row."
            )
        # A sparse matrix may claim more columns than there is memory for their names
        names = (f"x{i}" for i in range(array.shape[1] if array.ndim == 2 else 0))
        table = _table_from_array(array, names, "X")
    for column in table.columns:
        _check_finite(column, f"Column {column.name!r}", "replace them or leave the column out of the table")
    return table


def as_target(y: Any, n_rows: int) -> Table:
    """Read a target: one column or several, with a value in every row.

    Parameters
    ----------
    y : one- or two-dimensional array, Series, table, or list
        A Series or table gives the names; without one the target is called ``y``, several columns ``y0``, ``y1``, ...
    n_rows : int
        Number of rows of the table it belongs to.

    Examples
    --------
    >>> target = as_target(["spam", "ham", "spam"], n_rows=3)
    >>> target.names, target.columns[0].levels.tolist()
    (('y',), ['ham', 'spam'])
    """
    if y is None:
        raise InputError("This method requires y to be passed, but the target y is None.")
    table = _few_columns(y, "y")
    if table.n_rows != n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {table.n_rows}]; "
            "X and y need one row each for every sample."
        )
    for column in table.columns:
        what = f"The target {column.name!r}"
        _check_finite(column, what, "drop those rows or replace them")
        n_missing = int(column.missing.sum())
        if n_missing:
            raise InputError(f"{what} has {_count(n_missing, 'missing value')} (NaN); drop those rows or fill them.")
        if (column.values == column.values[0]).all():
            first = column.values[0]
            value = column.levels[first] if column.levels is not None else str(first).removesuffix(".0")
            raise InputError(
                f"{what} has one value only ({value} in all n_samples={n_rows} rows); choose a target that varies."
            )
    return table


def as_column(values: Any, n_rows: int, what: str) -> Column:
    """Read one value a row, such as the time of a row, with none missing.

    Parameters
    ----------
    values : one-dimensional array, Series, table of one column, or list
        Of any type that a column of a table may have.
    n_rows : int
        Number of rows of the table it belongs to.
    what : str
        What to call it in an error, and where it has no name of its own.

    Examples
    --------
    >>> as_column(["a", "b", "a"], n_rows=3, what="groups").values.tolist()
    [0, 1, 0]
    """
    table = _few_columns(values, what)
    if len(table.columns) != 1:
        raise InputError(f"{what} must be one column, got {len(table.columns)}; give one value a row.")
    column = table.columns[0]
    what = what if column.name == what else f"{what} {column.name!r}"
    if table.n_rows != n_rows:
        raise InputError(f"{what} has {_count(table.n_rows, 'row')} and X has {n_rows:,}; give one value a row.")
    _check_finite(column, what, "replace them or drop those rows")
    n_missing = int(column.missing.sum())
    if n_missing:
        raise InputError(f"{what} has {_count(n_missing, 'missing value')}; fill them in or drop those rows.")
    return column


def _few_columns(y: Any, what: str) -> Table:
    y = gather(y, what)
    frame = _as_frame(y)
    if isinstance(frame, nw.Series):
        name = what if frame.name is None or frame.name == "" else _spelled(frame.name)
        return Table((column_from_series(name, frame),), len(frame))
    if frame is not None:
        return _table_from_frame(frame, what)
    array = _as_array(y, what)
    if array.ndim == 1:
        array = array[:, None]
    n_columns = array.shape[1] if array.ndim == 2 else 0
    return _table_from_array(array, [what] if n_columns == 1 else [f"{what}{i}" for i in range(n_columns)], what)


def _as_frame(X: Any) -> nw.DataFrame[Any] | nw.Series[Any] | None:
    """Give the frame or series behind pandas, polars or Arrow data, or None if it is something else."""
    if isinstance(X, type):  # DataFrame for DataFrame(...) has the attributes of a table
        return None
    # Names before narwhals, which refuses repeats in words of its own; polars has none.
    if hasattr(X, "column_names"):
        check_unique_names(X.column_names)
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        check_unique_names(_spelled(name) for name in X.columns)
    try:
        frame = nw.from_native(X, allow_series=True, pass_through=True)
    except DuplicateError:  # 1 and True are one name to pandas
        raise InputError("X has one column name more than once; rename the columns so that all differ.") from None
    return frame if isinstance(frame, nw.DataFrame | nw.Series) else None


def _spelled(name: Any) -> str:
    """A name as text that a file can hold."""
    text = str(name)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"The name {text!r} has half a character in it (a surrogate); rename the column.") from None
    return text


def _table_from_frame(frame: nw.DataFrame[Any], what: str = "X") -> Table:
    _check_shape(frame.shape, what)
    columns = [column_from_series(str(name), frame.get_column(name)) for name in frame.columns]
    return Table(tuple(columns), len(frame))


def _as_array(X: Any, what: str) -> Any:
    """Give the array behind arrays and lists; a sparse one stays sparse."""
    if is_sparse(X) or isinstance(X, np.ma.MaskedArray):
        return X
    if isinstance(X, np.ndarray):
        return np.asarray(X)  # a np.matrix has columns of two dimensions
    if isinstance(X, list | tuple | range):
        rows: list[Any] = [row for row in X if isinstance(row, list | tuple | np.ndarray)]
        shapes = {row.shape if isinstance(row, np.ndarray) else (len(row),) for row in rows}
        if len(shapes) > 1:
            raise InputError(f"The rows of {what} differ in length; give each the same number of values.")
        return np.array(X, dtype=object)  # each column is of its own type
    if hasattr(X, "__array__") and not isinstance(X, type):
        try:
            return np.asarray(X)
        except Exception as error:  # arrays of other libraries have many of their own
            raise InputTypeError(
                f"{what} is a {type(X).__name__} that gives no numpy array ({first_line(error)}); make it one first."
            ) from None
    remedy = "pass an array or a data frame"
    if isinstance(X, str) and what == "X":
        remedy = "open the file with minerva_select.open_source"
    raise InputTypeError(f"{what} is of type {type(X).__name__}, which is not a table; {remedy}.")


def _table_from_array(array: Any, names: Iterable[str], what: str) -> Table:
    if array.ndim != 2:
        raise InputError(f"{what} must have two dimensions, rows and columns, got {array.ndim}.")
    _check_shape(array.shape, what)
    if is_sparse(array):
        return Table(tuple(columns_from_sparse(array, names, what)), array.shape[0])
    if array.dtype.kind in "iu":
        # Columns lie together, copied once instead of one by one.
        array = array.astype(np.float64, order="F", copy=False)
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


def _check_finite(column: Column, what: str, remedy: str) -> None:
    n_infinite = int(np.isinf(column.values).sum()) if column.is_numeric else 0
    if n_infinite:
        remedy = remedy.replace("them", "it").replace("those rows", "that row") if n_infinite == 1 else remedy
        raise InputError(f"{what} has {_count(n_infinite, 'infinite value')}; {remedy}.")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
