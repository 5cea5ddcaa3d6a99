"""Equivalent columns: near-copies of a column, and coarser versions of it that it determines.

Copies may be monotone, rounded, slightly noisy, recoded; coarser versions are binned, or indicators of a level or of an
interval. One column of each group represents it. The others can neither hide it in a test nor be hidden by it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from minerva_select.config import EQUIVALENCE
from minerva_select.preprocessing.binned_information import (
    bin_ranks,
    binned_information,
    count_pairs,
    plugin_information,
)
from minerva_select.schema import Column, ColumnType, Table

_BLOCK = 512  # columns compared at once
_SKETCHED_FROM = 2_000  # columns; beyond, most pairs are excluded by a few coordinates of each column:
_N_SKETCH = 64
_SKETCH_ERROR = 1e-4  # far above that of the arithmetic
_MAX_COMPARISONS = 2e9  # cells compared to find coarser versions; beyond that, fewer rows


def find_equivalents(
    table: Table,
    column_types: Mapping[str, ColumnType],
    classes: NDArray[np.int64],
    keep: Collection[str] = (),
    sample: ColumnSample | None = None,
) -> dict[str, str]:
    """Columns that another one represents, with its name; columns in ``keep`` represent themselves.

    ``classes`` are those of the target. Of near-copies the most informative one is the representative; fewer missing
    values and more distinct ones decide ties. Two similar columns whose difference says something about the target are
    not equivalent.
    """
    sample = sample or ColumnSample(table, column_types, classes)
    ordered, classes = sample.in_order(table.names, keep), sample.classes
    numeric = [one for one in ordered if not one.is_categorical]
    categorical = [one for one in ordered if one.is_categorical]
    found = _near_copies(numeric, classes, keep) | _recodings(categorical, keep)
    left = [one for one in ordered if one.name not in found]
    found |= _coarser_versions(left, keep)
    return {name: _follow(name, found) for name in table.names if name in found}


class ColumnSample:
    """Sampled rows of the columns of a table, and the information of each about the classes of a target."""

    def __init__(
        self, table: Table, column_types: Mapping[str, ColumnType], classes: NDArray[np.int64], n_columns: int = 0
    ) -> None:
        self.rows = _sample(table.n_rows, n_columns or len(table.columns))
        self.classes = classes[self.rows]
        self._columns = {
            column.name: _SampledColumn.of(column, column_types[column.name], self.rows, self.classes)
            for column in table.columns
        }

    def has_rows_for(self, n_rows: int, n_columns: int) -> bool:
        """Whether a table of this size has the same sample."""
        return np.array_equal(self.rows, _sample(n_rows, n_columns))

    def in_order(self, names: Iterable[str], keep: Collection[str]) -> list[_SampledColumn]:
        """Columns in order of preference; those in ``keep`` are first."""
        return sorted((self._columns[name] for name in names), key=lambda one: (one.name not in keep, *one.preference))

    def rank(self, names: Iterable[str], keep: Collection[str] = ()) -> dict[str, float]:
        """Information of each column about the target by counting, in order of preference."""
        return {one.name: one.information for one in self.in_order(names, keep)}


def _follow(name: str, found: Mapping[str, str]) -> str:
    while name in found:
        name = found[name]
    return name


def _sample(n_rows: int, n_columns: int) -> NDArray[np.int64]:
    max_rows = EQUIVALENCE.max_rows if n_columns <= EQUIVALENCE.many_columns else EQUIVALENCE.max_rows_many_columns
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, max_rows)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class _SampledColumn:
    """Sampled rows of a column: ranks of numbers, codes of levels."""

    name: str
    is_categorical: bool
    ranks: NDArray[np.float32]  # (n_rows,) between 0 and 1, NaN where missing; of codes, if categorical
    codes: NDArray[np.uint16]  # (n_rows,) distinct values numbered by size, missing ones last
    n_codes: int
    n_missing: int
    information: float  # about the target, in steps that hide small differences

    @classmethod
    def of(
        cls, column: Column, kind: ColumnType, rows: NDArray[np.int64], classes: NDArray[np.int64]
    ) -> _SampledColumn:
        dictionary = column.dictionary
        if dictionary is not None and len(dictionary.values) <= len(rows):
            codes, counts, n_missing = _number_indices(dictionary.indices[rows], len(dictionary.values))
        else:
            codes, counts, n_missing = _number_values(column, rows)
        ranks = _rank_codes(counts, n_missing).take(codes)
        is_categorical = kind == ColumnType.CATEGORICAL
        bins = codes if is_categorical else bin_ranks(ranks, EQUIVALENCE.n_bins)
        information = binned_information(np.minimum(bins, EQUIVALENCE.max_levels), classes)
        in_steps = round(information / EQUIVALENCE.information_step) * EQUIVALENCE.information_step
        return cls(column.name, is_categorical, ranks, codes, len(counts), n_missing, in_steps)

    @property
    def preference(self) -> tuple[float, int, int]:
        """Sort key: more information first, then fewer missing values, then more distinct values."""
        return -self.information, self.n_missing, -self.n_codes


_Numbered = tuple[NDArray[np.uint16], NDArray[np.int64], int]  # codes, how often each occurs, number of missing values


def _number_indices(indices: NDArray[np.unsignedinteger[Any]], n_values: int) -> _Numbered:
    """Number the values of a dictionary that occur; index 0 is a missing one."""
    counts = np.bincount(indices, minlength=n_values + 1)
    n_missing = int(counts[0])
    if n_missing:  # it gets the last code
        counts = np.append(counts, n_missing)
        indices = np.where(indices == 0, n_values + 1, indices.astype(np.int64))
    counts[0] = 0
    occurs = counts > 0
    return (np.cumsum(occurs) - 1).astype(np.uint16).take(indices), counts[occurs], n_missing


def _number_values(column: Column, rows: NDArray[np.int64]) -> _Numbered:
    values = column.values[rows].astype(np.float64)
    missing = np.isnan(values) if column.is_numeric else values < 0
    n_missing = int(np.count_nonzero(missing))
    values[missing] = np.nan
    order = np.argsort(values)
    ascending = values.take(order)
    is_first = np.ones(len(values), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    if n_missing:
        is_first[len(values) - n_missing + 1 :] = False
    codes = np.empty(len(values), dtype=np.uint16)
    codes[order] = np.cumsum(is_first) - 1
    return codes, np.diff(np.flatnonzero(is_first), append=len(values)), n_missing


def _rank_codes(counts: NDArray[np.int64], n_missing: int) -> NDArray[np.float32]:
    """Average rank of each code, between 0 and 1; NaN of the last one, if it stands for missing values."""
    below_or_equal = np.cumsum(counts)
    average = 0.5 * (below_or_equal + (below_or_equal - counts) + 1)
    ranks = ((average - 0.5) / max(1, int(below_or_equal[-1]) - n_missing)).astype(np.float32)
    if n_missing:
        ranks[-1] = np.nan
    return ranks


def _near_copies(
    columns: Sequence[_SampledColumn], classes: NDArray[np.int64], keep: Collection[str]
) -> dict[str, str]:
    """Numeric columns with nearly the same order of rows as an earlier one, ascending or descending."""
    found: dict[str, str] = {}
    if len(columns) < 2:
        return found
    ranks = (_standardize(one.ranks) for one in columns)
    is_many = len(columns) >= _SKETCHED_FROM
    # (n_rows, n_columns)
    standard = np.stack(list(ranks)).T if is_many else np.stack(list(ranks), axis=1)
    sketch = _sketch(standard) if is_many else None
    is_leader = np.zeros(len(columns), dtype=bool)
    for start in range(0, len(columns), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(columns)))
        earlier = np.flatnonzero(is_leader[:start])
        if sketch is None:
            compare = _compare_all(standard, earlier, block, is_leader)
        else:
            compare = _compare_likely(standard, sketch, earlier, block, is_leader)
        for k in range(block.start, block.stop):
            leaders, similar = compare(k)
            near = np.flatnonzero(np.abs(similar) >= EQUIVALENCE.min_correlation)
            best = near[np.argsort(-np.abs(similar[near]), kind="stable")] if columns[k].name not in keep else near[:0]
            leader = next(
                (columns[leaders[j]] for j in best if _is_copy(columns[k], columns[leaders[j]], classes)), None
            )
            if leader is None:
                is_leader[k] = True
            else:
                found[columns[k].name] = leader.name
    return found


_Compare = Callable[[int], tuple[NDArray[np.int64], NDArray[np.float32]]]  # leaders before a column, and correlations


def _compare_all(
    standard: NDArray[np.float32], earlier: NDArray[np.int64], block: slice, is_leader: NDArray[np.bool_]
) -> _Compare:
    outside = standard[:, earlier].T @ standard[:, block]  # (n_leaders, n_block)
    inside = standard[:, block].T @ standard[:, block]

    def compare(k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        own = np.flatnonzero(is_leader[block.start : k])
        similar = np.concatenate([outside[:, k - block.start], inside[own, k - block.start]])
        return np.concatenate([earlier, own + block.start]), similar

    return compare


def _sketch(standard: NDArray[np.float32]) -> NDArray[np.float32]:  # (n_sketch, n_columns)
    """Coordinates of columns in a random subspace, in which they are no further apart than they are."""
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(len(standard), min(_N_SKETCH, len(standard)))))[0]
    return axes.T.astype(np.float32) @ standard


def _compare_likely(
    standard: NDArray[np.float32],
    sketch: NDArray[np.float32],
    earlier: NDArray[np.int64],
    block: slice,
    is_leader: NDArray[np.bool_],
) -> _Compare:
    """As :func:`_compare_all`, without the leaders that the sketch shows to be far from a column."""
    before = np.concatenate([earlier, np.arange(block.start, block.stop)])
    own, others = sketch[:, block], sketch[:, before]
    # |u - v|^2 = |u|^2 + |v|^2 - 2 uv, of columns of length 1 and of their shorter sketches
    apart = -np.abs(own.T @ others)  # (n_block, n_before)
    apart += (own**2).sum(axis=0)[:, None] / 2
    apart += (others**2).sum(axis=0) / 2
    is_likely = apart <= 1 - EQUIVALENCE.min_correlation + _SKETCH_ERROR

    def compare(k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        likely = before[is_likely[k - block.start]]
        leaders = likely[(likely < k) & is_leader[likely]]
        return leaders, standard[:, leaders].T @ standard[:, k]

    return compare


def _standardize(ranks: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ranks with mean 0 and length 1; missing values are at the mean."""
    if np.isnan(ranks).all():
        return np.zeros_like(ranks)
    centered = np.nan_to_num(ranks - np.nanmean(ranks)).astype(np.float32)
    length = float(np.linalg.norm(centered))
    return centered / np.float32(length or 1.0)


