"""Selections are saved as JSON and read back equal; anything else is refused with its place."""

from __future__ import annotations

import copy
import json
import tracemalloc
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from full_selection import full_selection
from minerva_select.errors import InputError
from minerva_select.results import (
    FeatureResult,
    Reason,
    ReasonCode,
    Role,
    Selection,
    SuspectKind,
)
from minerva_select.results.json_format import SCHEMA_VERSION

FULL = full_selection()
DOCUMENT = json.loads(FULL.to_json())
REMOVED = object()


def edited(place, value):
    """The document of the full selection with another value at a place, or without that place."""
    document = copy.deepcopy(DOCUMENT)
    *parents, last = place
    inner = document
    for step in parents:
        inner = inner[step]
    if value is REMOVED:
        del inner[last]
    else:
        inner[last] = value
    return document


def refusal(text):
    with pytest.raises(InputError) as caught:
        Selection.from_json(text, source="'selection.json'")
    return str(caught.value)


def test_a_full_selection_is_read_back_equal(tmp_path):
    FULL.save(tmp_path / "selection.json")
    loaded = Selection.load(tmp_path / "selection.json")
    assert loaded == FULL
    assert type(loaded.features[0].role) is Role
    assert type(loaded.suspects[0].kind) is SuspectKind
    assert loaded.to_json() == FULL.to_json()


@pytest.mark.parametrize("version", [2, 99])
def test_another_schema_version_is_refused_in_one_sentence(version):
    message = refusal(json.dumps(edited(["schema_version"], version)))
    assert message.startswith("'selection.json' ")
    assert message.count(".") - message.count(".json") == 1
    assert f"reads only {SCHEMA_VERSION}" in message


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["features", 3, "weight"], "abc", "features[3].weight must be a number, got 'abc'"),
        (["features", 3, "weight"], True, "features[3].weight must be a number, got True"),
        (["features", 3, "weight"], None, "features[3].weight must be a number, got None"),
        (["features", 0, "marginal_low"], [], "features[0].marginal_low must be a number, got []"),
        (["features", 0, "selected"], 1, "features[0].selected must be true or false, got 1"),
        (["features", 0, "feature"], 7, "features[0].feature must be text, got 7"),
        (["features", 0, "partners"], "f1", "features[0].partners must be a list, got 'f1'"),
        (["features", 0, "partners"], [0], "features[0].partners[0] must be text, got 0"),
        (["features", 0], None, "features[0] must be an object, got None"),
        (["features"], {}, "features must be a list, got {}"),
        (["features", 1, "wieght"], 1.0, "features[1] has an unknown field 'wieght'"),
        (["features", 1, "reason"], REMOVED, "features[1].reason is missing"),
        (["n_rows"], REMOVED, "n_rows is missing"),
        (["n_rows"], 5.5, "n_rows must be an integer, got 5.5"),
        (["n_rows"], True, "n_rows must be an integer, got True"),
        (["n_rows"], 2**63, "n_rows must be an integer, got 9223372036854775808"),
        (["surprise"], 1, "it has an unknown field 'surprise'"),
        (["total_information"], 0.6, "total_information must be an object, got 0.6"),
        (["suspects", 0, "kind"], "liar", "'leak' or 'dominant' or 'identifier' or 'near_copy', got 'liar'"),
        (["suspects", 0, "kind"], {}, "'near_copy', got {}"),
        (["weight_history", 2, "weights", "f1"], "x", "weight_history[2].weights['f1'] must be a number, got 'x'"),
        (["versions", "python"], 3.11, "versions['python'] must be text, got 3.11"),
        (["settings"], [], "settings must be an object, got []"),
        (["schema_version"], 0, "schema_version must be a positive integer, got 0"),
        (["schema_version"], True, "schema_version must be a positive integer, got True"),
        (["schema_version"], "2", "schema_version must be a positive integer, got '2'"),
        (["schema_version"], REMOVED, "it has no schema_version"),
        (["features", 2, "feature"], "f1", "features[2] repeats 'f1'"),
        (["features", 0, "partners"], ["zz"], "features[0].partners names 'zz', which is not one of its features"),
        (["path", 1, "features"], ["zz"], "path[1].features names 'zz', which is not one of its features"),
        (["pairs", 0, "second"], "zz", "pairs[0] names 'zz', which is not one of its features"),
        (["suspects", 0, "feature"], "zz", "suspects[0].feature names 'zz', which is not one of its features"),
        (["weight_history", 0, "weights", "zz"], 1, "weight_history[0].weights names 'zz', which is not one of"),
    ],
)
def test_an_edited_file_is_refused_with_the_place_of_the_error(place, value, message):
    found = refusal(json.dumps(edited(place, value)))
    assert found.startswith("'selection.json' is not a saved selection: ")
    assert message in found
    assert found.endswith(".")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400, "-" + "9" * 5000])
