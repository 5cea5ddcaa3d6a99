"""One method on one table in a process of its own: the task, and what comes back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minerva.selectors  # noqa: F401 - loaded while the process starts, so that it counts in no method's time
from minerva.evaluation.methods import Method, build
from minerva.evaluation.records import Record
from minerva.evaluation.study import read_rows
from minerva.evaluation.worker import OutOfTimeError, Worker, measured

GRACE = 60.0  # seconds a method that ends itself has to do so


@dataclass(frozen=True)
class Fit:
    """A method, the files it is fitted on, and the arguments of :func:`~minerva.evaluation.methods.build`."""

    method: Method
    features: Path
    target: Path
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
        return {"selected": None, "notes": [str(error)], "cut_short": True, "seconds": hard_limit, "peak_bytes": None}
    return found


def perform(fit: Fit) -> Record:
    """Fit a method in this process."""
    warnings.simplefilter("ignore")  # what a user should know is in the selection's own words
    X, y = read_rows(fit.features), read_rows(fit.target)
    selector = build(fit.method, **fit.arguments)
    fitted, seconds, peak_bytes = measured(selector.fit, X, y)
    selection = fitted.selection_
    nats = {result.feature: result.marginal_nats for result in selection.features}
    return {
        "selected": list(selection.selected),
        "alone": {feature: amount for feature, amount in nats.items() if amount is not None},
        "notes": list(selection.warnings),
        "cut_short": not selection.converged,
        "seconds": seconds,
        "peak_bytes": peak_bytes,
    }
