"""Display in a notebook that a kernel runs."""

from __future__ import annotations

import json

import pytest

from full_selection import full_selection
from minerva_select.text import headline

nbclient = pytest.importorskip("nbclient", reason="nbclient runs the notebook")
pytest.importorskip("ipykernel", reason="ipykernel is what the notebook runs in")
nbformat = pytest.importorskip("nbformat", reason="nbformat writes the notebook")

CELLS = (
    "from minerva_select import Selection; selection = Selection.load('selection.json'); selection",
    "selection.plot('contributions')",
    "from minerva_select.callbacks import ProgressBar\n"
    "from minerva_select.results import Progress\n"
    "with ProgressBar() as bar:\n"
    "    bar(Progress('learn', 0.25, bound=0.31, n_features=30))",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Outputs of each cell, one dictionary of MIME types per output."""
    folder = tmp_path_factory.mktemp("notebook")
    full_selection().save(folder / "selection.json")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    # Its own IPython settings and one thread, so that the test does not depend on the user or on other tests
    environment = {"IPYTHONDIR": str(folder / "ipython"), "OMP_NUM_THREADS": "1", "PLOTLY_RENDERER": "plotly_mimetype"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        client = nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
    return [[output.get("data", {}) for output in cell.outputs] for cell in notebook.cells]


def test_a_selection_is_displayed_with_its_headline(outputs):
    (output,) = outputs[0]
    assert headline(full_selection()) in output["text/html"]
    assert 'class="minerva-selection' in output["text/html"]


def test_a_figure_is_displayed_by_plotly(outputs):
    (output,) = outputs[1]
    figure = output["application/vnd.plotly.v1+json"]
    assert figure["layout"]["yaxis"]["ticktext"][:2] == ["f0", "f1"]
    assert json.dumps(figure)
    assert "<table>" in output["text/html"]  # what an export without a chart library shows


def test_a_progress_bar_is_displayed_without_terminal_codes(outputs):
    assert outputs[2]
    assert all("\x1b[" not in data.get("text/plain", "") for data in outputs[2])
    assert any({"text/html", "application/vnd.jupyter.widget-view+json"} & set(data) for data in outputs[2])
