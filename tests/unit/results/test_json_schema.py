"""Claim: the schemas in the package describe what is written, and refuse what the reader refuses."""

from __future__ import annotations

import copy
import dataclasses
import importlib.resources
import json

import jsonschema
import numpy as np
import pytest

from full_selection import full_selection, supported_selection
from minerva_select import MinervaSelector, check_table, selectors
from minerva_select.errors import InputError
from minerva_select.results import Selection, TableCheck, json_schema
from minerva_select.results.json_schema import nested_classes
from minerva_select.text.json_fields import JSON_FIELDS

SCHEMA = json_schema()
DOCUMENT = json.loads(full_selection().to_json())


def table():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(150, 3)).astype(float)
    return X, (X[:, 0] > 1).astype(int)


def is_valid(document, schema=SCHEMA):
    return jsonschema.Draft202012Validator(schema).is_valid(document)


@pytest.mark.parametrize("kind", [Selection, TableCheck])
def test_the_schema_is_valid_and_its_references_exist(kind):
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    used = {text.split('"')[0] for text in json.dumps(schema).split("#/$defs/")[1:]}
    assert used == {*schema["$defs"]}


@pytest.mark.parametrize("selector", [MinervaSelector, selectors.PaperSelector, selectors.KSGSelector])
def test_the_json_of_a_fit_is_valid(selector):
    selection = selector(random_state=0).fit(*table()).selection_
    jsonschema.validate(json.loads(selection.to_json()), SCHEMA)


@pytest.mark.parametrize("selection", [full_selection(), supported_selection()])
def test_the_json_of_a_selection_with_all_fields_is_valid(selection):
    jsonschema.validate(json.loads(selection.to_json()), SCHEMA)


def test_the_json_of_a_check_is_valid():
    X, y = table()
    X[:, 1] = 1
    check = check_table(X, y)
    assert check.findings
    jsonschema.validate(json.loads(check.to_json()), json_schema(TableCheck))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("target",), 3),
        (("n_rows",), "many"),
        (("features", 0, "selected"), "yes"),
        (("features", 0, "reason", "code"), "because"),
        (("features", 0, "weight"), None),
        (("features", 0, "partners"), "f1"),
        (("features", 0, "extra"), 1),
        (("mutual_information", "low"), "low"),
        (("warnings", 0, "code"), "no_such_code"),
        (("schema_version",), 2),
        (("versions",), {"minerva": 1}),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(place, value):
    document = copy.deepcopy(DOCUMENT)
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    assert is_valid(DOCUMENT)
    assert not is_valid(document)
    with pytest.raises(InputError):
        Selection.from_json(json.dumps(document))


def test_fields_are_required_if_the_reader_requires_them():
    for name in DOCUMENT:
        document = {field: value for field, value in DOCUMENT.items() if field != name}
        if name == "schema_version" or name in SCHEMA["required"]:
            assert not is_valid(document)
            with pytest.raises(InputError):
                Selection.from_json(json.dumps(document))
        else:
            assert is_valid(document)
            Selection.from_json(json.dumps(document))


@pytest.mark.parametrize("root", [Selection, TableCheck])
def test_every_field_has_a_meaning_and_no_meaning_is_of_a_field_that_does_not_exist(root):
    for kind in nested_classes(root):
        assert [*JSON_FIELDS[kind.__name__]] == [field.name for field in dataclasses.fields(kind)]
        assert all(meaning.endswith(".") for meaning in JSON_FIELDS[kind.__name__].values())


def test_no_meaning_is_of_a_class_that_does_not_exist():
    assert {*JSON_FIELDS} == {kind.__name__ for root in (Selection, TableCheck) for kind in nested_classes(root)}


@pytest.mark.parametrize(("name", "kind"), [("selection.schema.json", Selection), ("check.schema.json", TableCheck)])
def test_the_file_in_the_package_is_the_schema(name, kind):
    text = (importlib.resources.files("minerva_select.results") / name).read_text(encoding="utf-8")
    assert json.loads(text) == json_schema(kind), "run `make json-docs`"
