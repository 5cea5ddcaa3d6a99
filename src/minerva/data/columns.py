"""One column of any origin as a plain :class:`~minerva.schema.Column`."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterable, Sequence, Sized
from decimal import Decimal
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from minerva.errors import InputError, InputTypeError
from minerva.schema import Column

_EPOCH = datetime.date(1970, 1, 1)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # by name: pandas need not be there


def column_from_series(name: str, series: nw.Series[Any]) -> Column:
    """Read a column of a pandas, polars or Arrow frame."""
    dtype = series.dtype
    if dtype.is_nested():
        raise nested_error(name, str(dtype).split("(", maxsplit=1)[0])
    if series.implementation.is_pandas_like():
        native = series.to_native()
        if native.dtype == object:  # whatever the values look like, Arrow may refuse some of them
            return column_from_array(name, native.to_numpy())
        if isinstance(dtype, nw.Categorical | nw.Enum):  # of any type, intervals too
            return column_from_codes(name, native.cat.codes.to_numpy(), native.cat.categories.tolist())
    if isinstance(dtype, nw.Categorical | nw.Enum | nw.String | nw.Binary):
        return _column_from_arrow(name, series.to_arrow())
    if isinstance(dtype, nw.Decimal | nw.Int128 | nw.UInt128):
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    if values.dtype == np.float32 and not isinstance(dtype, nw.Float32):  # polars: short integers with missing ones
        values = values.astype(np.float64)
    return column_from_array(name, values)


def column_from_array(name: str, values: NDArray[Any]) -> Column:
    """Read a one-dimensional array of any type.

    Examples
    --------
    >>> import numpy as np
    >>> column_from_array("size", np.array([3, None, 4.5], dtype=object)).values
    array([3. , nan, 4.5])
    >>> column = column_from_array("size", np.array(["S", None, "L"], dtype=object))
    >>> column.values.tolist(), column.levels.tolist()
    ([1, -1, 0], ['L', 'S'])
    """
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        values = values.data.astype(object)
        values[hidden] = None
    kind = values.dtype.kind
    if values.dtype in (np.dtype(np.float32), np.dtype(np.float64)):  # in the byte order of this machine
        return Column(name, values)
    if kind in "iuf":
        with np.errstate(over="ignore"):  # what is too large becomes infinite, which is refused with its column's name
            return Column(name, values.astype(np.float64))
    if kind == "b":
        return column_from_codes(name, values.astype(np.int64), [False, True])
    if kind in "Mm":
        seconds = values.astype(f"{values.dtype.str[:2]}8[us]").astype(np.int64) / 1e6
        return Column(name, np.where(np.isnat(values), np.nan, seconds))
    if kind in "US":
        levels, codes = np.unique(values, return_inverse=True)
        return column_from_codes(name, codes, levels.tolist())
    if kind == "c":
        raise complex_error(name)
    if kind == "V":
        raise nested_error(name, "record")
    return _column_from_objects(name, values.astype(object))


def column_from_codes(name: str, codes: NDArray[Any], values: Sequence[Any]) -> Column:
    """Read codes into distinct values, -1 where missing.

    Levels are spelled with ``str``, sorted, and only those that occur, so that the same rows give the same column
    wherever they come from. Without any value left the column is one of missing numbers.
    """
    used = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    spelled = [_spell(value) if use else None for value, use in zip(values, used, strict=True)]
    levels = sorted({level for level in spelled if level is not None})
    if not levels:
        return Column(name, np.full(len(codes), np.nan))
    place = {level: i for i, level in enumerate(levels)}
    recode = np.array([-1 if level is None else place[level] for level in spelled], dtype=np.int32)
    return Column(name, np.where(codes < 0, np.int32(-1), recode[codes]), np.array(levels, dtype=object))


def nested_error(name: str, what: str) -> InputTypeError:
    """Error for a cell that holds more than one value."""
    return InputTypeError(
        f"Column {name!r} holds {what} values; an argument must be a string or a number in every cell, "
        "so spread them over several columns or drop the column."
    )


def complex_error(name: str) -> InputError:
    """Error for complex numbers."""
    return InputError(
        f"Complex data not supported: column {name!r} holds complex numbers; "
        "give its real and imaginary parts as two columns."
    )


def _column_from_arrow(name: str, array: Any) -> Column:
    """Read an Arrow array of text or of a dictionary."""
    import pyarrow as pa  # noqa: PLC0415 - 0.1 s that numeric tables need not spend

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return column_from_codes(name, codes, array.dictionary.to_pylist())


def _column_from_objects(name: str, values: NDArray[Any]) -> Column:
    """Read Python objects: numbers if all are, dates if all are, text else."""
    types = {type(value) for value in values}
    gone = {kind for kind in types if kind.__name__ in _MISSING_TYPES}
    types -= gone
    for kind in types:
        if issubclass(kind, Sized) and not issubclass(kind, str | bytes):
            raise nested_error(name, kind.__name__)
        if issubclass(kind, complex | np.complexfloating):
            raise complex_error(name)
    if gone:
        values = np.array([None if type(value) in gone else value for value in values], dtype=object)
    if all(issubclass(kind, _DATES) for kind in types):
        return Column(name, np.array([_seconds(value) for value in values], dtype=np.float64))
    if not all(issubclass(kind, bool | np.bool_) for kind in types) and all(_is_number(kind) for kind in types):
        try:
            return Column(name, values.astype(np.float64))
        except OverflowError:
            raise InputError(f"Column {name!r} has a whole number above 1e308; scale it or drop the column.") from None
    place: dict[Any, int] = {}
    codes = [-1 if _is_missing(value) else place.setdefault(_spell(value), len(place)) for value in values]
    return column_from_codes(name, np.array(codes, dtype=np.int64), list(place))


def _is_number(kind: type) -> bool:
    return issubclass(kind, numbers.Real | Decimal | np.bool_)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating | Decimal) and bool(value != value))  # noqa: PLR0124


def _spell(value: Any) -> str | None:
    if _is_missing(value):
        return None
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _seconds(value: Any) -> float:
    """Seconds since 1970 (UTC where no zone is given), since midnight, or of a duration."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype(f"{value.dtype.str[:2]}8[us]").item()
    if value is None:
        return float("nan")
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).timestamp()
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return (value - _EPOCH if isinstance(value, datetime.date) else value).total_seconds()


def check_distinct(names: Iterable[str]) -> None:
    """Refuse a name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"The column name {name!r} occurs more than once; rename the columns so that all differ.")
        seen.add(name)
