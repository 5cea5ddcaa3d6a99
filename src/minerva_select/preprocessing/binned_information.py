"""Information of two columns of bins or codes, by counting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bin_ranks(ranks: NDArray[np.floating], n_bins: int) -> NDArray[np.int64]:
    """Equal bins of ranks between 0 and 1; missing ones have a bin of their own."""
    bins = np.minimum((np.nan_to_num(ranks) * n_bins).astype(np.int64), n_bins - 1)
    return np.where(np.isnan(ranks), n_bins, bins)


def binned_information(bins: NDArray[np.int64], classes: NDArray[np.int64]) -> float:
    """Mutual information by counting, without the bias of independent columns."""
    freedom = (len(np.unique(bins)) - 1) * (len(np.unique(classes)) - 1)
    return max(0.0, plugin_information(bins, classes) - freedom / (2 * len(bins)))


def plugin_information(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Mutual information of two columns of codes by counting, in nats."""
    counts = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(counts, (first, second), 1)
    joint = counts / counts.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    positive = joint > 0
    return float((joint[positive] * np.log(joint[positive] / product[positive])).sum())
