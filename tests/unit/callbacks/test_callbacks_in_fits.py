"""Callbacks in real fits."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from sklearn.base import clone

from minerva_select import MinervaSelector
from minerva_select.callbacks import Callback, ProgressBar, TensorBoard
from minerva_select.codes import WarningCode


class Recorder(Callback):
    def __init__(self, stop_at=None):
        self.stop_at = stop_at

    def on_begin(self, settings):
        self._calls = [settings]

    def __call__(self, progress):
        self._calls.append(progress)
        return progress.stage == self.stop_at

    def on_end(self, selection):
        self._calls.append(selection)


@pytest.mark.usefixtures("use_small_fits")
def test_callbacks_receive_settings_training_records_and_the_selection(pair):
    recorder = Recorder()
    selector = MinervaSelector(random_state=0, callbacks=[recorder]).fit(pair.X, pair.y)
    settings, *reports, selection = recorder._calls
    assert settings == selector.selection_.settings
    assert [progress.record for progress in reports] == [*selector.history_]
    assert selection is selector.selection_


@pytest.mark.usefixtures("use_small_fits")
def test_a_failed_fit_ends_with_none(pair):
    def fail(progress):
        raise ZeroDivisionError

    recorder = Recorder()
    with pytest.raises(ZeroDivisionError):
        MinervaSelector(random_state=0, callbacks=[recorder, fail]).fit(pair.X, pair.y)
    assert recorder._calls[-1] is None


@pytest.mark.usefixtures("use_small_fits")
def test_returning_true_ends_the_fit_with_the_best_selection_so_far(pair):
    selection = MinervaSelector(random_state=0, callbacks=[Recorder(stop_at="screen")]).fit(pair.X, pair.y).selection_
    assert selection.selected == pair.relevant
    assert not selection.converged
    assert WarningCode.NOT_CONVERGED in [warning.code for warning in selection.warnings]


@pytest.mark.usefixtures("use_small_fits")
def test_callbacks_follow_several_fits_and_are_copied_with_their_selector(pair, tmp_path):
    pytest.importorskip("tensorboard")
    selector = MinervaSelector(random_state=0, callbacks=(TensorBoard(str(tmp_path)), ProgressBar(), Recorder("vet")))
    selector.fit(pair.X, pair.y)
    copies = [clone(selector), pickle.loads(pickle.dumps(selector))]
    for one in copies:
        assert repr(one.callbacks) == repr(selector.callbacks)
        assert not hasattr(one.callbacks[2], "_calls")
    copies[0].fit(pair.X, pair.y)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["fit-1", "fit-2"]


def test_importing_callbacks_imports_no_optional_package():
    loaded = (
        "import sys, minerva_select.callbacks; print(*({'torch', 'mlflow', 'tensorboard', 'IPython'} & {*sys.modules}))"
    )
    result = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
