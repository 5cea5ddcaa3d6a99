"""The features of a selection for other programs: CSV, and SQL that selects them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minerva_select.checks import check_choice
from minerva_select.errors import InputError, InputTypeError, brief
from minerva_select.results.feature import FeatureResult

if TYPE_CHECKING:
    from minerva_select.results.selection import Selection

_QUOTES: Mapping[str, tuple[str, str]] = {"standard": ('"', '"'), "mysql": ("`", "`"), "sqlserver": ("[", "]")}
DIALECTS = tuple(_QUOTES)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet would compute a text that starts like this


def to_csv(selection: Selection) -> str:
    """One line per feature, in column order: the fields of :class:`FeatureResult`, lists joined by semicolons.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    names = [field.name for field in dataclasses.fields(FeatureResult) if field.name != "reason"]
    at = names.index("selected") + 1
    lines = [[*names[:at], "reason_code", "reason_columns", *names[at:], "reason"]]
    for result in selection.features:
        cells = [_cell(getattr(result, name)) for name in names]
        reason = [_cell(result.reason.code), _cell(result.reason.columns)]
        lines.append([*cells[:at], *reason, *cells[at:], _cell(str(result.reason))])
    return "".join(f"{','.join(map(_quote_cell, cells))}\n" for cells in lines)


def to_sql(selection: Selection, table: str | Sequence[str] | None, dialect: str) -> str:
    """Return a SELECT statement of the kept features, or the list of their quoted names if there is no table."""
    check_choice("dialect", dialect, DIALECTS)
    if not selection.selected:
        raise InputError("No feature is kept, and a SELECT needs at least one column; select some features first.")
    columns = ", ".join(_quote(name, dialect) for name in selection.selected)
    if table is None:
        return columns
    is_names = isinstance(table, str) or (isinstance(table, Sequence) and all(isinstance(one, str) for one in table))
    parts = table.split(".") if isinstance(table, str) else table
    if not is_names or not parts or not all(parts):
        raise InputTypeError(f"table must be a name such as 'sales' or 'shop.sales', or a list, got {brief(table)}.")
    return f"SELECT {columns} FROM {'.'.join(_quote(part, dialect) for part in parts)}"


def _quote(name: str, dialect: str) -> str:
    if "\0" in name:
        raise InputError(f"The name {name!r} has a null character, which SQL does not allow; rename the column.")
    start, end = _QUOTES[dialect]
    return f"{start}{name.replace(end, 2 * end)}{end}"


def _quote_cell(text: str) -> str:
    """Quote a cell where it is necessary; the csv module of Python 3.11 does not quote a carriage return."""
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if any(letter in text for letter in ',"\r\n') else text


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = "; ".join(value) if isinstance(value, tuple) else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
