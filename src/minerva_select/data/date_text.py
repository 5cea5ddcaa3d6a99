"""Dates that are stored as text or as numbers such as 20240131."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from minerva_select.data.text_values import distinct_texts, map_texts
from minerva_select.errors import InputError, brief

_DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    *("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
)
_TIMES = (
    *("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S.%f", "T%H:%M:%S.%f"),
    *("T%H:%M:%S%z", "T%H:%M:%S.%f%z", " %H:%M:%S%z"),
)
FORMATS = tuple(day + time for time in _TIMES for day in _DAYS)
"""Formats that are recognized, the most common ones first."""

_PARTS = {"Y": "y", "y": "y", "m": "m", "b": "m", "B": "m", "d": "d", "j": "md", "F": "ymd"}  # of a date
_N_TRIED = 60  # values on which all formats are tried; the others have to fit what is left


def is_date(kind: Any) -> bool:
    """Whether an Arrow type is a date or a timestamp."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def check_format(name: str, date_format: str) -> None:
    """Raise unless this is a date format.

    Examples
    --------
    >>> check_format("--date", "dd/mm/yyyy")
    Traceback (most recent call last):
    minerva_select.errors.InputError: --date needs a format such as %d/%m/%Y, got 'dd/mm/yyyy'.
    """
    moment = datetime.datetime(2001, 12, 31, 23, 58, 59, tzinfo=datetime.UTC)
    try:
        is_valid = moment.strftime(date_format) != date_format
        datetime.datetime.strptime(moment.strftime(date_format), date_format)
    except (ValueError, re.error):  # the latter if a directive is repeated
        is_valid = False
    if not is_valid:
        raise InputError(f"{name} needs a format such as %d/%m/%Y, got {brief(date_format)}.")


def fitting_formats(texts: Iterable[str], formats: Sequence[str] = FORMATS) -> tuple[str, ...]:
    """Formats that fit all texts.

    Examples
    --------
    >>> fitting_formats(["31/01/2024", "01/02/2024"]), fitting_formats(["01/02/2024"])
    (('%d/%m/%Y',), ('%d/%m/%Y', '%m/%d/%Y'))
    """
    texts = iter(texts)
    head = [*islice(texts, _N_TRIED)]
    if not head:
        return ()
    left = [one for one in formats if all(_parse(text, one) is not None for text in head)]
    rest = [*texts] if left else []
    return tuple(one for one in left if not np.isnat(read_dates(rest, one)).any())


def parse_dates(name: str, column: Any, date_format: str) -> Any:
    """Convert an Arrow column of text or integers to timestamps; dates and timestamps stay as they are.

    A CSV file has dates if all values are written with year, month and day, in this order.
    """
    if is_date(column.type):
        _check_order(name, column, date_format)
        return column
    check_convertible(name, column.type)

    def convert(texts: Sequence[str]) -> NDArray[np.datetime64]:
        return read_dates(texts, date_format)

    return map_texts(name, column, convert, pa.timestamp("us"), f"does not fit the date format {date_format}")


def _check_order(name: str, column: Any, date_format: str) -> None:
    """Raise with the first date of a column if a format does not have year, month and day in this order."""
    parts = "".join(_PARTS.get(directive, "") for directive in re.findall(r"%(.)", date_format))
    if not parts.startswith("ymd") and column.null_count < len(column):
        first = str(column.drop_null()[0])
        raise InputError(
            f"Column {name!r} has the value {brief(first)}, which does not fit the date format {date_format}; the "
            "column holds dates already, so leave the format out."
        )


def check_convertible(name: str, kind: Any) -> None:
    """Raise for a column that holds neither text nor integers."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_null)
    if not any(is_kind(kind) for is_kind in texts) and kind != pa.string_view():
        raise InputError(f"Column {name!r} has type {kind}, not text; only text and integers can be read as dates.")


def guess_format(name: str, column: Any, candidates: Sequence[str] = FORMATS) -> tuple[str, ...]:
    """Formats that fit a column; raise with the first value that no common format fits."""
    check_convertible(name, column.type)
    texts = distinct_texts(column)
    found = fitting_formats(texts, candidates)
    if texts and not found:
        odd = next(
            (text for text in texts[:_N_TRIED] if not any(_parse(text, one) is not None for one in candidates)), None
        )
        value = f"the value {brief(odd)}" if odd is not None else f"values such as {brief(texts[0])}"
        raise InputError(
            f"Column {name!r} has {value} in no format that is recognized for all values; add the format, as in "
            f"{name}=%d/%m/%Y."
        )
    return found or tuple(candidates)


def choose_format(name: str, fitting: Sequence[str]) -> str:
    """Return the format of a column if it is clear; raise if day and month cannot be distinguished."""
    best = fitting[0]
    swapped = swap_day_and_month(best)
    if swapped != best and swapped in fitting and len(fitting) < len(FORMATS):
        raise InputError(
            f"The dates of column {name!r} can be read with the day or the month first; add the format, as in "
            f"{name}={best} or {name}={swapped}."
        )
    return best


def swap_day_and_month(date_format: str) -> str:
    """The same format with day and month exchanged.

    Examples
    --------
    >>> swap_day_and_month("%d/%m/%Y")
    '%m/%d/%Y'
    """
    return date_format.translate(str.maketrans("dm", "md"))


def read_dates(texts: Sequence[str], date_format: str) -> NDArray[np.datetime64]:
    """Parse texts, NaT where one does not fit; times with a zone are converted to UTC."""
    return np.array([_parse(text, date_format) or "NaT" for text in texts], dtype="datetime64[us]")


def _parse(text: str, date_format: str) -> datetime.datetime | None:
    try:
        moment = datetime.datetime.strptime(text.strip(), date_format)
    except ValueError:
        return None
    if date_format.startswith("%Y%m%d") and not re.match(r"\d{8}", text.strip()):  # 2024131 would be 2024-1-31
        return None
    try:
        return moment if moment.tzinfo is None else moment.astimezone(datetime.UTC).replace(tzinfo=None)
    except OverflowError:  # before year 1 or after year 9999 in UTC
        return None
