"""Claims about selections that are saved and read again, by this version and by others."""

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
    Estimate,
    FeatureResult,
    PathPoint,
    Reason,
    ReasonCode,
    Role,
    Selection,
    SuspectKind,
    TrainingRecord,
)
from minerva_select.results.json_format import SCHEMA_VERSION

FULL = full_selection()
DOCUMENT = json.loads(FULL.to_json())
V1 = Path(__file__).with_name("selection_v1.json")
REMOVED = object()


def edited(place, value):
    """The document of the full selection with another value at a place, or without it."""
    document = copy.deepcopy(DOCUMENT)
    *way, last = place
    inner = document
    for step in way:
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


def test_a_selection_with_everything_in_it_is_read_back_equal(tmp_path):
    FULL.save(tmp_path / "selection.json")
    loaded = Selection.load(tmp_path / "selection.json")
    assert loaded == FULL
    assert type(loaded.features[0].role) is Role
    assert type(loaded.suspects[0].kind) is SuspectKind
    assert loaded.to_json() == FULL.to_json()


def test_a_selection_of_version_1_is_read_with_all_that_was_saved():
    odd = 'größe "1"\n'
    assert json.loads(V1.read_text())["schema_version"] == 1
    assert Selection.load(V1) == Selection(
        target="is_fraud",
        features=(
            FeatureResult(
                "f0", True, Reason(ReasonCode.CONTRIBUTES, ("f3",), {"nats": 0.5}), 1.0, 0.001, 0.5, 0.45, 0.55, ("f3",)
            ),
            FeatureResult(odd, False, Reason(ReasonCode.REDUNDANT, ("f0",)), 0.0, 0.1, 0.002, -0.01, 0.014),
            FeatureResult(
                "opened",
                False,
                Reason(ReasonCode.NO_INFORMATION),
                0.0,
                0.0,
                note="date read as seconds since 1970, UTC",
            ),
            FeatureResult("f3", True, Reason(ReasonCode.CONTRIBUTES), 0.96, 0.002, 0.48, 0.43, 0.53, ("f0",), (odd,)),
        ),
        mutual_information=Estimate(0.6, 0.57, 0.63, n_rows=400),
        total_information=Estimate(0.61, 0.58, 0.64, n_rows=400, note="lower bound"),
        n_rows=400,
        target_entropy=0.6931,
        path=(PathPoint(3, ("f0", odd, "f3"), 0.605, 0.57, 0.64), PathPoint(2, ("f0", "f3"), 0.6, 0.57, 0.63)),
        history=(
            TrainingRecord("learn", 25, 0.2, 0.1, n_features=4),
            TrainingRecord("sparsify", 50, 0.6, None, 0.01, 0.02, 2),
        ),
        converged=False,
        warnings=("The time limit of 1 s ended the fit; the answer is the best so far.",),
        seconds=1.25,
        settings={"random_state": 0, "keep": [], "groups": {"both": ["f0", "f3"]}, "time_limit": 1.0, "device": None},
        versions={"minerva": "0.1.0", "python": "3.11.7"},
    )


def test_a_file_of_version_1_is_saved_again_as_the_newest():
    again = Selection.load(V1).to_json()
    assert json.loads(again)["schema_version"] == SCHEMA_VERSION
    assert Selection.from_json(again) == Selection.load(V1)


def test_a_newer_version_asks_for_an_update():
    assert refusal(json.dumps(edited(["schema_version"], 99))) == (
        f"'selection.json' has schema version 99 and this MINERVA reads versions up to {SCHEMA_VERSION}; "
        "update MINERVA to read it."
    )


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["features", 3, "weight"], "abc", "features[3].weight must be a number, got 'abc'"),
        (["features", 3, "weight"], True, "features[3].weight must be a number, got true"),
        (["features", 3, "weight"], None, "features[3].weight must be a number, got null"),
        (["features", 0, "marginal_low"], [], "features[0].marginal_low must be a number, got a list"),
        (["features", 0, "selected"], 1, "features[0].selected must be true or false, got 1"),
        (["features", 0, "feature"], 7, "features[0].feature must be text, got 7"),
        (["features", 0, "partners"], "f1", "features[0].partners must be a list, got 'f1'"),
        (["features", 0, "partners"], [0], "features[0].partners[0] must be text, got 0"),
        (["features", 0], None, "features[0] must be an object, got null"),
        (["features"], {}, "features must be a list, got an object"),
        (["features", 1, "wieght"], 1.0, "features[1] has an unknown field 'wieght'"),
        (["features", 1, "reason"], REMOVED, "features[1].reason is missing"),
        (["n_rows"], REMOVED, "n_rows is missing"),
        (["n_rows"], 5.5, "n_rows must be a whole number, got 5.5"),
        (["n_rows"], True, "n_rows must be a whole number, got true"),
        (["n_rows"], 2**63, "n_rows must be a whole number, got 9223372036854775808"),
        (["surprise"], 1, "it has an unknown field 'surprise'"),
        (["total_information"], 0.6, "total_information must be an object, got 0.6"),
        (["suspects", 0, "kind"], "liar", "'leak' or 'dominant' or 'identifier' or 'near-copy', got 'liar'"),
        (["suspects", 0, "kind"], {}, "'near-copy', got an object"),
        (["weight_history", 2, "weights", "f1"], "x", "weight_history[2].weights['f1'] must be a number, got 'x'"),
        (["versions", "python"], 3.11, "versions['python'] must be text, got 3.11"),
        (["settings"], [], "settings must be an object, got a list"),
        (["schema_version"], 0, "schema_version must be a whole number from 1 on, got 0"),
        (["schema_version"], True, "schema_version must be a whole number from 1 on, got true"),
        (["schema_version"], "2", "schema_version must be a whole number from 1 on, got '2'"),
        (["schema_version"], REMOVED, "it has no schema_version"),
        (["features", 2, "feature"], "f1", "features[2] is 'f1' again"),
        (["features", 0, "partners"], ["zz"], "features[0].partners names 'zz', which is none of its features"),
        (["path", 1, "features"], ["zz"], "path[1].features names 'zz', which is none of its features"),
        (["pairs", 0, "second"], "zz", "pairs[0] names 'zz', which is none of its features"),
        (["suspects", 0, "feature"], "zz", "suspects[0].feature names 'zz', which is none of its features"),
        (["weight_history", 0, "weights", "zz"], 1, "weight_history[0].weights names 'zz', which is none of"),
    ],
)
def test_an_edited_file_is_refused_with_the_place_of_the_fault(place, value, message):
    told = refusal(json.dumps(edited(place, value)))
    assert told.startswith("'selection.json' is not a saved selection: ")
    assert message in told
    assert told.endswith(".")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400, "-" + "9" * 5000])
