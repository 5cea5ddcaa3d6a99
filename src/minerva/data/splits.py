"""Rows in disjoint parts, each stratum in proportion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from minerva.errors import InputError


def split_rows(
    n_rows: int, shares: Sequence[float], strata: NDArray[np.integer] | None, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Divide rows into parts, at random and disjoint, of these shares.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    shares : sequence of float
        Size of each part relative to the others, above 0.
    strata : ndarray of int, shape (n_rows,), or None
        Rows with the same number are spread over the parts in proportion: each part gets its share of every
        stratum, rounded down or up.
    rng : Generator
        Source of the random order.

    Returns
    -------
    list of ndarray
        Sorted row positions of each part. Every row is in exactly one part, and no part is empty.

    Examples
    --------
    >>> import numpy as np
    >>> strata = np.array([0] * 8 + [1] * 4)
    >>> train, test = split_rows(12, [0.75, 0.25], strata, np.random.default_rng(0))
    >>> len(train), len(test), strata[test].tolist()
    (9, 3, [0, 0, 1])
    """
    weights = np.asarray(shares, dtype=np.float64)
    if len(weights) == 0 or not np.isfinite(weights).all() or (weights <= 0).any():
        raise InputError(f"Shares of a split must be numbers above 0, got {list(shares)}.")
    parts = _assign_parts(n_rows, weights / weights.sum(), strata, rng)
    order = np.argsort(parts, kind="stable")
    sizes = np.bincount(parts, minlength=len(weights))
    if (sizes == 0).any():
        shown = ", ".join(f"{share:.0%}" for share in weights / weights.sum())
        raise InputError(
            f"n_samples={n_rows} rows are too few to split into parts of {shown}: one would be empty; give more rows."
        )
    return np.split(order, np.cumsum(sizes)[:-1])


def assign_folds(
    n_rows: int, n_folds: int, strata: NDArray[np.integer] | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Give every row one of ``n_folds`` folds, at random; sizes differ by at most one, and so they do in each stratum.

    Examples
    --------
    >>> import numpy as np
    >>> folds = assign_folds(7, 3, None, np.random.default_rng(0))
    >>> sorted(np.bincount(folds).tolist())
    [2, 2, 3]
    """
    if n_folds < 2:
        raise InputError(f"The number of folds must be at least 2, got {n_folds}.")
    if n_rows < n_folds:
        raise InputError(f"n_samples={n_rows} rows are too few to split into {n_folds} folds; give more rows.")
    return _assign_parts(n_rows, np.full(n_folds, 1 / n_folds), strata, rng)


def _assign_parts(
    n_rows: int, shares: NDArray[np.float64], strata: NDArray[np.integer] | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Give every row its part: whole shares of its stratum first, then what is left to the parts that lack most."""
    order = rng.permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    sizes = np.array([n_rows]) if strata is None else np.unique(strata, return_counts=True)[1]
    exact = np.round(sizes[:, None] * shares, 9)  # 100 * 0.29 is 28.999999999999996
    counts = np.floor(exact).astype(np.int64)
    fractions = exact - counts
    lacking = rng.random(len(shares)) * 1e-9  # chance decides between equals
    for stratum, size in enumerate(sizes):
        left = int(size - counts[stratum].sum())
        lacking += fractions[stratum]
        receivers = np.argsort(np.where(fractions[stratum] > 0, -lacking, np.inf), kind="stable")[:left]
        counts[stratum, receivers] += 1
        lacking[receivers] -= 1
    parts = np.empty(n_rows, dtype=np.int64)
    parts[order] = np.repeat(np.tile(np.arange(len(shares)), len(sizes)), counts.ravel())
    return parts
