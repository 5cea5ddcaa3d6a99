"""Fraud, Table 4: select on a first part, learn on a second, test on an untouched third."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_score, recall_score

from minerva_select.data.frames import as_table
from minerva_select.data.splits import split_rows
from minerva_select.errors import unknown_name
from minerva_select.evaluation.ground_truth import score_selection
from minerva_select.evaluation.paper.cells import Cell
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.selecting import select
from minerva_select.evaluation.paper.tables import NOT_KNOWN, FigureTable, figure, megabytes, seconds
from minerva_select.evaluation.records import Record
from minerva_select.problems import card_fraud
from minerva_select.selectors.baselines.design_matrix import make_design_matrix

NEEDS = ("imblearn", "flaml")
SIMULATED = "simulated"
MOST_LEVELS = 40  # of a category
MADE_AT_ONCE = 10_000  # rows of a table with categories
MEASURES = ("recall", "precision", "pr_auc")


def cells(configuration: Configuration, data: Path | None) -> list[Cell]:
    """Every selection of the configuration, on the file or on simulated payments."""
    settings = configuration.settings
    if data is None:
        source = {"data": SIMULATED, **settings["simulated"]}
    else:
        source = {"data": data.stem, "target": settings["target"], "max_rows": settings["max_rows"]}
    shared = {name: settings[name] for name in ("seed", "budget", "models")}
    return [
        Cell(
            selection["label"],
            {
                "experiment": "fraud",
                **shared,
                **source,
                "name": selection["name"],
                "method": selection.get("method"),
                "smote": selection.get("smote", True),
                "parameters": selection.get("parameters", {}),
            },
            None if data is None else str(data),
        )
        for selection in settings["selections"]
    ]


def perform(cell: Cell) -> dict[str, Any]:
    """Follow the paper's protocol for one selection."""
    warnings.simplefilter("ignore")  # in a process of its own
    task = cell.task
    X, y, is_category, relevant = _payments(cell)
    rng = np.random.default_rng(task["seed"])
    first, second, third = split_rows(len(y), [1, 1, 1], y, rng)
    if task["method"] is None:
        found: dict[str, Any] = {"selected": list(X.columns)}
    else:
        rows = X.iloc[first], y[first]
        X_select, y_select = _oversampled(*rows, is_category, task["seed"]) if task["smote"] else rows
        categories = [str(name) for name in X.columns[is_category]]
        found = select(task, X_select, pd.Series(y_select, name="y"), categorical_features=categories)
    if relevant:
        judged = score_selection(found["selected"], relevant)
        found |= {"n_relevant": len(judged.true_positives), "n_irrelevant": len(judged.false_positives)}
    kept = found["selected"]
    if not kept:
        return {**found, "n_features": X.shape[1], "model": NOT_KNOWN}
    X_learn, y_learn = _oversampled(X.iloc[second], y[second], is_category, task["seed"])
    model = _search(X_learn[kept], y_learn, task)
    parts = ((X_learn[kept], y_learn), (X.iloc[third][kept], y[third]))
    scored = [_measures(y_part, model.predict_proba(X_part)[:, 1]) for X_part, y_part in parts]
    figures = {measure: [scores[measure] for scores in scored] for measure in MEASURES}
    return {**found, **figures, "n_features": X.shape[1], "model": str(model.best_estimator), **_shape(y, first)}


def _shape(y: NDArray[np.int64], part: NDArray[np.int64]) -> dict[str, int]:
    return {"n_rows": len(y), "n_positives": int(y.sum()), "n_positives_of_a_part": int(y[part].sum())}


def _payments(cell: Cell) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.bool_], tuple[str, ...]]:
    """Columns as numbers, since neither SMOTE nor forests take text or gaps; y; which are categories; the truth."""
    task = cell.task
    relevant: tuple[str, ...] = ()
    if cell.data is None:
        problem = card_fraud(task["rows"], task["columns"], rate=task["rate"], random_state=task["seed"])
        X, labels, relevant = problem.X, problem.y, problem.relevant
    else:
        X = pd.read_parquet(cell.data)
        if task["target"] not in X.columns:
            raise unknown_name("column", task["target"], X.columns)
        labels = X.pop(task["target"])
        if task["max_rows"] and task["max_rows"] < len(X):  # all positives of the rows that are kept would be too few
            X, labels = _fewer_negatives(X, labels, task["max_rows"], task["seed"])
    data, _ = make_design_matrix(
        as_table(X), labels, np.ones(len(X)), categorical_features="auto", target_type="discrete", seed=task["seed"]
    )
    columns = zip(data.names, data.X.T, data.is_categorical, strict=True)
    numbers = pd.DataFrame({name: _joined(values) if is_name else values for name, values, is_name in columns})
    return numbers, data.y.astype(np.int64), data.is_categorical, relevant


