"""What is written for TensorBoard, read back from its files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from full_selection import full_selection
from minerva_select.callbacks import TensorBoard
from minerva_select.errors import InputError, MissingPackageError
from minerva_select.results import Progress, TrainingRecord

pytest.importorskip("tensorboard")


def feed(callback, selection, settings=()):
    """Call a callback as a fit with 50 steps of learning and 25 of vetting would."""
    callback.on_begin(dict(settings))
    callback(Progress("encode", 0.1))
    for stage, step, bound in (("learn", 25, 0.1), ("learn", 50, 0.3), ("vet", 25, 0.5)):
        record = TrainingRecord(stage, step, bound, held_out_bound=bound / 2, n_features=step)
        callback(Progress(stage, 0.5, record.held_out_bound, record.n_features, record))
    callback.on_end(selection)


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return events


def scalars(events, name):
    return [(event.step, pytest.approx(event.value)) for event in events.Scalars(name)]


def text(events, name):
    """A text as TensorBoard shows it."""
    from tensorboard.plugin_util import markdown_to_safe_html

    return markdown_to_safe_html(events.Tensors(f"{name}/text_summary")[0].tensor_proto.string_val[0].decode())


def test_metrics_are_written_by_stage_and_total_step(tmp_path):
    feed(TensorBoard(tmp_path / "runs"), None)
    events = read(tmp_path / "runs" / "fit-1")
    assert scalars(events, "bound/learn") == [(25, 0.1), (50, 0.3)]
    assert scalars(events, "held_out_bound/learn") == [(25, 0.05), (50, 0.15)]
    assert scalars(events, "bound/vet") == [(75, 0.5)]
    assert scalars(events, "features/vet") == [(75, 25)]


def test_the_selection_is_written_at_the_end(tmp_path):
    feed(TensorBoard(tmp_path), full_selection(names=["a b", "a_b"]))
    events = read(tmp_path / "fit-1")
    assert scalars(events, "information") == [(75, 0.6)]
    assert scalars(events, "contribution/a_b") == [(75, 0.25)]
    assert scalars(events, "contribution/a_b-2") == [(75, 0.5)]


@pytest.mark.filterwarnings("ignore:html5lib's sanitizer is deprecated:DeprecationWarning")  # TensorBoard's own
def test_texts_are_escaped(tmp_path):
    hostile = "<script>alert('|*x*|')</script> _a_ [b](c)\n# d"
    feed(TensorBoard(tmp_path), full_selection(names=[hostile]), {"solver": "vetting", "keep": [hostile]})
    events = read(tmp_path / "fit-1")
    shown = "&lt;script&gt;alert('|*x*|')&lt;/script&gt; _a_ [b](c) # d"
    assert f"<td>{shown}</td>" in text(events, "selection")
    assert "<td>0.5000</td>" in text(events, "selection")
    assert "<td>vetting</td>" in text(events, "settings")
    assert "<script" not in text(events, "settings")


def test_every_fit_is_one_run(tmp_path):
    callback = TensorBoard(tmp_path)
    feed(callback, full_selection())
    feed(callback, None)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["fit-1", "fit-2"]
    assert scalars(read(tmp_path / "fit-2"), "bound/learn") == [
        (25, 0.1),
        (50, 0.3),
    ]  # counted from the first step again
    assert "information" not in read(tmp_path / "fit-2").Tags()["scalars"]


def test_a_folder_that_cannot_be_written_is_refused_before_the_fit(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="log_dir"):
        TensorBoard(tmp_path / "file").on_begin({})


def test_a_missing_package_is_reported_with_how_to_install_it(monkeypatch, tmp_path):
    for module in [name for name in sys.modules if name.split(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    callback = TensorBoard(tmp_path)
    with pytest.raises(MissingPackageError, match=r"pip install 'minerva-select\[tensorboard\]'"):
        callback.on_begin({})
    callback.on_end(None)
    assert list(Path(tmp_path).iterdir()) == []
