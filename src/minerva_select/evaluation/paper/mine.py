"""Section 2: the bound of a trained critic against the closed form, over correlations and dimensions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from minerva_select.config import PaperSettings
from minerva_select.data.frames import as_table
from minerva_select.evaluation.paper.cells import Cell
from minerva_select.evaluation.paper.configuration import Configuration
from minerva_select.evaluation.paper.tables import FigureTable, figure, seconds
from minerva_select.evaluation.records import Record
from minerva_select.evaluation.worker import measured
from minerva_select.io.atomic import atomic_write
from minerva_select.mi.training import TrainingContext
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.problems import gaussian
from minerva_select.runtime.rng import seeded_rng
from minerva_select.selectors import mutual_information
from minerva_select.selectors.cross_validation import as_rows
from minerva_select.solvers.paper import solve_paper

NEEDS = ("matplotlib",)
HELD_OUT_SHARE = 0.2


def cells(configuration: Configuration, data: Path | None) -> list[Cell]:
    """Every correlation in every dimension."""
    settings = configuration.settings
    return [
        Cell(
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


def perform(cell: Cell) -> dict[str, Any]:
    """The bound of the paper's critic on held-out rows, and our estimate, for pairs of correlated normal vectors."""
    task = cell.task
    problem = gaussian(task["rows"], task["dimension"], correlation=task["correlation"], random_state=task["seed"])
    y = problem.y.to_frame() if isinstance(problem.y, pd.Series) else problem.y
    bound, taken, _ = measured(_held_out_bound, problem.X, y, task["seed"])
    estimate = mutual_information(problem.X, problem.y, random_state=task["seed"])
    return {
        "truth": problem.mutual_information,
        "bound": bound,
        "estimate": estimate.nats,
        "low": estimate.low,
        "high": estimate.high,
        "seconds": taken,
    }


def _held_out_bound(X: pd.DataFrame, y: pd.DataFrame, seed: int) -> float:
    """Lines 1 to 6 of Algorithm 1 alone, and the bound on rows they did not see."""
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


def tables(configuration: Configuration, records: Sequence[Record]) -> list[FigureTable]:
    """One row a dimension and correlation."""
    rows = tuple(
        (
            str(record["task"]["dimension"]),
            f"{record['task']['correlation']:g}",
            figure(record.get("truth")),
            figure(record.get("bound")),
            record["error"] or f"{figure(record['estimate'])} ({figure(record['low'])} to {figure(record['high'])})",
            seconds(record),
        )
        for record in records
    )
    header = ("dimensions", "correlation", "truth", "MINE's bound", "mutual_information (95%)", "s of MINE")
    note = (
        f"{configuration['rows']:,} rows of two normal vectors whose components correlate one to one; nats. The bound "
        "is Donsker and Varadhan's, of the critic of Algorithm 1 after its first stage, on a held-out fifth of rows."
    )
    return [FigureTable(configuration.title, header, rows, (note,))]


def plot(records: Sequence[Record], path: Path) -> None:
    """Draw the bound, divided by the number of dimensions, against the truth: the same curve for all."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package

    drawn = Figure(figsize=(7, 4.5), layout="constrained")
    axes = drawn.subplots()
    found = [record for record in records if not record["error"]]
    for dimension in sorted({record["task"]["dimension"] for record in found}):
        own = [record for record in found if record["task"]["dimension"] == dimension]
        correlations = [record["task"]["correlation"] for record in own]
        axes.plot(correlations, [record["bound"] / dimension for record in own], "o-", label=str(dimension))
    grid = np.linspace(0, max(record["task"]["correlation"] for record in found), 200)
    axes.plot(grid, -0.5 * np.log1p(-(grid**2)), "k--", linewidth=1, label="closed form")
    axes.set_xlabel("correlation")
    axes.set_ylabel("nats a dimension")
    axes.set_title("MINE's bound on held-out rows against the closed form")
    axes.legend(title="dimensions", frameon=False)
    picture = io.BytesIO()
    drawn.savefig(picture, format="png", dpi=150)
    atomic_write(path, picture.getvalue())
