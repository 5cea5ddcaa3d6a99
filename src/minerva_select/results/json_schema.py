"""JSON Schema (draft 2020-12) of results, derived from their dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from minerva_select.results.json_format import SCHEMA_VERSION
from minerva_select.results.selection import Selection
from minerva_select.text.json_fields import JSON_FIELDS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def json_schema(kind: type = Selection) -> dict[str, Any]:
    """Return the JSON Schema of what ``to_json`` of a :class:`Selection` or a :class:`TableCheck` writes.

    A field is required if files of every version have it.

    Parameters
    ----------
    kind : type
        The class of the result.

    Returns
    -------
    dict
        A schema of draft 2020-12.

    Examples
    --------
    >>> from minerva_select.results import json_schema
    >>> json_schema()["properties"]["n_rows"]
    {'description': 'Rows of the fit.', 'type': 'integer'}
    """
    definitions: dict[str, Any] = {}
    root = _object(kind, definitions)
    version = {"description": "Version of the format.", "const": SCHEMA_VERSION}
    return {
        "$schema": _DIALECT,
        "$id": f"urn:minerva-select:{kind.__name__.lower()}:{SCHEMA_VERSION}",
        "title": kind.__name__,
        **root,
        "properties": {"schema_version": version, **root["properties"]},
        "required": ["schema_version", *root["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


def nested_classes(kind: type = Selection) -> Iterator[type]:
    """A class of results and the dataclasses that occur in its fields, each once, in the order in which they occur."""
    seen: dict[type, None] = {}
    waiting = [kind]
    while waiting:
        current = waiting.pop(0)
        if current not in seen:
            seen[current] = None
            yield current
            waiting += [one for hint in get_type_hints(current).values() for one in _classes_in(hint)]


def _classes_in(hint: Any) -> list[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return [hint]
    return [one for argument in get_args(hint) for one in _classes_in(argument)]


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints, meanings = get_type_hints(kind), JSON_FIELDS[kind.__name__]
    fields = dataclasses.fields(kind)
    return {
        "type": "object",
        "properties": {
            field.name: {"description": meanings[field.name], **_schema_of(hints[field.name], definitions)}
            for field in fields
        },
        "required": [field.name for field in fields if _has_no_default(field)],
        "additionalProperties": False,
    }


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _schema_of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    arguments, origin = get_args(hint), get_origin(hint)
    if NoneType in arguments:
        (known,) = set(arguments) - {NoneType}
        return {"anyOf": [_schema_of(known, definitions), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _schema_of(arguments[0], definitions)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1], definitions) or True}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}  # reserved, should a class contain itself
        is_enum = issubclass(hint, StrEnum)
        definitions[hint.__name__] = {"enum": [*map(str, hint)]} if is_enum else _object(hint, definitions)
    return {"$ref": f"#/$defs/{hint.__name__}"}
