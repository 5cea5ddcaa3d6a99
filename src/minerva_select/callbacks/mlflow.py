"""A fit in MLflow."""

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
from minerva_select.callbacks.metrics import RunningStep, record_amounts, selection_amounts
from minerva_select.errors import MissingPackageError
from minerva_select.results import Progress, Selection

if TYPE_CHECKING:
    from mlflow import MlflowClient

logger = logging.getLogger("minerva_select")

_FITTED = "minerva.fitted"  # tag of runs that hold a fit
_VALUE_LENGTH = 500  # of a parameter; servers of older versions take no more
_BATCH = 1000  # metrics in one request
_SEND_SECONDS = 2.0  # a request takes a server longer than a step takes us


class MLflow(Callback):
    """Log what a fit tells to MLflow.

    Parameters are those of the selector, as ``minerva.solver`` and the like. Metrics are the bound, the held-out bound
    and the features left of every stage, over the steps of all trainings; at the end what was found, and what each
    selected feature contributes. Artifacts are ``selection.json`` and ``report.html``.

    The run is the active one; where there is none, or where it holds a fit already, one is started (in that case
    within it), and ended with the fit. When the server cannot be reached any more the log says so, and the fit goes on.

    Parameters
    ----------
    run_name : str, optional
        Name of a run that is started.
    experiment : str, optional
        Experiment of a run that is started, made if need be; MLflow's current one unless given.
    tracking_uri : str, optional
        Server of a run that is started; MLflow's current one unless given.

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
            import mlflow  # noqa: F401, PLC0415 - an extra, and 2 s
        except ImportError:
            raise MissingPackageError(
                "The callback MLflow needs the package mlflow; install it with pip install 'minerva-select[mlflow]'."
            ) from None
        self._run = _Run(self.run_name, self.experiment, self.tracking_uri)
        self._run.log_settings(settings)

    def __call__(self, progress: Progress) -> None:
        """Log the amounts of a line of the training history."""
        if self._run is not None and progress.record is not None:
            self._run.log_amounts(record_amounts(progress.record), self._run.step.of(progress.record))

    def on_end(self, selection: Selection | None) -> None:
        """Log what was found, and end the run if it was started here."""
        run, self._run = self._run, None
        if run is None:
            return
        if selection is not None:
            run.log_amounts(selection_amounts(selection), run.step.last)
            run.log_files(selection)
        run.end(failed=selection is None)


class _Run:
    """A run of MLflow, and what is still to be sent to it."""

    def __init__(self, name: str | None, experiment: str | None, uri: str | None) -> None:
        import mlflow  # noqa: PLC0415

        self.step = RunningStep()
        active = mlflow.active_run()
        with contextlib.ExitStack() as afterwards:
            if active is None and uri is not None:
                afterwards.callback(mlflow.set_tracking_uri, mlflow.get_tracking_uri())
                mlflow.set_tracking_uri(uri)
            self._is_own = active is None or _FITTED in mlflow.get_run(active.info.run_id).data.tags
            if active is None or self._is_own:
                place = None if experiment is None else _experiment_id(mlflow.MlflowClient(), experiment)
                active = mlflow.start_run(run_name=name, experiment_id=place, nested=active is not None)
            self._afterwards = afterwards.pop_all()
        self._client = mlflow.MlflowClient()
        self._id = active.info.run_id
        self._waiting: list[Any] = []
        self._sent = time.monotonic()

    def log_settings(self, settings: Mapping[str, Any]) -> None:
        """Log parameters, under names that the user's own do not have: a parameter cannot be logged twice."""
        from mlflow.entities import Param, RunTag  # noqa: PLC0415

        params = [Param(f"minerva.{name}", _short(value)) for name, value in settings.items()]
        self._client.log_batch(self._id, params=params, tags=[RunTag(_FITTED, "true")])

    def log_amounts(self, amounts: Mapping[str, float], step: int) -> None:
        """Log metrics, soon."""
        from mlflow.entities import Metric  # noqa: PLC0415

        now = int(1000 * time.time())
        self._waiting += [Metric(name, float(value), now, step) for name, value in amounts.items()]
        if time.monotonic() - self._sent > _SEND_SECONDS:
            self._send()

    def log_files(self, selection: Selection) -> None:
        """Log the answer and its report."""
        with _no_harm(), tempfile.TemporaryDirectory(prefix="minerva-") as folder:
            selection.save(Path(folder) / "selection.json")
            selection.report(Path(folder) / "report.html")
            self._client.log_artifacts(self._id, folder)

    def end(self, failed: bool) -> None:
        """Send what is left; end the run if it is ours."""
        import mlflow  # noqa: PLC0415

        with self._afterwards:
            self._send()
            if self._is_own:
                with _no_harm():
                    mlflow.end_run("FAILED" if failed else "FINISHED")

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        with _no_harm():
            for start in range(0, len(waiting), _BATCH):
                self._client.log_batch(self._id, metrics=waiting[start : start + _BATCH])
        self._sent = time.monotonic()


@contextlib.contextmanager
def _no_harm() -> Iterator[None]:
    """Keep a fit, and its answer, from being lost because MLflow cannot be told of it."""
    from mlflow.exceptions import MlflowException  # noqa: PLC0415

    try:
        yield
    except (MlflowException, OSError) as error:
        logger.warning("MLflow could not be told of all of the fit: %s", error)


def _experiment_id(client: MlflowClient, name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(client.create_experiment(name) if found is None else found.experiment_id)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _VALUE_LENGTH else text[: _VALUE_LENGTH - 1] + "…"
