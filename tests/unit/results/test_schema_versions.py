"""Committed files of every released schema version load and never change."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from full_selection import full_selection
from minerva_select.report import render
from minerva_select.results import Estimate, Selection

V1 = Path(__file__).with_name("selection_v1.json")
V1_SHA256 = "87f36b8e4ebd41b4a2fb64217fe65dfaa1ab255986cd9c761ca8c69faddd24dc"
ADDED = {Selection: {"left_behind", "effects", "ranking", "cost"}, Estimate: {"doubt"}}  # since the file was written
NAME = 'größe "1"\n'


def filled_fields(value, found):
    """Names of the fields that are not empty, by dataclass."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        found.setdefault(type(value), set()).update(
            name for name, item in fields.items() if item not in (None, (), "", {})
        )
        value = tuple(fields.values())
    if isinstance(value, tuple):
        for item in value:
            filled_fields(item, found)
    return found


def test_the_file_of_version_1_loads_equal_and_is_drawn():
    assert hashlib.sha256(V1.read_bytes()).hexdigest() == V1_SHA256
    loaded, expected = Selection.load(V1), dataclasses.replace(full_selection([NAME]), effects=None, cost=None)
    assert loaded == expected
    assert loaded.provenance == expected.provenance  # not part of ==
    assert "größe" in render(loaded)


def test_the_file_fills_every_field_so_that_a_lost_one_is_noticed():
    for kind, names in filled_fields(Selection.load(V1), {}).items():
        assert names == {field.name for field in dataclasses.fields(kind)} - ADDED.get(kind, set()), kind


def test_a_file_of_version_1_has_defaults_for_fields_added_since():
    loaded = Selection.load(V1)
    assert loaded.left_behind is None
    assert loaded.effects is None
    assert loaded.ranking is None
    assert loaded.cost is None
    assert loaded.supporting == ()
    assert loaded.proven == loaded.selected
