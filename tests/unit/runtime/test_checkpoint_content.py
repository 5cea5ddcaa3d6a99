"""Trainings are repeated if a saved state has a correct checksum but unusable content."""

from __future__ import annotations

import os

import pytest
import torch
from safetensors import safe_open
from test_checkpoint import interrupt, run

from minerva_select.runtime import checkpoint
from minerva_select.runtime.checkpoint_files import State, read_state, write_state

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.fixture(scope="module")
def whole():
    """Result of a run without a checkpoint."""
    return run()


@pytest.fixture
def killed(tmp_path, monkeypatch, whole):
    """Checkpoint of a run that was killed in its second training, and the result of a whole run."""
    monkeypatch.setattr(checkpoint, "MAX_SAVING_SHARE", float("inf"))
    interrupt(tmp_path, after=whole.n_first + 3)
    return tmp_path, whole


def rewrite(path, tensors, metadata):
    """Replace the content of a state, with the matching checksum."""
    with safe_open(path, framework="pt") as file:
        start = file.metadata()["start"]
    state = read_state(path, start)
    kept = {name: value for name, value in {**state.tensors, **tensors}.items() if value is not None}
    known = {name: value for name, value in {**state.metadata, **metadata}.items() if value is not None}
    write_state(path, State(kept, known), start)


CONTENTS = {
    "no generator state": ({"rng.cpu": None}, {}),
    "generator state of another size": ({"rng.cpu": torch.zeros(3, dtype=torch.uint8)}, {}),
    "invalid generator state": ({"rng.generator": torch.zeros(5056, dtype=torch.uint8)}, {}),
    "another generator": ({"rng.more": torch.zeros(3, dtype=torch.uint8)}, {}),
    "no values": ({"state.values": None}, {}),
    "values of another size": ({"state.values": torch.zeros(3)}, {}),
    "values of another type": ({"state.best": torch.zeros(2, dtype=torch.int64)}, {}),
    "more values": ({"state.more": torch.zeros(3)}, {}),
    "no step": ({}, {"step": None}),
    "a step as text": ({}, {"step": "two"}),
    "an infinite rate": ({}, {"rate": float("inf")}),
    "incomplete records": ({}, {"records": [{"stage": "learn"}]}),
    "more metadata": ({}, {"more": 1}),
}


@pytest.mark.parametrize("name", ["0001.finished", "0002.step-4"])
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_state_with_unusable_content_is_ignored(killed, name, content):
    folder, whole = killed
    rewrite(folder / f"{name}.safetensors", *content)
    assert run(folder) == whole


@pytest.mark.parametrize("name", ["0001.finished.safetensors", "checkpoint.json"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_pipes_and_links_are_not_read(killed, name, kind):
    folder, whole = killed
    path, elsewhere = folder / name, folder / "elsewhere"
    path.rename(elsewhere)
    content = elsewhere.read_bytes()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(elsewhere)
    assert run(folder) == whole
    assert elsewhere.read_bytes() == content
    assert not path.is_symlink()