def _joined(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Codes with the rarest levels as one, where they are many: SMOTE's memory grows with the number of levels."""
    levels, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    if len(levels) <= MOST_LEVELS:
        return codes
    rare = np.argsort(-counts, kind="stable")[MOST_LEVELS - 1 :]
    return np.where(np.isin(place, rare), levels[0] - 1, codes)


def _fewer_negatives(X: pd.DataFrame, labels: pd.Series, n_rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    positive = labels.to_numpy() == labels.max()
    n_negative = max(0, n_rows - int(positive.sum()))
    negatives = np.random.default_rng(seed).choice(np.flatnonzero(~positive), n_negative, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(positive), negatives]))
    return X.iloc[rows], labels.iloc[rows]


def _oversampled(
    X: pd.DataFrame, y: NDArray[np.int64], is_category: NDArray[np.bool_], seed: int
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Positives made up between neighbouring ones until there are as many as negatives."""
    from imblearn.over_sampling import SMOTE, SMOTENC  # noqa: PLC0415 - an optional package

    n_positive = int(y.sum())
    n_more = len(y) - 2 * n_positive
    n_neighbors = min(5, n_positive - 1)
    if not is_category.any():
        more = SMOTE(k_neighbors=n_neighbors, random_state=seed).fit_resample(X, y)[0].iloc[len(X) :]
    else:
        # Only positives have neighbours; more rows than these would be encoded and decoded again for every piece
        few = np.concatenate([np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:n_positive]])
        pieces = []
        for start in range(0, n_more, MADE_AT_ONCE):
            sampler = SMOTENC(
                np.flatnonzero(is_category).tolist(),
                sampling_strategy={1: n_positive + min(MADE_AT_ONCE, n_more - start)},
                k_neighbors=n_neighbors,
                random_state=seed + start,
            )
            pieces.append(sampler.fit_resample(X.iloc[few], y[few])[0].iloc[len(few) :])
        more = pd.concat(pieces)
    return pd.concat([X, more], ignore_index=True), np.append(y, np.ones(n_more, dtype=y.dtype))


def _search(X: pd.DataFrame, y: NDArray[np.int64], task: Mapping[str, Any]) -> Any:
    from flaml import AutoML  # noqa: PLC0415 - an optional package

    model = AutoML()
    model.fit(
        X,
        y,
        task="classification",
        metric="ap",
        time_budget=task["budget"],
        estimator_list=task["models"],
        eval_method="holdout",
        seed=task["seed"],
        verbose=0,
    )
    return model


def _measures(y: NDArray[np.int64], probability: NDArray[np.float64]) -> dict[str, float]:
    flagged = probability > 0.5
    return {
        "recall": float(recall_score(y, flagged)),
        "precision": float(precision_score(y, flagged, zero_division=0)),
        "pr_auc": float(average_precision_score(y, probability)),
    }


def tables(configuration: Configuration, records: Sequence[Record]) -> list[FigureTable]:
    """Table 4 on these data, and the paper's own."""
    task = records[0]["task"]
    first = next((record for record in records if "n_rows" in record), {})
    truth = any("n_irrelevant" in record for record in records)
    header = ("features", "kept", *(("relevant", "strays") if truth else ()))
    header += ("recall in", "out", "precision in", "out", "PR-AUC in", "out", "model", "s", "MB")
    note = ""
    if first:
        note = (
            f"{first['n_rows']:,} rows x {first['n_features']} columns, {first['n_positives']:,} positives, "
            f"{first['n_positives_of_a_part']:,} of them in each third. In: the oversampled second part, on which "
            f"FLAML searched {task['budget']} s; out: the third part as it is. Recall and precision at 0.5."
        )
    rows = tuple(_row(record, truth) for record in records)
    ours = FigureTable(f"Table 4 on {task['data']}. {configuration.title}", header, rows, (note,))
    labels = {selection["name"]: selection["label"] for selection in configuration["selections"]}
    labels |= {"paper-small": "MINERVA, c1 = 10^3", "paper-large": "MINERVA, c1 = 10^4"}
    theirs = FigureTable(
        "Table 4 of the paper, on private data (3,000,000 rows x 214 columns, 0.1% positives)",
        ("features", "kept", "recall in", "out", "precision in", "out", "PR-AUC in", "out"),
        tuple(
            (labels[name], str(figures["kept"]), *(figure(value) for measure in MEASURES for value in figures[measure]))
            for name, figures in configuration.theirs.items()
        ),
    )
    return [ours, theirs]


def _row(record: Record, truth: bool) -> tuple[str, ...]:
    label = record["label"]
    n_blank = 6 + 2 * truth
    if record["error"]:
        return label, record["error"], *[NOT_KNOWN] * (n_blank + 3)
    found = (str(record["n_relevant"]), str(record["n_irrelevant"])) if truth else ()
    scored = [figure(value) for measure in MEASURES for value in record.get(measure, [None, None])]
    return label, str(len(record["selected"])), *found, *scored, record["model"], seconds(record), megabytes(record)
