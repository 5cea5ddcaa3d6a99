"""Compare the path of a selection with fits that request the same number of features."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from correlated.noise import factor_model
from correlated.tables import Table

SIZES = (None, *range(1, 11))
BANK_ROWS = 5_000
# File, target and left out columns of the tables: identifiers and leaks
FILES = {
    "churn": ("real/churn.parquet", "target", ["phone number"]),
    "spambase": ("real/spambase.parquet", "target", []),
    "bank": ("real/bank_full.parquet", "y", ["duration"]),
    "cpu_act": ("real/197_cpu_act.parquet", "target", []),
}


def read_table(name: str, seed: int, data: Path | None) -> Table:
    """Read one of the real tables; of bank, 5,000 rows."""
    file, target, dropped = FILES[name]
    frame = pd.read_parquet(Path(data or ".") / file)
    if name == "bank":
        frame = frame.sample(BANK_ROWS, random_state=seed).reset_index(drop=True)
    return Table(frame.drop(columns=[target, *dropped]), frame[target])


def credit_like(seed: int) -> Table:
    """Draw 1,000 x 20 mixed columns, 30% positives; half of the columns shift the log odds a little each."""
    rng = np.random.default_rng([18, seed])
    values = factor_model(1_000, 20, rng)
    log_odds = values[:, :10] @ np.linspace(0.6, 0.1, 10) - 1.0
    y = (rng.random(1_000) < 1 / (1 + np.exp(-log_odds))).astype(int)
    columns = {f"x{k}": values[:, k] if k % 2 else np.digitize(values[:, k], [-1, 0, 1]) for k in range(20)}
    return Table(pd.DataFrame(columns), pd.Series(y, name="y"))


TABLES: dict[str, Callable[[int, Path | None], Table]] = {
    "credit_like": lambda seed, data: credit_like(seed),
    **{name: partial(read_table, name) for name in FILES},
}


def record_path(table: Table, selection: Any, seed: int) -> dict[str, Any]:
    """Return the information of every set on the path, by its number of features."""
    return {"path": {str(point.n_features): point.nats for point in selection.path}}


def path_differences(records: Iterable[dict[str, Any]]) -> dict[int, float | None]:
    """Path of the fit without k minus the fit with k, up to the size of its selection; None for sizes it lacks."""
    fits = {record["k"]: record for record in records if not record["error"]}
    if None not in fits:
        return {}
    path, n_selected = fits[None]["figures"]["path"], len(fits[None]["selected"])
    told = {k: fits[k]["bound"]["nats"] for k in sorted(k for k in fits if k is not None) if k <= n_selected}
    return {k: path[str(k)] - nats if str(k) in path else None for k, nats in told.items()}


def largest_difference(differences: Sequence[float | None]) -> float | None:
    """Largest absolute difference of those that are known."""
    return max((abs(one) for one in differences if one is not None), default=None)
