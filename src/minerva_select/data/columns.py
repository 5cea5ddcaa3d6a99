"""Convert series and arrays of any type to :class:`~minerva_select.schema.Column`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.data.datetimes import to_seconds
from minerva_select.data.levels import column_from_codes
from minerva_select.data.objects import column_from_objects, complex_error, nested_error
from minerva_select.errors import InputError
from minerva_select.schema import Column


def column_from_series(name: str, series: nw.Series[Any]) -> Column:
    """Convert a column of a pandas, polars or Arrow frame."""
    if series.implementation.is_pyarrow():
        return _column_from_arrow(name, series.to_native())
    if series.implementation.is_pandas_like():
        return _column_from_pandas(name, series)
    dtype = series.dtype
    if dtype.is_nested():
        raise nested_error(name, str(dtype).split("(", maxsplit=1)[0])
    if dtype.is_numeric() and not isinstance(dtype, nw.Decimal):
        if isinstance(dtype, nw.Int128 | nw.UInt128):
            series = series.cast(nw.Float64)
        values = series.to_numpy()  # polars gives float32 for small integers with missing values
        return column_from_array(
            name, values if isinstance(dtype, nw.Float32) else values.astype(np.float64, copy=False)
        )
    if isinstance(dtype, nw.Object):
        return column_from_array(name, series.to_numpy())
    return _column_from_arrow(name, series.alias("").to_arrow())  # polars panics on names with a null character


def _column_from_arrow(name: str, array: Any) -> Column:
    from minerva_select.data.arrow_columns import column_from_arrow  # noqa: PLC0415 - loads pyarrow, 0.1 s

    return column_from_arrow(name, array)


def _column_from_pandas(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    dtype = native.dtype
    if dtype.name == "object" or getattr(dtype, "storage", None) == "python":  # Arrow may refuse some values
        return column_from_array(name, native.to_numpy(dtype=object))
    if hasattr(dtype, "categories"):  # categories of any type, such as intervals
        return column_from_codes(name, native.cat.codes.to_numpy(), native.cat.categories.tolist())
    if hasattr(dtype, "pyarrow_dtype") or dtype.name in ("str", "string", "boolean"):
        return _column_from_arrow(name, series.to_arrow())
    if dtype.name.startswith("period"):
        return column_from_array(name, native.dt.to_timestamp().to_numpy())
    return column_from_array(name, series.to_numpy())


def column_from_array(name: str, values: NDArray[Any]) -> Column:
    """Convert a one-dimensional array of any type."""
    kind = values.dtype.kind
    if kind == "V":
        raise nested_error(name, "record")
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        values = values.data.astype(object)
        values[hidden] = None
        kind = "O"
    if values.dtype in (np.dtype(np.float32), np.dtype(np.float64)):  # in native byte order
        return Column(name, values)
    if kind in "iuf":
        with np.errstate(over="ignore"):  # becomes infinite, which is refused later with the column name
            return Column(name, values.astype(np.float64))
    if kind == "b":
        return column_from_codes(name, values.astype(np.int64), [False, True])
    if kind in "Mm":
        return Column(name, to_seconds(values), conversion=Conversion.DATE if kind == "M" else Conversion.DURATION)
    if kind in "US":
        levels, codes = np.unique(values, return_inverse=True)
        return column_from_codes(name, codes, levels.tolist(), Conversion.BYTES if kind == "S" else None)
    if kind == "c":
        raise complex_error(name)
    return column_from_objects(name, values.astype(object))


def check_unique_names(names: Iterable[str]) -> None:
    """Raise if a name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"The column name {name!r} occurs more than once; rename the columns so that all differ.")
        seen.add(name)
