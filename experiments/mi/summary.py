"""Figures of the study: errors, coverage, widths and seconds of a method over records."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mi.case import Case
from mi.cells import Key, Record, key_of
from mi.methods import BASELINES, OURS

# Groups of the tasks by the columns of y, as in the issue that started the study
SIZES: dict[str, Callable[[int], bool]] = {
    "y of 1 column": lambda n_y: n_y == 1,
    "2 to 5 columns": lambda n_y: 2 <= n_y <= 5,
    "25 and 50 columns": lambda n_y: n_y >= 25,
}
TOLERANCE = 1e-6  # nats: bounds of an interval that differ from the truth by less cover it


@dataclass(frozen=True)
class Figures:
    """How well a method estimates."""

    n: int
    error: float  # mean absolute error, in nats
    n_covered: int  # intervals that include the truth
    width: float  # median
    seconds: float  # median


def latest(records: Iterable[Record]) -> dict[Key, Record]:
    """Last successful record of every cell."""
    return {key_of(record): record for record in records if not record["error"]}


def failed(records: Iterable[Record]) -> list[Record]:
    """Cells whose last record is an error."""
    last = {key_of(record): record for record in records}
    return [record for record in last.values() if record["error"]]


def covers(record: Record) -> bool:
    """Whether the interval includes the truth."""
    return record["low"] - TOLERANCE <= record["truth"] <= record["high"] + TOLERANCE


def error(record: Record) -> float:
    """Absolute error in nats."""
    return abs(record["nats"] - record["truth"])


def measure(records: Sequence[Record]) -> Figures | None:
    """Figures over records, or None if there are none."""
    if not records:
        return None
    return Figures(
        n=len(records),
        error=statistics.fmean(map(error, records)),
        n_covered=sum(map(covers, records)),
        width=statistics.median(record["high"] - record["low"] for record in records),
        seconds=statistics.median(record["seconds"] for record in records),
    )


def select(runs: Mapping[Key, Record], cases: Iterable[Case], method: str, n_rows: int | None = None) -> list[Record]:
    """Records of a method on these cases, with this number of rows or with any."""
    names = {case.name for case in cases}
    return [
        record for (name, rows, _, by), record in runs.items()
        if name in names and by == method and n_rows in (None, rows)
    ]  # fmt: skip


def excess_over_best(runs: Mapping[Key, Record], case: Case, n_rows: int) -> float | None:
    """Mean error minus that of the best baseline; None if one of the methods has not run."""
    ours, *others = (measure(select(runs, [case], method, n_rows)) for method in (OURS, *BASELINES))
    if ours is None or any(other is None for other in others):
        return None
    return ours.error - min(other.error for other in others if other)


def changes_by_maps(runs: Mapping[Key, Record], cases: Iterable[Case], method: str) -> list[float]:
    """Absolute changes of the estimate by monotone maps of the same rows."""
    changes = []
    for case in cases:
        for (name, rows, seed, by), record in runs.items():
            original = runs.get((case.original, rows, seed, by)) if case.original else None
            if name == case.name and by == method and original is not None:
                changes.append(abs(record["nats"] - original["nats"]))
    return changes
