"""Rows of a table, each computed in its own process and recorded."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from minerva_select.codes import FailureCode
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.methods import build
from minerva_select.evaluation.records import Record, Records, provenance
from minerva_select.evaluation.worker import measure_call, run_in_process


@dataclass(frozen=True)
class Task:
    """One row to compute.

    Attributes
    ----------
    label : str
        Its name in tables.
    settings : mapping
        All that determines the result, as plain JSON values: tasks with equal settings have equal results.
    data : str or None
        Path of the file with the data, if any; the settings say what it is, not where.
    """

    label: str
    settings: Mapping[str, Any]
    data: str | None = None


RunTask = Callable[[Task], Mapping[str, Any]]


def run_tasks(
    tasks: Iterable[Task],
    run_task: RunTask,
    records: Records,
    time_limit: float | None = None,
    report: Callable[[str, float], None] = lambda _label, _fraction: None,
) -> list[Record]:
    """Run tasks that are not on record, one after the other, and return the record of each.

    A failure is recorded too. The next call repeats it, a timeout only with another limit.
    """
    wanted, found = list(tasks), []
    for index, task in enumerate(wanted):
        report(task.label, index / len(wanted))
        record = records.find({"task": dict(task.settings)})
        if record is None or not _is_final(record["failure"], time_limit):
            record = records.append(_compute(task, run_task, time_limit))
        found.append(record)
    report("done", 1.0)
    return found


def select(task: Task, X: pd.DataFrame, y: pd.Series | pd.DataFrame, **parameters: Any) -> Record:
    """Fit the method of a task; ``parameters`` of its class are added to those in the settings."""
    settings = task.settings
    warnings.simplefilter("ignore")  # this process has no other task
    selector = build(settings["method"], n_features=settings.get("n_features"), seed=settings["seed"])
    selector.set_params(**parameters, **settings["parameters"])
    if "n_jobs" in selector.get_params():
        selector.set_params(n_jobs=-1)
    fitted, seconds, peak_bytes = measure_call(selector.fit, X, y)
    return {"selected": list(fitted.selection_.selected), "seconds": seconds, "peak_bytes": peak_bytes}


def _is_final(failure: Mapping[str, Any] | None, time_limit: float | None) -> bool:
    if failure is None:
        return True
    return bool(failure["code"] == FailureCode.OUT_OF_TIME and failure["seconds"] == time_limit)


def _compute(task: Task, run_task: RunTask, time_limit: float | None) -> Record:
    result = run_in_process(run_task, task, time_limit)
    record = {"label": task.label, "task": dict(task.settings)}
    record |= {"failure": dataclasses.asdict(result)} if isinstance(result, Failure) else {"failure": None, **result}
    return record | provenance()
