"""Columns and rows that say nothing, or nothing new: constants, identifiers, free text, near-copies, copies of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import FindingCode, ReasonCode
from minerva_select.config import IDENTIFIERS, PREFLIGHT
from minerva_select.preflight.checked_rows import CheckedRows
from minerva_select.preprocessing.duplicated_rows import TableRows, find_copies
from minerva_select.preprocessing.duplicates import find_duplicates, find_unusable
from minerva_select.preprocessing.equivalence import find_equivalents
from minerva_select.preprocessing.identifiers import find_identifiers
from minerva_select.results.table_check import Finding
from minerva_select.schema import Column

_UNUSABLE = {ReasonCode.CONSTANT: FindingCode.CONSTANT, ReasonCode.ALL_MISSING: FindingCode.ALL_MISSING}
_MIN_ROWS_OF_COPIES = 100  # as in a fit


def find_uninformative(data: CheckedRows) -> list[Finding]:
    """Find them in the order in which a fit leaves them out: each kind among the columns that are left."""
    unusable = find_unusable(data.table)
    found = _list_unusable(unusable)
    data = data.without({*unusable})
    texts = _find_free_text(data)
    data = data.without(_names(texts))
    copies = _find_copies(data.without(_names(_find_identifiers(data))))
    if copies is None:
        identifiers = _find_identifiers(data)
    else:  # an identifier of copied rows occurs as often as they do
        values = {"n_duplicated": data.n_rows - int(copies.max()) - 1, "n_rows": data.n_rows}
        found.append(Finding(FindingCode.DUPLICATED_ROWS, (), values))
        identifiers = _find_identifiers(data.take(np.unique(copies, return_index=True)[1]))
    return [*found, *texts, *identifiers, *_find_near_copies(data.without(_names(identifiers)))]


def _list_unusable(unusable: Mapping[str, ReasonCode]) -> list[Finding]:
    found = []
    for reason, code in _UNUSABLE.items():
        names = tuple(name for name, own_reason in unusable.items() if own_reason is reason)
        if names:
            found.append(Finding(code, names, options=_drop(names)))
    return found


def _drop(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(argument for name in names for argument in ("--drop", name))


def _names(findings: list[Finding]) -> set[str]:
    return {name for finding in findings for name in finding.columns}


def _find_free_text(data: CheckedRows) -> list[Finding]:
    return [
        Finding(FindingCode.FREE_TEXT, (column.name,), {"n_distinct": n_distinct}, ("--drop", column.name))
        for column in data.table.columns
        if (n_distinct := _count_texts(column)) is not None
    ]


def _count_texts(column: Column) -> int | None:
    """Number of distinct texts, if they have several words and seldom repeat."""
    if column.levels is None:
        return None
    present = column.values[column.values >= 0]
    used = np.unique(present)
    if len(used) < max(IDENTIFIERS.min_rows, PREFLIGHT.min_text_share * len(present)):
        return None
    texts = column.levels[used[:: max(1, -(-len(used) // PREFLIGHT.n_texts))]]
    n_words = np.mean([sum(word[0].isalpha() for word in str(text).split()) for text in texts])
    return len(used) if n_words >= PREFLIGHT.min_words else None


def _find_identifiers(data: CheckedRows) -> list[Finding]:
    found = find_identifiers(data.table, data.column_types)
    return [
        Finding(FindingCode.IDENTIFIER, (name,), {"pattern": str(one.pattern), **one.values}, ("--drop", name))
        for name, one in found.items()
    ]


def _find_near_copies(data: CheckedRows) -> list[Finding]:
    originals = find_duplicates(data.table, data.column_types)
    left = data.without({*originals})
    found = find_equivalents(left.table, data.column_types, data.classes) if len(left.table.columns) > 1 else {}
    copies = defaultdict(list)
    for name in data.table.names:
        original = originals.get(name, name)
        representative = found.get(original, original)
        if representative != name:
            copies[representative].append(name)
    return [
        Finding(
            FindingCode.NEAR_COPY,
            (representative, *names),
            options=_drop(names),
        )
        for representative, names in copies.items()
    ]


def _find_copies(data: CheckedRows) -> NDArray[np.int64] | None:
    """Number of the distinct row that each row is or copies; None without copies."""
    if data.n_rows < _MIN_ROWS_OF_COPIES or not data.table.columns:
        return None
    return find_copies(TableRows(data.table, data.column_types), data.target)
