"""The progress bar in a Jupyter notebook."""

from __future__ import annotations

import re

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

BEGIN = """
import sys, time
sys.modules["ipywidgets"] = None  # not installed
from minerva_select.callbacks import ProgressBar
from minerva_select.results import Progress, Selection
bar = ProgressBar()
bar.on_begin({})
bar(Progress("too soon to be drawn", 0.1))
time.sleep(0.25)
bar(Progress("learn <b>", 0.25, bound=0.31, n_features=30))
time.sleep(0.25)
bar(Progress("vet", 0.75, bound=0.49, n_features=2))
"""
ENDS = {
    "done": "bar.on_end(Selection('y', (), None, None, n_rows=1))",
    "failed": "bar.on_end(None)",
    "quiet": "quiet = ProgressBar(quiet=True); quiet.on_begin({}); quiet(Progress('learn', 0.5)); quiet.on_end(None)",
}


@pytest.fixture(scope="module")
def cells():
    """For each cell its final output, and the HTML of everything it displayed."""
    sent = {}

    class Client(nbclient.NotebookClient):
        def process_message(self, msg, cell, cell_index):
            if msg["msg_type"] in ("display_data", "update_display_data"):
                sent.setdefault(cell_index, []).append(msg["content"]["data"]["text/html"])
            return super().process_message(msg, cell, cell_index)

    sources = [BEGIN + ENDS["done"], BEGIN + ENDS["failed"], ENDS["quiet"]]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    Client(notebook, timeout=300, kernel_name="python3").execute()
    shown = [cell.outputs for cell in notebook.cells]
    return {name: (outputs, sent.get(k, [])) for k, (name, outputs) in enumerate(zip(ENDS, shown, strict=True))}


def test_the_bar_is_redrawn_in_place(cells):
    outputs, sent = cells["done"]
    assert [output.output_type for output in outputs] == ["display_data"]
    assert [re.search(r"(\d+)%", html)[1] for html in sent] == ["0", "25", "75", "100"]
    assert "0.490 nats, 2 features" in sent[2]


def test_a_completed_fit_leaves_a_full_bar(cells):
    outputs, _ = cells["done"]
    assert outputs[0].data["text/plain"] == "done: 100%"


def test_a_failed_fit_leaves_the_last_percentage(cells):
    outputs, _ = cells["failed"]
    assert outputs[0].data["text/plain"] == "stopped: 75%"


def test_stages_are_escaped(cells):
    _, sent = cells["done"]
    assert "learn &lt;b&gt;" in sent[1]


def test_nothing_is_shown_if_quiet(cells):
    assert cells["quiet"] == ([], [])
