"""Whole groups of rows dealt to parts, each stratum as nearly in proportion as the groups allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError

N_ASSIGNED_ONE_BY_ONE = 5_000  # heaviest and lightest groups that are each weighed alone, at about 20 microseconds
GOLDEN_RATIO = 0.6180339887498949
LEAST_OF_SHARE = 0.1  # a part with less of its share than this is as good as empty


def assign_groups(
    groups: NDArray[np.integer],
    shares: NDArray[np.float64],
    strata: NDArray[np.integer] | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Give every row its part, the same one for all rows of a group.

    The heaviest groups (those with the largest share of any stratum) go first, each to the part that lacks most of what
    it brings. Most of the rest is dealt at once, and the lightest even out what that left uneven.

    Parameters
    ----------
    groups : ndarray of int, shape (n_rows,)
        Number of each row's group, any whole numbers.
    shares : ndarray of float, shape (n_parts,)
        Share of the rows for each part; they add up to 1.
    strata : ndarray of int, shape (n_rows,), or None
        Number of each row's stratum.
    rng : Generator
        Source of the random order.

    Examples
    --------
    >>> import numpy as np
    >>> groups = np.array([5, 5, 5, 5, 6, 6, 7, 7])
    >>> parts = assign_groups(groups, np.array([0.5, 0.5]), None, np.random.default_rng(0))
    >>> bool((parts[:4] == parts[0]).all() and (parts[4:] == 1 - parts[0]).all())
    True
    """
    cells = _count(groups, strata)
    if cells.n_groups < len(shares):
        raise InputError(
            f"Rows of a group stay together, so a split into {len(shares)} parts needs as many groups, "
            f"got {cells.n_groups}; give rows of more groups."
        )
    deal = _Deal(cells, shares, rng)
    order = rng.permutation(cells.n_groups)
    order = order[np.argsort(-cells.weights[order], kind="stable")]
    heaviest, most, lightest = np.split(
        order, [N_ASSIGNED_ONE_BY_ONE, max(N_ASSIGNED_ONE_BY_ONE, len(order) - N_ASSIGNED_ONE_BY_ONE)]
    )
    deal.one_by_one(heaviest)
    deal.at_once(most)
    deal.one_by_one(lightest)
    parts = deal.part_of[cells.group_of_row]
    sizes = np.bincount(parts, minlength=len(shares)) / len(parts)
    if (sizes < LEAST_OF_SHARE * shares).any():
        raise InputError(
            f"Rows of a group stay together, and the largest of {cells.n_groups} groups has {cells.largest:.0%} of the "
            f"rows, so that a part would hold {sizes[np.argmin(sizes / shares)]:.2%} of them; give finer groups."
        )
    return parts


@dataclass(frozen=True, eq=False)
class _Cells:
    """How many rows of which stratum every group has; the stratum after the last one stands for all rows."""

    group_of_row: NDArray[np.intp]  # (n_rows,)
    starts: NDArray[np.intp]  # (n_groups + 1,), where the cells of each group begin
    stratum: NDArray[np.int64]  # (n_cells,)
    count: NDArray[np.int64]  # (n_cells,)
    totals: NDArray[np.float64]  # (n_strata + 1,), rows of each stratum

    @property
    def n_groups(self) -> int:
        return len(self.starts) - 1

    @property
    def shares(self) -> NDArray[np.float64]:  # (n_cells,)
        """Of its stratum, the share that is in each cell."""
        return self.count / self.totals[self.stratum]

    @property
    def weights(self) -> NDArray[np.float64]:  # (n_groups,)
        """Of every group, the largest share of any stratum that it holds."""
        return np.maximum.reduceat(self.shares, self.starts[:-1])

    @property
    def largest(self) -> float:
        """Share of all rows in the largest group."""
        return float(self.count[self.starts[1:] - 1].max() / self.totals[-1])


def _count(groups: NDArray[np.integer], strata: NDArray[np.integer] | None) -> _Cells:
    """Rows of every group in every stratum that it has, from one sort of the rows."""
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
    return _Cells(group_of_row, starts, codes % width, counts, totals)


class _Deal:
    """Groups on their way to parts, and what the parts still lack of every stratum."""

    def __init__(self, cells: _Cells, shares: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.cells, self.shares, self.rng = cells, shares, rng
        self.lacking = cells.totals[:, None] * shares  # (n_strata + 1, n_parts), of rows
        self.part_of = np.zeros(cells.n_groups, dtype=np.int64)
        self.is_empty = np.ones(len(shares), dtype=bool)
        self.turn = rng.permutation(len(shares))  # of equal parts, the first in this order

    def one_by_one(self, groups: NDArray[np.intp]) -> None:
        """Deal each group to where the squared lacks of its strata, relative to their sizes, fall most."""
        cells = self.cells
        for n_left, group in zip(range(len(groups), 0, -1), groups, strict=True):
            own = slice(cells.starts[group], cells.starts[group + 1])
            stratum, count = cells.stratum[own], cells.count[own]
            # (lack - count)^2 - lack^2, over the variance of chance
            change = (count / cells.totals[stratum] ** 2) @ (count[:, None] - 2 * self.lacking[stratum]) / self.shares
            if n_left <= self.is_empty.sum():
                change[~self.is_empty] = np.inf
            part = self.turn[np.argmin(change[self.turn])]
            self.lacking[stratum, part] -= count
            self.is_empty[part] = False
            self.part_of[group] = part

    def at_once(self, groups: NDArray[np.intp]) -> None:
        """Deal many groups of little weight, those alike (in what they bring most of, and in size) in turn."""
        if not len(groups):
            return
        cells, n_parts = self.cells, len(self.shares)
        group_of_cell = np.repeat(np.arange(cells.n_groups), np.diff(cells.starts))
        main_cell = cells.starts[:-1].copy()
        is_main = cells.shares == cells.weights[group_of_cell]
        is_main[cells.starts[1:] - 1] = False  # the cell of all rows
        main_cell[group_of_cell[is_main]] = np.flatnonzero(is_main)
        main, size = main_cell[groups], cells.count[cells.starts[groups + 1] - 1]
        alike = np.lexsort((size, cells.count[main], cells.stratum[main]))
        # Multiples of the golden ratio fill the unit interval evenly, whichever run of them is looked at
        spot = (np.arange(len(groups)) * GOLDEN_RATIO + self.rng.random()) % 1.0
        lacking = np.maximum(self.lacking, 0) + 1e-9 * self.shares
        ends = np.cumsum(lacking / lacking.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        self.part_of[groups[alike]] = (spot[:, None] >= ends[cells.stratum[main[alike]]]).sum(axis=1)
        dealt = np.zeros(cells.n_groups, dtype=bool)
        dealt[groups] = True
        dealt = dealt[group_of_cell]
        place = cells.stratum[dealt] * n_parts + self.part_of[group_of_cell[dealt]]
        given = np.bincount(place, weights=cells.count[dealt], minlength=self.lacking.size)
        self.lacking -= given.reshape(self.lacking.shape)
        self.is_empty[self.part_of[groups]] = False
