"""Cases of the study "truth" (experiments/truth/config.toml) and other tables of the data folder."""

import dataclasses
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from correlated.tables import Table, single_columns

if TYPE_CHECKING:
    from cases import Case

TRUTH = Path(__file__).parents[1] / "truth"

# Number of tables of each case, and in the quick version
KNOWN = {
    "A-authors": (1, 0), "A": (4, 1), "B": (3, 0), "equality-100-columns": (2, 0), "equality-300-columns": (2, 0),
    "equality-1000-columns": (2, 0), "equality-5000-rows": (3, 0), "equality-2000-rows": (3, 1), "parity-3": (3, 0),
    "parity-5": (3, 0), "monk1": (3, 1), "corral": (3, 1), "parity5+5": (3, 0), "led24": (3, 0), "fried": (3, 0),
    "gametes": (3, 1), "gametes-missing": (3, 0), "madelon": (3, 0),
}  # fmt: skip
ANY_OF = ("madelon",)  # 20 columns of which many subsets carry all information


@cache
def truth_cases() -> dict[str, "Case"]:
    """Return the cases of the study "truth", and the Markov blankets of insurance, which it lacks."""
    sys.path.insert(0, str(TRUTH))  # its modules are scripts in one folder
    try:
        from cases import load_cases
    finally:
        sys.path.remove(str(TRUTH))
    cases = {case.name: case for case in load_cases()}
    files = {"file": "truth/insurance.parquet", "blankets": "truth/insurance_markov_blankets.json"}
    return cases | {"insurance": dataclasses.replace(cases["child3"], name="insurance", **files)}


def load_known(name: str, seed: int, data: Path | None) -> Table:
    """Draw or read the table number ``seed`` of a case."""
    case = truth_cases()[name]
    problem = case.load(case.first_seed + seed, data)
    return Table(problem.X, problem.y, single_columns(problem.relevant), any_of=name in ANY_OF)
