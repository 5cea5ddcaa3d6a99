"""Write results as JSON and read them back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from minerva_select.errors import InputError, brief
from minerva_select.results.parsing import ParseError

# From the first release on, a new field gets a default, so that files of every released version can be read.
SCHEMA_VERSION = 1

_MAX_DIGITS = 300  # of an integer: still within the range of a float, and fast to parse


def dump_json(result: Any) -> str:
    """Write a dataclass as JSON, with the schema version first."""
    document = {"schema_version": SCHEMA_VERSION, **_fields(result)}
    return json.dumps(document, indent=1, allow_nan=False, default=_plain)


def load_json(text: str, source: str) -> dict[str, Any]:
    """Read the output of :func:`dump_json` as a dictionary, without checking its fields.

    Numbers beyond the range of a float become infinite.
    """
    try:
        document = json.loads(text, parse_int=_parse_integer)
    except json.JSONDecodeError as error:
        where = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise ParseError(f"it is not valid JSON ({where})") from None
    except RecursionError:
        raise ParseError("it is nested too deeply") from None
    if not isinstance(document, dict) or "schema_version" not in document:
        raise ParseError("it has no schema_version")
    version = document.pop("schema_version")
    if type(version) is not int or version < 1:
        raise ParseError(f"schema_version must be a positive integer, got {brief(version)}")
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{source} has schema version {brief(version)}, but this version of MINERVA reads only {SCHEMA_VERSION}; "
            "run the fit again, or install the version that wrote the file."
        )
    return document


def _plain(value: Any) -> Any:
    """Convert what the json module cannot write."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _fields(result: Any) -> dict[str, Any]:
    # asdict would copy everything recursively
    return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)
