"""Columns that may be known only after the outcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import Conversion, FindingCode
from minerva_select.config import DIAGNOSTICS, PREFLIGHT
from minerva_select.data.date_text import read_dates
from minerva_select.preflight.checked_rows import CheckedRows
from minerva_select.preflight.names import word_of_outcome
from minerva_select.preflight.text_columns import find_date_formats
from minerva_select.preprocessing.binned_information import binned_information
from minerva_select.results.table_check import Finding
from minerva_select.schema import Column


def find_leaks(data: CheckedRows, targets: Sequence[str], times: Column | None) -> list[Finding]:
    """Columns that explain the target alone, by their values or by having one, or that come after the outcome.

    The latter are known by their name, or by dates later than the time of the row.
    """
    entropy = _entropy(data.classes)
    found = []
    for column in data.table.columns:
        finding = (
            _by_presence(column, data, entropy)
            or _by_value(column, data, entropy)
            or _by_time(column, times)
            or _by_name(column, targets)
        )
        if finding is not None:
            code, values = finding
            found.append(Finding(code, (column.name,), values, ("--drop", column.name)))
    return found


_Found = tuple[FindingCode, dict[str, object]] | None


def _by_presence(column: Column, data: CheckedRows, entropy: float) -> _Found:
    missing = column.missing
    if not missing.any() or missing.all():
        return None
    share = binned_information(missing.astype(np.int64), data.classes) / entropy
    return (FindingCode.LEAK_BY_PRESENCE, {"share": min(1.0, share)}) if share >= PREFLIGHT.presence_share else None


def _by_value(column: Column, data: CheckedRows, entropy: float) -> _Found:
    share = binned_information(data.bins(column), data.classes) / entropy
    return (FindingCode.LEAK, {"share": min(1.0, share)}) if share > DIAGNOSTICS.leak_share else None


def _by_time(column: Column, times: Column | None) -> _Found:
    """Whether most dates of a column are later than the time of their row."""
    if times is None:
        return None
    seconds, row_seconds = _seconds(column), _seconds(times)
    if seconds is None or row_seconds is None:
        return None
    both = ~(np.isnan(seconds) | np.isnan(row_seconds))
    if both.sum() < PREFLIGHT.min_dates:
        return None
    share = float((seconds[both] > row_seconds[both]).mean())
    values = {"share": share, "times": times.name}
    return (FindingCode.LEAK_BY_TIME, values) if share > PREFLIGHT.late_share else None


def _by_name(column: Column, targets: Sequence[str]) -> _Found:
    for target in targets:
        word = word_of_outcome(column.name, target)
        if word is not None:
            return FindingCode.LEAK_BY_NAME, {"word": word, "target": target}
    return None


def _seconds(column: Column) -> NDArray[np.float64] | None:
    """Dates as seconds since 1970, NaN where missing; None if a column has none."""
    if column.conversion is Conversion.DATE:
        return column.values
    formats = find_date_formats(column)
    if not formats:
        return None
    if column.levels is None:
        texts, codes = [f"{value:.0f}" for value in column.values], np.arange(len(column.values))
    else:
        texts, codes = [*map(str, column.levels), ""], column.values
    seconds = read_dates(texts, formats[0]).astype("datetime64[s]")
    numbers = np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64).astype(np.float64))
    return np.asarray(numbers[codes])


def _entropy(classes: NDArray[np.int64]) -> float:
    shares = np.bincount(classes) / len(classes)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())
