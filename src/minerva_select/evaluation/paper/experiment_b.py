"""Experiment B, Tables 2 and 3: a switch between two sums, and what a model makes of each selection."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import train_test_split

from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper.cells import Cell
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.selecting import select
from minerva_select.evaluation.paper.tables import NOT_KNOWN, FigureTable, figure, megabytes, numbers, seconds
from minerva_select.evaluation.records import Record
from minerva_select.problems import Problem, switching
from minerva_select.text.comparison import OUTCOME_LABELS

NEEDS = ("catboost",)
ALL, TRUTH = "all", "truth"
_LABELS = {ALL: "all features", TRUTH: "the truth"}
_MODEL = ("test_share", "trees", "depth")


def cells(configuration: Configuration, data: Path | None) -> list[Cell]:
    """All features, every method told how many, some also not told, and the truth."""
    settings = configuration.settings
    rows = [(ALL, None), *((method, None) for method in settings["untold"])]
    rows += [*((method, settings["told"]) for method in settings["methods"]), (TRUTH, None)]
    shared = {name: settings[name] for name in ("rows", "columns", "levels", "seed", *_MODEL)}
    return [
        Cell(
            _label(method, told),
            {
                "experiment": "b",
                "method": method,
                "told": told,
                "parameters": settings.get("parameters", {}).get(method, {}),
                **shared,
            },
        )
        for method, told in rows
    ]


def perform(cell: Cell) -> dict[str, Any]:
    """Select on all rows, as the paper does; then fit CatBoost to four fifths of them and score both parts."""
    task = cell.task
    problem = switching(task["rows"], task["columns"], n_levels=task["levels"], random_state=task["seed"])
    found = _selected(task, problem)
    judged = score_selection(found["selected"], problem.relevant)
    in_sample, out_of_sample = _r_squared(problem, found["selected"], task)
    return {
        **found,
        "n_correct": len(judged.true_positives),
        "outcome": str(judged.outcome),
        "in_sample": in_sample,
        "out_of_sample": out_of_sample,
    }


def _selected(task: Any, problem: Problem) -> dict[str, Any]:
    if task["method"] in _LABELS:
        return {"selected": list(problem.X.columns if task["method"] == ALL else problem.relevant)}
    return select(task, problem.X, problem.y)


def _r_squared(problem: Problem, features: Sequence[str], task: Any) -> tuple[float, float]:
    from catboost import CatBoostRegressor  # noqa: PLC0415 - an optional package

    if not features:
        return 0.0, 0.0
    X: pd.DataFrame = problem.X[list(features)]
    X_train, X_test, y_train, y_test = train_test_split(
        X, problem.y, test_size=task["test_share"], random_state=task["seed"]
    )
    model = CatBoostRegressor(
        iterations=task["trees"],
        depth=task["depth"],
        random_seed=task["seed"],
        verbose=False,
        allow_writing_files=False,
    )
    model.fit(X_train, y_train)
    return float(model.score(X_train, y_train)), float(model.score(X_test, y_test))


def tables(configuration: Configuration, records: Sequence[Record]) -> list[FigureTable]:
    """Table 2: who finds which; Table 3: what that is worth to a model."""
    settings = configuration.settings
    methods_alone = [record for record in records if record["task"]["method"] not in _LABELS]
    note = f"{settings['rows']:,} rows x {settings['columns']} columns, the authors' columns and coefficients."
    found = FigureTable(
        f"Table 2. {configuration.title}",
        ("method", "paper: correct", "correct", "verdict", "missed or too many", "s", "MB"),
        tuple(_row_of_selection(record, configuration) for record in methods_alone),
        (note,),
    )
    worth = FigureTable(
        f"Table 3. R2 of CatBoost ({settings['trees']} trees of depth {settings['depth']}) on each selection",
        ("features", "kept", "paper: in-sample", "in-sample", "paper: out-of-sample", "out-of-sample"),
        tuple(_row_of_model(record, configuration) for record in records),
        (f"Out of sample is a random {settings['test_share']:.0%} of the rows.",),
    )
    return [found, worth]


def _row_of_selection(record: Record, configuration: Configuration) -> tuple[str, ...]:
    task = record["task"]
    label = _label(task["method"], task["told"])
    theirs = configuration.theirs.get(task["method"], {}) if task["told"] else {}
    n_wanted = configuration["told"]
    paper = f"{theirs['correct']} of {n_wanted}" if theirs else NOT_KNOWN
    if record["error"]:
        return label, paper, NOT_KNOWN, record["error"], NOT_KNOWN, NOT_KNOWN, NOT_KNOWN
    truth = switching(1, configuration["columns"]).relevant
    judged = score_selection(record["selected"], truth)
    wrong = [f"not {numbers(judged.false_negatives, 0)}"] * bool(judged.false_negatives)
    wrong += [f"too many: {numbers(judged.false_positives, 0)}"] * bool(judged.false_positives)
    outcome = OUTCOME_LABELS[record["outcome"]]
    return (
        label,
        paper,
        f"{record['n_correct']} of {n_wanted}",
        outcome,
        "; ".join(wrong) or NOT_KNOWN,
        seconds(record),
        megabytes(record),
    )


def _row_of_model(record: Record, configuration: Configuration) -> tuple[str, ...]:
    task = record["task"]
    theirs = configuration.theirs.get(task["method"], {}) if task["told"] or task["method"] == ALL else {}
    return (
        _label(task["method"], task["told"]),
        NOT_KNOWN if record["error"] else str(len(record["selected"])),
        figure(theirs.get("in_sample"), 4),
        figure(record.get("in_sample"), 4),
        figure(theirs.get("out_of_sample"), 4),
        figure(record.get("out_of_sample"), 4),
    )


def _label(method: str, told: int | None) -> str:
    label = _LABELS.get(method) or METHODS[method].label
    return label if method in _LABELS or told else f"{label}, not told"
