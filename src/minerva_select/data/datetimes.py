"""Dates, times of day and durations as seconds, each rounded once: its unit and its container change nothing."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "D": 86_400, "W": 604_800}
_PARTS = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_MAX_EXACT = 2**53  # whole numbers up to here are floats


def to_seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Seconds since 1970 of ``datetime64``, or of ``timedelta64``; NaN where not a time.

    Examples
    --------
    >>> to_seconds(np.array(["1970-01-02", "NaT"], dtype="datetime64[D]")).tolist()
    [86400.0, nan]
    >>> to_seconds(np.array([1_500], dtype="timedelta64[ns]")).tolist()
    [1.5e-06]
    """
    unit, count = np.datetime_data(values.dtype)
    if count != 1 or unit not in _SECONDS | _PARTS:  # years and months are of no fixed length
        unit = unit if unit in _SECONDS | _PARTS else "us" if unit == "generic" else "s"
        values = values.astype(f"{values.dtype.kind}8[{unit}]")
    ticks = values.astype(np.int64)
    result = _divide(ticks, _PARTS[unit]) if unit in _PARTS else ticks.astype(np.float64) * _SECONDS[unit]
    result[np.isnat(values)] = np.nan
    return result


def object_to_seconds(value: Any) -> float:
    """Seconds since 1970 (UTC where no zone is given), since midnight, or of a duration, of one Python object."""
    if value is None:
        return float("nan")
    if hasattr(value, "to_timestamp"):  # a period of pandas: where it starts
        value = value.to_timestamp()
    if hasattr(value, "to_datetime64"):  # pandas warns, or rounds, where its own types become Python's
        value = value.to_datetime64() if value.nanosecond else value.to_pydatetime()
    elif hasattr(value, "to_timedelta64"):
        value = value.to_timedelta64() if value.nanoseconds else value.to_pytimedelta()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return float(to_seconds(value.reshape(1))[0])
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    return float(((value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - _EPOCH).total_seconds())


def dates_to_seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Seconds since 1970 of ``datetime.date`` and None; numpy's own conversion takes twenty times as long."""
    days = np.array([np.nan if value is None else value.toordinal() for value in values])
    return (days - _EPOCH.toordinal()) * _SECONDS["D"]


def _divide(ticks: NDArray[np.int64], parts: int) -> NDArray[np.float64]:
    """The float nearest to each quotient: what a nanosecond clock and a microsecond clock agree on is equal."""
    result = ticks / parts
    # Nanoseconds of today are no floats, and two roundings are not one. The second and its fraction are floats, and
    # near no tie of a sum this large.
    large = np.abs(ticks) > _MAX_EXACT
    if large.any():
        whole, rest = np.divmod(ticks[large], parts)
        result[large] = whole + rest / parts
    return result
