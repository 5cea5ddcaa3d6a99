"""Journals with hostile bytes in them, as benchmarks/attack/fuzz.py makes them: what is not right is computed again."""

import json
import struct

import pytest
import torch
from safetensors.torch import save

from minerva_select.runtime.checkpoint import Journal
from minerva_select.runtime.checkpoint_files import State, fingerprint, read_state, write_state

STATE = {"counts": torch.tensor([3, 4])}


@pytest.mark.parametrize("facts", ["", "[", "[]", "null", "3", '"text"', "{'a': 1}", "[" * 100_000])
def test_facts_that_are_no_object_make_no_state_however_well_they_are_signed(tmp_path, facts):
    path = tmp_path / "state.safetensors"
    path.write_bytes(save(STATE, {"start": "s", "facts": facts, "sum": fingerprint(facts, STATE)}))
    assert read_state(path, "s") is None


def header_of(size, **entries):
    text = json.dumps(entries).encode()
    return struct.pack("<Q", size or len(text)) + text


HOSTILE = {
    "nothing": b"",
    "a length alone": struct.pack("<Q", 8),
    "a header without end": header_of(2**63),
    "a header larger than the file": header_of(2**30),
    "bytes that are not there": header_of(0, counts={"dtype": "I64", "shape": [2**40], "data_offsets": [0, 2**43]}),
    "a size beyond counting": header_of(0, counts={"dtype": "I64", "shape": [2**62, 2**62], "data_offsets": [0, 8]}),
    "an unknown type": header_of(0, counts={"dtype": "X", "shape": [0], "data_offsets": [0, 0]}),
    "offsets backwards": header_of(0, counts={"dtype": "I64", "shape": [1], "data_offsets": [8, 0]}) + bytes(8),
    "metadata of numbers": header_of(0, __metadata__={"start": 3}),
    "no metadata": save(STATE),
    "another start": save(STATE, {"start": "t", "facts": "{}", "sum": fingerprint("{}", STATE)}),
    "another sum": save(STATE, {"start": "s", "facts": "{}", "sum": fingerprint("{} ", STATE)}),
    "no sum": save(STATE, {"start": "s", "facts": "{}"}),
    "a pickle": b"\x80\x04cos\nsystem\n.",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_state_is_none(tmp_path, content):
    path = tmp_path / "state.safetensors"
    path.write_bytes(content)
    assert read_state(path, "s") is None


def test_any_byte_that_is_changed_makes_it_no_state(tmp_path):
    path = tmp_path / "state.safetensors"
    write_state(path, State(STATE, {"step": 3}), "s")
    good = path.read_bytes()
    assert read_state(path, "s") is not None
    for k in range(len(good)):
        path.write_bytes(good[:k] + bytes([good[k] ^ 1]) + good[k + 1 :])
        found = read_state(path, "s")
        # Blanks between the header and the tensors may be any
        assert found is None or (torch.equal(found.tensors["counts"], STATE["counts"]) and found.facts == {"step": 3})


@pytest.mark.parametrize("header", [b"", b"[" * 100_000, b"\xff", b"null"])
def test_a_journal_whose_header_cannot_be_read_begins_anew(tmp_path, header):
    def journal():
        return Journal(tmp_path, "seed 0", torch.Generator().manual_seed(0)).open(resume=True)

    journal().remember("screen", lambda: STATE)
    (tmp_path / "journal.json").write_bytes(header)
    calls = []
    journal().remember("screen", lambda: calls.append(1) or STATE)
    assert calls == [1]
