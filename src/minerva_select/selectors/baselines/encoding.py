"""Columns as bins, merged levels or standardized predictors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from minerva_select.config import BASELINES

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


def bin_numeric(values: NDArray[Any], weights: Floats, max_bins: int = BASELINES.max_bins) -> Codes:
    """Assign values to bins of equal weight, numbered from 0.

    Equal values share a bin, and a value as heavy as several bins has its own.

    Examples
    --------
    >>> bin_numeric(np.array([0.0, 0.0, 0.0, 0.0, 7.0, 9.0]), np.ones(6), max_bins=3).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    codes = np.unique(values, return_inverse=True)[1]
    weight_of = np.bincount(codes, weights=weights)
    quantiles = (np.cumsum(weight_of) - weight_of / 2) / weight_of.sum()
    return np.unique((quantiles * max_bins).astype(np.intp), return_inverse=True)[1][codes]


def merge_rare_levels(values: NDArray[Any], weights: Floats | None, max_levels: int) -> Codes:
    """Number levels from 0, the most frequent first; the rarest share the last number if there are too many.

    Examples
    --------
    >>> merge_rare_levels(np.array([5, 5, 5, 1, 2, 2, 3]), None, max_levels=3).tolist()
    [0, 0, 0, 2, 1, 1, 2]
    """
    codes = np.unique(values, return_inverse=True)[1]
    order = np.argsort(-np.bincount(codes, weights=weights), kind="stable")
    merged = np.empty_like(order)
    merged[order] = np.minimum(np.arange(len(order)), max_levels - 1)
    return merged[codes]


def encode_predictors(X: Floats, is_categorical: NDArray[np.bool_], weights: Floats) -> tuple[Any, Codes]:
    """Standardize numeric columns and one-hot encode categorical ones; also return the column of each predictor.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [1.0, 2.0], [3.0, 0.0]])
    >>> predictors, column_of = encode_predictors(X, np.array([False, True]), np.ones(4))
    >>> column_of.tolist(), predictors.toarray().round(2).tolist()
    ([0, 1, 1], [[-1.0, 0.0, 0.0], [1.0, 2.31, 0.0], [-1.0, 0.0, 2.31], [1.0, 0.0, 0.0]])
    """
    numeric, categorical = np.flatnonzero(~is_categorical), np.flatnonzero(is_categorical)
    dense = standardize(X[:, numeric], weights)
    if len(categorical) == 0:
        return dense, numeric
    # Sparse, and so not centered: the intercept absorbs the mean
    parts = [_encode_one_hot(X[:, column], weights) for column in categorical]
    column_of = np.repeat(categorical, [part.shape[1] for part in parts])
    return sparse.hstack([sparse.csr_array(dense), *parts], format="csr"), np.concatenate([numeric, column_of])


def standardize(values: Floats, weights: Floats | None = None) -> Floats:
    """Scale columns to mean 0 and variance 1 under the weights; constant columns become 0.

    Not StandardScaler, whose other rounding can change which of several near-copies a Lasso selects.

    Examples
    --------
    >>> standardize(np.array([[1.0, 5.0], [4.0, 5.0]]), np.array([2.0, 1.0])).round(3).tolist()
    [[-0.707, 0.0], [1.414, 0.0]]
    """
    centered = values - np.average(values, axis=0, weights=weights)
    centered *= _invert(np.sqrt(np.average(centered**2, axis=0, weights=weights)))
    return centered


def _encode_one_hot(values: Floats, weights: Floats) -> Any:
    """One scaled indicator per level except the most frequent, since all of them would add up to the intercept."""
    codes = merge_rare_levels(values, None, BASELINES.max_levels_linear)
    shares = np.bincount(codes, weights) / weights.sum()
    scales = _invert(np.sqrt(shares * (1 - shares)))
    row_starts = np.arange(len(codes) + 1, dtype=np.int32)  # liblinear needs 32-bit indices
    indicators = sparse.csr_array((scales[codes], codes.astype(np.int32), row_starts), shape=(len(codes), len(scales)))
    return indicators[:, 1:]


def _invert(scales: Floats) -> Floats:
    return np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
