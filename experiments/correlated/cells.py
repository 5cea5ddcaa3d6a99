"""One cell of the study: fit the default selector to one table and score the selection."""

import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from correlated.catalog import Case, load_catalog
from correlated.tables import Table

Record = dict[str, Any]
Key = tuple[str, int, int | None]


@dataclass(frozen=True)
class Cell:
    """A case, the number of its table, which is also the seed of the fit, and ``n_features_to_select``."""

    case: str
    seed: int
    k: int | None = None

    @property
    def key(self) -> Key:
        """Identifies the record of the cell."""
        return self.case, self.seed, self.k


def run_cell(cell: Cell, data: Path | None, commit: str) -> Record:
    """Fit and score; an exception is recorded as an error."""
    from minerva_select.evaluation.records import provenance

    warnings.simplefilter("ignore")
    case = load_catalog()[cell.case]
    record: Record = {**asdict(cell), "group": case.group, "commit": commit, **provenance(), "error": None}
    try:
        return record | _fit(case, cell, case.draw(cell.seed, data))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return record | {"error": message, "exact": None, "seconds": None, "figures": {}}


def _fit(case: Case, cell: Cell, table: Table) -> Record:
    from minerva_select import MinervaSelector

    selector = MinervaSelector(random_state=cell.seed, n_features_to_select=cell.k)
    start = time.process_time()
    selection = selector.fit(table.X, table.y).selection_
    seconds = time.process_time() - start  # of the CPU: comparable on a machine that does other work
    figures = case.score(table, selection.selected) if case.score else {}
    if case.measure:
        figures |= case.measure(table, selection, cell.seed)
    bound = selection.mutual_information
    return {
        "shape": list(table.X.shape),
        "selected": list(selection.selected),
        "relevant": [asdict(unit) for unit in table.relevant],
        "bound": {"nats": bound.nats, "low": bound.low, "high": bound.high} if bound else None,
        "exact": figures.get("right"),
        "seconds": seconds,
        "figures": figures,
    }
