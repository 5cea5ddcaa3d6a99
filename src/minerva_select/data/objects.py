"""Convert columns of Python objects."""

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
from minerva_select.data.levels import address_error, column_from_codes, is_missing, to_text
from minerva_select.errors import InputError, InputTypeError
from minerva_select.schema import Column

_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # by name: pandas may not be installed
_NESTED_RULE = "an argument must be a string or a number in every cell"  # required by scikit-learn's checks
_TIMES: dict[Conversion, tuple[type, ...]] = {
    Conversion.DATE: (datetime.date, np.datetime64),
    Conversion.TIME: (datetime.time,),
    Conversion.DURATION: (datetime.timedelta, np.timedelta64),
}


def column_from_objects(name: str, values: NDArray[Any]) -> Column:
    """Convert Python objects: to numbers, dates, times or durations if all are of that kind, otherwise to text."""
    values, types = _split_missing(values)
    for kind in types:
        _check_type(name, kind)
    if types == {datetime.date}:
        return Column(name, dates_to_seconds(values), conversion=Conversion.DATE)
    for conversion, kinds in _TIMES.items():
        if types and all(issubclass(kind, kinds) or _is_period(kind, conversion) for kind in types):
            seconds = np.array([object_to_seconds(value) for value in values], dtype=np.float64)
            return Column(name, seconds, conversion=conversion)
    if not all(issubclass(kind, bool | np.bool_) for kind in types) and all(_is_number(kind) for kind in types):
        return _column_from_numbers(name, values, Conversion.DECIMAL if Decimal in types else None)
    code_of: dict[Any, int] = {}
    texts = (to_text(name, value) for value in values)
    codes = [-1 if text is None else code_of.setdefault(text, len(code_of)) for text in texts]
    return column_from_codes(name, np.array(codes, dtype=np.int64), list(code_of), _text_conversion(types))


def nested_error(name: str, what: str, rule: str = "a cell must hold one value") -> InputTypeError:
    """Return the error for cells with more than one value."""
    return InputTypeError(
        f"Column {name!r} has {what} values; {rule}, so split them into several columns or drop the column."
    )


def complex_error(name: str) -> InputError:
    """Return the error for complex numbers."""
    return InputError(
        f"Complex data not supported: column {name!r} has complex numbers; "
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
    except ValueError:  # a signaling NaN of the decimal module
        present = np.array([None if is_missing(value) else value for value in values])
        return _column_from_numbers(name, present, conversion)
    except OverflowError:
        raise InputError(f"Column {name!r} has an integer above 1e308; rescale it or drop the column.") from None


def _split_missing(values: NDArray[Any]) -> tuple[NDArray[Any], set[type]]:
    """Return the values with None where missing, and the types of the others; numbers may keep NaN."""
    types = {type(value) for value in values}
    missing_types = {kind for kind in types if kind.__name__ in _MISSING_TYPES}
    if missing_types - {type(None)}:
        values = np.array([None if type(value) in missing_types else value for value in values], dtype=object)
    types -= missing_types
    if any(issubclass(kind, float) for kind in types) and not all(map(_is_number, types)):  # NaN between text or dates
        values = np.array([None if is_missing(value) else value for value in values], dtype=object)
        types = {type(value) for value in values} - {type(None)}
    return values, types


def _text_conversion(types: set[type]) -> Conversion | None:
    """Return the conversion for values that were converted to text; None for text and booleans."""
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
