"""Columns of Python objects."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Sized
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.data.datetimes import dates_to_seconds, object_to_seconds
from minerva_select.data.levels import address_error, column_from_codes, is_missing, spell
from minerva_select.errors import InputError, InputTypeError
from minerva_select.schema import Column

_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # by name: pandas need not be there
_NESTED_RULE = "an argument must be a string or a number in every cell"  # scikit-learn's checks ask for these words
_TIMES: dict[Conversion, tuple[type, ...]] = {
    Conversion.DATE: (datetime.date, np.datetime64),
    Conversion.TIME: (datetime.time,),
    Conversion.DURATION: (datetime.timedelta, np.timedelta64),
}


def column_from_objects(name: str, values: NDArray[Any]) -> Column:
    """Read Python objects: numbers if all are, dates, times of day or durations if all are, text else.

    Examples
    --------
    >>> import numpy as np
    >>> column_from_objects("due", np.array([datetime.date(1970, 1, 2), None], dtype=object)).values
    array([86400.,    nan])
    >>> column = column_from_objects("size", np.array(["S", 38], dtype=object))
    >>> column.levels.tolist(), str(column.conversion)
    (['38', 'S'], 'mixed values read as text')
    """
    values, types = _present(values)
    for kind in types:
        _check_type(name, kind)
    if types == {datetime.date}:
        return Column(name, dates_to_seconds(values), conversion=Conversion.DATE)
    for conversion, kinds in _TIMES.items():
        if types and all(issubclass(kind, kinds) or _is_period(kind, conversion) for kind in types):
            return Column(
                name, np.array([object_to_seconds(value) for value in values], dtype=np.float64), conversion=conversion
            )
    if not all(issubclass(kind, bool | np.bool_) for kind in types) and all(_is_number(kind) for kind in types):
        return _column_from_numbers(name, values, Conversion.DECIMAL if Decimal in types else None)
    place: dict[Any, int] = {}
    texts = (spell(name, value) for value in values)
    codes = [-1 if text is None else place.setdefault(text, len(place)) for text in texts]
    return column_from_codes(name, np.array(codes, dtype=np.int64), list(place), _text_conversion(types))


def nested_error(name: str, what: str, rule: str = "a cell must hold one value") -> InputTypeError:
    """Error for a cell that holds more than one value."""
    return InputTypeError(
        f"Column {name!r} holds {what} values; {rule}, so spread them over several columns or drop the column."
    )


def complex_error(name: str) -> InputError:
    """Error for complex numbers."""
    return InputError(
        f"Complex data not supported: column {name!r} holds complex numbers; "
        "give its real and imaginary parts as two columns."
    )


def _check_type(name: str, kind: type) -> None:
    if issubclass(kind, Sized) and not issubclass(kind, str | bytes):
        raise nested_error(name, kind.__name__, _NESTED_RULE)
    if issubclass(kind, complex | np.complexfloating):
        raise complex_error(name)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        raise address_error(name, kind)


def _column_from_numbers(name: str, values: NDArray[Any], conversion: Conversion | None) -> Column:
    try:
        return Column(name, values.astype(np.float64), conversion=conversion)
    except ValueError:  # a decimal's NaN of the kind that signals
        return _column_from_numbers(
            name, np.array([None if is_missing(value) else value for value in values]), conversion
        )
    except OverflowError:
        raise InputError(f"Column {name!r} has a whole number above 1e308; scale it or drop the column.") from None


def _present(values: NDArray[Any]) -> tuple[NDArray[Any], set[type]]:
    """The values, None where missing, and the types of those present; NaN may stay among numbers."""
    types = {type(value) for value in values}
    gone = {kind for kind in types if kind.__name__ in _MISSING_TYPES}
    if gone - {type(None)}:
        values = np.array([None if type(value) in gone else value for value in values], dtype=object)
    types -= gone
    if any(issubclass(kind, float) for kind in types) and not all(map(_is_number, types)):  # NaN among text and dates
        values = np.array([None if is_missing(value) else value for value in values], dtype=object)
        types = {type(value) for value in values} - {type(None)}
    return values, types


def _text_conversion(types: set[type]) -> Conversion | None:
    """How values of these types became text; text and booleans need no word."""
    if all(issubclass(kind, str) for kind in types) or types <= {bool, np.bool_}:
        return None
    if len(types) > 1:
        return Conversion.MIXED
    (kind,) = types
    return Conversion.BYTES if issubclass(kind, bytes) else Conversion.OBJECT


def _is_number(kind: type) -> bool:
    return issubclass(kind, numbers.Real | Decimal | np.bool_)


def _is_period(kind: type, conversion: Conversion) -> bool:
    return conversion is Conversion.DATE and kind.__name__ == "Period"
