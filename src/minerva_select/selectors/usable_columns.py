"""Which columns of a table take part in a fit, and why the others do not."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minerva_select.errors import InputError, brief
from minerva_select.preprocessing import copies, find_kinds, identifiers, unusable
from minerva_select.schema import Column, ColumnKind, Table
from minerva_select.selectors.parameters import as_names

DROPPED_ON_REQUEST = "dropped on request"

_PROBE_ROWS = 1024

Groups = Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None


@dataclass(frozen=True)
class Participants:
    """Columns that are fitted, in column order, and what is already known about the rest."""

    names: tuple[str, ...]
    kinds: Mapping[str, ColumnKind]
    units: tuple[tuple[str, ...], ...]  # columns that come and go together
    kept: frozenset[str]  # kept on request, fitted or not
    reasons: Mapping[str, str]  # of columns that are not fitted
    originals: Mapping[str, str]  # of copies, the column they repeat
    suspects: Mapping[str, str]  # of fitted columns, why some look like identifiers

    @property
    def n_kept(self) -> int:
        """Number of choices that are made already: kept columns, a group counted as one."""
        aside = [name for name in self.kept if name in self.reasons]
        return len(aside) + sum(not self.kept.isdisjoint(members) for members in self.units)


def choose_participants(
    table: Table, categorical: str | Sequence[Any], keep: Sequence[Any], drop: Sequence[Any], groups: Groups
) -> Participants:
    """Set aside what the user drops, what holds nothing, what only names its rows, and what repeats another column."""
    kept, dropped = as_names(keep, table.names, "keep"), set(as_names(drop, table.names, "drop"))
    for name in kept:
        if name in dropped:
            raise InputError(f"Column {name!r} is named in both keep and drop; name it in one of them.")
    grouped = _check_groups(groups, table)
    group_members = {name for members in grouped for name in members}
    listed = categorical if isinstance(categorical, str) else as_names(categorical, table.names, "categorical_features")
    kinds = find_kinds(table, listed)
    kept_names, reasons = frozenset(kept), dict.fromkeys(dropped, DROPPED_ON_REQUEST)
    reasons.update({name: reason for name, reason in unusable(table).items() if name not in reasons})
    named = identifiers(table.select([name for name in table.names if name not in reasons]), kinds)
    reasons.update({name: found.reason for name, found in named.items() if not found.learnable})
    left = [name for name in table.names if name not in reasons]
    lonely = [name for name in left if name not in group_members]
    kept_first = sorted(lonely, key=lambda name: name not in kept_names)  # so that a kept column is never the copy
    originals = {
        name: original for name, original in copies(table.select(kept_first), kinds).items() if name not in kept_names
    }
    reasons.update({name: f"copy of {original}" for name, original in originals.items()})
    names = tuple(name for name in left if name not in originals)
    groups_left = [tuple(name for name in members if name not in reasons) for members in grouped]
    units = [members for members in groups_left if members] + [(name,) for name in names if name not in group_members]
    suspects = {name: named[name].reason for name in names if name in named}
    return Participants(names, kinds, tuple(units), kept_names, reasons, originals, suspects)


def _check_groups(groups: Groups, table: Table) -> list[tuple[str, ...]]:
    if groups is None:
        return []
    is_list = isinstance(groups, Iterable) and getattr(groups, "ndim", 1) > 0
    listed = list(groups.values() if isinstance(groups, Mapping) else groups) if is_list else [""]
    if any(isinstance(members, str) for members in listed):  # ["a", "b"] would be two groups of one
        raise InputError(
            f"groups must be a list of lists of column names, or a dictionary of them, got {brief(groups)}."
        )
    known = frozenset(table.names)
    checked = [tuple(as_names(members, table.names, "feature_groups", known)) for members in listed]
    seen: set[str] = set()
    for name in (name for members in checked for name in members):
        if name in seen:
            raise InputError(f"Column {name!r} is named twice in groups; a column belongs to one group at most.")
        seen.add(name)
    return checked


def canonical_order(table: Table) -> list[str]:
    """Column names ordered by what the columns hold, so that neither names nor places change an answer."""
    step = max(1, table.n_rows // _PROBE_ROWS)
    probes = [_digest(column, step) for column in table.columns]
    n_alike = Counter(probes)
    # Few columns agree in the rows of the probe, so that few are hashed whole.
    keys = {
        column.name: (probe, _digest(column) if step > 1 and n_alike[probe] > 1 else b"")
        for column, probe in zip(table.columns, probes, strict=True)
    }
    return sorted(keys, key=keys.__getitem__)


def _digest(column: Column, step: int = 1) -> bytes:
    """Fingerprint of every so many rows."""
    dtype = np.float64 if column.is_numeric else np.int64
    hasher = hashlib.blake2b(np.ascontiguousarray(column.values[::step], dtype=dtype).data)
    for level in () if column.levels is None else column.levels:
        hasher.update(repr(level).encode())
    return hasher.digest()
