"""Convert the distinct values of text columns, whatever their Arrow type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from minerva_select.config import NOTATION
from minerva_select.errors import InputError, brief


def distinct_texts(column: Any) -> list[str]:
    """Distinct values of an Arrow column of text, categories or integers, as text, in order of appearance."""
    return [
        value for value in _encode(column).dictionary.to_pylist() if value is not None and not is_missing_mark(value)
    ]


def is_missing_mark(text: str) -> bool:
    """Whether a text stands for a missing value, such as "?" or "n/a".

    Examples
    --------
    >>> is_missing_mark(" N/A "), is_missing_mark("0")
    (True, False)
    """
    return text.strip().lower() in NOTATION.missing_marks


def map_texts(name: str, column: Any, convert: Callable[[Sequence[str]], Any], kind: Any, rule: str) -> Any:
    """Convert every distinct text once and return the column of the results, as an Arrow array of type ``kind``.

    ``convert`` returns one value per text, NaN or NaT where it cannot be converted. The first such value in the order
    of the rows is refused; ``rule`` ends that sentence.
    """
    encoded = _encode(column)
    texts = [text or "" for text in encoded.dictionary.to_pylist()]
    marks = np.array([is_missing_mark(text) for text in texts], dtype=bool)
    values = np.asarray(convert([text for text, is_mark in zip(texts, marks, strict=True) if not is_mark]))
    unknown = ~marks
    unknown[unknown] = np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)
    if unknown.any():  # the dictionary is in order of appearance
        raise InputError(f"Column {name!r} has the value {brief(texts[int(np.argmax(unknown))])}, which {rule}.")
    converted = np.zeros(len(texts), dtype=values.dtype)
    converted[~marks] = values
    dictionary = pa.array(converted, type=kind, mask=marks)
    return dictionary.take(encoded.indices)


def _encode(column: Any) -> Any:
    """One dictionary array of text; its dictionary is in order of appearance and without unused values."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        if isinstance(column, pa.ChunkedArray):  # too long for one array
            column = pa.concat_arrays(column.chunks)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    return column.dictionary_encode()
