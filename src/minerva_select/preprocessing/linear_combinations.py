"""Columns that several others determine as a linear combination, such as a total and its parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import LINEAR_COMBINATIONS
from minerva_select.schema import Column, Table


def find_linear_combinations(table: Table, names: Sequence[str], of: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Of the named numeric columns, those that are a linear combination of other ones, with the columns it needs."""
    columns = {column.name: column for column in table.columns if column.is_numeric}
    explained, basis = ([name for name in chosen if name in columns] for chosen in (names, of))
    if not explained or len(basis) < 2:
        return {}
    step = -(-table.n_rows // LINEAR_COMBINATIONS.max_rows)
    known = _read([columns[name] for name in basis], step)
    present = ~np.isnan(known).any(axis=1)
    if present.sum() < LINEAR_COMBINATIONS.min_rows_per_column * len(basis):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for name in explained:
        column = _read([columns[name]], step)[:, 0]
        rows = present & ~np.isnan(column)
        if rows.sum() >= LINEAR_COMBINATIONS.min_share * len(rows):
            needed = _needed_columns(known[rows], column[rows])
            if needed is not None and len(needed) >= 2:
                found[name] = tuple(basis[k] for k in needed)
    return found


def _read(columns: Sequence[Column], step: int) -> NDArray[np.float64]:  # (n_rows, n_columns)
    return np.stack([column.values[::step].astype(np.float64) for column in columns], axis=1)


def _needed_columns(known: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Positions of the columns with a coefficient, if they determine the column up to rounding."""
    centered, target = known - known.mean(axis=0), column - column.mean()
    scale, spread = centered.std(axis=0), float(target.std())
    if not spread > 0:
        return None
    coefficients = np.linalg.lstsq(centered / np.where(scale > 0, scale, 1.0), target / spread, rcond=None)[0]
    needed = np.flatnonzero(np.abs(coefficients) > LINEAR_COMBINATIONS.min_coefficient)
    if not len(needed):
        return None
    part = centered[:, needed] / scale[needed]
    residuals = target / spread - part @ np.linalg.lstsq(part, target / spread, rcond=None)[0]
    return needed if float(np.mean(residuals**2)) < LINEAR_COMBINATIONS.max_unexplained else None
