"""Fraud, Table 4: select on the first third of the rows, train on the second, test on the third."""

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
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.tables import ResultTable, failure_text, megabytes, seconds
from minerva_select.evaluation.paper.tasks import Task, select
from minerva_select.evaluation.records import Record
from minerva_select.problems import card_fraud
from minerva_select.selectors.baselines.design_matrix import make_design_matrix
from minerva_select.text.formatting import NOT_MEASURED, number

REQUIRED = ("imblearn", "flaml")
SIMULATED = "simulated"
MAX_LEVELS = 40  # of a categorical column: the memory of SMOTE grows with the number of levels
BATCH_SIZE = 10_000  # rows that SMOTE makes at a time, for tables with categorical columns
METRICS = ("recall", "precision", "pr_auc")


def make_tasks(configuration: Configuration, data: Path | None) -> list[Task]:
    """Every selection of the configuration, on the file or on simulated payments."""
    settings = configuration.settings
    if data is None:
        source = {"data": SIMULATED, **settings["simulated"]}
    else:
        source = {"data": data.stem, "target": settings["target"], "max_rows": settings["max_rows"]}
    shared = {name: settings[name] for name in ("seed", "budget", "models")}
    return [
        Task(
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


def run_task(task: Task) -> Record:
    """Follow the paper's protocol for one selection."""
    warnings.simplefilter("ignore")  # this process has no other task
    settings = task.settings
    X, y, is_categorical, relevant = _payments(task)
    first, second, third = split_rows(len(y), [1, 1, 1], y, np.random.default_rng(settings["seed"]))
    if settings["method"] is None:
        found: Record = {"selected": list(X.columns)}
    else:
        rows = X.iloc[first], y[first]
        X_select, y_select = _oversample(*rows, is_categorical, settings["seed"]) if settings["smote"] else rows
        categorical = [str(name) for name in X.columns[is_categorical]]
        found = select(task, X_select, pd.Series(y_select, name="y"), categorical_features=categorical)
    if relevant:
        score = score_selection(found["selected"], relevant)
        found |= {"n_relevant": len(score.true_positives), "n_irrelevant": len(score.false_positives)}
    kept = found["selected"]
    if not kept:
        return {**found, "n_features": X.shape[1], "model": NOT_MEASURED}
    X_train, y_train = _oversample(X.iloc[second], y[second], is_categorical, settings["seed"])
    model = _search_model(X_train[kept], y_train, settings)
    parts = ((X_train[kept], y_train), (X.iloc[third][kept], y[third]))
    scores = [_scores(y_part, model.predict_proba(X_part)[:, 1]) for X_part, y_part in parts]
    return {
        **found,
        **{metric: [part[metric] for part in scores] for metric in METRICS},
        "n_features": X.shape[1],
        "model": str(model.best_estimator),
        "n_rows": len(y),
        "n_positives": int(y.sum()),
        "n_positives_per_part": int(y[first].sum()),
    }


def _payments(task: Task) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.bool_], tuple[str, ...]]:
    """Return X as numbers without missing values, as SMOTE needs it, y, categorical columns and relevant names."""
    settings, seed = task.settings, task.settings["seed"]
    relevant: tuple[str, ...] = ()
    if task.data is None:
        problem = card_fraud(settings["rows"], settings["columns"], rate=settings["rate"], random_state=seed)
        X, labels, relevant = problem.X, problem.y, problem.relevant
    else:
        X = pd.read_parquet(task.data)
        if settings["target"] not in X.columns:
            raise unknown_name("column", settings["target"], X.columns)
        labels = X.pop(settings["target"])
        if settings["max_rows"] and settings["max_rows"] < len(X):
            X, labels = _drop_negatives(X, labels, settings["max_rows"], seed)
    data, _ = make_design_matrix(
        as_table(X), labels, np.ones(len(X)), categorical_features="auto", target_type="discrete", seed=seed
    )
    columns = zip(data.names, data.X.T, data.is_categorical, strict=True)
    X = pd.DataFrame({name: _join_rare_levels(values) if is_level else values for name, values, is_level in columns})
    return X, data.y.astype(np.int64), data.is_categorical, relevant


def _join_rare_levels(codes: NDArray[np.float64]) -> NDArray[np.float64]:
    levels, indices, counts = np.unique(codes, return_inverse=True, return_counts=True)
    if len(levels) <= MAX_LEVELS:
        return codes
    rare = np.argsort(-counts, kind="stable")[MAX_LEVELS - 1 :]
    return np.where(np.isin(indices, rare), levels[0] - 1, codes)


