"""Log a fit to MLflow."""

from __future__ import annotations

import contextlib
import json
import logging
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_select.callbacks.base import Callback
from minerva_select.callbacks.metrics import StepCounter, record_metrics, selection_metrics
from minerva_select.errors import MissingPackageError
from minerva_select.results import Progress, Selection

if TYPE_CHECKING:
    from mlflow import MlflowClient

logger = logging.getLogger("minerva_select")

_FITTED = "minerva.fitted"  # tag of runs that contain a fit
_VALUE_LENGTH = 500  # longest parameter value that older MLflow servers accept
_BATCH = 1000  # most metrics per request
_SEND_SECONDS = 2.0  # between requests: a request takes longer than a training step


class MLflow(Callback):
    """Log a fit to MLflow.

    Parameters are those of the selector, such as ``minerva.device``. Metrics are the bound, the held-out bound and the
    number of features of every stage, by training step, and at the end the information found and the contribution of
    each selected feature. Artifacts are ``selection.json`` and ``report.html``.

    The active run is used. If there is none, a new run is started and ended with the fit; if the active run already
    contains a fit, the new run is nested in it. If the server cannot be reached later, a warning is logged and the fit
    continues.

    Parameters
    ----------
    run_name : str, optional
        Name of a new run.
    experiment : str, optional
        Experiment of a new run, created if it does not exist. Default: the current one of MLflow.
    tracking_uri : str, optional
        Server of a new run. Default: the current one of MLflow.

    Examples
    --------
    >>> from minerva_select import MinervaSelector
    >>> selector = MinervaSelector(callbacks=[MLflow(experiment="fraud")])
    """

    _run: _Run | None = None

    def __init__(
        self, run_name: str | None = None, experiment: str | None = None, tracking_uri: str | None = None
    ) -> None:
        self.run_name = run_name
        self.experiment = experiment
        self.tracking_uri = tracking_uri

    def on_begin(self, settings: Mapping[str, Any]) -> None:
        """Find or start a run, and log the parameters."""
        try:
            import mlflow  # noqa: F401, PLC0415 - an extra that takes 2 s to import
        except ImportError:
            raise MissingPackageError(
                "The callback MLflow needs the package mlflow; install it with pip install 'minerva-select[mlflow]'."
            ) from None
        self._run = _Run(self.run_name, self.experiment, self.tracking_uri)
        self._run.log_settings(settings)

    def __call__(self, progress: Progress) -> None:
        """Log the metrics of one line of the training history."""
        if self._run is not None and progress.record is not None:
            self._run.log_metrics(record_metrics(progress.record), self._run.steps.update(progress.record))

    def on_end(self, selection: Selection | None) -> None:
        """Log the selection, and end the run if it was started here."""
        run, self._run = self._run, None
        if run is None:
            return
        if selection is not None:
            run.log_metrics(selection_metrics(selection), run.steps.total)
            run.log_files(selection)
        run.end(failed=selection is None)


class _Run:
    """An MLflow run and the metrics that wait to be sent to it."""

    def __init__(self, name: str | None, experiment: str | None, uri: str | None) -> None:
        import mlflow  # noqa: PLC0415

        self.steps = StepCounter()
        active = mlflow.active_run()
        with contextlib.ExitStack() as stack:
            if active is None and uri is not None:
                stack.callback(mlflow.set_tracking_uri, mlflow.get_tracking_uri())
                mlflow.set_tracking_uri(uri)
            self._is_own = active is None or _FITTED in mlflow.get_run(active.info.run_id).data.tags
            if active is None or self._is_own:
                experiment_id = None if experiment is None else _experiment_id(mlflow.MlflowClient(), experiment)
                active = mlflow.start_run(run_name=name, experiment_id=experiment_id, nested=active is not None)
            self._restore_uri = stack.pop_all()
        self._client = mlflow.MlflowClient()
        self._id = active.info.run_id
        self._waiting: list[Any] = []
        self._sent = time.monotonic()

    def log_settings(self, settings: Mapping[str, Any]) -> None:
        """Log parameters with a prefix, because a user's parameter of the same name cannot be logged twice."""
        from mlflow.entities import Param, RunTag  # noqa: PLC0415

        params = [Param(f"minerva.{name}", _short(value)) for name, value in settings.items()]
        self._client.log_batch(self._id, params=params, tags=[RunTag(_FITTED, "true")])

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Add metrics to the next request."""
        from mlflow.entities import Metric  # noqa: PLC0415

        now = int(1000 * time.time())
        self._waiting += [Metric(name, float(value), now, step) for name, value in metrics.items()]
        if time.monotonic() - self._sent > _SEND_SECONDS:
            self._send()

    def log_files(self, selection: Selection) -> None:
        """Log the selection and its report."""
        with _log_errors(), tempfile.TemporaryDirectory(prefix="minerva-") as folder:
            selection.save(Path(folder) / "selection.json")
            selection.report(Path(folder) / "report.html")
            self._client.log_artifacts(self._id, folder)

    def end(self, failed: bool) -> None:
        """Send the waiting metrics, and end the run if it was started here."""
        import mlflow  # noqa: PLC0415

        with self._restore_uri:
            self._send()
            if self._is_own:
                with _log_errors():
                    mlflow.end_run("FAILED" if failed else "FINISHED")

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        with _log_errors():
            for start in range(0, len(waiting), _BATCH):
                self._client.log_batch(self._id, metrics=waiting[start : start + _BATCH])
        self._sent = time.monotonic()


@contextlib.contextmanager
def _log_errors() -> Iterator[None]:
    """Log errors of MLflow instead of raising them: they must not end a fit."""
    from mlflow.exceptions import MlflowException  # noqa: PLC0415

    try:
        yield
    except (MlflowException, OSError) as error:
        logger.warning("Some of the fit could not be logged to MLflow: %s", error)


def _experiment_id(client: MlflowClient, name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(client.create_experiment(name) if found is None else found.experiment_id)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _VALUE_LENGTH else text[: _VALUE_LENGTH - 1] + "…"
