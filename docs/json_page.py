"""Write the JSON Schemas of the package and the tables of docs/json.md: ``python docs/json_page.py``."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import minerva_select
from minerva_select.results import Selection, TableCheck, json_schema
from minerva_select.results.json_schema import nested_classes
from minerva_select.text.json_fields import JSON_FIELDS

PAGE = Path(__file__).with_name("json.md")
PACKAGE = Path(minerva_select.__file__).parent / "results"
SCHEMAS = {"selection.schema.json": Selection, "check.schema.json": TableCheck}
START, END = "<!-- fields: written by docs/json_page.py -->\n", "<!-- end of fields -->\n"


def schema_texts() -> dict[Path, str]:
    """Content of the schema files."""
    return {PACKAGE / name: json.dumps(json_schema(kind), indent=1) + "\n" for name, kind in SCHEMAS.items()}


def page_text(page: str) -> str:
    """The page with current tables of fields."""
    before, _, rest = page.partition(START)
    return before + START + "\n" + "\n".join(_tables()) + "\n" + END + rest.partition(END)[2]


def _tables() -> Iterator[str]:
    seen: set[type] = set()
    for root in SCHEMAS.values():
        for kind in nested_classes(root):
            if kind not in seen:
                seen.add(kind)
                yield f"### {kind.__name__}\n"
                yield "| field | type | meaning |\n|---|---|---|"
                yield from _rows(kind)
                yield ""


def _rows(kind: Any) -> Iterator[str]:
    if kind in SCHEMAS.values():
        yield "| `schema_version` | integer | Version of the format: 1. |"
    hints = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        yield f"| `{field.name}` | {_describe(hints[field.name])} | {JSON_FIELDS[kind.__name__][field.name]} |"


def _describe(hint: Any) -> str:
    """A type in words."""
    arguments, origin = get_args(hint), get_origin(hint)
    if NoneType in arguments:
        (known,) = set(arguments) - {NoneType}
        return f"{_describe(known)} or null"
    if origin is tuple:
        return f"list of {_describe(arguments[0])}"
    if origin is not None:
        value = _describe(arguments[1])
        return "object" if value == "any" else f"object of {value}"
    if dataclasses.is_dataclass(hint):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    names = {str: "text", bool: "true or false", int: "integer", float: "number", Any: "any"}
    return names[hint] if hint in names else ", ".join(f"`{code}`" for code in hint)


def main() -> None:
    """Write the files."""
    for path, text in schema_texts().items():
        path.write_text(text, encoding="utf-8")
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
