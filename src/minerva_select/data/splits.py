"""Split rows into disjoint parts: stratified, by group, or in order of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import SPLITS
from minerva_select.data.groups import assign_groups
from minerva_select.errors import InputError

MIN_ROWS = 6  # two each to train, tune and test on


def check_rows(n_rows: int) -> None:
    """Raise if a table has too few rows to split."""
    if n_rows < MIN_ROWS:
        count = "1 sample is" if n_rows == 1 else f"{n_rows} samples are"
        raise InputError(f"{count} too few to train, tune and test on different ones; give at least {MIN_ROWS}.")


def split_rows(
    n_rows: int,
    shares: Sequence[float],
    strata: NDArray[np.integer] | None,
    rng: np.random.Generator,
    groups: NDArray[np.int64] | None = None,
) -> list[NDArray[np.int64]]:
    """Split rows at random into disjoint parts.

    Returns the sorted row positions of each part; no part is empty. Each part gets its share of every stratum, rounded
    down or up. With ``groups``, rows of a group stay in one part, and sizes are as close to the shares as whole groups
    allow; if a part would get less than a tenth of its share, the groups are refused.
    """
    weights = _normalize(shares)
    if groups is None:
        parts = _assign_parts(n_rows, weights, strata, rng)
    else:
        parts = assign_groups(groups, weights, strata, rng)
    order = np.argsort(parts, kind="stable")
    sizes = np.bincount(parts, minlength=len(weights))
    if (sizes == 0).any():
        raise InputError(
            f"{n_rows} samples are too few to split into parts of {_format_shares(weights)}; give more rows."
        )
    return np.split(order, np.cumsum(sizes)[:-1])


def assign_folds(
    n_rows: int,
    n_folds: int,
    strata: NDArray[np.integer] | None,
    rng: np.random.Generator,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return a random fold for every row; sizes differ by at most one, also within each stratum.

    With ``groups``, rows of a group stay in one fold, and sizes are as even as whole groups allow.
    """
    if n_folds < 2:
        raise InputError(f"The number of folds must be at least 2, got {n_folds}.")
    if n_rows < n_folds:
        raise InputError(f"{n_rows} samples are too few to split into {n_folds} folds; give more rows.")
    shares = np.full(n_folds, 1 / n_folds)
    if groups is None:
        return _assign_parts(n_rows, shares, strata, rng)
    return assign_groups(groups, shares, strata, rng)


def split_by_time(
    times: NDArray[np.float64], shares: Sequence[float], groups: NDArray[np.int64] | None = None
) -> list[NDArray[np.int64]]:
    """Split rows into consecutive parts, the earliest first.

    Returns the sorted row positions of each part; no part is empty. Rows of the same time stay in one part, so sizes
    are as close to the shares as equal times allow. With ``groups``, a group is only in the part where it occurs first;
    its later rows are left out, so that later parts have only new groups, and fewer rows than their shares.
    """
    weights = _normalize(shares)
    n_missing = int(np.isnan(times).sum())
    if n_missing:
        raise InputError(
            f"A split by time needs a time for every row, but {n_missing} of {len(times)} are missing; "
            "fill them in or drop those rows."
        )
    distinct, first = np.unique(np.sort(times), return_index=True)
    if len(distinct) < len(weights):
        raise InputError(
            f"A split by time needs at least {len(weights)} different times for parts of "
            f"{_format_shares(weights)}, got {len(distinct)}; give finer times, or split without them."
        )
    parts = np.searchsorted(distinct[_cut_positions(first, len(times), weights)], times, side="right")
    if groups is not None:
        _, group_of = np.unique(groups, return_inverse=True)
        earliest = np.full(int(group_of.max()) + 1, len(weights))
        np.minimum.at(earliest, group_of, parts)
        parts = np.where(parts == earliest[group_of], parts, len(weights))
    sizes = np.bincount(parts, minlength=len(weights))[: len(weights)]
    if (sizes < SPLITS.min_part * weights * sizes.sum()).any():
        cause = "too many rows have the same time"
        remedy = "give finer times"
        if groups is not None:
            cause = "groups of earlier parts, or copies of their rows, occur again later"
            remedy = "drop duplicated rows, or split by time or by groups alone"
        raise InputError(
            f"A split by time into parts of {_format_shares(weights)} gives {', '.join(map(str, sizes))} rows, because "
            f"{cause}; {remedy}."
        )
    return [np.flatnonzero(parts == part) for part in range(len(weights))]


def _normalize(shares: Sequence[float]) -> NDArray[np.float64]:
    weights = np.asarray(shares, dtype=np.float64)
    if len(weights) == 0 or not np.isfinite(weights).all() or (weights <= 0).any():
        raise InputError(f"Sharding of a split must be numbers above 0, got {list(shares)}.")
    return np.asarray(weights / weights.sum())


def _format_shares(shares: NDArray[np.float64]) -> str:
    return ", ".join(f"{share:.0%}" for share in shares)


def _cut_positions(first: NDArray[np.intp], n_rows: int, shares: NDArray[np.float64]) -> list[int]:
    """Return which of the distinct times begins each part but the first; ``first`` is the first row of each time."""
    cuts: list[int] = []
    for part, wanted in enumerate(np.cumsum(shares)[:-1] * n_rows, start=1):
        lowest = cuts[-1] + 1 if cuts else 1
        highest = len(first) - (len(shares) - part)  # every later part needs a time of its own
        cuts.append(lowest + int(np.argmin(np.abs(first[lowest : highest + 1] - wanted))))
    return cuts


def _assign_parts(
    n_rows: int, shares: NDArray[np.float64], strata: NDArray[np.integer] | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Assign whole shares of every stratum first, then the rest to the parts that lack most."""
    order = rng.permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    sizes = np.array([n_rows]) if strata is None else np.unique(strata, return_counts=True)[1]
    exact = np.round(sizes[:, None] * shares, 9)  # 100 * 0.29 is 28.999999999999996
    counts = np.floor(exact).astype(np.int64)
    fractions = exact - counts
    lacking = rng.random(len(shares)) * 1e-9  # breaks ties at random
    for stratum, size in enumerate(sizes):
        left = int(size - counts[stratum].sum())
        lacking += fractions[stratum]
        receivers = np.argsort(np.where(fractions[stratum] > 0, -lacking, np.inf), kind="stable")[:left]
        counts[stratum, receivers] += 1
        lacking[receivers] -= 1
    parts = np.empty(n_rows, dtype=np.int64)
    parts[order] = np.repeat(np.tile(np.arange(len(shares)), len(sizes)), counts.ravel())
    return parts
