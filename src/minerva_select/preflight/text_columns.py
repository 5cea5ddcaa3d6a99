"""Dates and numbers that are stored as text, or dates as integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minerva_select.codes import Conversion, FindingCode
from minerva_select.config import NOTATION, PREFLIGHT
from minerva_select.data.date_text import FORMATS, read_dates, swap_day_and_month
from minerva_select.data.number_text import NumberFormat
from minerva_select.data.text_values import is_missing_mark
from minerva_select.preflight.checked_rows import CheckedRows
from minerva_select.results.table_check import Finding
from minerva_select.schema import Column

_N_TRIED = 5  # values on which all formats are tried
_MIN_DATES = 3  # distinct values
_LONGEST_DATE = 40  # characters
_FIRST_DAY, _LAST_DAY = 19_000_101, 21_001_231  # of dates that are stored as integers


def find_text_faults(data: CheckedRows) -> list[Finding]:
    """Columns of text, or of integers, whose values are dates or numbers."""
    found = (find_notation(column) for column in data.table.columns)
    return [finding for finding in found if finding is not None]


def find_notation(column: Column) -> Finding | None:
    """Whether a column that is read as text, or as integers, has dates or numbers."""
    formats = find_date_formats(column)
    if formats:
        option = f"{column.name}={formats[0]}" if len(formats) > 1 or column.is_numeric else column.name
        values = {"example": _texts(column)[0], "formats": list(formats)}
        return Finding(FindingCode.DATES_AS_TEXT, (column.name,), values, ("--date", option))
    if column.conversion is Conversion.UNPARSED:
        texts = _texts(column)
        number_format = NumberFormat.of(texts)
        n_numbers = int(np.isfinite([number_format.read(text) for text in texts]).sum())
        if n_numbers >= NOTATION.min_share * len(texts):
            values = {"example": texts[0]}
            return Finding(FindingCode.NUMBERS_AS_TEXT, (column.name,), values, ("--numeric", column.name))
    return None


def find_date_formats(column: Column) -> tuple[str, ...]:
    """Date formats that nearly all values of a column fit; the same with day and month exchanged if both fit."""
    if column.is_numeric and (column.conversion is not None or not _may_be_dates(column)):
        return ()
    texts = _texts(column)
    if len(texts) < _MIN_DATES or not all(_looks_like_date(text) for text in texts[:_N_TRIED]):
        return ()
    candidates = ("%Y%m%d",) if column.is_numeric else FORMATS
    tried = [one for one in candidates if not np.isnat(read_dates(texts[:_N_TRIED], one)).all()]
    fitting = [one for one in tried if np.isnat(read_dates(texts, one)).mean() <= 1 - NOTATION.min_share]
    if not fitting:
        return ()
    swapped = swap_day_and_month(fitting[0])
    return (fitting[0], swapped) if swapped != fitting[0] and swapped in fitting else (fitting[0],)


def _may_be_dates(column: Column) -> bool:
    present = column.values[~column.missing]
    if len(present) == 0 or present.min() < _FIRST_DAY or present.max() > _LAST_DAY:
        return False
    return bool((present == np.floor(present)).all())


def _looks_like_date(text: str) -> bool:
    return len(text) <= _LONGEST_DATE and sum(character.isdigit() for character in text) >= 3


def _texts(column: Column) -> Sequence[str]:
    """Distinct values as text, evenly chosen if they are many, without marks of missing values."""
    if column.levels is None:
        distinct = np.unique(column.values[~column.missing])
        texts = [f"{value:.0f}" for value in _thin(distinct)]
    else:
        used = np.flatnonzero(np.bincount(column.values[column.values >= 0], minlength=len(column.levels)))
        texts = [str(level) for level in _thin(column.levels[used]) if not is_missing_mark(str(level))]
    return texts


def _thin(values: np.ndarray) -> np.ndarray:
    return values[:: max(1, -(-len(values) // PREFLIGHT.n_texts))]
