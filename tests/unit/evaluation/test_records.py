"""The file of finished work."""

from __future__ import annotations

import json
import os
import re
import resource

import pytest

from minerva_select import __version__
from minerva_select.evaluation.records import Records, provenance


@pytest.fixture
def store(tmp_path):
    return Records(tmp_path / "new" / "records.jsonl")


def test_nothing_is_written_before_the_first_record(store):
    assert list(store) == []
    assert not store.path.parent.exists()


def test_a_record_is_read_as_it_was_written(store):
    record = {"method": "ksg", "selected": ["größe", "b\nc"], "nats": 0.1 + 0.2, "low": None}
    assert store.append(record) == record
    assert list(Records(store.path)) == list(store) == [record]


def test_the_latest_record_with_a_key_is_found(store):
    store.append({"method": "ksg", "split": 0, "n": 1}, {"method": "ksg", "split": 1, "n": 2})
    store.append({"method": "ksg", "split": 0, "n": 3})
    assert store.find({"method": "ksg", "split": 0})["n"] == 3
    assert Records(store.path).find({"split": 1, "method": "ksg"})["n"] == 2
    assert store.find({"method": "foci", "split": 0}) is None
    assert store.find({"method": "ksg", "seed": None}) is None  # a missing entry is not None


def test_a_key_may_contain_tuples(store):
    store.append({"columns": ("a", "b")})
    assert store.find({"columns": ("a", "b")}) == {"columns": ["a", "b"]}


@pytest.mark.parametrize(
    "torn", [b'{"n": 2, "na', b'{"n": 2}', b'{"name": "gr\xc3'], ids=["cut", "no newline", "cut letter"]
)
def test_a_truncated_line_does_not_affect_other_records(store, torn):
    store.append({"n": 1})
    with store.path.open("ab") as file:
        file.write(torn)
    whole = [{"n": 2}] if torn.endswith(b"}") else []
    reopened = Records(store.path)
    assert list(reopened) == [{"n": 1}, *whole]
    reopened.append({"n": 3})
    assert list(Records(store.path)) == [{"n": 1}, *whole, {"n": 3}]


def test_two_stores_of_one_file_do_not_overwrite_each_other(store):
    other = Records(store.path)
    for n in range(3):
        store.append({"n": n})
        other.append({"n": -n})
    assert sorted(record["n"] for record in Records(store.path)) == [-2, -1, 0, 0, 1, 2]


def test_a_record_is_on_the_disk_when_append_returns(store, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    store.append({"n": 1})
    assert len(synced) == 1


def test_a_number_that_json_cannot_hold_is_refused_and_not_written(store):
    with pytest.raises(ValueError, match="JSON"):
        store.append({"n": float("nan")})
    assert list(store) == []
    assert not store.path.exists()


def test_provenance_has_versions_machine_and_time():
    origin = json.loads(json.dumps(provenance()))
    assert origin["versions"]["minerva"] == __version__
    assert {"python", "numpy", "scikit-learn", "torch"} <= origin["versions"].keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", origin["made"])


def test_a_record_that_a_full_disk_truncated_is_ignored(store):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))  # a file cannot exceed 10 bytes, as on a full disk
    try:
        with pytest.raises(OSError, match="File too large"):
            store.append({"method": "ksg", "seed": 0})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(store) == len(Records(store.path)) == 0
