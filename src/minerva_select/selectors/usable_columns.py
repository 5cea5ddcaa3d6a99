"""Which columns of a table a fit uses, and why it leaves out the others."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ReasonCode
from minerva_select.errors import InputError, brief
from minerva_select.preprocessing.column_names import as_names, resolve_categorical
from minerva_select.preprocessing.column_types import CategoricalFeatures, TargetTypes, infer_column_types
from minerva_select.preprocessing.duplicated_rows import TableRows, find_copies
from minerva_select.preprocessing.duplicates import find_duplicates, find_unusable
from minerva_select.preprocessing.equivalence import ColumnSample, find_equivalents
from minerva_select.preprocessing.identifiers import Identifier, find_identifiers
from minerva_select.preprocessing.linear_combinations import find_determined
from minerva_select.results import Reason
from minerva_select.schema import ColumnType, Table
from minerva_select.selectors.fold_splits import find_strata

_MIN_ROWS_OF_COPIES = 100  # with fewer rows, groups of copies may be too few to split
_N_CLASSES = 8  # of a continuous target, when equivalent columns are compared

FeatureGroups = Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None


@dataclass(frozen=True)
class UsableColumns:
    """The columns that a fit uses, in table order, and what is known about the others."""

    names: tuple[str, ...]
    column_types: Mapping[str, ColumnType]
    units: tuple[tuple[str, ...], ...]  # columns that are selected or dropped together
    kept: frozenset[str]  # kept on request, used or not
    reasons: Mapping[str, Reason]  # of unused columns
    originals: Mapping[str, str]  # of exact copies, the column that they copy
    identifiers: Mapping[str, Identifier]  # used or not
    grouped: frozenset[str] = frozenset()  # columns in feature groups

    @property
    def n_kept(self) -> int:
        """Number of units that are kept on request."""
        return self.n_kept_unused + sum(not self.kept.isdisjoint(members) for members in self.units)

    @property
    def n_kept_unused(self) -> int:
        """Number of columns that are kept on request and cannot be used."""
        return len(self.kept & self.reasons.keys())


def find_usable_columns(
    table: Table,
    categorical: CategoricalFeatures,
    keep: Sequence[Any],
    drop: Sequence[Any],
    feature_groups: FeatureGroups,
    copies: NDArray[np.int64] | None = None,
) -> UsableColumns:
    """Leave out columns that the user drops, that are constant or empty, identifiers, and exact copies.

    With ``copies`` (see :func:`find_copies`), a column is an identifier if its values identify the distinct rows.
    """
    kept, dropped = as_names(keep, table.names, "keep"), set(as_names(drop, table.names, "drop"))
    for name in kept:
        if name in dropped:
            raise InputError(f"Column {name!r} is named in both keep and drop; name it in one of them.")
    grouped = _check_groups(feature_groups, table)
    group_members = {name for members in grouped for name in members}
    column_types = infer_column_types(table, resolve_categorical(categorical, table.names))
    kept_names = frozenset(kept)
    reasons = dict.fromkeys(dropped, Reason(ReasonCode.DROPPED_ON_REQUEST))
    reasons.update({name: Reason(code) for name, code in find_unusable(table).items() if name not in reasons})
    candidates = table.select([name for name in table.names if name not in reasons])
    found = find_identifiers(candidates if copies is None else _distinct_rows(candidates, copies), column_types)
    reasons.update({name: identifier_reason(one) for name, one in found.items() if not one.learnable})
    left = [name for name in table.names if name not in reasons]
    single = [name for name in left if name not in group_members]
    kept_first = sorted(single, key=lambda name: name not in kept_names)  # so that a kept column is never the copy
    originals = {
        name: original
        for name, original in find_duplicates(table.select(kept_first), column_types).items()
        if name not in kept_names
    }
    reasons.update({name: Reason(ReasonCode.EQUIVALENT, (original,)) for name, original in originals.items()})
    names = tuple(name for name in left if name not in originals)
    groups_left = [tuple(name for name in members if name not in reasons) for members in grouped]
    units = [members for members in groups_left if members] + [(name,) for name in names if name not in group_members]
    suspicious = {name: one for name, one in found.items() if name not in originals}
    return UsableColumns(
        names, column_types, tuple(units), kept_names, reasons, originals, suspicious, frozenset(group_members)
    )


def merge_equivalents(
    table: Table, columns: UsableColumns, target: Table, target_types: TargetTypes, *, drop_determined: bool = False
) -> UsableColumns:
    """Leave out columns that are equivalent to another one; columns in feature groups stay as they are.

    With ``drop_determined``, leave out columns too that several others determine, such as one of a total and its parts:
    the least informative one.
    """
    candidates = _comparable(table, columns)
    if len(candidates.columns) < 2:
        return columns
    classes, column_types = _classes(target, target_types), columns.column_types
    sample = ColumnSample(candidates, column_types, classes)
    found = find_equivalents(candidates, column_types, classes, columns.kept, sample)
    originals = {**{name: found.get(one, one) for name, one in columns.originals.items()}, **found}
    merged = _leave_out(columns, {name: (one,) for name, one in found.items()})
    merged = dataclasses.replace(merged, originals=originals)
    if not drop_determined:
        return merged
    left = candidates.select([name for name in candidates.names if name not in found])
    return _leave_out_determined(left, merged, classes, sample)


def _leave_out_determined(
    candidates: Table, columns: UsableColumns, classes: NDArray[np.int64], sample: ColumnSample
) -> UsableColumns:
    names = tuple(column.name for column in candidates.columns if column.is_numeric)
    if len(names) < 3:
        return columns
    n_columns = len(candidates.columns)
    if not sample.has_rows_for(candidates.n_rows, n_columns):  # more rows of fewer columns
        sample = ColumnSample(candidates.select(names), columns.column_types, classes, n_columns)
    found = find_determined(candidates, sample.rank(names, columns.kept), classes)
    return _leave_out(columns, {name: needed for name, needed in found.items() if name not in columns.kept})


def _comparable(table: Table, columns: UsableColumns) -> Table:
    """The used columns that may represent others, in an order that neither names nor positions decide."""
    names = [name for name in columns.names if name not in columns.grouped and name not in columns.identifiers]
    return table.select(canonical_order(table.select(names)))


def _classes(target: Table, target_types: TargetTypes) -> NDArray[np.int64]:
    strata = find_strata(target, target_types)
    return strata if target_types.is_discrete else strata * _N_CLASSES // (int(strata.max()) + 1)


def _leave_out(columns: UsableColumns, found: Mapping[str, tuple[str, ...]]) -> UsableColumns:
    """Leave out columns whose information others carry."""
    return dataclasses.replace(
        columns,
        names=tuple(name for name in columns.names if name not in found),
        units=tuple(members for members in columns.units if members[0] not in found),
        reasons={**columns.reasons, **{name: Reason(ReasonCode.EQUIVALENT, of) for name, of in found.items()}},
    )


def find_copied_rows(table: Table, columns: UsableColumns, target: Table) -> NDArray[np.int64] | None:
    """Find copies of rows by the used columns other than identifiers, which a copy may have of its own."""
    if table.n_rows < _MIN_ROWS_OF_COPIES:
        return None
    names = [name for name in columns.names if name not in columns.identifiers]
    return find_copies(TableRows(table.select(canonical_order(table.select(names))), columns.column_types), target)


def _distinct_rows(table: Table, copies: NDArray[np.int64]) -> Table:
    return table.take(np.unique(copies, return_index=True)[1])


def identifier_reason(found: Identifier) -> Reason:
    """The reason to drop an identifier."""
    return Reason(ReasonCode.IDENTIFIER, values={"pattern": str(found.pattern), **found.values})


def _check_groups(groups: FeatureGroups, table: Table) -> list[tuple[str, ...]]:
    if groups is None:
        return []
    is_list = isinstance(groups, Iterable) and getattr(groups, "ndim", 1) > 0
    listed = list(groups.values() if isinstance(groups, Mapping) else groups) if is_list else [""]
    if any(isinstance(members, str) for members in listed):  # ["a", "b"] would be two groups of one
        raise InputError(
            f"feature_groups must be a list of lists of column names, or a dictionary of them, got {brief(groups)}."
        )
    known = frozenset(table.names)
    checked = [tuple(as_names(members, table.names, "feature_groups", known)) for members in listed]
    seen: set[str] = set()
    for name in (name for members in checked for name in members):
        if name in seen:
            raise InputError(f"Column {name!r} is in feature_groups twice; a column belongs to at most one group.")
        seen.add(name)
    return checked


def canonical_order(table: Table) -> list[str]:
    """Sort column names by the contents of the columns, so that neither names nor positions change a result."""
    n_alike = Counter(column.probe_digest for column in table.columns)
    # Few columns agree in the sampled rows, so few have to be hashed completely
    keys = {
        column.name: (column.probe_digest, column.digest() if n_alike[column.probe_digest] > 1 else b"")
        for column in table.columns
    }
    return sorted(keys, key=keys.__getitem__)
