"""Experiment B, Tables 2 and 3: a switch between two sums, and a model trained on each selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import train_test_split

from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.methods import METHODS
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.tables import ResultTable, column_numbers, failure_text, megabytes, seconds
from minerva_select.evaluation.paper.tasks import Task, select
from minerva_select.evaluation.records import Record
from minerva_select.problems import Problem, switching
from minerva_select.text.comparison import OUTCOME_LABELS
from minerva_select.text.formatting import NOT_MEASURED, number

REQUIRED = ("catboost",)
ALL, RELEVANT = "all", "relevant"
_LABELS = {ALL: "all features", RELEVANT: "relevant features"}


def make_tasks(configuration: Configuration, data: Path | None) -> list[Task]:
    """All features, every method given k, some also without k, and the relevant features."""
    settings = configuration.settings
    rows = [(ALL, None), *((method, None) for method in settings["also_without_k"])]
    rows += [*((method, settings["k"]) for method in settings["methods"]), (RELEVANT, None)]
    shared = {name: settings[name] for name in ("rows", "columns", "levels", "seed", "test_share", "trees", "depth")}
    return [
        Task(
            _label(method, k),
            {
                "experiment": "b",
                "method": method,
                "n_features": k,
                "parameters": settings.get("parameters", {}).get(method, {}),
                **shared,
            },
        )
        for method, k in rows
    ]


def run_task(task: Task) -> Record:
    """Select on all rows, as the paper does; then train CatBoost on four fifths of them and score both parts."""
    settings = task.settings
    problem = switching(
        settings["rows"], settings["columns"], n_levels=settings["levels"], random_state=settings["seed"]
    )
    if settings["method"] in _LABELS:
        found = {"selected": list(problem.X.columns if settings["method"] == ALL else problem.relevant)}
    else:
        found = select(task, problem.X, problem.y)
    score = score_selection(found["selected"], problem.relevant)
    in_sample, out_of_sample = _r_squared(problem, found["selected"], settings)
    return {
        **found,
        "n_correct": len(score.true_positives),
        "outcome": score.outcome,
        "in_sample": in_sample,
        "out_of_sample": out_of_sample,
    }


def _r_squared(problem: Problem, features: Sequence[str], settings: Mapping[str, Any]) -> tuple[float, float]:
    from catboost import CatBoostRegressor  # noqa: PLC0415 - an optional package

    if not features:
        return 0.0, 0.0
    X: pd.DataFrame = problem.X[list(features)]
    X_train, X_test, y_train, y_test = train_test_split(
        X, problem.y, test_size=settings["test_share"], random_state=settings["seed"]
    )
    model = CatBoostRegressor(
        iterations=settings["trees"],
        depth=settings["depth"],
        random_seed=settings["seed"],
        verbose=False,
        allow_writing_files=False,
    )
    model.fit(X_train, y_train)
    return float(model.score(X_train, y_train)), float(model.score(X_test, y_test))


def make_tables(configuration: Configuration, records: Sequence[Record]) -> list[ResultTable]:
    """Table 2: relevant features found; Table 3: R2 of a model with each selection."""
    settings = configuration.settings
    selections = [record for record in records if record["task"]["method"] not in _LABELS]
    note = f"{settings['rows']:,} rows x {settings['columns']} columns, the authors' columns and coefficients."
    found = ResultTable(
        f"Table 2. {configuration.title}",
        ("method", "paper: correct", "correct", "outcome", "missed or irrelevant", "s", "MB"),
        tuple(_selection_row(record, configuration) for record in selections),
        (note,),
    )
    scores = ResultTable(
        f"Table 3. R2 of CatBoost ({settings['trees']} trees of depth {settings['depth']}) with each selection",
        ("features", "kept", "paper: in-sample", "in-sample", "paper: out-of-sample", "out-of-sample"),
        tuple(_model_row(record, configuration) for record in records),
        (f"Out of sample is a random {settings['test_share']:.0%} of the rows.",),
    )
    return [found, scores]


def _selection_row(record: Record, configuration: Configuration) -> tuple[str, ...]:
    task, k = record["task"], configuration["k"]
    published = configuration.published.get(task["method"], {}) if task["n_features"] else {}
    label = _label(task["method"], task["n_features"])
    paper = f"{published['correct']} of {k}" if published else NOT_MEASURED
    if record["failure"]:
        return label, paper, NOT_MEASURED, failure_text(record), *[NOT_MEASURED] * 3
    score = score_selection(record["selected"], switching(1, configuration["columns"]).relevant)
    wrong = [f"missed: {column_numbers(score.false_negatives)}"] * bool(score.false_negatives)
    wrong += [f"irrelevant: {column_numbers(score.false_positives)}"] * bool(score.false_positives)
    outcome, mistakes = OUTCOME_LABELS[record["outcome"]], "; ".join(wrong) or "none"
    return label, paper, f"{record['n_correct']} of {k}", outcome, mistakes, seconds(record), megabytes(record)


def _model_row(record: Record, configuration: Configuration) -> tuple[str, ...]:
    task = record["task"]
    published = configuration.published.get(task["method"], {}) if task["n_features"] or task["method"] == ALL else {}
    return (
        _label(task["method"], task["n_features"]),
        NOT_MEASURED if record["failure"] else str(len(record["selected"])),
        number(published.get("in_sample"), 4),
        number(record.get("in_sample"), 4),
        number(published.get("out_of_sample"), 4),
        number(record.get("out_of_sample"), 4),
    )


def _label(method: str, k: int | None) -> str:
    label = _LABELS.get(method) or METHODS[method].label
    return label if method in _LABELS or k else f"{label}, without k"
