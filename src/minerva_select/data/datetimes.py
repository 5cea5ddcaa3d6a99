"""Convert dates, times of day and durations to seconds, rounded once whatever their unit and container."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "D": 86_400, "W": 604_800}
_TICKS_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_MAX_EXACT = 2**53  # all integers up to here are floats


def to_seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Convert ``datetime64`` to seconds since 1970, or ``timedelta64`` to seconds; NaT becomes NaN."""
    unit, count = np.datetime_data(values.dtype)
    if count != 1 or unit not in _SECONDS | _TICKS_PER_SECOND:  # years and months have no fixed length
        unit = unit if unit in _SECONDS | _TICKS_PER_SECOND else "us" if unit == "generic" else "s"
        values = values.astype(f"{values.dtype.kind}8[{unit}]")
    ticks = values.astype(np.int64)
    if unit in _TICKS_PER_SECOND:
        result = _divide(ticks, _TICKS_PER_SECOND[unit])
    else:
        result = ticks.astype(np.float64) * _SECONDS[unit]
    result[np.isnat(values)] = np.nan
    return result


def object_to_seconds(value: Any) -> float:
    """Convert a date (UTC unless it has a time zone), time of day, duration or None to seconds."""
    if value is None:
        return float("nan")
    if hasattr(value, "to_timestamp"):  # a pandas period, by its start
        value = value.to_timestamp()
    if hasattr(value, "to_datetime64"):  # pandas warns, or rounds, when it converts nanoseconds to Python
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
    """Convert ``datetime.date`` and None to seconds since 1970, 20 times as fast as numpy."""
    days = np.array([np.nan if value is None else value.toordinal() for value in values])
    return (days - _EPOCH.toordinal()) * _SECONDS["D"]


def _divide(ticks: NDArray[np.int64], ticks_per_second: int) -> NDArray[np.float64]:
    """Return the float nearest to each quotient, so that equal times in different units are equal."""
    result = ticks / ticks_per_second
    # Large integers are rounded when they become floats, and again when divided. The whole second and the fraction
    # are exact enough that their sum is rounded only once.
    large = np.abs(ticks) > _MAX_EXACT
    if large.any():
        whole, rest = np.divmod(ticks[large], ticks_per_second)
        result[large] = whole + rest / ticks_per_second
    return result
