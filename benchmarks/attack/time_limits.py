"""Time limits: how far beyond them runs go, on tables of every shape."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import LossError, Victim, scene
from result import Result
from targets import Tally

LIMITS = (2.0, 10.0, 30.0)
GRACE, SHARE = 5.0, 0.1  # seconds, or of the limit, whichever is more


@dataclass(frozen=True)
class Shape:
    """A table that takes longer than the limits, and how to run it."""

    name: str
    make: Callable[[Path], None]
    more: tuple[str, ...] = ()


def _write(path: Path, X: Any, y: Any) -> None:
    X.assign(y=y.to_numpy()).to_parquet(path)


def _wide(path: Path) -> None:
    from minerva_select.problems import equality

    problem = equality(5_000, 2_000, n_levels=3, relevant=(1, 4), random_state=0)
    _write(path, problem.X, problem.y)


def _long(path: Path, n_rows: int = 300_000, n_columns: int = 40) -> None:
    from minerva_select.problems import card_fraud

    problem = card_fraud(n_rows, n_columns, random_state=0)
    _write(path, problem.X, problem.y)


def _million(path: Path) -> None:
    _long(path, 1_000_000, 60)


def _noise(path: Path) -> None:
    from minerva_select.problems import independent

    problem = independent(20_000, 100, random_state=0)
    _write(path, problem.X, problem.y)


def _continuous(path: Path) -> None:
    from minerva_select.problems import switching

    problem = switching(50_000, random_state=0)
    _write(path, problem.X, problem.y)


SHAPES = (
    Shape("wide, 5,000 x 2,000", _wide),
    Shape("long, 300,000 x 40", _long),
    Shape("longer than the time, 1,000,000 x 60", _million),
    Shape("noise, 20,000 x 100", _noise),
    Shape("continuous target, 50,000 rows", _continuous),
    Shape("streamed, 300,000 x 40", _long, ("--memory", "20MB")),
    Shape("Algorithm 1 of the paper, 50,000 rows", _continuous, ("--solver", "paper")),
)


def keep_time(shapes: tuple[Shape, ...] = SHAPES, limits: tuple[float, ...] = LIMITS) -> Iterator[Result]:
    """Run every table with every limit; a row a table, with how far it went beyond each."""
    for shape in shapes:
        tally, overruns = Tally(f"time limits, {shape.name}"), {}
        with scene() as folder:
            table = folder / "table.parquet"
            shape.make(table)
            for limit in limits:
                place = folder / f"{limit:g}"
                place.mkdir()
                more = (*shape.more, "--time-limit", f"{limit:g}")
                tally.attempt(_keep_time, Victim(place, table, more), limit, overruns)
        told = ", ".join(f"{overrun:+.1f} s at {limit:g} s" for limit, overrun in overruns.items())
        yield tally.result(told)


def _keep_time(victim: Victim, limit: float, overruns: dict[float, float]) -> None:
    victim.run().expect(0)
    selection = json.loads((victim.results / "selection.json").read_text())
    overrun = overruns[limit] = selection["seconds"] - limit
    if overrun > max(GRACE, SHARE * limit):
        raise LossError(f"{overrun:.1f} s beyond the limit of {limit:g} s")
    note = f"the time limit of {limit:g} s ended it"
    if not selection["converged"] and not any(note in warning for warning in selection["warnings"]):
        raise LossError(f"no note that the limit of {limit:g} s ended it")
    if not selection["features"]:
        raise LossError("no answer so far")