def _is_copy(column: _SampledColumn, leader: _SampledColumn, classes: NDArray[np.int64]) -> bool:
    """Whether the same values are missing, and the difference of the ranks says nothing about the target."""
    missing, leader_missing = np.isnan(column.ranks), np.isnan(leader.ranks)
    if (missing != leader_missing).mean() > EQUIVALENCE.max_disagreement:
        return False
    present = ~(missing | leader_missing)
    own, other = column.ranks[present], leader.ranks[present]
    falls = float(np.corrcoef(own, other)[0, 1]) < 0
    return not is_difference_informative((1 - own if falls else own) - other, other, classes[present])


def is_difference_informative(
    difference: NDArray[np.floating], ranks: NDArray[np.floating], classes: NDArray[np.int64]
) -> bool:
    """Whether what a column differs by from another one, of the given ranks, clearly says something of the target."""
    if not np.ptp(difference) > 0:
        return False
    level = bin_ranks(ranks, EQUIVALENCE.n_difference_bins)
    return _depends(_bin_locally(difference, ranks), level, classes)


def _bin_locally(difference: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.int64]:
    """Bins of the difference among rows with similar values of the other column, which its size alone would reveal."""
    n_rows = len(other)
    block = np.empty(n_rows, dtype=np.int64)
    n_blocks = max(1, n_rows // EQUIVALENCE.rows_per_block)
    block[np.argsort(other, kind="stable")] = np.arange(n_rows) * n_blocks // n_rows
    order = np.lexsort((difference, block))
    sizes = np.bincount(block)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    place = np.empty(n_rows, dtype=np.int64)
    place[order] = np.arange(n_rows) - starts[block[order]]
    return place * EQUIVALENCE.n_difference_bins // sizes[block]


def _depends(bins: NDArray[np.int64], given: NDArray[np.int64], classes: NDArray[np.int64]) -> bool:
    """Whether bins and classes clearly depend on each other, given other bins (G-test), by a relevant amount."""
    information, freedom = 0.0, 0
    for value in np.unique(given):
        rows = given == value
        own, own_classes = bins[rows], classes[rows]
        information += plugin_information(own, own_classes) * rows.mean()
        freedom += (len(np.unique(own)) - 1) * (len(np.unique(own_classes)) - 1)
    p_value = chi2.sf(2 * len(bins) * information, max(1, freedom))
    excess = information - freedom / (2 * len(bins))
    return bool(p_value < EQUIVALENCE.difference_level and excess > EQUIVALENCE.min_difference_nats)


def _recodings(columns: Sequence[_SampledColumn], keep: Collection[str]) -> dict[str, str]:
    """Categorical columns whose levels correspond one to one to those of an earlier one."""
    found: dict[str, str] = {}
    if len(columns) > EQUIVALENCE.max_categorical:  # exact recodings were found before
        return found
    leaders: list[_SampledColumn] = []
    for one in columns:
        alike = (
            leader
            for leader in leaders
            if one.name not in keep
            and abs(leader.n_codes - one.n_codes) <= EQUIVALENCE.max_disagreement * len(one.codes)
            and _determines(leader.codes, one.codes)
            and _determines(one.codes, leader.codes)
        )
        match = next(alike, None) if 2 * one.n_codes <= len(one.codes) else None
        if match is None:
            leaders.append(one)
        else:
            found[one.name] = match.name
    return found


def _coarser_versions(columns: Sequence[_SampledColumn], keep: Collection[str]) -> dict[str, str]:
    """Columns of few values that are intervals of a numeric column, or functions of the levels of another one."""
    coarse = [one for one in columns if one.n_codes <= EQUIVALENCE.max_levels and one.name not in keep]
    few = sum(one.is_categorical for one in columns) <= EQUIVALENCE.max_categorical
    fine = [one for one in columns if not one.is_categorical or (few and one.n_codes <= EQUIVALENCE.max_levels)]
    found: dict[str, str] = {}
    if not coarse or not fine:
        return found
    n_rows = len(coarse[0].codes)
    n_used = int(min(n_rows, max(EQUIVALENCE.min_rows, _MAX_COMPARISONS / (len(coarse) * len(fine)))))
    # In random order: a column that follows the order of the rows would hardly change among equal values of another
    rows = np.random.default_rng(0).permutation(np.linspace(0, n_rows - 1, n_used).astype(np.int64))
    codes = np.stack([one.codes[rows] for one in coarse], axis=1).astype(np.uint8)  # (n_used, n_coarse)
    shares = [np.bincount(column) / n_used for column in codes.T]
    expected = n_used * np.array([1 - (share**2).sum() for share in shares])  # changes in random order
    allowed = 2.0 * np.array([len(share) for share in shares]) + EQUIVALENCE.max_change_share * expected
    for leader in fine:
        if leader.is_categorical:
            hits = [
                k
                for k, one in enumerate(coarse)
                if one.n_codes < leader.n_codes and _determines(leader.codes, one.codes)
            ]
        else:
            ordered = codes[np.argsort(leader.codes[rows], kind="stable")]
            n_changes = (ordered[1:] != ordered[:-1]).sum(axis=0)
            is_coarser = n_changes <= np.minimum(allowed, EQUIVALENCE.max_chance_share * expected)
            is_coarser &= expected >= EQUIVALENCE.min_expected_changes
            hits = [int(k) for k in np.flatnonzero(is_coarser) if coarse[k].n_codes < leader.n_codes]
        for k in hits:
            if coarse[k].name != leader.name and _follow(leader.name, found) != coarse[k].name:
                found.setdefault(coarse[k].name, leader.name)
    return found


def _determines(first: NDArray[np.uint16], second: NDArray[np.uint16]) -> bool:
    """Whether the first column leaves nearly nothing open of the second."""
    counts = count_pairs(first, second)
    n_wrong = len(first) - int(counts.max(axis=1).sum())
    n_wrong_alone = len(second) - int(counts.sum(axis=0).max())
    # A column that hardly varies in these rows is determined by any other
    return n_wrong_alone >= EQUIVALENCE.min_minority_rows and n_wrong <= EQUIVALENCE.max_wrong_share * n_wrong_alone
