"""Bins of one column, for the target by interval, value or level."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import BinKind
from minerva_select.config import EFFECTS
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.results import EffectBin
from minerva_select.schema import Column


@dataclass(frozen=True, eq=False)
class BinnedColumn:
    """The bin of each row of a column."""

    bins: tuple[EffectBin, ...]
    index: NDArray[np.int64]  # (n_rows,)

    @property
    def is_ordered(self) -> bool:
        """Whether the bins are numbers in ascending order, except for missing values."""
        return all(one.kind in (BinKind.INTERVAL, BinKind.VALUE, BinKind.MISSING) for one in self.bins)

    @property
    def n_in_order(self) -> int:
        """Number of the first bins that are in ascending order; 0 if the bins are levels."""
        return sum(one.kind is not BinKind.MISSING for one in self.bins) if self.is_ordered else 0

    def sort(self, order: NDArray[np.int64]) -> BinnedColumn:
        """The same bins in another order."""
        return BinnedColumn(tuple(self.bins[k] for k in order), np.argsort(order)[self.index])


def bin_column(column: Column, weights: NDArray[np.float64], max_bins: int | None = None) -> BinnedColumn:
    """Divide the rows of a column into at most ``max_bins`` bins, and one for missing values.

    Numbers: their distinct values if they are few, otherwise intervals with about equally many rows; a value with the
    rows of several intervals has its own. Other columns: the most frequent levels, and the others together.
    """
    missing = column.missing
    present = np.flatnonzero(~missing)
    index = np.full(len(missing), -1, dtype=np.int64)
    bins: list[EffectBin] = []
    if len(present):
        bins, index[present] = (_bin_numbers if column.is_numeric else _bin_levels)(column.take(present), max_bins)
    if len(present) < len(missing):
        index[missing] = len(bins)
        bins.append(EffectBin(BinKind.MISSING, 0, 0.0))
    n_rows = np.bincount(index, minlength=len(bins))
    shares = np.bincount(index, weights, len(bins)) / weights.sum()
    counted = zip(bins, n_rows.tolist(), shares.tolist(), strict=True)
    return BinnedColumn(tuple(replace(one, n_rows=n, share=share) for one, n, share in counted), index)


def _bin_numbers(column: Column, max_bins: int | None) -> tuple[list[EffectBin], NDArray[np.int64]]:
    values, n_rows = column.values.astype(np.float64), len(column.values)
    distinct, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    max_bins = max_bins or EFFECTS.max_bins
    if len(distinct) <= max_bins:
        return [EffectBin(BinKind.VALUE, 0, 0.0, value, value) for value in distinct.tolist()], index
    n_bins = max(EFFECTS.min_bins, min(max_bins, n_rows // EFFECTS.min_rows_per_bin))
    quantiles = QuantileEncoder().fit(distinct, counts).quantiles_
    group = np.unique(np.floor(quantiles * n_bins), return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ends = np.append(starts[1:], len(distinct)) - 1
    bins = [
        EffectBin(BinKind.VALUE if first == last else BinKind.INTERVAL, 0, 0.0, low, high)
        for first, last, low, high in zip(starts, ends, distinct[starts].tolist(), distinct[ends].tolist(), strict=True)
    ]
    return bins, group[index]


def _bin_levels(column: Column, max_bins: int | None) -> tuple[list[EffectBin], NDArray[np.int64]]:
    assert column.levels is not None
    codes = column.values.astype(np.int64)
    counts = np.bincount(codes, minlength=len(column.levels))
    most = min(int((counts > 0).sum()), max_bins or EFFECTS.max_levels)
    frequent = np.sort(np.argsort(-counts, kind="stable")[:most])
    bin_of = np.full(len(counts), most)
    bin_of[frequent] = np.arange(most)
    bins = [EffectBin(BinKind.LEVEL, 0, 0.0, level=str(column.levels[code])) for code in frequent]
    n_rare = int((counts > 0).sum()) - most
    if n_rare:
        bins.append(EffectBin(BinKind.OTHER, 0, 0.0, n_levels=n_rare))
    return bins, bin_of[codes]
