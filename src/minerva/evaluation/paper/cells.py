"""Rows of a table that are computed one by one, each in a process of its own, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from minerva.evaluation.records import Record, Records, provenance
from minerva.evaluation.worker import OutOfTimeError, Worker, WorkerError

Perform = Callable[["Cell"], Mapping[str, Any]]


@dataclass(frozen=True)
class Cell:
    """One row to compute.

    Attributes
    ----------
    label : str
        How a table calls it.
    task : mapping
        Everything that decides the figures, as plain JSON values: two cells with the same task have the same figures.
    data : str or None
        Path of the data, where they come from a file; the task says what they are, not where.
    """

    label: str
    task: Mapping[str, Any]
    data: str | None = None


def run_cells(
    cells: Iterable[Cell],
    perform: Perform,
    records: Records,
    limit: float | None = None,
    tell: Callable[[str, float], None] = lambda _label, _done: None,
) -> list[Record]:
    """Compute cells one after the other, but for those on record; return the record of each.

    A cell that fails or runs out of time is a record too: with ``error`` in words, and no figures.

    Parameters
    ----------
    cells : iterable of Cell
        What to compute.
    perform : callable
        Computes one cell; a function of an importable module.
    records : Records
        Finished cells.
    limit : float, optional
        Seconds after which a cell is stopped.
    tell : callable
        Called with the label of each cell and the share of the work that is done.
    """
    wanted = list(cells)
    found = []
    for place, cell in enumerate(wanted):
        tell(cell.label, place / len(wanted))
        found.append(records.find({"task": dict(cell.task)}) or records.append(_compute(cell, perform, limit)))
    tell("done", 1.0)
    return found


def _compute(cell: Cell, perform: Perform, limit: float | None) -> Record:
    record = {"label": cell.label, "task": dict(cell.task), "error": None}
    try:
        with Worker(perform) as worker:  # a process each, so that peaks of memory do not mix
            record |= worker.ask(cell, limit)
    except OutOfTimeError:
        record["error"] = f"out of time after {limit:g} s"
    except WorkerError as error:
        record["error"] = str(error)
    return record | provenance()
