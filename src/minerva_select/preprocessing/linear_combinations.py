"""Columns that several others determine as a linear combination, such as a total and its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from minerva_select.config import LINEAR_COMBINATIONS
from minerva_select.preprocessing.equivalence import is_difference_informative
from minerva_select.schema import Column, Table

_EXACT = 1e-20  # share of the variance


def find_determined(
    table: Table, information: Mapping[str, float], classes: NDArray[np.int64]
) -> dict[str, tuple[str, ...]]:
    """Numeric columns that are a linear combination of more informative ones, with those they need.

    ``information`` is that of each column alone, in order of preference. Where all columns of a combination say equally
    little alone, they may matter together, and all stay.

    Nothing but rounding errors may be left open of such a column, and these must say nothing about the ``classes`` of
    the target: highly correlated columns, such as those of a spectrum, differ by little, and it may matter.
    """
    names, values, rows = _read_complete(table, list(information))
    if len(names) < 3:
        return {}
    standard = _standardize(values)
    # The last entry of column k of R is the part of column k that the earlier columns leave open
    unexplained = np.diag(np.linalg.qr(standard, mode="r")) ** 2
    rounding = _rounding_errors(values)
    found: dict[str, tuple[str, ...]] = {}
    for k in np.flatnonzero(unexplained < LINEAR_COMBINATIONS.max_unexplained):
        basis = [j for j in range(k) if names[j] not in found]
        needed = _needed_columns(standard[:, basis], standard[:, k])
        if len(needed) < 2 or information[names[k]] >= information[names[basis[needed[0]]]]:
            continue
        own = np.array(basis)[needed]
        coefficients, residuals = _fit(standard[:, own], standard[:, k])
        left_open = residuals @ residuals
        if left_open > LINEAR_COMBINATIONS.rounding_factor * (rounding[k] + (coefficients**2) @ rounding[own]):
            continue
        ranks = (rankdata(values[:, k]) - 0.5) / len(values)
        # Errors of floating-point arithmetic depend on the values, and so on the target
        if left_open < _EXACT or not is_difference_informative(residuals, ranks, classes[rows]):
            found[names[k]] = tuple(names[j] for j in own)
    return found


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
            needed = _needed_columns(_standardize(known[rows]), _standardize(column[rows, None])[:, 0])
            if len(needed) >= 2:
                found[name] = tuple(basis[k] for k in needed)
    return found


def _read_complete(
    table: Table, order: Sequence[str]
) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64]]:  # values: (n_rows, n_columns)
    """Numeric columns with few missing values, in rows that have values in all of them, and the rows."""
    columns = {column.name: column for column in table.columns if column.is_numeric}
    step = -(-table.n_rows // LINEAR_COMBINATIONS.max_rows)
    names = [name for name in order if name in columns]
    most = table.n_rows // step // LINEAR_COMBINATIONS.min_rows_per_column
    values = _read([columns[name] for name in names[:most]], step)
    if not values.size:
        return [], values, np.zeros(0, dtype=np.int64)
    few_missing = np.isnan(values).mean(axis=0) <= LINEAR_COMBINATIONS.max_missing
    values = values[:, few_missing]
    complete = ~np.isnan(values).any(axis=1)
    if complete.mean() < LINEAR_COMBINATIONS.min_share:
        return [], values, np.zeros(0, dtype=np.int64)
    kept = [name for name, chosen in zip(names, few_missing, strict=False) if chosen]
    return kept, values[complete], np.flatnonzero(complete) * step


def _read(columns: Sequence[Column], step: int) -> NDArray[np.float64]:  # (n_rows, n_columns)
    """Every ``step``-th row, each column scaled to at most 1 so that no square overflows."""
    if not columns:
        return np.zeros((0, 0))
    values = np.stack([column.values[::step].astype(np.float64) for column in columns], axis=1)
    largest = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
    return np.asarray(values / np.where(largest > 0, largest, 1.0))


def _standardize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with mean 0 and length 1; constant ones are 0."""
    centered = values - values.mean(axis=0)
    length = np.linalg.norm(centered, axis=0)
    return np.asarray(centered / np.where(length > 0, length, 1.0))


def _rounding_errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the variance of each column that comes from rounding to the least distance of its values."""
    distances = np.diff(np.sort(values, axis=0), axis=0)
    # Smaller distances are errors of floating-point arithmetic
    least = np.where(distances > LINEAR_COMBINATIONS.min_distance * np.ptp(values, axis=0), distances, np.inf).min(
        axis=0
    )
    spread = values.std(axis=0)
    share = np.where(np.isfinite(least) & (spread > 0), least**2 / 12, 0.0) / np.where(spread > 0, spread, 1.0) ** 2
    return np.asarray(np.maximum(share, LINEAR_COMBINATIONS.min_distance))


def _needed_columns(known: NDArray[np.float64], column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions of the columns with a coefficient, if they determine the column up to rounding; otherwise none."""
    needed = np.flatnonzero(np.abs(_fit(known, column)[0]) > LINEAR_COMBINATIONS.min_coefficient)
    if not np.any(column) or not len(needed):
        return np.zeros(0, dtype=np.int64)
    residuals = _fit(known[:, needed], column)[1]
    return needed if residuals @ residuals < LINEAR_COMBINATIONS.max_unexplained else needed[:0]


def _fit(known: NDArray[np.float64], column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients of a linear regression, and its residuals."""
    coefficients = np.asarray(np.linalg.lstsq(known, column, rcond=None)[0], dtype=np.float64)
    return coefficients, column - known @ coefficients
