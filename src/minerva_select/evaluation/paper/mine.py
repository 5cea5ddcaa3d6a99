"""Section 2: the bound of a trained critic compared with the closed form."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from minerva_select.config import PaperSettings
from minerva_select.data.frames import as_table
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.tables import ResultTable, failure_text, seconds
from minerva_select.evaluation.paper.tasks import Task
from minerva_select.evaluation.records import Record
from minerva_select.evaluation.worker import measure_call
from minerva_select.io.atomic import atomic_write
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.problems import gaussian
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors import mutual_information
from minerva_select.selectors.fold_splits import as_rows
from minerva_select.solvers.paper import solve_paper
from minerva_select.text.formatting import interval, number

REQUIRED = ("matplotlib",)
HELD_OUT_SHARE = 0.2


def make_tasks(configuration: Configuration, data: Path | None) -> list[Task]:
    """Every correlation in every dimension."""
    settings = configuration.settings
    return [
        Task(
            f"{dimension} dimension{'s' * (dimension > 1)}, correlation {correlation}",
            {
                "experiment": "mine",
                "rows": settings["rows"],
                "dimension": dimension,
                "correlation": correlation,
                "seed": settings["seed"],
            },
        )
        for dimension in settings["dimensions"]
        for correlation in settings["correlations"]
    ]


def run_task(task: Task) -> Record:
    """Estimate the information of two correlated normal vectors, with the paper's critic and with ours."""
    settings, seed = task.settings, task.settings["seed"]
    problem = gaussian(settings["rows"], settings["dimension"], correlation=settings["correlation"], random_state=seed)
    y = problem.y.to_frame() if isinstance(problem.y, pd.Series) else problem.y
    bound, taken, _ = measure_call(_held_out_bound, problem.X, y, seed)
    estimate = mutual_information(problem.X, problem.y, random_state=seed)
    return {
        "truth": problem.mutual_information,
        "bound": bound,
        "estimate": estimate.nats,
        "low": estimate.low,
        "high": estimate.high,
        "seconds": taken,
    }


def _held_out_bound(X: pd.DataFrame, y: pd.DataFrame, seed: int) -> float:
    """Train by lines 1 to 6 of Algorithm 1, and return the bound on held-out rows."""
    n_train = round(len(X) * (1 - HELD_OUT_SHARE))
    parts = []
    for table in (as_table(X), as_table(y)):
        encoder = TableEncoder(infer_column_types(table, categorical=[])).fit(table.take(np.arange(n_train)))
        rows = as_rows(encoder.transform(table), torch.device("cpu"))
        parts.append((rows.take(torch.arange(n_train)), rows.take(torch.arange(n_train, len(X)))))
    (x_train, x_held_out), (y_train, y_held_out) = parts
    settings = PaperSettings(max_steps_sparsify=0)
    units = range(X.shape[1])
    with seeded_rng(seed, torch.device("cpu")) as generator:
        solution = solve_paper(x_train, y_train, (x_held_out, y_held_out), units, settings, TrainingContext(generator))
    return solution.total.mean


def make_tables(configuration: Configuration, records: Sequence[Record]) -> list[ResultTable]:
    """One row per dimension and correlation."""
    rows = tuple(
        (
            str(record["task"]["dimension"]),
            f"{record['task']['correlation']:g}",
            number(record.get("truth")),
            number(record.get("bound")),
            failure_text(record) or f"{number(record['estimate'])} ({interval(record['low'], record['high'])})",
            seconds(record),
        )
        for record in records
    )
    header = ("dimensions", "correlation", "truth", "bound of MINE", "mutual_information (95%)", "s of MINE")
    note = (
        f"{configuration['rows']:,} rows of two normal vectors; each component of one is correlated with one of the "
        "other; in nats. MINE is the Donsker-Varadhan bound of the critic of Algorithm 1 after its first stage, on a "
        "held-out fifth of the rows."
    )
    return [ResultTable(configuration.title, header, rows, (note,))]


def plot(records: Sequence[Record], path: Path) -> None:
    """Plot the bound per dimension against the correlation, with the closed form, which is the same for all."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package

    drawn = Figure(figsize=(7, 4.5), layout="constrained")
    axes = drawn.subplots()
    found = [record for record in records if not record["failure"]]
    for dimension in sorted({record["task"]["dimension"] for record in found}):
        own = [record for record in found if record["task"]["dimension"] == dimension]
        correlations = [record["task"]["correlation"] for record in own]
        axes.plot(correlations, [record["bound"] / dimension for record in own], "o-", label=str(dimension))
    grid = np.linspace(0, max(record["task"]["correlation"] for record in found), 200)
    axes.plot(grid, -0.5 * np.log1p(-(grid**2)), "k--", linewidth=1, label="closed form")
    axes.set_xlabel("correlation")
    axes.set_ylabel("nats per dimension")
    axes.set_title("Bound of MINE on held-out rows, and the closed form")
    axes.legend(title="dimensions", frameon=False)
    picture = io.BytesIO()
    drawn.savefig(picture, format="png", dpi=150)
    atomic_write(path, picture.getvalue())
