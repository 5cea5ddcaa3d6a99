"""Mutual information of jointly normal columns, in closed form by canonical correlations."""

from __future__ import annotations

import numpy as np

from minerva_select.mi.estimators.standardization import Floats, standardize

_MIN_SHARE = 1e-10  # of the largest singular value; smaller ones belong to columns that others determine
_MIN_UNEXPLAINED = 1e-12  # of the variance; with less, one side determines a combination of the other


def canonical_correlations(x: Floats, y: Floats) -> Floats:
    """Return the canonical correlations of two sides, the largest first.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([[1.0], [3.0], [2.0], [4.0]])  # correlation 0.8
    >>> canonical_correlations(x, y).round(6).tolist()
    [0.8]
    """
    return np.asarray(np.linalg.svd(_basis(x).T @ _basis(y), compute_uv=False), dtype=np.float64)


def cca_information(x: Floats, y: Floats) -> Floats:
    """Pointwise information of each row under a normal distribution with the covariance of the rows.

    The mean is -1/2 sum log(1 - r^2) over the canonical correlations r. The maximum likelihood fits of the joint and of
    the marginal distributions share these moments, so an error in them changes the mean only at second order, and the
    standard error of the mean is that of the estimate, whatever the distribution of the rows.

    Parameters
    ----------
    x, y : ndarray of shape (n_rows, n_columns)
        The two sides, with fewer columns than rows together.

    Returns
    -------
    ndarray of shape (n_rows,)
        Pointwise information in nats; infinite in every row if a combination of x determines one of y.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([[1.0], [3.0], [2.0], [4.0]])  # correlation 0.8: -log(1 - 0.64) / 2
    >>> round(float(cca_information(x, y).mean()), 4)
    0.5108
    """
    x_basis, y_basis = _basis(x), _basis(y)
    x_axes, r, y_axes = np.linalg.svd(x_basis.T @ y_basis, full_matrices=False)
    if (1 - r**2 < _MIN_UNEXPLAINED).any():
        return np.full(len(x), np.inf)
    scale = np.sqrt(len(x))  # canonical variates have variance 1
    a, b = scale * x_basis @ x_axes, scale * y_basis @ y_axes.T
    exponent = (2 * r * a * b - r**2 * (a**2 + b**2)) / (2 * (1 - r**2))
    pointwise: Floats = (exponent - np.log1p(-(r**2)) / 2).sum(axis=1)
    return pointwise


def _basis(values: Floats) -> Floats:  # (n_rows, rank)
    """Orthonormal basis of the centered columns."""
    left, singular, _ = np.linalg.svd(standardize(values), full_matrices=False)
    basis: Floats = left[:, singular > _MIN_SHARE * max(1.0, singular.max())]
    return basis
