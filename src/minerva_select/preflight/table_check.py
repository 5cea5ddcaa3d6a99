"""Check a table: read it, look for everything that is known to go wrong, and estimate the time of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import FindingCode
from minerva_select.data.frames import as_column, check_length, check_target, read_columns
from minerva_select.data.splits import check_rows
from minerva_select.errors import InputError
from minerva_select.preflight.checked_rows import CheckedRows, SampledTable, sample_table
from minerva_select.preflight.codes_as_numbers import find_codes
from minerva_select.preflight.fit_time import estimate_fit_seconds
from minerva_select.preflight.leaks import find_leaks
from minerva_select.preflight.target import find_target_faults
from minerva_select.preflight.text_columns import find_text_faults
from minerva_select.preflight.uninformative import find_uninformative
from minerva_select.preprocessing.column_names import resolve_categorical
from minerva_select.preprocessing.column_types import CategoricalFeatures, infer_column_types, infer_target_types
from minerva_select.results.table_check import Finding, TableCheck
from minerva_select.schema import Column, Table


def check_table(
    X: Any,
    y: Any,
    *,
    times: Any = None,
    categorical_features: CategoricalFeatures = "auto",
    target_type: str = "auto",
    drop: Sequence[str] = (),
) -> TableCheck:
    """Find what is wrong with a table before a fit, and estimate the time of the fit.

    Takes about a second. Of a large table, rows from all parts are checked, about 2 million cells, and of a very wide
    one some of the columns.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        Any table that :meth:`MinervaSelector.fit` takes.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The target; missing values are reported.
    times : array-like of shape (n_samples,), optional
        Time of each row, as numbers or dates.
    categorical_features, target_type, drop
        As in :class:`MinervaSelector`; columns in ``drop`` are not checked.

    Returns
    -------
    TableCheck
        Findings as codes with columns, values and the options that change them; ``print`` shows sentences.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from minerva_select import check_table
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"customer": np.arange(500), "amount": rng.normal(size=500), "currency": "EUR"})
    >>> for finding in check_table(X, rng.integers(2, size=500)).findings:
    ...     print(finding.code, finding.columns, " ".join(finding.options))
    identifier ('customer',) --drop customer
    constant ('currency',) --drop currency
    """
    read = read_input(X, y, categorical_features, target_type, drop)
    row_times = None if times is None else as_column(times, read.sampled.n_rows, "times").take(read.positions)
    data, targets = read.data, read.data.target.names
    unparsed = find_text_faults(data)
    findings = [
        *read.findings,
        *find_target_faults(read.target, data.target_types),
        *find_leaks(data, targets, row_times),
        *find_codes(data),
        *unparsed,
        *find_uninformative(data.without({finding.columns[0] for finding in unparsed})),
    ]
    return TableCheck(
        target=", ".join(targets),
        n_rows=read.sampled.n_rows,
        n_columns=read.sampled.n_columns,
        n_rows_checked=read.sampled.table.n_rows,
        n_columns_checked=len(data.table.columns),
        findings=_in_order(findings),
        fit_seconds=estimate_fit_seconds(data, read.target.n_rows, read.sampled.n_columns),
    )


@dataclass(frozen=True, eq=False)
class CheckInput:
    """A table as it is checked, and what was found when it was read."""

    data: CheckedRows
    positions: NDArray[np.int64]  # of these rows in the table
    target: Table  # of all rows that have one
    sampled: SampledTable
    findings: list[Finding]


def read_input(
    X: Any,
    y: Any,
    categorical_features: CategoricalFeatures = "auto",
    target_type: str = "auto",
    drop: Sequence[str] = (),
) -> CheckInput:
    """Read the rows to check and the target; raise for what cannot be a table and its target."""
    sampled = sample_table(X, drop)
    positions, (table, infinite) = sampled.positions, _without_infinite(sampled.table)
    target = read_columns(y, "y")
    check_length(target, sampled.n_rows)
    missing = np.logical_or.reduce([column.missing for column in target.columns])
    if missing.all():
        one = len(target.names) == 1
        which = f"The target {target.names[0]!r} has no values" if one else "No row has a value of every target"
        raise InputError(f"{which}; choose another target.")
    known = target.take(np.flatnonzero(~missing)) if missing.any() else target
    check_rows(known.n_rows)
    check_target(known)
    has_target = ~missing[positions]
    if not has_target.all():
        table, positions = table.take(np.flatnonzero(has_target)), positions[has_target]
    categorical = resolve_categorical(categorical_features, sampled.names)
    types = infer_column_types(table, _of_columns(categorical, table))
    data = CheckedRows(table, target.take(positions), types, infer_target_types(known, target_type))
    return CheckInput(data, positions, known, sampled, [*_missing_target(target, missing), *infinite])


def _of_columns(categorical: CategoricalFeatures, table: Table) -> CategoricalFeatures:
    """The parameter ``categorical_features`` without the columns that are not checked."""
    if isinstance(categorical, str):
        return categorical
    if isinstance(categorical, Mapping):
        return {name: value for name, value in categorical.items() if name in table.names}
    return [name for name in categorical if name in table.names]


def _missing_target(target: Table, missing: NDArray[np.bool_]) -> list[Finding]:
    if not missing.any():
        return []
    values = {"n_missing": int(missing.sum()), "n_rows": len(missing)}
    return [Finding(FindingCode.MISSING_TARGET, target.names, values, ("--drop-missing-target",))]


def _without_infinite(table: Table) -> tuple[Table, list[Finding]]:
    """The table with missing values in place of infinite ones, and the columns that have some."""
    counts = {column.name: int(np.isinf(column.values).sum()) for column in table.columns if column.is_numeric}
    found = [
        Finding(FindingCode.INFINITE_VALUES, (name,), {"n_infinite": count}, ("--drop", name))
        for name, count in counts.items()
        if count
    ]
    columns = tuple(_finite(column) if counts.get(column.name) else column for column in table.columns)
    return Table(columns, table.n_rows), found


def _finite(column: Column) -> Column:
    return Column(column.name, np.where(np.isinf(column.values), np.nan, column.values), None, column.conversion)


def _in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of their codes, most serious first."""
    order = list(FindingCode)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.code)))
