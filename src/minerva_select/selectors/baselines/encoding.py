"""A table as the standardised predictors of a linear model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]

MAX_LEVELS = 50
"""A category of more levels has the rarest joined into one."""


def as_predictors(X: Floats, is_categorical: NDArray[np.bool_], weights: Floats) -> tuple[Any, NDArray[np.int64]]:
    """Standardise amounts, spell out categories level by level; also the column that each predictor comes from.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [1.0, 2.0], [3.0, 0.0]])
    >>> predictors, owners = as_predictors(X, np.array([False, True]), np.ones(4))
    >>> owners.tolist(), predictors.toarray().round(2).tolist()
    ([0, 1, 1], [[-1.0, 0.0, 0.0], [1.0, 2.31, 0.0], [-1.0, 0.0, 2.31], [1.0, 0.0, 0.0]])
    """
    amounts, names = np.flatnonzero(~is_categorical), np.flatnonzero(is_categorical)
    dense = standardised(X[:, amounts], weights)
    if len(names) == 0:
        return dense, amounts
    # Sparse, and so not centred: the intercept takes up the mean.
    parts = [_indicators(X[:, name], weights) for name in names]
    owners = np.repeat(names, [part.shape[1] for part in parts])
    return sparse.hstack([sparse.csr_array(dense), *parts], format="csr"), np.concatenate([amounts, owners])


def standardised(values: Floats, weights: Floats) -> Floats:
    """Columns of mean 0 and variance 1 under the weights; one that does not vary is 0.

    Examples
    --------
    >>> standardised(np.array([[1.0, 5.0], [4.0, 5.0]]), np.array([2.0, 1.0])).round(3).tolist()
    [[-0.707, 0.0], [1.414, 0.0]]
    """
    centred = values - np.average(values, axis=0, weights=weights)
    centred *= _reciprocals(np.sqrt(np.average(centred**2, axis=0, weights=weights)))
    return centred


def _indicators(values: Floats, weights: Floats) -> Any:
    """One scaled column of 0 and 1 a level but the commonest: with that one they would add up to the intercept."""
    levels, codes = np.unique(values, return_inverse=True)
    places = np.empty(len(levels), dtype=np.int64)
    places[np.argsort(-np.bincount(codes), kind="stable")] = np.arange(len(levels))
    codes = np.minimum(places[codes], MAX_LEVELS - 1)
    shares = np.bincount(codes, weights) / weights.sum()
    scales = _reciprocals(np.sqrt(shares * (1 - shares)))
    ends = np.arange(len(codes) + 1, dtype=np.int32)  # liblinear takes no 64-bit places
    indicators = sparse.csr_array((scales[codes], codes.astype(np.int32), ends), shape=(len(codes), len(scales)))
    return indicators[:, 1:]


def _reciprocals(scales: Floats) -> Floats:
    return np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