def _drop_negatives(X: pd.DataFrame, labels: pd.Series, n_rows: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Sample negatives so that ``n_rows`` rows with all positives are left."""
    positive = labels.to_numpy() == labels.max()
    n_negative = max(0, n_rows - int(positive.sum()))
    negatives = np.random.default_rng(seed).choice(np.flatnonzero(~positive), n_negative, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(positive), negatives]))
    return X.iloc[rows], labels.iloc[rows]


def _oversample(
    X: pd.DataFrame, y: NDArray[np.int64], is_categorical: NDArray[np.bool_], seed: int
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Add synthetic positives until there are as many as negatives."""
    from imblearn.over_sampling import SMOTE, SMOTENC  # noqa: PLC0415 - an optional package

    n_positive = int(y.sum())
    n_more = len(y) - 2 * n_positive
    n_neighbors = min(5, n_positive - 1)
    if not is_categorical.any():
        more = SMOTE(k_neighbors=n_neighbors, random_state=seed).fit_resample(X, y)[0].iloc[len(X) :]
    else:
        # SMOTE uses positives only, and would encode and decode all negatives again for every batch
        rows = np.concatenate([np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:n_positive]])
        batches = []
        for start in range(0, n_more, BATCH_SIZE):
            sampler = SMOTENC(
                np.flatnonzero(is_categorical).tolist(),
                sampling_strategy={1: n_positive + min(BATCH_SIZE, n_more - start)},
                k_neighbors=n_neighbors,
                random_state=seed + start,
            )
            batches.append(sampler.fit_resample(X.iloc[rows], y[rows])[0].iloc[len(rows) :])
        more = pd.concat(batches)
    return pd.concat([X, more], ignore_index=True), np.append(y, np.ones(n_more, dtype=y.dtype))


def _search_model(X: pd.DataFrame, y: NDArray[np.int64], settings: Mapping[str, Any]) -> Any:
    from flaml import AutoML  # noqa: PLC0415 - an optional package

    model = AutoML()
    model.fit(
        X,
        y,
        task="classification",
        metric="ap",
        time_budget=settings["budget"],
        estimator_list=settings["models"],
        eval_method="holdout",
        seed=settings["seed"],
        verbose=0,
    )
    return model


def _scores(y: NDArray[np.int64], probability: NDArray[np.float64]) -> dict[str, float]:
    flagged = probability > 0.5
    return {
        "recall": float(recall_score(y, flagged)),
        "precision": float(precision_score(y, flagged, zero_division=0)),
        "pr_auc": float(average_precision_score(y, probability)),
    }


def make_tables(configuration: Configuration, records: Sequence[Record]) -> list[ResultTable]:
    """Table 4 on these data, and the paper's own."""
    task = records[0]["task"]
    first = next((record for record in records if "n_rows" in record), None)
    has_truth = any("n_irrelevant" in record for record in records)
    metrics = ("recall in", "out", "precision in", "out", "PR-AUC in", "out")
    header = ("features", "kept", *(("relevant", "irrelevant") if has_truth else ()), *metrics, "model", "s", "MB")
    note = (
        ""
        if first is None
        else (
            f"{first['n_rows']:,} rows x {first['n_features']} columns, {first['n_positives']:,} positives, "
            f"{first['n_positives_per_part']:,} of them in each third. In: the oversampled second third, on which "
            f"FLAML searched for {task['budget']} s; out: the unchanged last third. Recall and precision at 0.5."
        )
    )
    rows = tuple(_row(record, has_truth) for record in records)
    ours = ResultTable(f"Table 4 on {task['data']}. {configuration.title}", header, rows, (note,))
    labels = {selection["name"]: selection["label"] for selection in configuration["selections"]}
    labels |= {"paper-small": "MINERVA, c1 = 10^3", "paper-large": "MINERVA, c1 = 10^4"}
    published = ResultTable(
        "Table 4 of the paper, on private data (3,000,000 rows x 214 columns, 0.1% positives)",
        ("features", "kept", *metrics),
        tuple(
            (labels[name], str(row["kept"]), *(number(value) for metric in METRICS for value in row[metric]))
            for name, row in configuration.published.items()
        ),
    )
    return [ours, published]


def _row(record: Record, has_truth: bool) -> tuple[str, ...]:
    label = record["label"]
    if record["failure"]:
        return label, failure_text(record), *[NOT_MEASURED] * (9 + 2 * has_truth)
    found = (str(record["n_relevant"]), str(record["n_irrelevant"])) if has_truth else ()
    scores = [number(value) for metric in METRICS for value in record.get(metric, [None, None])]
    return label, str(len(record["selected"])), *found, *scores, record["model"], seconds(record), megabytes(record)
