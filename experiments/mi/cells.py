"""One cell of the study: draw the rows of a case and estimate their information by one method."""

import time
import traceback
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mi.case import Case
from mi.catalog import load_catalog
from mi.methods import BASELINES, OURS, estimate

Record = dict[str, Any]
Key = tuple[str, int, int, str]


@dataclass(frozen=True)
class Cell:
    """A case, the number of rows, the seed of both the rows and the estimate, and a method."""

    case: str
    n_rows: int
    seed: int
    method: str

    @property
    def key(self) -> Key:
        """Identifies the record of the cell."""
        return self.case, self.n_rows, self.seed, self.method


def key_of(record: Record) -> Key:
    """Key of the cell that a record belongs to."""
    return record["case"], record["n_rows"], record["seed"], record["method"]


def plan_cells(
    cases: Iterable[Case],
    methods: Sequence[str] = (OURS, *BASELINES),
    rows: Sequence[int] | None = None,
    seeds: Sequence[int] | None = None,
) -> list[Cell]:
    """List the cells, the first seed of all cases first; ``rows`` and ``seeds`` restrict them."""
    cells = [
        Cell(case.name, n_rows, seed, method)
        for case in cases
        for n_rows in case.rows
        for seed in range(case.n_seeds)
        for method in methods
        if (method == OURS or case.is_numeric) and (rows is None or n_rows in rows) and (seeds is None or seed in seeds)
    ]
    return sorted(cells, key=lambda cell: cell.seed)


def unfinished(cells: Iterable[Cell], records: Iterable[Record]) -> list[Cell]:
    """Return the cells without a record; those that failed are run again."""
    done = {key_of(record) for record in records if not record["error"]}
    return [cell for cell in cells if cell.key not in done]


def run_cell(cell: Cell, commit: str) -> Record:
    """Draw the rows and estimate; an exception is recorded as an error."""
    from minerva_select.evaluation.records import provenance

    warnings.simplefilter("ignore")
    case = load_catalog()[cell.case]
    record: Record = {**asdict(cell), "truth": case.information, "commit": commit, **provenance(), "error": None}
    sample = case.sample(cell.n_rows, cell.seed)
    start = time.perf_counter()
    try:
        found = estimate(cell.method, sample, cell.seed)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return record | {"error": message, "nats": None, "low": None, "high": None, "seconds": None}
    seconds = time.perf_counter() - start
    return record | {"nats": found.nats, "low": found.low, "high": found.high, "seconds": seconds}
