"""Assign whole groups of rows to the parts of a split, with every stratum in proportion where the groups allow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import SPLITS
from minerva_select.errors import InputError

N_ONE_BY_ONE = 5_000  # largest and smallest groups that are assigned one by one, at 20 microseconds each
_GOLDEN_RATIO = 0.6180339887498949


def assign_groups(
    groups: NDArray[np.integer],  # (n_rows,)
    shares: NDArray[np.float64],  # (n_parts,), sum to 1
    strata: NDArray[np.integer] | None,  # (n_rows,)
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the part of every row, the same for all rows of a group.

    The largest groups (by the share of any stratum) are assigned first, each to the part that lacks most of its rows.
    Most of the others are assigned together, and the smallest ones even out the sizes at the end.
    """
    counts = _count(groups, strata)
    if counts.n_groups < len(shares):
        raise InputError(
            f"Rows of a group stay together, so a split into {len(shares)} parts needs at least as many groups, "
            f"got {counts.n_groups}; give rows of more groups."
        )
    assignment = _Assignment(counts, shares, rng)
    order = rng.permutation(counts.n_groups)
    order = order[np.argsort(-counts.weights[order], kind="stable")]
    largest, most, smallest = np.split(order, [N_ONE_BY_ONE, max(N_ONE_BY_ONE, len(order) - N_ONE_BY_ONE)])
    assignment.assign_one_by_one(largest)
    assignment.assign_together(most)
    assignment.assign_one_by_one(smallest)
    parts = assignment.part_of[counts.group_of_row]
    sizes = np.bincount(parts, minlength=len(shares)) / len(parts)
    if (sizes < SPLITS.min_part * shares).any():
        raise InputError(
            f"Rows of a group stay together, and the largest of {counts.n_groups} groups has {counts.largest:.0%} of "
            f"the rows, so one part would get {sizes[np.argmin(sizes / shares)]:.2%} of them; give smaller groups."
        )
    return parts


@dataclass(frozen=True, eq=False)
class _GroupCounts:
    """Rows of every group per stratum, as sparse cells; an extra stratum after the last one counts all rows."""

    group_of_row: NDArray[np.intp]  # (n_rows,)
    starts: NDArray[np.intp]  # (n_groups + 1,), first cell of each group
    stratum: NDArray[np.int64]  # (n_cells,)
    count: NDArray[np.int64]  # (n_cells,)
    totals: NDArray[np.float64]  # (n_strata + 1,), rows of each stratum

    @property
    def n_groups(self) -> int:
        return len(self.starts) - 1

    @property
    def shares(self) -> NDArray[np.float64]:  # (n_cells,)
        """Share of its stratum that each cell has."""
        return self.count / self.totals[self.stratum]

    @property
    def weights(self) -> NDArray[np.float64]:  # (n_groups,)
        """Largest share of any stratum that each group has."""
        return np.maximum.reduceat(self.shares, self.starts[:-1])

    @property
    def largest(self) -> float:
        """Share of all rows that the largest group has."""
        return float(self.count[self.starts[1:] - 1].max() / self.totals[-1])


def _count(groups: NDArray[np.integer], strata: NDArray[np.integer] | None) -> _GroupCounts:
    names, group_of_row = np.unique(groups, return_inverse=True)
    levels, stratum = np.unique(np.zeros(len(groups)) if strata is None else strata, return_inverse=True)
    width = len(levels) + 1
    codes, counts = np.unique(group_of_row * width + stratum, return_counts=True)
    group_sizes = np.bincount(group_of_row)
    codes = np.concatenate([codes, np.arange(len(names)) * width + len(levels)])
    order = np.argsort(codes, kind="stable")
    codes, counts = codes[order], np.concatenate([counts, group_sizes])[order]
    starts = np.searchsorted(codes, np.arange(len(names) + 1) * width)
    totals = np.append(np.bincount(stratum), len(groups)).astype(np.float64)
    return _GroupCounts(group_of_row, starts, codes % width, counts, totals)


class _Assignment:
    """Parts of the groups assigned so far, and the rows of every stratum that the parts still lack."""

    def __init__(self, counts: _GroupCounts, shares: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.counts, self.shares, self.rng = counts, shares, rng
        self.lacking = counts.totals[:, None] * shares  # (n_strata + 1, n_parts), rows
        self.part_of = np.zeros(counts.n_groups, dtype=np.int64)
        self.is_empty = np.ones(len(shares), dtype=bool)
        self.tie_order = rng.permutation(len(shares))

    def assign_one_by_one(self, groups: NDArray[np.intp]) -> None:
        """Assign each group to the part where the squared deviation of its strata decreases most."""
        counts = self.counts
        for n_left, group in zip(range(len(groups), 0, -1), groups, strict=True):
            own = slice(counts.starts[group], counts.starts[group + 1])
            stratum, count = counts.stratum[own], counts.count[own]
            # (lacking - count)^2 - lacking^2, over the variance of a random assignment
            change = (count / counts.totals[stratum] ** 2) @ (count[:, None] - 2 * self.lacking[stratum]) / self.shares
            if n_left <= self.is_empty.sum():
                change[~self.is_empty] = np.inf
            part = self.tie_order[np.argmin(change[self.tie_order])]
            self.lacking[stratum, part] -= count
            self.is_empty[part] = False
            self.part_of[group] = part

    def assign_together(self, groups: NDArray[np.intp]) -> None:
        """Assign many small groups; those of the same main stratum and similar size are spread evenly."""
        if not len(groups):
            return
        counts, n_parts = self.counts, len(self.shares)
        group_of_cell = np.repeat(np.arange(counts.n_groups), np.diff(counts.starts))
        main_cell = counts.starts[:-1].copy()
        is_main = counts.shares == counts.weights[group_of_cell]
        is_main[counts.starts[1:] - 1] = False  # the cell that counts all rows
        main_cell[group_of_cell[is_main]] = np.flatnonzero(is_main)
        main, size = main_cell[groups], counts.count[counts.starts[groups + 1] - 1]
        similar = np.lexsort((size, counts.count[main], counts.stratum[main]))
        # Any stretch of multiples of the golden ratio, modulo 1, fills the unit interval evenly
        spot = (np.arange(len(groups)) * _GOLDEN_RATIO + self.rng.random()) % 1.0
        lacking = np.maximum(self.lacking, 0) + 1e-9 * self.shares
        ends = np.cumsum(lacking / lacking.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        self.part_of[groups[similar]] = (spot[:, None] >= ends[counts.stratum[main[similar]]]).sum(axis=1)
        is_assigned = np.zeros(counts.n_groups, dtype=bool)
        is_assigned[groups] = True
        cells = is_assigned[group_of_cell]
        target = counts.stratum[cells] * n_parts + self.part_of[group_of_cell[cells]]
        given = np.bincount(target, weights=counts.count[cells], minlength=self.lacking.size)
        self.lacking -= given.reshape(self.lacking.shape)
        self.is_empty[self.part_of[groups]] = False
