"""Results as JSON text, both ways."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from minerva_select.errors import InputError
from minerva_select.results.parsing import MisfitError, shown

# Version 2 has roles, pairs, suspects, the paths of weights, repeats and provenance. Whoever adds a field gives it a
# default, so that files of all versions before can be read for ever.
SCHEMA_VERSION = 2

_MAX_DIGITS = 300  # of a whole number; a float still holds it, and its digits are read in no time


def as_text(result: Any) -> str:
    """Give a dataclass as JSON, with the schema version first."""
    document = {"schema_version": SCHEMA_VERSION, **_fields(result)}
    return json.dumps(document, indent=1, allow_nan=False, default=_plain)


def as_document(text: str, source: str) -> dict[str, Any]:
    """Parse what :func:`as_text` wrote, less the version; its fields are not checked yet.

    Numbers that a float does not hold come as infinite.

    Raises
    ------
    MisfitError
        Where the text is something else.
    InputError
        Where it is of a newer version; ``source`` names it.
    """
    try:
        document = json.loads(text, parse_int=_as_number)
    except json.JSONDecodeError as error:
        where = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise MisfitError(f"it is not valid JSON ({where})") from None
    except RecursionError:
        raise MisfitError("it is nested too deeply") from None
    if not isinstance(document, dict) or "schema_version" not in document:
        raise MisfitError("it has no schema_version")
    version = document.pop("schema_version")
    if type(version) is not int or version < 1:
        raise MisfitError(f"schema_version must be a whole number from 1 on, got {shown(version)}")
    if version > SCHEMA_VERSION:
        reads = f"this MINERVA reads versions up to {SCHEMA_VERSION}"
        raise InputError(f"{source} has schema version {shown(version)} and {reads}; update MINERVA to read it.")
    return document


def _plain(value: Any) -> Any:
    """What JSON does not know as what it knows: dataclasses, mappings, numbers and arrays of numpy, and the rest."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _fields(result: Any) -> dict[str, Any]:
    # One level deep, where asdict would copy all of it
    return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}


def _as_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)
