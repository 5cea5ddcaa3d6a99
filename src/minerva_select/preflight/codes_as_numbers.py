"""Whole numbers that are read as numeric though they look like codes, such as postal codes or numbers of shops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from minerva_select.codes import FindingCode
from minerva_select.config import PREFLIGHT
from minerva_select.preflight.checked_rows import CheckedRows
from minerva_select.preflight.names import split_name
from minerva_select.results.table_check import Finding
from minerva_select.schema import ColumnType

_CODE_NAMES = frozenset(
    {"code", "codes", "zip", "zipcode", "postcode", "postal", "plz", "fips", "sic", "naics", "id", "ids"}
)


def find_codes(data: CheckedRows) -> list[Finding]:
    """Numeric columns of whole numbers whose name says that they are codes, or whose order carries nothing.

    The latter are dense numbers, such as 1 to 51, between which the target clearly differs, though neighboring numbers
    are alike neither in the target nor in how often they occur.
    """
    found = []
    for column in data.table.columns:
        if not column.is_numeric or data.column_types[column.name] is ColumnType.CATEGORICAL or column.conversion:
            continue
        present = np.flatnonzero(~column.missing)
        values = column.values[present]
        if len(values) == 0 or not (values == np.floor(values)).all():
            continue
        levels, codes = np.unique(values, return_inverse=True)
        is_named = bool(_CODE_NAMES & {*split_name(column.name)}) and 2 * len(levels) <= len(values)
        if is_named or (_are_dense(levels) and _is_order_meaningless(codes, data.classes[present])):
            found.append(
                Finding(
                    FindingCode.CODES_AS_NUMBERS,
                    (column.name,),
                    {"n_values": len(levels), "by_name": is_named},
                    ("--categorical", column.name),
                )
            )
    return found


def _are_dense(levels: NDArray[Any]) -> bool:
    n_possible = float(levels[-1] - levels[0]) + 1
    return len(levels) <= PREFLIGHT.max_codes and len(levels) >= PREFLIGHT.min_code_density * n_possible


def _is_order_meaningless(codes: NDArray[np.int64], classes: NDArray[np.int64]) -> bool:
    """Whether the target differs between values, but values of similar size are alike in nothing."""
    counts = np.bincount(codes)
    frequent = np.flatnonzero(counts >= PREFLIGHT.min_rows_per_code)
    if len(frequent) < PREFLIGHT.min_codes or len(frequent) < PREFLIGHT.min_frequent_share * len(counts):
        return False
    if _autocorrelation(np.log(counts[frequent])) >= PREFLIGHT.max_autocorrelation:
        return False
    n_classes = int(classes.max()) + 1
    has_signal = False
    for outcome in range(1, 2) if n_classes == 2 else range(min(n_classes, PREFLIGHT.max_outcomes)):
        means = np.bincount(codes, weights=classes == outcome)[frequent] / counts[frequent]
        overall = float(np.average(means, weights=counts[frequent]))
        noise = overall * (1 - overall) / counts[frequent]
        if not noise.any():
            continue
        between = float(((means - overall) ** 2 / noise).sum())
        is_clear = chi2.sf(between, len(means) - 1) < PREFLIGHT.code_level
        if is_clear and means.var() >= noise.mean() / (1 - PREFLIGHT.min_signal):
            has_signal = True
            if _autocorrelation(means) >= PREFLIGHT.max_autocorrelation:
                return False
    return has_signal


def _autocorrelation(values: NDArray[Any]) -> float:
    """Correlation of neighboring values; 0 if all are equal."""
    centered = values - values.mean()
    variance = float((centered**2).mean())
    return float((centered[1:] * centered[:-1]).mean()) / variance if variance > 0 else 0.0
