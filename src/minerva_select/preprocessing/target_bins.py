"""Targets as a finite number of bins with a prior: distinct values if they are few, else intervals or clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.errors import InputError
from minerva_select.preprocessing.categories import MISSING, OTHER
from minerva_select.preprocessing.clusters import fit_clusters
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import EncodedTable


@dataclass(frozen=True, eq=False)
class TargetBins:
    """Bins of a target, from its training rows."""

    prior: NDArray[np.float64]  # (n_bins,) share of the training rows in each bin, positive
    representatives: EncodedTable  # one row per bin
    is_discrete: bool  # whether each bin is a distinct value of the target
    assign: Callable[[EncodedTable], NDArray[np.int64]]  # bin of each row of an encoded target

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return len(self.prior)

    @property
    def entropy(self) -> float:
        """Entropy of the prior in nats, an upper limit of the information about the bins."""
        return float(-(self.prior * np.log(self.prior)).sum())


def fit_target_bins(
    encoded: EncodedTable, max_bins: int, random_state: int | np.random.Generator | None = None
) -> TargetBins:
    """Divide an encoded target into at most ``max_bins`` bins.

    - Categorical columns with at most ``max_bins`` combinations: one bin per combination seen in training. An unseen
      combination goes to the bin that agrees with it in most columns; of several, to the most frequent.
    - One categorical column with more levels: the rarest levels share a bin.
    - One numeric column: its distinct values if they are few enough, else bins of equal frequency, represented by
      their mean quantile. Missing values have their own bin; if there were none in training, they go to the largest.
    - All other targets: clusters of rows (k-means), represented by the training row nearest to the center.

    Only the clusters are random.
    """
    if max_bins < 2:
        raise InputError(f"max_bins must be at least 2, got {max_bins}.")
    if not encoded.numeric:
        combinations = _fit_combinations(encoded, max_bins)
        if combinations is not None:
            return combinations
    elif encoded.n_columns == 1:
        return _fit_intervals(encoded, max_bins)
    clusters, rows = fit_clusters(encoded, max_bins, np.random.default_rng(random_state))
    prior = np.bincount(clusters(encoded), minlength=len(rows)) / encoded.n_rows
    return TargetBins(prior, encoded.take(rows), False, clusters)


@dataclass(frozen=True, eq=False)
class _Combinations:
    """Reads the columns one by one: ``steps[j][state, code]`` is the state after column j, at last the bin.

    The highest state of each column means "not seen in training" and leads only to itself.
    """

    steps: tuple[NDArray[np.int64], ...]  # each (n_states + 1, n_levels)
    codes: NDArray[np.integer[Any]]  # (n_bins, n_columns)
    prior: NDArray[np.float64]
    n_codes: int  # higher codes of a single column are merged into OTHER; 0 for no limit

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        codes = _merge_rare(encoded.codes, self.n_codes)
        bins = np.zeros(encoded.n_rows, dtype=np.int64)
        for step, column in zip(self.steps, codes.T, strict=True):
            bins = step[bins, column]
        unseen = np.flatnonzero(bins == len(self.codes))
        if len(unseen):
            distinct, index = np.unique(codes[unseen], axis=0, return_inverse=True)
            n_equal = (distinct[:, None, :] == self.codes[None, :, :]).sum(axis=2)
            # The prior is below 1, so that it only breaks ties
            bins[unseen] = np.argmax(n_equal + self.prior * 0.5, axis=1)[index.ravel()]
        return bins


def _merge_rare(codes: NDArray[np.integer[Any]], n_codes: int) -> NDArray[np.integer[Any]]:
    """Replace codes from ``n_codes`` on, the rarest levels, by the code of unseen ones."""
    return codes if n_codes == 0 else np.where(codes >= n_codes, OTHER, codes)


def _fit_combinations(encoded: EncodedTable, max_bins: int) -> TargetBins | None:
    """Bins of an all-categorical target, or None if there are too many combinations."""
    is_merged = encoded.n_columns == 1 and len(np.unique(encoded.codes)) > max_bins
    n_codes = max_bins + int((encoded.codes != MISSING).all()) if is_merged else 0
    codes = _merge_rare(encoded.codes, n_codes)
    states, n_states, steps = np.zeros(encoded.n_rows, dtype=np.int64), 1, []
    for column, n_levels in zip(codes.T, encoded.n_levels, strict=True):
        keys = states * n_levels + column
        present = np.bincount(keys, minlength=n_states * n_levels) > 0
        n_next = int(present.sum())
        if n_next > max_bins:
            return None
        step = np.full((n_states + 1, n_levels), n_next, dtype=np.int64)
        step[:-1] = np.where(present, np.cumsum(present) - 1, n_next).reshape(n_states, n_levels)
        states, n_states = step[states, column], n_next
        steps.append(step)
    prior = np.bincount(states, minlength=n_states) / encoded.n_rows
    first_rows = np.unique(states, return_index=True)[1]
    representatives = encoded.take(first_rows)
    representatives.codes[...] = codes[first_rows]
    assign = _Combinations(tuple(steps), representatives.codes, prior, n_codes)
    return TargetBins(prior, representatives, not is_merged, assign)


@dataclass(frozen=True, eq=False)
class _Intervals:
    edges: NDArray[np.float64]  # ascending, between the bins
    missing_bin: int

    def __call__(self, encoded: EncodedTable) -> NDArray[np.int64]:
        quantiles = encoded.quantiles[:, 0]
        return np.where(np.isnan(quantiles), self.missing_bin, np.searchsorted(self.edges, quantiles, side="right"))


def _fit_intervals(encoded: EncodedTable, max_bins: int) -> TargetBins:
    """Bins of one numeric column; a value with the weight of several bins has its own."""
    quantiles = encoded.quantiles[:, 0].astype(np.float64)
    present = quantiles[~np.isnan(quantiles)]
    n_missing = len(quantiles) - len(present)
    distinct, counts = np.unique(present, return_counts=True)
    n_intervals = max_bins - (n_missing > 0)
    if len(distinct) <= n_intervals:
        bins = np.arange(len(distinct))
    else:
        # New quantiles, because the encoder may have been fitted on other rows
        new = QuantileEncoder().fit(distinct, counts).quantiles_
        bins = np.unique(np.floor(new * n_intervals), return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    edges = (distinct[starts[1:] - 1] + distinct[starts[1:]]) / 2
    sizes = np.bincount(bins, weights=counts)
    centers = np.bincount(bins, weights=counts * distinct) / sizes
    missing_bin = int(np.argmax(sizes)) if len(sizes) else 0
    if n_missing:
        sizes, centers, missing_bin = np.append(sizes, n_missing), np.append(centers, np.nan), len(sizes)
    representatives = EncodedTable(
        centers.astype(np.float32)[:, None], np.empty((len(sizes), 0), dtype=np.uint8), (), encoded.numeric, (), 1
    )
    # Values that hardly repeat are a sample of a continuous target, even if every bin has only one
    is_discrete = len(distinct) == len(edges) + 1 and 2 * len(distinct) <= len(present)
    return TargetBins(sizes / len(quantiles), representatives, is_discrete, _Intervals(edges, missing_bin))
