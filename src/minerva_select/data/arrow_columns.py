"""One Arrow array of any type as a plain column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.data.datetimes import to_seconds
from minerva_select.data.levels import column_from_codes, column_from_levels
from minerva_select.data.objects import column_from_objects, nested_error
from minerva_select.errors import InputError
from minerva_select.schema import Column

_MAX_TEXT_BYTES = 1 << 30  # Arrow's offsets into ordinary text are of 31 bits
_MAX_EXACT, _MAX_POWER = 2**53, 22  # whole numbers, and powers of ten, up to here are floats


def column_from_arrow(name: str, array: Any) -> Column:
    """Read an Arrow array, whole or in chunks.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column = column_from_arrow("price", pa.array(["1.10", None]).cast(pa.decimal128(5, 2)))
    >>> column.values.tolist(), str(column.conversion)
    ([1.1, nan], 'decimal read as float')
    """
    import pyarrow as pa  # noqa: PLC0415 - 0.1 s that numeric tables of other libraries need not spend

    if getattr(array.type, "extension_name", None) == "arrow.uuid":
        return column_from_objects(name, np.array(array.to_pylist(), dtype=object))
    array = _plain(array)
    kind = array.type
    cell = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_nested(cell) or pa.types.is_interval(cell):
        raise nested_error(name, str(cell).split("<", maxsplit=1)[0])
    if pa.types.is_boolean(kind):
        return column_from_codes(name, _to_numpy(array.cast(pa.int8()).fill_null(-1)), [False, True])
    if pa.types.is_decimal(kind):
        try:
            return Column(name, _floats(array), conversion=Conversion.DECIMAL)
        except pa.ArrowException:
            raise InputError(f"Column {name!r} is {kind}, which no number is; convert it or drop the column.") from None
    if pa.types.is_temporal(kind):
        return _column_of_time(name, array)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = _to_numpy(array)
        return Column(name, values if kind == pa.float32() else values.astype(np.float64, copy=False))
    try:
        return _column_of_levels(name, array)
    except (pa.ArrowException, UnicodeDecodeError):  # Arrow checks the bytes of a file, and not those of a view
        raise InputError(f"Column {name!r} holds text that is not UTF-8; read it as bytes, or decode it.") from None


def _plain(array: Any) -> Any:
    """The same values in a type of Arrow's own, one for each row."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

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


def _column_of_time(name: str, array: Any) -> Column:
    import pyarrow as pa  # noqa: PLC0415

    kind, conversion = array.type, Conversion.DATE
    if pa.types.is_duration(kind):
        conversion = Conversion.DURATION
    elif pa.types.is_time(kind):
        conversion = Conversion.TIME
        since_midnight = array.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        array = since_midnight.cast(pa.int64()).cast(pa.duration(kind.unit))
    return Column(name, to_seconds(_to_numpy(array)), conversion=conversion)


def _floats(decimals: Any) -> NDArray[np.float64]:
    """The float nearest to each decimal, as Python and readers of text find it; Arrow's cast may miss it."""
    import pyarrow as pa  # noqa: PLC0415

    decimals = decimals.combine_chunks() if isinstance(decimals, pa.ChunkedArray) else decimals
    kind = decimals.type
    if 0 <= kind.scale <= _MAX_POWER:
        whole_type = getattr(pa, f"decimal{kind.bit_width}")(kind.precision, 0)
        try:
            units = _to_numpy(decimals.view(whole_type).cast(pa.int64()))
        except pa.ArrowInvalid:  # too many digits, or a width without this cast
            units = np.array([np.inf])
        if not (np.abs(units) >= _MAX_EXACT).any():
            return np.asarray(units / 10.0**kind.scale)  # of two floats without error: rounded once
    return np.asarray(_to_numpy(decimals.cast(pa.string()).cast(pa.float64())))


def _column_of_levels(name: str, array: Any) -> Column:
    """Read text, bytes or a dictionary."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    given = pa.types.is_dictionary(array.type)
    codes, values = _dictionary(array if given else array.dictionary_encode())
    if given or not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return column_from_codes(name, codes, values.to_pylist(), None if given else Conversion.BYTES)
    # Ten times as fast as Python where nearly every row has a level of its own; bytes of UTF-8 sort as characters do.
    order = _to_numpy(compute.array_sort_indices(values))
    recode = np.empty(len(values), dtype=np.int32)
    recode[order] = np.arange(len(values))
    return column_from_levels(name, codes, recode, _to_numpy(values.take(pa.array(order))))


def _dictionary(array: Any) -> tuple[NDArray[np.int64], Any]:
    """Codes, -1 where missing, into the values of one dictionary for all chunks."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(array, pa.ChunkedArray):
        try:
            array = array.unify_dictionaries().combine_chunks()
        except pa.ArrowException:  # more values in all than the codes of one chunk can count
            array = array.cast(array.type.value_type).dictionary_encode().combine_chunks()
    return _to_numpy(array.indices.cast(pa.int64()).fill_null(-1)), array.dictionary


def _to_numpy(array: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return array.to_numpy() if isinstance(array, pa.ChunkedArray) else array.to_numpy(zero_copy_only=False)
