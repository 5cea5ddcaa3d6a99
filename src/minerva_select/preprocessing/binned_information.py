"""Information of two columns of bins or codes, by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def bin_ranks(ranks: NDArray[np.floating], n_bins: int) -> NDArray[np.int64]:
    """Equal bins of ranks between 0 and 1; missing ones have a bin of their own."""
    bins = np.minimum((np.nan_to_num(ranks) * n_bins).astype(np.int64), n_bins - 1)
    return np.where(np.isnan(ranks), n_bins, bins)


def binned_information(bins: NDArray[np.integer[Any]], classes: NDArray[np.int64]) -> float:
    """Mutual information by counting, without the bias of independent columns."""
    counts = count_pairs(bins, classes)
    freedom = (np.count_nonzero(counts.any(axis=1)) - 1) * (np.count_nonzero(counts.any(axis=0)) - 1)
    return max(0.0, _information(counts) - freedom / (2 * len(bins)))


def plugin_information(first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> float:
    """Mutual information of two columns of codes by counting, in nats."""
    return _information(count_pairs(first, second))


def count_pairs(
    first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:  # (n_codes of the first column, n_codes of the second)
    """How often each code of a column occurs with each code of another one."""
    shape = int(first.max()) + 1, int(second.max()) + 1
    pairs = first.astype(np.int64)
    pairs *= shape[1]
    pairs += second
    return np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape)


def _information(counts: NDArray[np.int64]) -> float:
    joint = counts / counts.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    positive = joint > 0
    return float((joint[positive] * np.log(joint[positive] / product[positive])).sum())
