"""Values that are names, as sorted levels and codes into them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion
from minerva_select.data.notation import has_unparsed_notation
from minerva_select.errors import InputTypeError
from minerva_select.schema import Column


def column_from_codes(
    name: str, codes: NDArray[Any], values: Sequence[Any], conversion: Conversion | None = None
) -> Column:
    """Read codes into distinct values, -1 where missing.

    Levels are spelled with ``str``, sorted, and only those that occur, so that the same rows give the same column
    wherever they come from. Without any value left the column is one of missing numbers.

    Examples
    --------
    >>> import numpy as np
    >>> column = column_from_codes("size", np.array([0, -1, 2]), ["S", "M", "L"])
    >>> column.values.tolist(), column.levels.tolist()
    ([1, -1, 0], ['L', 'S'])
    """
    used = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    spelled = [spell(name, value) if use else None for value, use in zip(values, used, strict=True)]
    levels = sorted({level for level in spelled if level is not None})
    place = {level: i for i, level in enumerate(levels)}
    recode = np.array([-1 if level is None else place[level] for level in spelled], dtype=np.int32)
    return column_from_levels(name, codes, recode, np.array(levels, dtype=object), conversion)


def column_from_levels(
    name: str,
    codes: NDArray[Any],
    recode: NDArray[np.int32],
    levels: NDArray[Any],
    conversion: Conversion | None = None,
) -> Column:
    """Read codes into values whose places among the sorted levels are known."""
    if len(levels) == 0:
        return Column(name, np.full(len(codes), np.nan))
    if conversion is None and has_unparsed_notation(levels):
        conversion = Conversion.UNPARSED
    return Column(name, np.where(codes < 0, np.int32(-1), recode[codes]), levels, conversion)


def is_missing(value: Any) -> bool:
    """Whether an object stands for no value."""
    if isinstance(value, Decimal):
        return value.is_nan()  # one that signals may not be compared
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return value is None or (isinstance(value, float | np.floating) and bool(value != value))  # noqa: PLR0124


def spell(name: str, value: Any) -> str | None:
    """The text of a value of this column, None where missing."""
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")  # what is no text stays distinct
    try:
        text = str(value)
    except Exception as error:  # of a class of the user's
        raise InputTypeError(
            f"Column {name!r} holds {type(value).__name__} values that cannot be written as text "
            f"({type(error).__name__}); turn them into numbers or text, or drop the column."
        ) from None
    if " at 0x" in text and not isinstance(value, str):  # a function: other text in every process
        raise address_error(name, type(value))
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()  # half a character is no text


def address_error(name: str, kind: type) -> InputTypeError:
    """Error for values whose text tells nothing about them."""
    return InputTypeError(
        f"Column {name!r} holds {kind.__name__} values, whose text is but their place in memory; "
        "turn them into numbers or text, or drop the column."
    )
