"""Experiment A, Table 1: two columns that say nothing alone and everything together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper.cells import Cell
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.selecting import select
from minerva_select.evaluation.paper.tables import NOT_KNOWN, FigureTable, megabytes, numbers, seconds
from minerva_select.evaluation.records import Record
from minerva_select.problems import Problem, equality
from minerva_select.text.comparison import OUTCOME_LABELS

NEEDS: tuple[str, ...] = ()


def cells(configuration: Configuration, data: Path | None) -> list[Cell]:
    """Every method by its own rule, and told how many; on the authors' data where they are given."""
    settings = configuration.settings
    shared = {name: settings[name] for name in ("rows", "columns", "levels", "relevant", "seed")}
    return [
        Cell(
            METHODS[method].label + ("" if told is None else f", told {told}"),
            {
                "experiment": "a",
                "data": "generated" if data is None else "the authors'",
                "method": method,
                "told": told,
                "parameters": settings.get("parameters", {}).get(method, {}),
                **shared,
            },
            None if data is None else str(data),
        )
        for method in settings["methods"]
        for told in ((None, len(settings["relevant"])) if settings["also_told"] else (None,))
    ]


def perform(cell: Cell) -> dict[str, Any]:
    """Select, and hold the selection against the truth."""
    problem = _problem(cell)
    found = select(cell.task, problem.X, problem.y)
    return {**found, "outcome": str(score_selection(found["selected"], problem.relevant).outcome)}


def _problem(cell: Cell) -> Problem:
    task = cell.task
    if cell.data is None:
        return equality(
            task["rows"],
            task["columns"],
            n_levels=task["levels"],
            relevant=task["relevant"],
            random_state=task["seed"],
        )
    X = pd.read_parquet(cell.data).iloc[: task["rows"]]
    y = X.pop("y")
    return Problem("equality", X, y, relevant=tuple(f"f{place}" for place in task["relevant"]))


def tables(configuration: Configuration, records: Sequence[Record]) -> list[FigureTable]:
    """Table 1: what was kept and what that is worth, theirs and ours."""
    settings = configuration.settings
    told = len(settings["relevant"])
    by_task = {(record["task"]["method"], record["task"]["told"]): record for record in records}
    also_told = any(is_told for _, is_told in by_task)
    rows = []
    for method in settings["methods"]:
        theirs = configuration.theirs.get(method, {})
        own = by_task[method, None]
        asked = _answer(by_task[method, told], settings["columns"]) if also_told else ()
        paper = theirs.get("kept", NOT_KNOWN), theirs.get("verdict", NOT_KNOWN)
        answer = _answer(own, settings["columns"])
        rows.append((METHODS[method].label, *paper, *answer, *asked, seconds(own), megabytes(own)))
    task = records[0]["task"]
    asked_header = (f"told {told}: kept", "verdict") if also_told else ()
    header = ("method", "paper kept", "verdict", "kept", "verdict", *asked_header, "s", "MB")
    note = (
        f"{task['rows']:,} rows x {task['columns']} columns of {task['levels']} levels, {task['data']} data; "
        f"the truth is {numbers([f'f{place}' for place in settings['relevant']], settings['columns'])}."
    )
    return [FigureTable(f"Table 1. {configuration.title}", header, tuple(rows), (note,))]


def _answer(record: Record, n_columns: int) -> tuple[str, str]:
    """What a method kept and its verdict in short, or why there is none."""
    if record["error"]:
        return NOT_KNOWN, record["error"]
    selected = record["selected"]
    shown = numbers(selected, n_columns) if len(selected) in {*range(9), n_columns} else f"{len(selected)} columns"
    return shown, OUTCOME_LABELS[record["outcome"]]
