"""The numbers behind each chart, short enough to be read as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from minerva_select.results import Role, Selection
from minerva_select.text import feature_order, formatting

MOST_ROWS = 40
Cell = str | tuple[str, ...]  # words and numbers, or names of columns


@dataclass(frozen=True)
class Numbers:
    """A small table: its heading, its first rows, and how many rows were left out."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_more: int = 0


def numbers(selection: Selection, kind: str) -> Numbers:
    """Give the numbers that a chart draws.

    Examples
    --------
    >>> from minerva_select.results import PathPoint
    >>> path = (PathPoint(2, ("a", "b"), 0.5, 0.48, 0.52), PathPoint(1, ("a",), 0.1, 0.08, 0.12))
    >>> numbers(Selection("y", (), None, None, n_rows=100, path=path), "path").rows
    ((('a',), '1', '0.100', '0.080 to 0.120'), (('a', 'b'), '2', '0.500', '0.480 to 0.520'))
    """
    head, rows = _TABLES[kind](selection, feature_order.digits_for(selection))
    rows = tuple(rows)
    return Numbers(head, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


_Table = tuple[tuple[str, ...], Iterable[tuple[Cell, ...]]]


def _contributions(selection: Selection, digits: int) -> _Table:
    shown = [result for result in selection.features if result.selected or result.role is Role.SUBSTITUTE]
    if all(result.contribution_nats is None for result in shown):
        weights = (((result.feature,), formatting.number(result.weight)) for result in feature_order.ranked(shown))
        return ("Feature", "Weight"), weights
    return ("Feature", "Adds, nats", "95% interval", "Alone, nats"), (
        (
            (result.feature,),
            formatting.number(result.contribution_nats, digits),
            formatting.interval(result.contribution_low, result.contribution_high, digits),
            formatting.number(result.marginal_nats, digits),
        )
        for result in feature_order.ranked(shown)
    )


def _path(selection: Selection, digits: int) -> _Table:
    return ("Features", "How many", "Nats", "95% interval"), (
        (
            point.features,
            f"{point.n_features:,}",
            formatting.number(point.nats, digits),
            formatting.interval(point.low, point.high, digits),
        )
        for point in sorted(selection.path, key=lambda point: point.n_features)
    )


def _pairs(selection: Selection, digits: int) -> _Table:
    return ("Pair", "Nats", "95% interval", "Which is"), (
        (
            (pair.first, pair.second),
            formatting.number(pair.nats, digits),
            formatting.interval(pair.low, pair.high, digits),
            "synergy" if pair.low > 0 else "redundancy" if pair.high < 0 else "neither",
        )
        for pair in selection.pairs
    )


def _training(selection: Selection, digits: int) -> _Table:
    last = {record.stage: record for record in selection.history}
    return ("Stage, at its end", "Step", "Training, nats", "Held out, nats", "Features"), (
        (
            record.stage,
            f"{record.step:,}",
            formatting.number(record.bound, digits),
            formatting.number(record.held_out_bound, digits),
            f"{record.n_features:,}",
        )
        for record in last.values()
    )


def _stability(selection: Selection, _digits: int) -> _Table:
    known = [(result.frequency, result) for result in selection.features if result.frequency]
    return ("Feature", "Selected in", "In this answer"), (
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
