"""What is logged to MLflow, read back with its own client."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec

import pytest

from full_selection import full_selection
from minerva_select.callbacks import MLflow
from minerva_select.errors import MissingPackageError
from minerva_select.results import Progress, Selection, TrainingRecord

pytestmark = pytest.mark.skipif(find_spec("mlflow") is None, reason="needs the extra mlflow")


@pytest.fixture
def mlflow(monkeypatch, tmp_path):
    """MLflow with a folder as its store: the tests have neither a database nor a server."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")  # read when MLflow is imported
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", "")  # MLflow sets it; restored after the test
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    yield mlflow
    while mlflow.active_run() is not None:
        mlflow.end_run()
    mlflow.set_tracking_uri(None)


def feed(callback, selection, settings=()):
    """Call a callback as a fit with 50 steps of learning and 25 of vetting would."""
    callback.on_begin(dict(settings))
    callback(Progress("encode", 0.1))
    for stage, step, bound in (("learn", 25, 0.1), ("learn", 50, 0.3), ("vet", 25, 0.5)):
        record = TrainingRecord(stage, step, bound, held_out_bound=bound / 2, n_features=step)
        callback(Progress(stage, 0.5, record.held_out_bound, record.n_features, record))
    callback.on_end(selection)


def runs(mlflow, experiment="Default"):
    """All runs of an experiment, latest first."""
    return mlflow.MlflowClient().search_runs([mlflow.get_experiment_by_name(experiment).experiment_id])


def history(mlflow, run, name):
    return [(one.step, one.value) for one in mlflow.MlflowClient().get_metric_history(run.info.run_id, name)]


def test_a_run_contains_parameters_metrics_and_files(mlflow, tmp_path):
    selection = full_selection(names=["a b", "a_b", "é ¿"])
    feed(MLflow(run_name="first"), selection, {"solver": "vetting", "keep": ["a b"], "time_limit": None})
    (run,) = runs(mlflow)
    assert (run.info.run_name, run.info.status) == ("first", "FINISHED")
    assert run.data.params == {
        "minerva.solver": "vetting",
        "minerva.keep": '["a b"]',
        "minerva.time_limit": "null",
    }
    assert history(mlflow, run, "bound/learn") == [(25, 0.1), (50, 0.3)]
    assert history(mlflow, run, "held_out_bound/vet") == [(75, 0.25)]
    assert history(mlflow, run, "features/vet") == [(75, 25)]
    assert history(mlflow, run, "information") == [(75, 0.6)]
    assert run.data.metrics["information_kept"] == pytest.approx(0.6 / 0.61)
    assert run.data.metrics["selected"] == 4
    assert (run.data.metrics["contribution/a_b-2"], run.data.metrics["contribution/a_b"]) == (0.5, 0.25)
    assert run.data.metrics["contribution/é__"] == pytest.approx(0.5 / 3)
    client = mlflow.MlflowClient()
    assert sorted(file.path for file in client.list_artifacts(run.info.run_id)) == ["report.html", "selection.json"]
    path = client.download_artifacts(run.info.run_id, "selection.json", str(tmp_path))
    assert Selection.load(path) == selection


def test_long_values_are_cut(mlflow):
    feed(MLflow(), None, {"drop": [f"column {k}" for k in range(1000)]})
    value = runs(mlflow)[0].data.params["minerva.drop"]
    assert len(value) == 500
    assert value.startswith('["column 0", ')
    assert value.endswith("…")


def test_a_failed_fit_is_a_failed_run(mlflow):
    feed(MLflow(), None)
    (run,) = runs(mlflow)
    assert run.info.status == "FAILED"
    assert "information" not in run.data.metrics
    assert mlflow.active_run() is None


def test_the_active_run_is_used_and_stays_active(mlflow):
    with mlflow.start_run() as mine:
        mlflow.log_param("random_state", 7)
        feed(MLflow(run_name="not this"), full_selection(), {"random_state": 0})
        assert mlflow.active_run().info.run_id == mine.info.run_id
    (run,) = runs(mlflow)
    assert run.data.params == {"random_state": "7", "minerva.random_state": "0"}
    assert run.data.metrics["information"] == 0.6


def test_further_fits_in_the_active_run_are_nested_runs(mlflow):
    callback = MLflow()
    with mlflow.start_run() as mine:
        feed(callback, full_selection(), {"random_state": 0})
        feed(callback, None, {"random_state": 1})
        assert mlflow.active_run().info.run_id == mine.info.run_id
    by_seed = {run.data.params["minerva.random_state"]: run for run in runs(mlflow)}
    assert by_seed["0"].info.run_id == mine.info.run_id
    assert by_seed["0"].info.status == "FINISHED"
    assert by_seed["1"].data.tags["mlflow.parentRunId"] == mine.info.run_id
    assert by_seed["1"].info.status == "FAILED"
    assert history(mlflow, by_seed["1"], "bound/learn") == [(25, 0.1), (50, 0.3)]


def test_experiment_and_server_can_be_chosen(mlflow, tmp_path):
    before, elsewhere = mlflow.get_tracking_uri(), (tmp_path / "elsewhere").as_uri()
    for _ in range(2):
        feed(MLflow(experiment="fraud", tracking_uri=elsewhere), None)
    assert mlflow.get_tracking_uri() == before
    assert mlflow.get_experiment_by_name("fraud") is None
    mlflow.set_tracking_uri(elsewhere)
    assert len(runs(mlflow, "fraud")) == 2


def test_a_run_that_cannot_be_started_restores_the_server(mlflow):
    before = mlflow.get_tracking_uri()
    callback = MLflow(tracking_uri="no-such-scheme://host")
    with pytest.raises(Exception, match="no-such-scheme"):
        callback.on_begin({})
    callback.on_end(None)
    assert mlflow.get_tracking_uri() == before


def test_a_lost_server_is_logged_and_does_not_end_the_fit(mlflow, monkeypatch, caplog):
    callback = MLflow()
    callback.on_begin({})

    def gone(*args, **kwargs):
        raise mlflow.exceptions.MlflowException("no route to host")

    monkeypatch.setattr(mlflow.MlflowClient, "log_batch", gone)
    with caplog.at_level(logging.WARNING, logger="minerva_select"):
        callback(Progress("learn", 0.5, record=TrainingRecord("learn", 25, 0.1)))
        callback.on_end(full_selection())
    (line,) = caplog.records
    assert "no route to host" in line.getMessage()


def test_a_missing_package_is_reported_with_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    callback = MLflow()
    with pytest.raises(MissingPackageError, match=r"pip install 'minerva-select\[mlflow\]'"):
        callback.on_begin({})
    callback.on_end(None)
