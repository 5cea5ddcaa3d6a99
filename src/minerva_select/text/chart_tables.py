"""The values of each chart as a short table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.codes import Role
from minerva_select.text.feature_order import digits_for, sort_features
from minerva_select.text.formatting import interval, number
from minerva_select.text.proof import describe_proof, has_proof

if TYPE_CHECKING:
    from minerva_select.results import Selection

MOST_ROWS = 40
Cell = str | tuple[str, ...]  # text, or names of columns


@dataclass(frozen=True)
class ChartTable:
    """Headings, the first rows, and how many rows are left out."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_left_out: int = 0


def chart_table(selection: Selection, kind: str) -> ChartTable:
    """Return the values of a chart as text."""
    headings, cells = _TABLES[kind](selection, digits_for(selection))
    rows = tuple(cells)
    return ChartTable(headings, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


_Table = tuple[tuple[str, ...], Iterable[tuple[Cell, ...]]]


def _contributions(selection: Selection, digits: int) -> _Table:
    results = sort_features(
        result for result in selection.features if result.selected or result.role is Role.SUBSTITUTE
    )
    if all(result.contribution_nats is None for result in results):
        return ("Feature", "Weight"), (((result.feature,), number(result.weight)) for result in results)
    with_proof = has_proof(selection)
    headings = ("Feature", "Contribution, nats", "95% interval", "Alone, nats", *(("Proof",) if with_proof else ()))
    return headings, (
        (
            (result.feature,),
            number(result.contribution_nats, digits),
            interval(result.contribution_low, result.contribution_high, digits),
            number(result.marginal_nats, digits),
            *((describe_proof(result) or "dropped",) if with_proof else ()),
        )
        for result in results
    )


def _path(selection: Selection, digits: int) -> _Table:
    rows: list[tuple[Cell, ...]] = [
        (point.features, f"{point.n_features:,}", number(point.nats, digits), interval(point.low, point.high, digits))
        for point in sorted(selection.path, key=lambda point: point.n_features)
    ]
    total = selection.total_information
    if selection.left_behind is not None and total is not None:
        n_features, ends = f"{len(selection.features):,}", interval(total.low, total.high, digits)
        rows.append(("all columns", n_features, number(total.nats, digits), ends))
    return ("Features", "Number", "Nats", "95% interval"), rows


def _pairs(selection: Selection, digits: int) -> _Table:
    return ("Pair", "Nats", "95% interval", "Kind"), (
        (
            (pair.first, pair.second),
            number(pair.nats, digits),
            interval(pair.low, pair.high, digits),
            "synergy" if pair.low > 0 else "redundancy" if pair.high < 0 else "neither",
        )
        for pair in selection.pairs
    )


def _training(selection: Selection, digits: int) -> _Table:
    last = {record.stage: record for record in selection.history}
    return ("End of stage", "Step", "Training, nats", "Held-out, nats", "Features"), (
        (
            record.stage,
            f"{record.step:,}",
            number(record.bound, digits),
            number(record.held_out_bound, digits),
            f"{record.n_features:,}",
        )
        for record in last.values()
    )


def _stability(selection: Selection, _digits: int) -> _Table:
    known = [(result.frequency, result) for result in selection.features if result.frequency]
    return ("Feature", "Selected in", "This selection"), (
        ((result.feature,), f"{frequency:.0%}", "kept" if result.selected else "dropped")
        for frequency, result in sorted(known, key=lambda pair: -pair[0])
    )


_TABLES: dict[str, Callable[[Selection, int], _Table]] = {
    "contributions": _contributions,
    "path": _path,
    "pairs": _pairs,
    "training": _training,
    "stability": _stability,
}
