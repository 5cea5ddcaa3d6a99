"""One method on one table, in a process of its own or in one that is there: the task, and what comes back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minerva_select.selectors  # noqa: F401 - loaded while the process starts, so that it counts in no method's time
from minerva_select.evaluation.dataset import Study, as_arrow, read_rows
from minerva_select.evaluation.methods import Method, build
from minerva_select.evaluation.records import Record, provenance
from minerva_select.evaluation.worker import OutOfTimeError, Worker, measured

GRACE = 60.0  # seconds a method that ends itself has to do so


@dataclass(frozen=True)
class Fit:
    """A method, what it is fitted on, and the arguments of :func:`~minerva_select.evaluation.methods.build`."""

    method: Method
    features: Any  # an Arrow table, or the path of a file with one
    target: Any
    arguments: dict[str, Any]


def fit_apart(fit: Fit, time_limit: float | None) -> Record:
    """Fit in a fresh process, and kill it when time is up.

    Returns
    -------
    dict
        ``selected``, ``alone`` (nats of each feature that were measured), ``notes``, ``cut_short``, ``seconds`` and
        ``peak_bytes``; of a method that ran out of time ``selected`` is None and ``notes`` says so.

    Raises
    ------
    FailedError, DiedError
        There is no answer.
    """
    hard_limit = time_limit
    if time_limit is not None and fit.method.ends_itself:
        hard_limit = 2 * time_limit + GRACE
    try:
        with Worker(perform) as worker:
            found: Record = worker.ask(fit, hard_limit)
    except OutOfTimeError as error:
        return _out_of_time(str(error), hard_limit)
    return found


def fit_within(study: Study, split: int, method: Method, arguments: dict[str, Any]) -> Record:
    """Fit in this process, which others may use too, on the rows of a split.

    Nothing stops a fit here: one that took longer than ``time_limit`` is told as out of time when it is done. Memory
    is not told, since a process that has done other things before holds more than the method needs.
    """
    rows = study.splits[split].selection
    X, y = as_arrow(study.table.take(rows).columns), as_arrow([study.target.take(rows)])
    found, limit = perform(Fit(method, X, y, arguments)) | {"peak_bytes": None}, arguments["time_limit"]
    if limit is not None and not method.ends_itself and found["seconds"] > limit:
        found = _out_of_time(f"out of time: took {found['seconds']:.3g} of {limit:g} s", found["seconds"])
    return {"time_limit": limit} | found | provenance()


def perform(fit: Fit) -> Record:
    """Fit a method in this process."""
    X, y = (read_rows(rows) if isinstance(rows, Path) else rows for rows in (fit.features, fit.target))
    selector = build(fit.method, **fit.arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a user should know is in the selection's own words
        fitted, seconds, peak_bytes = measured(selector.fit, X, y)
    selection = fitted.selection_
    nats = {result.feature: result.marginal_nats for result in selection.features}
    return {
        "selected": list(selection.selected),
        "alone": {feature: amount for feature, amount in nats.items() if amount is not None},
        "notes": [str(warning) for warning in selection.warnings],
        "cut_short": not selection.converged,
        "seconds": seconds,
        "peak_bytes": peak_bytes,
    }


def _out_of_time(note: str, seconds: float | None) -> Record:
    return {"selected": None, "notes": [note], "cut_short": True, "seconds": seconds, "peak_bytes": None}
