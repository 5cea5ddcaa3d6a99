"""Convert Arrow arrays of any type to columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from minerva_select.codes import Conversion
from minerva_select.data.datetimes import to_seconds
from minerva_select.data.levels import column_from_codes, column_from_levels
from minerva_select.data.objects import column_from_objects, nested_error
from minerva_select.errors import InputError
from minerva_select.schema import Column

_MAX_TEXT_BYTES = 1 << 30  # Arrow's offsets into ordinary text have 31 bits
_MAX_EXACT, _MAX_POWER = 2**53, 22  # integers, and powers of ten, up to here are exact floats


def column_from_arrow(name: str, array: Any) -> Column:
    """Convert an Arrow array or chunked array."""
    if getattr(array.type, "extension_name", None) == "arrow.uuid":
        return column_from_objects(name, np.array(array.to_pylist(), dtype=object))
    array = _to_standard_type(array)
    kind = array.type
    cell = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_nested(cell) or pa.types.is_interval(cell):
        raise nested_error(name, str(cell).split("<", maxsplit=1)[0])
    if pa.types.is_boolean(kind):
        return column_from_codes(name, _to_numpy(array.cast(pa.int8()).fill_null(-1)), [False, True])
    if pa.types.is_decimal(kind):
        try:
            return Column(name, _decimals_to_floats(array), conversion=Conversion.DECIMAL)
        except pa.ArrowException:
            raise InputError(
                f"Column {name!r} is {kind}, which no float can represent; convert it or drop the column."
            ) from None
    if pa.types.is_temporal(kind):
        return _temporal_column(name, array)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = _to_numpy(array)
        return Column(name, values if kind == pa.float32() else values.astype(np.float64, copy=False))
    try:
        return _categorical_column(name, array)
    except (pa.ArrowException, UnicodeDecodeError):  # Arrow does not validate text views
        raise InputError(f"Column {name!r} has text that is not UTF-8; read it as bytes, or decode it.") from None


def _to_standard_type(array: Any) -> Any:
    """Decode extension types, run-end encoding and text views."""
    if isinstance(array.type, pa.BaseExtensionType):
        is_flag = array.type.extension_name == "arrow.bool8"
        array = array.cast(array.type.storage_type)
        array = array.cast(pa.bool_()) if is_flag else array
    if pa.types.is_null(array.type):
        array = array.cast(pa.float64())
    if pa.types.is_run_end_encoded(array.type):
        array = compute.run_end_decode(array)
    if pa.types.is_string_view(array.type) or (pa.types.is_string(array.type) and array.nbytes > _MAX_TEXT_BYTES):
        array = array.cast(pa.large_string())
    return array


def _temporal_column(name: str, array: Any) -> Column:
    kind, conversion = array.type, Conversion.DATE
    if pa.types.is_duration(kind):
        conversion = Conversion.DURATION
    elif pa.types.is_time(kind):
        conversion = Conversion.TIME
        since_midnight = array.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        array = since_midnight.cast(pa.int64()).cast(pa.duration(kind.unit))
    return Column(name, to_seconds(_to_numpy(array)), conversion=conversion)


def _decimals_to_floats(decimals: Any) -> NDArray[np.float64]:
    """Return the nearest float of each decimal; Arrow's cast may be off by one unit in the last place."""
    decimals = decimals.combine_chunks() if isinstance(decimals, pa.ChunkedArray) else decimals
    kind = decimals.type
    if 0 <= kind.scale <= _MAX_POWER:
        whole_type = getattr(pa, f"decimal{kind.bit_width}")(kind.precision, 0)
        try:
            units = _to_numpy(decimals.view(whole_type).cast(pa.int64()))
        except pa.ArrowInvalid:  # too many digits, or a bit width without this cast
            units = np.array([np.inf])
        if not (np.abs(units) >= _MAX_EXACT).any():
            return np.asarray(units / 10.0**kind.scale)  # both operands are exact, so this rounds once
    return np.asarray(_to_numpy(decimals.cast(pa.string()).cast(pa.float64())))


def _categorical_column(name: str, array: Any) -> Column:
    """Convert text, bytes or a dictionary."""
    given = pa.types.is_dictionary(array.type)
    codes, values = _dictionary(array if given else array.dictionary_encode())
    if given or not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return column_from_codes(name, codes, values.to_pylist(), None if given else Conversion.BYTES)
    # Ten times as fast as Python if nearly every row has its own level; UTF-8 bytes sort like characters
    order = _to_numpy(compute.array_sort_indices(values))
    recode = np.empty(len(values), dtype=np.int32)
    recode[order] = np.arange(len(values))
    return column_from_levels(name, codes, recode, _to_numpy(values.take(pa.array(order))))


def _dictionary(array: Any) -> tuple[NDArray[np.int64], Any]:
    """Return codes, -1 where missing, and the values of one dictionary for all chunks."""
    if isinstance(array, pa.ChunkedArray):
        try:
            array = array.unify_dictionaries().combine_chunks()
        except pa.ArrowException:  # too many values for the index type of a chunk
            array = array.cast(array.type.value_type).dictionary_encode().combine_chunks()
    return _to_numpy(array.indices.cast(pa.int64()).fill_null(-1)), array.dictionary


def _to_numpy(array: Any) -> Any:
    return array.to_numpy() if isinstance(array, pa.ChunkedArray) else array.to_numpy(zero_copy_only=False)
