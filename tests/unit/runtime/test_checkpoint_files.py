"""Files that are not a valid saved state are never read as one."""

import json
import struct

import pytest
import torch
from safetensors.torch import save

from minerva_select.runtime.checkpoint import Checkpoint
from minerva_select.runtime.checkpoint_files import State, fingerprint, read_state, write_state

STATE = {"counts": torch.tensor([3, 4])}


@pytest.mark.parametrize("metadata", ["", "[", "[]", "null", "3", '"text"', "{'a': 1}", "[" * 100_000])
def test_metadata_must_be_an_object_even_with_a_correct_checksum(tmp_path, metadata):
    path = tmp_path / "state.safetensors"
    path.write_bytes(save(STATE, {"start": "s", "metadata": metadata, "checksum": fingerprint(metadata, STATE)}))
    assert read_state(path, "s") is None


def header_of(size, **entries):
    text = json.dumps(entries).encode()
    return struct.pack("<Q", size or len(text)) + text


HOSTILE = {
    "empty": b"",
    "only a length": struct.pack("<Q", 8),
    "a header without end": header_of(2**63),
    "a header larger than the file": header_of(2**30),
    "missing bytes": header_of(0, counts={"dtype": "I64", "shape": [2**40], "data_offsets": [0, 2**43]}),
    "a size that overflows": header_of(0, counts={"dtype": "I64", "shape": [2**62, 2**62], "data_offsets": [0, 8]}),
    "an unknown type": header_of(0, counts={"dtype": "X", "shape": [0], "data_offsets": [0, 0]}),
    "reversed offsets": header_of(0, counts={"dtype": "I64", "shape": [1], "data_offsets": [8, 0]}) + bytes(8),
    "numeric metadata": header_of(0, __metadata__={"start": 3}),
    "no metadata": save(STATE),
    "another start": save(STATE, {"start": "t", "metadata": "{}", "checksum": fingerprint("{}", STATE)}),
    "another checksum": save(STATE, {"start": "s", "metadata": "{}", "checksum": fingerprint("{} ", STATE)}),
    "no checksum": save(STATE, {"start": "s", "metadata": "{}"}),
    "a pickle": b"\x80\x04cos\nsystem\n.",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_not_read(tmp_path, content):
    path = tmp_path / "state.safetensors"
    path.write_bytes(content)
    assert read_state(path, "s") is None


def test_no_changed_byte_changes_the_state_that_is_read(tmp_path):
    path = tmp_path / "state.safetensors"
    write_state(path, State(STATE, {"step": 3}), "s")
    good = path.read_bytes()
    assert read_state(path, "s") is not None
    for k in range(len(good)):
        path.write_bytes(good[:k] + bytes([good[k] ^ 1]) + good[k + 1 :])
        found = read_state(path, "s")
        # Padding between the header and the tensors does not matter
        assert found is None or (
            torch.equal(found.tensors["counts"], STATE["counts"]) and found.metadata == {"step": 3}
        )


@pytest.mark.parametrize("header", [b"", b"[" * 100_000, b"\xff", b"null"])
def test_a_checkpoint_with_an_unreadable_header_starts_a_new_run(tmp_path, header):
    def entry():
        return Checkpoint(tmp_path, "seed 0", torch.Generator().manual_seed(0)).open(resume=True).entry("learn")

    entry().finish(State(STATE))
    assert entry().saved is not None
    (tmp_path / "checkpoint.json").write_bytes(header)
    assert entry().saved is None