def test_numbers_that_are_not_finite_are_refused_wherever_they_are(number):
    text = json.dumps(edited(["features", 3, "weight"], "here"))
    assert "features[3].weight must be a finite number, got" in refusal(text.replace('"here"', number))
    text = json.dumps(edited(["settings", "keep"], ["here"]))
    assert "settings['keep'][0] must be a finite number, got" in refusal(text.replace('"here"', number))
    text = json.dumps(edited(["n_rows"], "here"))
    assert "n_rows must be a whole number, got" in refusal(text.replace('"here"', number))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not valid JSON (Expecting value in line 1, column 1)"),
        ("not json", "it is not valid JSON"),
        ("[]", "it has no schema_version"),
        ("null", "it has no schema_version"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"schema_version": 2, "target": ' + "[" * 100 + "]" * 100 + "}", "features is missing"),
    ],
)
def test_text_that_is_no_selection_is_refused_in_one_sentence(text, message):
    assert message in refusal(text)


def test_every_cut_of_a_file_is_refused():
    text = full_selection(n_features=6, n_selected=2).to_json()
    for length in range(0, len(text) - 1, 97):
        assert "it is not valid JSON" in refusal(text[:length])


def test_settings_may_be_nested_but_not_without_end():
    def nested(depth):
        return json.loads("[" * depth + "]" * depth)

    document = edited(["settings", "deep"], nested(20))
    assert Selection.from_json(json.dumps(document)).settings["deep"] == nested(20)
    told = refusal(json.dumps(edited(["settings", "deep"], nested(200))))
    assert "is nested deeper than 32 levels" in told


def test_a_refusal_is_short_however_long_the_value_is():
    assert len(refusal(json.dumps(edited(["n_rows"], "x" * 10**6)))) < 200
    assert len(refusal(json.dumps(edited(["x" * 10**6], 1)))) < 200
    assert len(refusal(json.dumps(edited(["versions", "x" * 10**6], 1)))) < 200


def test_reading_takes_memory_in_proportion_to_the_file():
    claims = json.dumps(edited(["n_rows"], 2**62))
    text = json.dumps(edited(["provenance", "n_columns"], 2**62))
    Selection.from_json(text)  # readers are made once
    for one in (claims, text):
        tracemalloc.start()
        Selection.from_json(one)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20 * len(one)  # an object of Python for every few characters


def test_files_that_cannot_be_read_are_refused_in_one_sentence(tmp_path):
    def told(path):
        with pytest.raises(InputError) as caught:
            Selection.load(path)
        return str(caught.value).replace(str(tmp_path), "")

    (tmp_path / "latin.json").write_bytes('{"target": "größe"}'.encode("latin-1"))
    (tmp_path / "file").write_text("")
    assert told(tmp_path / "nowhere.json") == "There is no file '/nowhere.json'; check the path."
    assert told(tmp_path) == "'' is a folder, not a saved selection; give the path of a file."
    assert "not UTF-8" in told(tmp_path / "latin.json")
    assert told(tmp_path / "file" / "below") == "'/file/below' cannot be read: Not a directory."
    assert told("nul\0") == "path has a character that no path can have, got 'nul\\x00'; rename it."


def test_the_mark_that_some_editors_put_first_is_no_fault(tmp_path):
    (tmp_path / "selection.json").write_text(FULL.to_json(), encoding="utf-8-sig")
    assert Selection.load(tmp_path / "selection.json") == FULL


def test_numbers_of_numpy_and_other_settings_are_saved_as_plain_values():
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
    assert loaded.settings == {"levels": [0, 1], "path": "x", "keep": ["a"], "kind": "matters alone"}


def test_half_of_a_surrogate_pair_in_a_name_is_saved(tmp_path):
    selection = full_selection(["half \ud83d"])
    selection.save(tmp_path / "selection.json")
    assert Selection.load(tmp_path / "selection.json") == selection


@pytest.mark.parametrize("share", [1e308, -0.1, 2])
def test_a_frequency_that_is_no_share_is_refused(share):
    document = json.loads(full_selection().to_json())
    document["features"][1]["frequency"] = share
    with pytest.raises(InputError, match=r"features\[1\]\.frequency must be between 0 and 1, got"):
        Selection.from_json(json.dumps(document))
