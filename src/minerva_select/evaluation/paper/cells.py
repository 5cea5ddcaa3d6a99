"""Rows of a table that are computed one by one, each in a process of its own, and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from minerva_select.evaluation.records import Record, Records, provenance
from minerva_select.evaluation.worker import OutOfTimeError, Worker, WorkerError

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

    A cell that fails or runs out of time is a record too: with ``error`` in words, and no figures. What failed is tried
    again the next time; what ran out of time only with another limit.

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
        known = records.find({"task": dict(cell.task)})
        is_finished = known is not None and known["error"] in (None, _out_of_time(limit))
        found.append(known if known and is_finished else records.append(_compute(cell, perform, limit)))
    tell("done", 1.0)
    return found


def _compute(cell: Cell, perform: Perform, limit: float | None) -> Record:
    record = {"label": cell.label, "task": dict(cell.task), "error": None}
    try:
        with Worker(perform) as worker:  # a process each, so that peaks of memory do not mix
            record |= worker.ask(cell, limit)
    except OutOfTimeError:
        record["error"] = _out_of_time(limit)
    except WorkerError as error:
        record["error"] = str(error)
    return record | provenance()


def _out_of_time(limit: float | None) -> str:
    return f"out of time after {limit} s"
