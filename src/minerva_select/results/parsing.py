"""Values of a JSON document, read as what type hints say that they are."""

from __future__ import annotations

import dataclasses
import math
import reprlib
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any, str], Any]  # of a value and its place in the document

MAX_DEPTH = 32  # of values that are free in form: far below where walking through them would exhaust the stack
MAX_WHOLE = 2**63  # above what any count comes to, and below where arrays of whole numbers overflow


class MisfitError(Exception):
    """A value is not what it should be; the words say where it is, and why."""


def read_as(kind: type[T], value: Any, place: str = "") -> T:
    """Read a plain value as a dataclass, each field as its type hint says, down to the last.

    Known are str, bool, int, float, ``X | None``, ``tuple[X, ...]``, ``Mapping[str, X]``, enumerations of str,
    dataclasses of these, and Any. A field with a default may be missing, since files of older versions lack the newer
    fields.

    Raises
    ------
    MisfitError
        At the first value that is something else.

    Examples
    --------
    >>> from minerva_select.results import Estimate
    >>> document = {"nats": 1, "low": 0.9, "high": 1.1, "n_rows": 100}
    >>> read_as(Estimate, document)
    Estimate(nats=1.0, low=0.9, high=1.1, n_rows=100, note='')
    >>> try:
    ...     read_as(Estimate, {**document, "n_rows": "many"}, "total")
    ... except MisfitError as misfit:
    ...     print(misfit)
    total.n_rows must be a whole number, got 'many'
    """
    hint: Any = kind
    result: T = _reader(hint)(value, place)
    return result


def shown(value: Any) -> str:
    """A value as an error shows it: short, whatever it holds.

    Examples
    --------
    >>> shown("abc"), shown(None), shown([1, 2]), shown({})
    ("'abc'", 'null', 'a list', 'an object')
    """
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return reprlib.repr(value)


@cache
def _reader(hint: Any) -> Reader:
    arguments = get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if NoneType in arguments:
        [known] = set(arguments) - {NoneType}
        return _or_none(_reader(known))
    if get_origin(hint) is tuple:
        return _tuple(_reader(arguments[0]))
    if get_origin(hint) is Mapping:
        return _mapping(_reader(arguments[1]))
    return _enumeration(hint) if issubclass(hint, StrEnum) else _dataclass(hint)


def _text(value: Any, place: str) -> str:
    return str(_checked(isinstance(value, str), value, place, "text"))


def _truth(value: Any, place: str) -> bool:
    return bool(_checked(isinstance(value, bool), value, place, "true or false"))


def _whole(value: Any, place: str) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < MAX_WHOLE
    return int(_checked(is_whole, value, place, "a whole number"))


def _number(value: Any, place: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    _checked(is_number, value, place, "a number")
    return float(_checked(math.isfinite(value), value, place, "a finite number"))


def _anything(value: Any, place: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise MisfitError(f"{place} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, float):
        _number(value, place)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            _anything(item, f"{place}[{k}]", depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            _anything(item, f"{place}[{shown(name)}]", depth + 1)
    return value


_SCALARS: dict[Any, Reader] = {str: _text, bool: _truth, int: _whole, float: _number, Any: _anything}


def _or_none(read: Reader) -> Reader:
    return lambda value, place: None if value is None else read(value, place)


def _tuple(read: Reader) -> Reader:
    def read_all(value: Any, place: str) -> tuple[Any, ...]:
        _checked(isinstance(value, list), value, place, "a list")
        return tuple(read(item, f"{place}[{k}]") for k, item in enumerate(value))

    return read_all


def _mapping(read: Reader) -> Reader:
    def read_all(value: Any, place: str) -> dict[str, Any]:
        _checked(isinstance(value, dict), value, place, "an object")
        return {name: read(item, f"{place}[{shown(name)}]") for name, item in value.items()}

    return read_all


def _enumeration(kind: type[StrEnum]) -> Reader:
    members = {str(member): member for member in kind}
    rule = " or ".join(map(repr, members))

    def read(value: Any, place: str) -> StrEnum:
        return members[_checked(isinstance(value, str) and value in members, value, place, rule)]

    return read


def _dataclass(kind: type[Any]) -> Reader:
    hints, fields = get_type_hints(kind), dataclasses.fields(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields}
    missing = dataclasses.MISSING
    needed = [field.name for field in fields if field.default is missing and field.default_factory is missing]

    def read(value: Any, place: str) -> Any:
        _checked(isinstance(value, dict), value, place, "an object")
        for name in needed:
            if name not in value:
                raise MisfitError(f"{_inside(place, name)} is missing")
        for name in value:
            if name not in readers:
                raise MisfitError(f"{place or 'it'} has an unknown field {shown(name)}")
        return kind(**{name: readers[name](item, _inside(place, name)) for name, item in value.items()})

    return read


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _checked(is_right: bool, value: Any, place: str, rule: str) -> Any:
    if not is_right:
        raise MisfitError(f"{place or 'it'} must be {rule}, got {shown(value)}")
    return value
