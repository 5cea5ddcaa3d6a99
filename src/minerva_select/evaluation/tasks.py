"""Tasks of a comparison: fit a method, measure the information it kept, score a model of the kept features."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minerva_select import selectors  # loads torch, before the time of a fit starts
from minerva_select.codes import FailureCode
from minerva_select.evaluation.dataset import Dataset, as_arrow, read_arrow
from minerva_select.evaluation.downstream import Score, boosting_score
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.methods import Method, build
from minerva_select.evaluation.records import Record, provenance
from minerva_select.evaluation.worker import measure_call, run_in_process
from minerva_select.results import Estimate

GRACE = 60.0  # seconds for a method with a time limit of its own to end by itself


@dataclass(frozen=True)
class Fit:
    """A method, the rows to fit it on, and the arguments of :func:`~minerva_select.evaluation.methods.build`."""

    method: Method
    X: Any  # an Arrow table, or the path of a file with one
    y: Any
    arguments: Mapping[str, Any]


def fit_in_process(fit: Fit) -> Record | Failure:
    """Fit in a fresh process that is killed when the time is up."""
    limit = fit.arguments["time_limit"]
    if limit is not None and fit.method.has_time_limit:
        limit = 2 * limit + GRACE
    return run_in_process(fit_method, fit, limit)


def fit_on_worker(dataset: Dataset, split: int, method: Method, arguments: Mapping[str, Any]) -> Record | Failure:
    """Fit in a joblib worker, which cannot be killed: too long a fit counts as out of time when it has ended.

    Memory is not reported, since the worker holds more than the method needs.
    """
    rows, limit = dataset.splits[split].train, arguments["time_limit"]
    X, y = as_arrow(dataset.table.take(rows).columns), as_arrow([dataset.target.take(rows)])
    found = fit_method(Fit(method, X, y, arguments)) | {"peak_bytes": None}
    if limit is not None and not method.has_time_limit and found["seconds"] > limit:
        return Failure(FailureCode.OUT_OF_TIME, seconds=found["seconds"])
    return found


def fit_method(fit: Fit) -> Record:
    """Fit a method in this process."""
    X, y = (read_arrow(rows) if isinstance(rows, Path) else rows for rows in (fit.X, fit.y))
    selector = build(fit.method, **fit.arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the selection has those that concern a user
        fitted, seconds, peak_bytes = measure_call(selector.fit, X, y)
    selection = fitted.selection_
    nats = {result.feature: result.marginal_nats for result in selection.features}
    return {
        "selected": list(selection.selected),
        "marginal_nats": {feature: value for feature, value in nats.items() if value is not None},
        "warnings": [dataclasses.asdict(warning) for warning in selection.warnings],
        "converged": selection.converged,
        "seconds": seconds,
        "peak_bytes": peak_bytes,
        **provenance(),
    }


def measure_information(dataset: Dataset, split: int, kept: tuple[str, ...], device: str, seed: int) -> Record:
    """Estimate the information of the kept features on the held-out rows."""

    def estimate() -> Estimate:
        rows = dataset.splits[split].held_out
        return selectors.mutual_information(
            as_arrow(dataset.table.select(kept).take(rows).columns),
            as_arrow([dataset.target.take(rows)]),
            target_type=dataset.target_type,
            categorical_features=[name for name in dataset.categorical if name in kept],
            device=device,
            random_state=seed,
        )

    return _timed(estimate)


def measure_score(dataset: Dataset, split: int, kept: tuple[str, ...], seed: int) -> Record:
    """Train gradient boosting with the kept features on the training rows, and score it on the held-out rows."""
    table, target, rows = dataset.table.select(kept), dataset.target, dataset.splits[split]
    train, test = ((table.take(part), target.take(part)) for part in (rows.train, rows.held_out))
    return _timed(lambda: boosting_score(train, test, dataset.metric, seed=seed, categorical=dataset.given_categorical))


def _timed(measure: Callable[[], Estimate | Score]) -> Record:
    start = time.perf_counter()
    result = dataclasses.asdict(measure())
    return {"result": result, "seconds": time.perf_counter() - start, **provenance()}
