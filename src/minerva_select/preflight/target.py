"""Faults of a target: too many classes, or classes of one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from minerva_select.codes import Conversion, FindingCode
from minerva_select.config import PREFLIGHT
from minerva_select.preflight.text_columns import find_notation
from minerva_select.preprocessing.column_types import TargetTypes
from minerva_select.preprocessing.value_counts import count_values
from minerva_select.results.table_check import Finding
from minerva_select.schema import Column, ColumnType, Table


def find_target_faults(target: Table, target_types: TargetTypes) -> list[Finding]:
    """Find the faults of a target without missing values."""
    return [
        finding
        for column in target.columns
        if target_types.column_types[column.name] is ColumnType.CATEGORICAL
        for finding in (*_find_notation(column), *_check_classes(column))
    ]


def _find_notation(column: Column) -> list[Finding]:
    finding = find_notation(column)
    return [] if finding is None else [finding]


def _check_classes(column: Column) -> list[Finding]:
    levels, counts = count_values(column)
    found = []
    too_many = len(levels) > PREFLIGHT.many_classes or (
        len(levels) > PREFLIGHT.min_classes and counts.mean() < PREFLIGHT.rows_per_class
    )
    if too_many:
        values = {"n_classes": len(levels), "n_rows": int(counts.sum())}
        found.append(Finding(FindingCode.MANY_CLASSES, (column.name,), values))
    single = levels[counts == 1]
    if len(single):
        shown = [_describe_level(level, column) for level in single]
        listed: dict[str, Any] = {"n_classes": len(single), "classes": shown[: PREFLIGHT.max_listed_classes]}
        can_be_left_out = len(levels) - len(single) >= 2 and len(single) <= PREFLIGHT.max_listed_classes
        options = _leave_out(column, shown) if can_be_left_out else ()
        found.append(Finding(FindingCode.SINGLE_MEMBER_CLASSES, (column.name,), listed, options))
    return found


def _describe_level(level: Any, column: Column) -> str:
    """A level as it is written in a condition."""
    if column.conversion is Conversion.DATE:
        return str(np.datetime64(round(1e6 * level), "us")).removesuffix(".000000").removesuffix("T00:00:00")
    return str(level).removesuffix(".0") if column.is_numeric else str(level)


def _leave_out(column: Column, levels: list[str]) -> tuple[str, ...]:
    """Option that leaves out the rows of these classes; none if a name or a class cannot be written."""
    if column.conversion not in (None, Conversion.DATE, Conversion.DECIMAL, Conversion.UNPARSED):
        return ()
    is_word = column.name.isidentifier() and column.name.lower() != "and"
    name = column.name if is_word else quote(column.name)
    quoted = levels if column.is_numeric else [quote(level) for level in levels]
    if name is None or None in quoted:
        return ()
    return ("--where", " and ".join(f"{name} != {level}" for level in quoted))


def quote(text: str) -> str | None:
    r"""Quote a text for a comparison of ``--where``; None if it contains both kinds of quotes.

    Examples
    --------
    >>> quote("O'Neill"), quote("size 6'2\"")
    ('"O\'Neill"', None)
    """
    return next((f"{mark}{text}{mark}" for mark in "'\"" if mark not in text), None)
