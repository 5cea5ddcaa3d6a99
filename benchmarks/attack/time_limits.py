"""Measure by how much runs exceed their time limit, on tables of different shapes."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import GuaranteeError, SelectRun, temporary_folder
from result import Result
from targets import Trials

LIMITS = (2.0, 10.0, 30.0)
MAX_OVERRUN_SECONDS, MAX_OVERRUN_SHARE = 5.0, 0.1  # whichever is larger


@dataclass(frozen=True)
class Shape:
    """A table whose fit takes longer than the limits, and the options of the run."""

    name: str
    write: Callable[[Path], None]
    options: tuple[str, ...] = ()


def _write(path: Path, X: Any, y: Any) -> None:
    X.assign(y=y.to_numpy()).to_parquet(path)


def _write_wide(path: Path) -> None:
    from minerva_select.problems import equality

    problem = equality(5_000, 2_000, n_levels=3, relevant=(1, 4), random_state=0)
    _write(path, problem.X, problem.y)


def _write_long(path: Path, n_rows: int = 300_000, n_columns: int = 40) -> None:
    from minerva_select.problems import card_fraud

    problem = card_fraud(n_rows, n_columns, random_state=0)
    _write(path, problem.X, problem.y)


def _write_million(path: Path) -> None:
    _write_long(path, 1_000_000, 60)


def _write_noise(path: Path) -> None:
    from minerva_select.problems import independent

    problem = independent(20_000, 100, random_state=0)
    _write(path, problem.X, problem.y)


def _write_continuous(path: Path) -> None:
    from minerva_select.problems import switching

    problem = switching(50_000, random_state=0)
    _write(path, problem.X, problem.y)


SHAPES = (
    Shape("wide, 5,000 x 2,000", _write_wide),
    Shape("long, 300,000 x 40", _write_long),
    Shape("too long to encode in time, 1,000,000 x 60", _write_million),
    Shape("noise, 20,000 x 100", _write_noise),
    Shape("continuous target, 50,000 rows", _write_continuous),
    Shape("streamed, 300,000 x 40", _write_long, ("--memory", "20MB")),
    Shape("Algorithm 1 of the paper, 50,000 rows", _write_continuous, ("--solver", "paper")),
)


def results(shapes: tuple[Shape, ...] = SHAPES, limits: tuple[float, ...] = LIMITS) -> Iterator[Result]:
    """Run every table with every limit; one result per table, with the overrun of each limit."""
    for shape in shapes:
        trials, overruns = Trials(shape.name), {}
        with temporary_folder() as folder:
            table = folder / "table.parquet"
            shape.write(table)
            for limit in limits:
                place = folder / f"{limit:g}"
                place.mkdir()
                options = (*shape.options, "--time-limit", f"{limit:g}")
                trials.run(_run_with_limit, SelectRun(place, table, options), limit, overruns)
        yield trials.result(", ".join(f"{overrun:+.1f} s at {limit:g} s" for limit, overrun in overruns.items()))


def _run_with_limit(run: SelectRun, limit: float, overruns: dict[float, float]) -> None:
    run.run().expect(0)
    selection = json.loads((run.results / "selection.json").read_text())
    overrun = overruns[limit] = selection["seconds"] - limit
    if overrun > max(MAX_OVERRUN_SECONDS, MAX_OVERRUN_SHARE * limit):
        raise GuaranteeError(f"{overrun:.1f} s beyond the limit of {limit:g} s")
    causes = [warning["values"].get("cause") for warning in selection["warnings"]]
    if not selection["converged"] and "time_limit" not in causes:
        raise GuaranteeError(f"no warning that the limit of {limit:g} s ended the fit")
    if not selection["features"]:
        raise GuaranteeError("no answer so far")