def test_numbers_that_are_not_finite_are_refused_wherever_they_are(number):
    text = json.dumps(edited(["features", 3, "weight"], "here"))
    assert "features[3].weight must be a finite number, got" in refusal(text.replace('"here"', number))
    text = json.dumps(edited(["settings", "keep"], ["here"]))
    assert "settings['keep'][0] must be a finite number, got" in refusal(text.replace('"here"', number))
    text = json.dumps(edited(["n_rows"], "here"))
    assert "n_rows must be an integer, got" in refusal(text.replace('"here"', number))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not valid JSON (Expecting value in line 1, column 1)"),
        ("not json", "it is not valid JSON"),
        ("[]", "it has no schema_version"),
        ("null", "it has no schema_version"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"schema_version": 1, "target": ' + "[" * 100 + "]" * 100 + "}", "features is missing"),
    ],
)
def test_other_text_is_refused_in_one_sentence(text, message):
    assert message in refusal(text)


def test_every_cut_of_a_file_is_refused():
    text = full_selection(n_features=6, n_selected=2).to_json()
    for length in range(0, len(text) - 1, 97):
        assert "it is not valid JSON" in refusal(text[:length])


def test_settings_may_be_nested_up_to_a_limit():
    def nested(depth):
        return json.loads("[" * depth + "]" * depth)

    document = edited(["settings", "deep"], nested(20))
    assert Selection.from_json(json.dumps(document)).settings["deep"] == nested(20)
    assert "is nested deeper than 32 levels" in refusal(json.dumps(edited(["settings", "deep"], nested(200))))


def test_a_refusal_is_short_however_long_the_value_is():
    assert len(refusal(json.dumps(edited(["n_rows"], "x" * 10**6)))) < 200
    assert len(refusal(json.dumps(edited(["x" * 10**6], 1)))) < 200
    assert len(refusal(json.dumps(edited(["versions", "x" * 10**6], 1)))) < 200


def test_reading_takes_memory_in_proportion_to_the_file():
    claims = json.dumps(edited(["n_rows"], 2**62))
    text = json.dumps(edited(["provenance", "n_columns"], 2**62))
    Selection.from_json(text)  # type hints are cached
    for one in (claims, text):
        tracemalloc.start()
        Selection.from_json(one)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20 * len(one)  # a Python object for every few characters


def test_files_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "latin.json").write_bytes('{"target": "größe"}'.encode("latin-1"))
    (tmp_path / "file").write_text("")
    for path, part in (
        (tmp_path / "nowhere.json", "nowhere.json"),
        (tmp_path, "is a folder"),
        (tmp_path / "latin.json", "not UTF-8"),
        (tmp_path / "file" / "below", "cannot be read"),
        ("nul\0", "path"),
    ):
        with pytest.raises(InputError, match=part):
            Selection.load(path)


def test_a_byte_order_mark_is_accepted(tmp_path):
    (tmp_path / "selection.json").write_text(FULL.to_json(), encoding="utf-8-sig")
    assert Selection.load(tmp_path / "selection.json") == FULL


def test_numpy_numbers_and_other_settings_are_saved_as_plain_values():
    selection = Selection(
        target="y",
        features=(
            FeatureResult(
                "a", np.True_, Reason(ReasonCode.CONTRIBUTES), weight=np.float32(0.5), marginal_nats=np.float64(0.25)
            ),
        ),
        mutual_information=None,
        total_information=None,
        n_rows=np.int64(10),
        settings=MappingProxyType({"levels": np.arange(2), "path": Path("x"), "keep": ("a",), "kind": Role.ALONE}),
    )
    loaded = Selection.from_json(selection.to_json())
    assert loaded.features == (FeatureResult("a", True, Reason(ReasonCode.CONTRIBUTES), 0.5, 0.25),)
    assert loaded.n_rows == 10
    assert loaded.settings == {"levels": [0, 1], "path": "x", "keep": ["a"], "kind": "alone"}


def test_an_unpaired_surrogate_in_a_name_is_saved(tmp_path):
    selection = full_selection(["half \ud83d"])
    selection.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == selection


@pytest.mark.parametrize("share", [1e308, -0.1, 2])
def test_a_frequency_outside_0_to_1_is_refused(share):
    assert "features[1].frequency" in refusal(json.dumps(edited(["features", 1, "frequency"], share)))
