"""Claim: docs/json.md names every field of the JSON, and its commands work."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from full_selection import full_selection

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "json.md"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="docs/ is in a clone only")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("json_page", DOCS / "json_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_and_the_schemas_are_current(script):
    assert script.page_text(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8"), (
        "run `make json-docs`"
    )
    for path, text in script.schema_texts().items():
        assert path.read_text(encoding="utf-8") == text, "run `make json-docs`"


def fields_of(value):
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from fields_of(item)


def test_every_field_of_real_output_is_on_the_page():
    document = json.loads(full_selection().to_json())
    for free in ("settings", "versions"):  # their names are values
        document[free] = {}
    document["warnings"][0]["values"] = {}
    for result in document["features"]:
        result["reason"]["values"] = {}
    for record in document["weight_history"]:
        record["weights"] = {}
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert {*fields_of(document)} <= named


def jq_commands():
    text = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    return re.findall(r"^(jq .*? selection\.json)", text, re.MULTILINE)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("command", jq_commands())
def test_every_jq_line_prints_something(tmp_path, command):
    (tmp_path / "selection.json").write_text(full_selection().to_json(), encoding="utf-8")
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert result.stdout.strip()
    if ".selected) | .feature" in command:
        assert result.stdout.split() == [*full_selection().selected]


def test_the_page_has_jq_lines():
    assert len(jq_commands()) == 4
