"""Claims about states whose sums are right and whose content is not: they are done again, as damaged ones are."""

from __future__ import annotations

import os

import pytest
import torch
from safetensors import safe_open
from test_checkpoint import interrupt, run

from minerva_select.runtime import checkpoint
from minerva_select.runtime.checkpoint_files import State, read_state, write_state

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")


@pytest.fixture(scope="module")
def whole():
    """What a run without a journal gives."""
    return run()


@pytest.fixture
def began(tmp_path, monkeypatch, whole):
    """A journal whose run was killed in its second training, and what the whole run gives."""
    monkeypatch.setattr(checkpoint, "SHARE", float("inf"))
    interrupt(tmp_path, after=whole.n_first + 3)
    return tmp_path, whole


def rewrite(path, tensors, facts):
    """Put other content into a state, with the sum that belongs to it."""
    with safe_open(path, framework="pt") as file:
        start = file.metadata()["start"]
    state = read_state(path, start)
    kept = {name: value for name, value in {**state.tensors, **tensors}.items() if value is not None}
    known = {name: value for name, value in {**state.facts, **facts}.items() if value is not None}
    write_state(path, State(kept, known), start)


CONTENTS = {
    "no draws": ({"random.cpu": None}, {}),
    "draws of another size": ({"random.cpu": torch.zeros(3, dtype=torch.uint8)}, {}),
    "draws that no generator makes": ({"random.generator": torch.zeros(5056, dtype=torch.uint8)}, {}),
    "more draws": ({"random.more": torch.zeros(3, dtype=torch.uint8)}, {}),
    "no values": ({"state.values": None}, {}),
    "values of another size": ({"state.values": torch.zeros(3)}, {}),
    "values of another type": ({"state.best": torch.zeros(2, dtype=torch.int64)}, {}),
    "more values": ({"state.more": torch.zeros(3)}, {}),
    "no step": ({}, {"step": None}),
    "a step in words": ({}, {"step": "two"}),
    "a rate beyond numbers": ({}, {"rate": float("inf")}),
    "records that are none": ({}, {"records": [{"stage": "learn"}]}),
    "more facts": ({}, {"more": 1}),
}


@pytest.mark.parametrize("name", ["0001.finished", "0002.step-4"])
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_state_of_wrong_content_is_done_again(began, name, content):
    folder, whole = began
    rewrite(folder / f"{name}.safetensors", *content)
    assert run(folder) == whole


@pytest.mark.parametrize("name", ["0001.finished.safetensors", "journal.json"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_neither_a_pipe_nor_a_link_is_read(began, name, kind):
    folder, whole = began
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
