"""Test of conditional independence of categorical columns, by residuals of all rows.

The generalized covariance measure (Shah and Peters, 2020): if a column and the target are independent given other
columns, the products of their residuals given those columns have mean zero. Every row takes part, so the test finds
weak effects that critics refitted on training rows cannot show on held-out rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import fdtrc

from minerva_select.config import CONDITIONAL_TEST

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Dependence:
    """p-value, and the size of the effect in nats: half the statistic per row, as for a likelihood ratio."""

    p_value: float
    nats: float


class ConditionalTest:
    """Tests whether categorical columns are independent of a categorical target, given other columns."""

    def __init__(self, columns: NDArray[np.int64], target: NDArray[np.int64], seed: int) -> None:
        self.columns = [_indicators(column) for column in columns.T]
        self.target, self.classes = _indicators(target), np.unique(target, return_inverse=True)[1]
        self.seed = seed

    def is_feasible(self, given: Sequence[int]) -> bool:
        """Whether the regression on the given columns and their pairs is small enough."""
        widths = [int(self.columns[k].shape[1]) for k in given]
        n_terms = sum(widths) + (sum(widths) ** 2 - sum(width**2 for width in widths)) // 2
        return len(self.target) * n_terms <= CONDITIONAL_TEST.max_cells

    def test(self, candidates: Sequence[int], given: Sequence[int]) -> dict[int, Dependence]:
        """Test each candidate given the same columns."""
        target = self._target_residuals(given)
        residuals = self._column_residuals(candidates, given)
        return {k: _test_products(target[:, 1:], residuals[k][:, 1:]) for k in candidates}

    def _target_residuals(self, given: Sequence[int]) -> FloatArray:  # (n_rows, n_classes)
        """Classes minus out-of-fold probabilities, by a penalized logistic regression."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - takes half a second

        design = np.hstack([self.columns[k] for k in given])
        predicted = np.tile(self.target.mean(axis=0), (len(design), 1))
        folds = np.random.default_rng(self.seed).permutation(len(design)) % CONDITIONAL_TEST.n_folds
        for fold in range(CONDITIONAL_TEST.n_folds):
            rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            if np.ptp(self.classes[rest]) == 0:
                continue
            model = LogisticRegression(max_iter=100, tol=1e-3).fit(design[rest], self.classes[rest])
            predicted[own] = 0.0
            predicted[np.ix_(own, model.classes_)] = model.predict_proba(design[own])
        residuals: FloatArray = self.target - predicted
        return residuals

    def _column_residuals(self, columns: Sequence[int], given: Sequence[int]) -> dict[int, FloatArray]:
        """Leave-one-out residuals of ridge regressions of levels on the given columns and their pairs.

        One eigendecomposition serves all columns; each has the penalty with its least squared error.
        """
        outcomes = [self.columns[k] - self.columns[k].mean(axis=0) for k in columns]
        design = self._design(given)
        n_rows = len(design)
        values, vectors = linalg.eigh(design.T @ design)
        positive = values > 1e-8 * values[-1]
        values, basis = values[positive], design @ (vectors[:, positive] / np.sqrt(values[positive]))
        best = [outcome * n_rows / (n_rows - 1) for outcome in outcomes]
        projected, squares = [basis.T @ outcome for outcome in outcomes], basis**2
        for penalty in CONDITIONAL_TEST.penalties:
            shrinkage = values / (values + penalty)
            left_out = np.maximum(1 - 1 / n_rows - squares @ shrinkage, 1e-3)[:, None]
            for k, outcome in enumerate(outcomes):
                residuals = (outcome - basis @ (shrinkage[:, None] * projected[k])) / left_out
                if (residuals**2).sum() < (best[k] ** 2).sum():
                    best[k] = residuals
        return dict(zip(columns, best, strict=True))

    def _design(self, given: Sequence[int]) -> FloatArray:  # (n_rows, n_terms)
        """Centered indicators of the levels of the given columns and of their pairs."""
        blocks = [self.columns[k] for k in given]
        pairs = [
            (a[:, :, None] * b[:, None, :]).reshape(len(a), -1) for i, a in enumerate(blocks) for b in blocks[i + 1 :]
        ]
        design = np.hstack([*blocks, *pairs])
        design = design - design.mean(axis=0)
        varying: FloatArray = design[:, (design**2).sum(axis=0) > 0.5]
        return varying


def _indicators(codes: NDArray[np.int64]) -> FloatArray:  # (n_rows, n_levels)
    levels, positions = np.unique(codes, return_inverse=True)
    return np.eye(len(levels))[positions]


def _test_products(target: FloatArray, column: FloatArray) -> Dependence:
    """Hotelling's test that the products of residuals have mean zero; pairs of levels with few rows are left out."""
    n_rows = len(target)
    products = (target[:, :, None] * column[:, None, :]).reshape(n_rows, -1)
    covariance = products.T @ products
    frequent = np.diag(covariance) >= CONDITIONAL_TEST.min_products
    if not frequent.any():
        return Dependence(1.0, 0.0)
    scale = np.sqrt(np.diag(covariance)[frequent])
    values, vectors = np.linalg.eigh(covariance[np.ix_(frequent, frequent)] / np.outer(scale, scale))
    used = values > CONDITIONAL_TEST.min_eigenvalue
    rank = int(used.sum())
    scores = vectors.T @ (products[:, frequent].sum(axis=0) / scale)
    statistic = min(float((scores[used] ** 2 / values[used]).sum()), n_rows - 1e-6)
    if rank >= n_rows:
        return Dependence(1.0, 0.0)
    ratio = (n_rows - rank) / rank * statistic / (n_rows - statistic)
    return Dependence(float(fdtrc(rank, n_rows - rank, ratio)), statistic / (2 * n_rows))
