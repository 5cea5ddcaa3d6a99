"""Parse the values of a JSON document by type hints."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from minerva_select.errors import brief

T = TypeVar("T")

MAX_DEPTH = 32  # of values of type Any; far below the depth at which recursion would exhaust the stack
MAX_INTEGER = 2**63  # exclusive: above any count, and integers of arrays would overflow

_NAMES = {str: "text", bool: "true or false", int: "an integer", float: "a number", list: "a list", dict: "an object"}


class ParseError(Exception):
    """A value does not match its type hint; the message says where and why."""


def parse_as(kind: type[T], value: Any, path: str = "") -> T:
    """Parse a value as a dataclass, each field by its type hint.

    Supported are str, bool, int, float, ``X | None``, ``tuple[X, ...]``, ``Mapping[str, X]``, subclasses of StrEnum,
    dataclasses of these, and Any. A field with a default may be missing.
    """
    parsed: T = _parse(kind, value, path)
    return parsed


def _parse(hint: Any, value: Any, path: str) -> Any:
    if hint in _SCALARS:
        return _SCALARS[hint](value, path)
    if dataclasses.is_dataclass(hint):
        return _parse_dataclass(hint, value, path)
    arguments, origin = get_args(hint), get_origin(hint)
    if NoneType in arguments:
        (known,) = set(arguments) - {NoneType}
        return None if value is None else _parse(known, value, path)
    if origin is tuple:
        _check_type(list, value, path)
        return tuple(_parse(arguments[0], item, f"{path}[{k}]") for k, item in enumerate(value))
    if origin is Mapping:
        _check_type(dict, value, path)
        return {name: _parse(arguments[1], item, f"{path}[{brief(name)}]") for name, item in value.items()}
    return _parse_enum(hint, value, path)


def _parse_dataclass(kind: Any, value: Any, path: str) -> Any:
    hints, required = _fields(kind)
    _check_type(dict, value, path)
    prefix = f"{path}." if path else ""
    for name in required:
        if name not in value:
            raise ParseError(f"{prefix}{name} is missing")
    for name in value:
        if name not in hints:
            raise ParseError(f"{path or 'it'} has an unknown field {brief(name)}")
    return kind(**{name: _parse(hints[name], item, f"{prefix}{name}") for name, item in value.items()})


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], list[str]]:
    """Type hints of all fields, and the names of those without a default."""
    hints, missing = get_type_hints(kind), dataclasses.MISSING
    fields = dataclasses.fields(kind)
    required = [field.name for field in fields if field.default is missing and field.default_factory is missing]
    return {field.name: hints[field.name] for field in fields}, required


def _parse_enum(kind: type[StrEnum], value: Any, path: str) -> StrEnum:
    try:
        return kind(value)
    except ValueError:
        raise ParseError(f"{path} must be {' or '.join(map(repr, map(str, kind)))}, got {brief(value)}") from None


def _parse_integer(value: Any, path: str) -> int:
    is_integer = isinstance(value, int) and not isinstance(value, bool) and abs(value) < MAX_INTEGER
    return int(_check_type(int, value, path, is_valid=is_integer))


def _parse_float(value: Any, path: str) -> float:
    _check_type(float, value, path, is_valid=isinstance(value, int | float) and not isinstance(value, bool))
    if not math.isfinite(value):
        raise ParseError(f"{path} must be a finite number, got {brief(value)}")
    return float(value)


def _parse_any(value: Any, path: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ParseError(f"{path} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, float):
        _parse_float(value, path)
    elif isinstance(value, list | dict):
        for key, item in enumerate(value) if isinstance(value, list) else value.items():
            _parse_any(item, f"{path}[{brief(key)}]", depth + 1)
    return value


_SCALARS: dict[Any, Any] = {
    str: lambda value, path: _check_type(str, value, path),
    bool: lambda value, path: _check_type(bool, value, path),
    int: _parse_integer,
    float: _parse_float,
    Any: _parse_any,
}


def _check_type(kind: type, value: Any, path: str, *, is_valid: bool | None = None) -> Any:
    if not (isinstance(value, kind) if is_valid is None else is_valid):
        raise ParseError(f"{path or 'it'} must be {_NAMES[kind]}, got {brief(value)}")
    return value
