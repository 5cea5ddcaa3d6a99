"""Numbers of the records: medians of repeats, shares of stages, growth with rows and columns."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_select.evaluation.records import Record
from speed.catalog import GROWTH_SIZES, OURS


@dataclass(frozen=True)
class Timing:
    """Median of the repeats of a method on a table."""

    wall: float
    cpu: float
    record: Record  # the repeat in the middle

    @property
    def is_one_thread(self) -> bool:
        """Whether the run was limited to one thread."""
        return bool(self.record["machine"]["threads"] == 1)


Latest = Mapping[tuple[str, str], Sequence[Record]]  # by table and method: the last record of every repeat


def latest(records: Iterable[Record]) -> Latest:
    """The last record of every run; a failure counts only if nothing of the same table and method succeeded."""
    by_run: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        runs = by_run.setdefault((record["case"], record["method"]), {})
        if record["error"] is None or runs.get(record["repeat"], record)["error"]:
            runs[record["repeat"]] = record
    return {
        key: [one for one in runs.values() if one["error"] is None] or list(runs.values())
        for key, runs in by_run.items()
    }


def timing(records: Latest, case: str, method: str = OURS) -> Timing | None:
    """Median time of a method on a table; None if it did not finish or was not run."""
    runs = [record for record in records.get((case, method), ()) if record["error"] is None]
    if not runs:
        return None
    middle = sorted(runs, key=lambda record: record["cpu"])[len(runs) // 2]
    return Timing(*(statistics.median(run[unit] for run in runs) for unit in ("wall", "cpu")), middle)


def failure(records: Latest, case: str, method: str) -> str:
    """Why a method has no time."""
    runs = records.get((case, method))
    return "not run" if not runs else runs[0]["error"] if runs[0]["error"].startswith("over") else "failed"


def growth(records: Latest, direction: str, unit: str = "cpu") -> list[tuple[int, float]]:
    """Sizes and seconds of the measured tables."""
    found = [(size, timing(records, f"{direction}-{size}")) for size in GROWTH_SIZES[direction]]
    return [(size, getattr(one, unit)) for size, one in found if one is not None]


def exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """Slope of the logarithm of the time over that of the size, by least squares; None for fewer than two points."""
    if len(points) < 2:
        return None
    slope = statistics.linear_regression(*zip(*((math.log(a), math.log(b)) for a, b in points), strict=True)).slope
    return float(slope)


def last_exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """The same between the two largest tables, where constant costs count least."""
    return exponent(points[-2:])


def stage_seconds(one: Timing) -> dict[str, Any]:
    """CPU seconds of every stage."""
    return dict(one.record["stages_cpu"])
