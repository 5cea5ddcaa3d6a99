"""Claims about callbacks of real fits."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from sklearn.base import clone

from minerva_select import MinervaSelector
from minerva_select.callbacks import Callback, ProgressBar, TensorBoard


class Notes(Callback):
    def __init__(self, stop_at=None):
        self.stop_at = stop_at

    def on_begin(self, settings):
        self._heard = [settings]

    def __call__(self, progress):
        self._heard.append(progress)
        return progress.stage == self.stop_at

    def on_end(self, selection):
        self._heard.append(selection)


@pytest.mark.usefixtures("small_plan")
def test_a_fit_tells_its_settings_its_records_and_its_answer(pair):
    notes = Notes()
    selector = MinervaSelector(random_state=0, callbacks=[notes]).fit(pair.X, pair.y)
    settings, *told, selection = notes._heard
    assert settings == selector.selection_.settings
    assert [progress.record for progress in told] == [*selector.history_]
    assert selection is selector.selection_


@pytest.mark.usefixtures("small_plan")
def test_a_fit_that_fails_ends_with_nothing(pair):
    def fail(progress):
        raise ZeroDivisionError

    notes = Notes()
    with pytest.raises(ZeroDivisionError):
        MinervaSelector(random_state=0, callbacks=[notes, fail]).fit(pair.X, pair.y)
    assert notes._heard[-1] is None


@pytest.mark.usefixtures("small_plan")
def test_true_ends_the_fit_with_the_best_answer_so_far(pair):
    selection = MinervaSelector(random_state=0, callbacks=[Notes(stop_at="screen")]).fit(pair.X, pair.y).selection_
    assert selection.selected == pair.relevant
    assert not selection.converged
    assert "it was asked to stop" in " ".join(selection.warnings)


@pytest.mark.usefixtures("small_plan")
def test_one_callback_follows_fit_after_fit_and_is_copied_and_pickled_with_its_selector(pair, tmp_path):
    pytest.importorskip("tensorboard")
    selector = MinervaSelector(random_state=0, callbacks=(TensorBoard(str(tmp_path)), ProgressBar(), Notes("vet")))
    selector.fit(pair.X, pair.y)
    copies = [clone(selector), pickle.loads(pickle.dumps(selector))]
    for one in copies:
        assert repr(one.callbacks) == repr(selector.callbacks)
        assert not hasattr(one.callbacks[2], "_heard")
    copies[0].fit(pair.X, pair.y)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["fit-1", "fit-2"]


def test_callbacks_are_ready_without_what_they_write_to():
    loaded = (
        "import sys, minerva_select.callbacks; print(*({'torch', 'mlflow', 'tensorboard', 'IPython'} & {*sys.modules}))"
    )
    result = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
