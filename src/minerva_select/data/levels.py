"""Convert categorical values to sorted levels and integer codes."""

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
    """Convert codes into distinct values, -1 where missing.

    Levels are text, sorted, and only those that occur, so that the same rows give the same column whatever their
    container. A column without values becomes numeric with NaN in every row.
    """
    used = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    texts = [to_text(name, value) if use else None for value, use in zip(values, used, strict=True)]
    levels = sorted({text for text in texts if text is not None})
    code_of = {level: i for i, level in enumerate(levels)}
    recode = np.array([-1 if text is None else code_of[text] for text in texts], dtype=np.int32)
    return column_from_levels(name, codes, recode, np.array(levels, dtype=object), conversion)


def column_from_levels(
    name: str,
    codes: NDArray[Any],
    recode: NDArray[np.int32],
    levels: NDArray[Any],
    conversion: Conversion | None = None,
) -> Column:
    """Convert codes into values; ``recode`` maps them to codes into the sorted levels."""
    if len(levels) == 0:
        return Column(name, np.full(len(codes), np.nan))
    if conversion is None and has_unparsed_notation(levels):
        conversion = Conversion.UNPARSED
    return Column(name, np.where(codes < 0, np.int32(-1), recode[codes]), levels, conversion)


def is_missing(value: Any) -> bool:
    """Return True for None, NaN and NaT."""
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signaling NaN raises
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return value is None or (isinstance(value, float | np.floating) and bool(value != value))  # noqa: PLR0124


def to_text(name: str, value: Any) -> str | None:
    """Convert a value of column ``name`` to text, None if missing."""
    if type(value) is str and value.isascii():  # the usual case, ten times as fast
        return value
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")  # bytes that are not text stay distinct
    try:
        text = str(value)
    except Exception as error:  # of a user-defined class
        raise InputTypeError(
            f"Column {name!r} has {type(value).__name__} values that cannot be converted to text "
            f"({type(error).__name__}); convert them to numbers or text, or drop the column."
        ) from None
    if " at 0x" in text and not isinstance(value, str):  # a memory address, different in every process
        raise address_error(name, type(value))
    # An unpaired surrogate is not text
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def address_error(name: str, kind: type) -> InputTypeError:
    """Return the error for values whose text is a memory address."""
    return InputTypeError(
        f"Column {name!r} has {kind.__name__} values, whose text is only a memory address; "
        "convert them to numbers or text, or drop the column."
    )
