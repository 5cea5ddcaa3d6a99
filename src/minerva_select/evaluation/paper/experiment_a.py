"""Experiment A, Table 1: two columns that carry information only together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.tables import ResultTable, column_numbers, failure_text, megabytes, seconds
from minerva_select.evaluation.paper.tasks import Task, select
from minerva_select.evaluation.records import Record
from minerva_select.problems import Problem, equality
from minerva_select.text.comparison import OUTCOME_LABELS
from minerva_select.text.formatting import NOT_MEASURED

REQUIRED: tuple[str, ...] = ()
MOST_LISTED = 8  # columns; longer selections are counted
_DATA_LABELS = {"generated": "generated data", "authors": "the authors' data"}


def make_tasks(configuration: Configuration, data: Path | None) -> list[Task]:
    """Every method with its own rule, and again with the number of relevant columns."""
    settings = configuration.settings
    shared = {name: settings[name] for name in ("rows", "columns", "levels", "relevant", "seed")}
    return [
        Task(
            METHODS[method].label + ("" if k is None else f", k = {k}"),
            {
                "experiment": "a",
                "data": "generated" if data is None else "authors",
                "method": method,
                "n_features": k,
                "parameters": settings.get("parameters", {}).get(method, {}),
                **shared,
            },
            None if data is None else str(data),
        )
        for method in settings["methods"]
        for k in ((None, len(settings["relevant"])) if settings["also_given_k"] else (None,))
    ]


def run_task(task: Task) -> Record:
    """Select, and score the selection."""
    problem = _problem(task)
    found = select(task, problem.X, problem.y)
    return {**found, "outcome": score_selection(found["selected"], problem.relevant).outcome}


def _problem(task: Task) -> Problem:
    settings = task.settings
    if task.data is None:
        return equality(
            settings["rows"],
            settings["columns"],
            n_levels=settings["levels"],
            relevant=settings["relevant"],
            random_state=settings["seed"],
        )
    X = pd.read_parquet(task.data).iloc[: settings["rows"]]
    y = X.pop("y")
    return Problem("equality", X, y, relevant=tuple(f"f{index}" for index in settings["relevant"]))


def make_tables(configuration: Configuration, records: Sequence[Record]) -> list[ResultTable]:
    """Table 1: kept columns and outcomes, the paper's and ours."""
    settings = configuration.settings
    n_columns, k = settings["columns"], len(settings["relevant"])
    by_task = {(record["task"]["method"], record["task"]["n_features"]): record for record in records}
    rows = []
    for method in settings["methods"]:
        published = configuration.published.get(method)
        paper = (published["kept"], OUTCOME_LABELS[published["outcome"]]) if published else (NOT_MEASURED,) * 2
        own = by_task[method, None]
        given_k = _answer(by_task[method, k], n_columns) if settings["also_given_k"] else ()
        rows.append((METHODS[method].label, *paper, *_answer(own, n_columns), *given_k, seconds(own), megabytes(own)))
    given_k_header = (f"k = {k}: kept", "outcome") if settings["also_given_k"] else ()
    header = ("method", "paper: kept", "outcome", "kept", "outcome", *given_k_header, "s", "MB")
    task = records[0]["task"]
    note = (
        f"{task['rows']:,} rows x {task['columns']} columns of {task['levels']} levels, {_DATA_LABELS[task['data']]}; "
        f"the relevant columns are {', '.join(map(str, settings['relevant']))}."
    )
    return [ResultTable(f"Table 1. {configuration.title}", header, tuple(rows), (note,))]


def _answer(record: Record, n_columns: int) -> tuple[str, str]:
    """Kept columns and outcome, or why there are none."""
    if record["failure"]:
        return NOT_MEASURED, failure_text(record)
    selected = record["selected"]
    is_listed = len(selected) <= MOST_LISTED or len(selected) == n_columns
    shown = column_numbers(selected, n_columns) if is_listed else f"{len(selected)} columns"
    return shown, OUTCOME_LABELS[record["outcome"]]
