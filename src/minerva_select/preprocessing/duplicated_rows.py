"""Copies of rows: equal rows that cannot be a coincidence.

Equal rows alone prove nothing: a table of three binary columns has only eight different rows. Two tests distinguish
copies from coincidences.

- The columns are divided into two halves. Rows that agree by coincidence have near misses: other rows that agree with
  them in one half only. Copies have none.
- Rows that are drawn independently, from whatever distribution, occur an even number of times at most every other time.
  If nearly all rows do, the table was appended to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from minerva_select.config import DUPLICATED_ROWS
from minerva_select.preprocessing.row_hashes import add_column, hash_column
from minerva_select.schema import Column, ColumnType, Table

Hashes = NDArray[np.uint64]  # (n_rows,)


class HashableRows(Protocol):
    """Rows whose columns can be hashed and looked up."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def is_categorical(self) -> Sequence[bool]:
        """Whether each column is categorical."""

    def hash(self, columns: Sequence[int]) -> Hashes:
        """Hash of every row in these columns; the hashes of disjoint sets of columns add up."""

    def take(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Values of every column, equal where the column has equal values, at these ascending rows."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows of a table in memory."""

    table: Table
    column_types: Mapping[str, ColumnType]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def is_categorical(self) -> list[bool]:
        """Whether each column is categorical."""
        return [self.column_types[name] == ColumnType.CATEGORICAL for name in self.table.names]

    def hash(self, columns: Sequence[int]) -> Hashes:
        """Hash of every row in these columns."""
        return _sum(((k, self.table.columns[k]) for k in columns), self.n_rows)

    def take(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Hash of the value in every column at these rows."""
        return [hash_column(column.take(rows), k) for k, column in enumerate(self.table.columns)]


def find_copies(x: HashableRows, target: Table) -> NDArray[np.int64] | None:
    """Number of the distinct row that each row is or copies, in order of first appearance; None without copies.

    A copy is equal to another row in all columns and the target.
    """
    if x.n_rows < DUPLICATED_ROWS.min_rows or not x.is_categorical:
        return None
    x_hashes = x.hash(range(len(x.is_categorical)))
    y_hashes = _sum(((-1 - k, column) for k, column in enumerate(target.columns)), target.n_rows)
    in_order = np.sort(x_hashes + y_hashes)
    if (in_order[1:] != in_order[:-1]).all():  # as in most tables; a fifth of the time that _EqualRows takes
        return None
    equal = _EqualRows.of(x_hashes + y_hashes)
    if len(equal.counts) < DUPLICATED_ROWS.min_rows:
        return None
    same_x = _EqualRows.of(x_hashes)
    largest = max(DUPLICATED_ROWS.max_copies, int(DUPLICATED_ROWS.max_copies_share * x.n_rows))
    if _targets_agree(equal, same_x, y_hashes) and _are_isolated(x, equal, same_x, largest):
        is_common = equal.counts > largest  # a frequent value, such as all columns missing
        return _number(np.where(is_common[equal.label], len(equal.counts) + np.arange(x.n_rows), equal.label))
    n_copies = _count_appended(equal)
    if n_copies is None or _is_balanced_design(x, same_x):
        return None
    return _number(_split_classes(equal, n_copies))


@dataclass(frozen=True, eq=False)
class _EqualRows:
    """Classes of rows with the same hash."""

    first: NDArray[np.intp]  # (n_classes,) first row of each class
    label: NDArray[np.intp]  # (n_rows,) class of each row
    counts: NDArray[np.intp]  # (n_classes,)

    @classmethod
    def of(cls, hashes: Hashes) -> _EqualRows:
        # 64 bits: the probability of any collision among 10 million rows is 3e-6
        _, first, label, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
        return cls(first, label, counts)


def _sum(columns: Iterable[tuple[int, Column]], n_rows: int) -> Hashes:
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for seed, column in columns:
        add_column(hashes, column, seed)
    return hashes


def _number(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Number the labels from 0 in order of first appearance."""
    _, first, index = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[index]


def _targets_agree(equal: _EqualRows, same_x: _EqualRows, y_hashes: Hashes) -> bool:
    """Whether rows that agree in all columns agree in the target much more often than any two rows do."""
    n_pairs = same_x.counts * (same_x.counts - 1.0)
    n_agreeing = np.bincount(
        same_x.label[equal.first], weights=equal.counts * (equal.counts - 1.0), minlength=len(n_pairs)
    )
    repeated = n_pairs > 0
    disagreement = 1 - n_agreeing[repeated] / n_pairs[repeated]  # of each repeated row, however often it occurs
    y_counts, n_rows = np.unique(y_hashes, return_counts=True)[1], len(y_hashes)
    usual = 1 - (y_counts * (y_counts - 1.0)).sum() / (n_rows * (n_rows - 1.0))
    is_evident = usual * len(disagreement) >= DUPLICATED_ROWS.min_disagreements
    return not is_evident or bool(disagreement.mean() <= DUPLICATED_ROWS.max_disagreement * usual)


def _are_isolated(x: HashableRows, equal: _EqualRows, same_x: _EqualRows, largest: int) -> bool:
    """Whether most repeated rows share neither half of their columns with a different row."""
    repeated = equal.first[(equal.counts > 1) & (equal.counts <= largest)]
    halves = _halve(x, same_x.first)
    if not len(repeated) or not all(halves):
        return False
    isolated = np.ones(len(repeated), dtype=bool)
    for half in halves:
        hashes = x.hash(half)
        _, label, counts = np.unique(hashes[same_x.first], return_inverse=True, return_counts=True)
        isolated &= counts[label[same_x.label[repeated]]] == 1
    return bool(isolated.mean() >= DUPLICATED_ROWS.min_isolated_share)


def _halve(x: HashableRows, distinct: NDArray[np.intp]) -> tuple[list[int], list[int]]:
    """Divide the columns into halves of similar resolution; recodings of a column are in the half of the column."""
    rows = np.sort(distinct)
    rows = rows[:: -(-len(rows) // DUPLICATED_ROWS.n_probe_rows)]
    n_values: dict[int, int] = {}
    recodings: dict[int, list[int]] = {}
    first_of: dict[bytes, int] = {}
    for k, values in enumerate(x.take(rows)):
        numbers = _number(values)
        n_distinct = int(numbers.max()) + 1
        # Columns of unique values look alike, though none is a recoding of another
        original = k if 2 * n_distinct > len(rows) else first_of.setdefault(numbers.tobytes(), k)
        recodings.setdefault(original, []).append(k)
        n_values[original] = n_distinct
    finest_first = sorted(n_values, key=lambda k: -n_values[k])
    halves: tuple[list[int], list[int]] = ([], [])
    for position, k in enumerate(finest_first):
        halves[(0, 1, 1, 0)[position % 4]].extend(recodings[k])
    return halves


def _count_appended(equal: _EqualRows) -> int | None:
    """How often every row occurs in a table appended to itself, possibly with a few other rows; None otherwise.

    Among independent rows, the number of occurrences of each distinct row is Poisson distributed, and divisible by 2 or
    more with a probability of at most one half.
    """
    candidates: set[int] = {int(np.gcd.reduce(equal.counts)), *range(2, DUPLICATED_ROWS.max_appended + 1)} - {1}
    for n_copies in sorted(candidates, reverse=True):
        n_divisible = int(np.count_nonzero(equal.counts % n_copies == 0))
        if float(binom.sf(n_divisible - 1, len(equal.counts), 0.5)) <= DUPLICATED_ROWS.level:
            return n_copies
    return None


def _is_balanced_design(x: HashableRows, same_x: _EqualRows) -> bool:
    """Whether every combination of equally frequent categories occurs equally often, as in a designed experiment."""
    if not all(x.is_categorical) or np.ptp(same_x.counts):
        return False
    columns = x.take(np.sort(same_x.first))
    return all(np.ptp(np.unique(values, return_counts=True)[1]) == 0 for values in columns)


def _split_classes(equal: _EqualRows, n_copies: int) -> NDArray[np.int64]:
    """Divide every class into sets of copies: equal rows are interchangeable, so any sets of that size will do."""
    order = np.argsort(equal.label, kind="stable")
    starts = np.cumsum(equal.counts) - equal.counts
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order)) - np.repeat(starts, equal.counts)
    n_sets = np.maximum(1, -(-equal.counts // n_copies))[equal.label]
    return equal.label * (len(order) + 1) + position % n_sets
