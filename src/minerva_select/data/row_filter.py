"""Choose rows by comparisons such as ``amount > 0 and country = 'NL'``; parsed, never evaluated as code."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa
from pyarrow import compute

from minerva_select.data.date_text import is_date
from minerva_select.data.number_text import is_text
from minerva_select.errors import InputError, brief, unknown_name

_QUOTED = r"'[^']*'|\"[^\"]*\"|`[^`]*`"
_AND = re.compile(rf"({_QUOTED})|\band\b", re.IGNORECASE)
_OPERATOR = re.compile(rf"({_QUOTED})|<=|>=|!=|<>|==|=|<|>")
_NAME = re.compile(r"[^<>=!'\"`()]+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?")


class Operator(StrEnum):
    """How a column is compared with a value."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="


_SPELLINGS = {**{str(operator): operator for operator in Operator}, "==": Operator.EQUAL, "<>": Operator.NOT_EQUAL}
_FUNCTIONS: dict[Operator, Callable[..., Any]] = {
    Operator.EQUAL: compute.equal,
    Operator.NOT_EQUAL: compute.not_equal,
    Operator.LESS: compute.less,
    Operator.LESS_EQUAL: compute.less_equal,
    Operator.GREATER: compute.greater,
    Operator.GREATER_EQUAL: compute.greater_equal,
}


@dataclass(frozen=True)
class Comparison:
    """A column, an operator and a value as it was written."""

    column: str
    operator: Operator
    value: str

    def mask(self, table: Any) -> Any:
        """Rows of an Arrow table that fulfill the comparison; a missing value differs from every value."""
        column = table.column(self.column)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        found = _FUNCTIONS[self.operator](*self._comparable(column))
        return compute.fill_null(found, self.operator is Operator.NOT_EQUAL)

    def _comparable(self, column: Any) -> tuple[Any, Any]:
        """The column and the value in one type."""
        kind = column.type
        if is_text(kind):
            if self.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
                raise self._refused("holds text, which can be compared with = and != only")
            return column, pa.scalar(self.value, type=kind)
        if pa.types.is_boolean(kind):
            if self.value.lower() not in ("true", "false"):
                raise self._refused("holds true and false")
            return column.cast(pa.int8()), pa.scalar(int(self.value.lower() == "true"), type=pa.int8())
        if is_date(kind):
            moments = pa.timestamp("us", getattr(kind, "tz", None))
            has_nanoseconds = getattr(kind, "unit", "") == "ns"  # which a condition cannot name
            return column.cast(moments, safe=not has_nanoseconds).cast(pa.timestamp("us")), self._moment()
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            if not _NUMBER.fullmatch(self.value):
                raise self._refused("holds numbers")
            return column.cast(pa.float64(), safe=False), pa.scalar(float(self.value))
        raise self._refused(f"has type {kind}, which cannot be compared")

    def _moment(self) -> Any:
        """The value as a date."""
        if _DATE.fullmatch(self.value):
            with contextlib.suppress(ValueError):  # such as February 30
                return pa.scalar(datetime.datetime.fromisoformat(self.value))
        raise self._refused("holds dates, which are compared with one such as 2024-01-31")

    def _refused(self, why: str) -> InputError:
        return InputError(f"Column {self.column!r} {why}; {self.operator} {brief(self.value)} does not fit.")


def parse_conditions(typed: Sequence[str], known: Sequence[str], option: str = "where") -> tuple[Comparison, ...]:
    """Parse comparisons joined by ``and``; ``option`` names their origin in errors.

    Examples
    --------
    >>> for comparison in parse_conditions(["amount > 0 and 'home town' != 'Delft'"], ["amount", "home town"]):
    ...     print(comparison)
    Comparison(column='amount', operator=<Operator.GREATER: '>'>, value='0')
    Comparison(column='home town', operator=<Operator.NOT_EQUAL: '!='>, value='Delft')
    """
    return tuple(_parse(part, known, option) for text in typed for part in _split(text, _AND))


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split at separators outside quotes."""
    parts, start = [], 0
    for match in separator.finditer(text):
        if match[1] is None:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _parse(text: str, known: Sequence[str], option: str) -> Comparison:
    operators = [match for match in _OPERATOR.finditer(text) if match[1] is None]
    if len(operators) == 1:
        (operator,) = operators
        left, right = text[: operator.start()].strip(), text[operator.end() :].strip()
        column, value = _unquote(left, _NAME), _unquote(right, _NUMBER, _DATE, re.compile("true|false", re.IGNORECASE))
        if column is not None and column not in known and not _NUMBER.fullmatch(left):
            raise unknown_name(f"column (in {option})", column, known)
        if column is not None and column in known and value is None and _NAME.fullmatch(right):
            raise InputError(f"{option} compares {column!r} with {brief(right)}; put text in quotes, as in '{right}'.")
        if column is not None and column in known and value is not None:
            return Comparison(column, _SPELLINGS[operator[0]], value)
    raise InputError(
        f"{option} {brief(text.strip())} is not a comparison of a column with a value; write it as in amount > 0 or "
        "country = 'NL', joined by and."
    )


def _unquote(text: str, *plain: re.Pattern[str]) -> str | None:
    """The content of a quoted text, or a text that matches one of the patterns; None for any other."""
    if re.fullmatch(_QUOTED, text):
        return text[1:-1]
    return text if any(pattern.fullmatch(text) for pattern in plain) else None
