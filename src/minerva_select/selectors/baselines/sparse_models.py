"""Linear and logistic regression with an L1 penalty, and the choice of the penalty by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression

from minerva_select.config import BASELINES

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LOG_ODDS_OF_ONE_CLASS = 13.8  # a million to one


@dataclass(frozen=True, eq=False)
class SparseModel:
    """Linear scores of each output."""

    coefficients: Floats  # (n_outputs, n_predictors)
    intercepts: Floats  # (n_outputs,)


@dataclass(frozen=True, eq=False)
class SparseProblem:
    """Predictors and outputs of L1-penalized models, one model per output."""

    X: Any  # (n_rows, n_predictors), dense or sparse
    outputs: Floats  # (n_rows, n_outputs) numbers, or 0 and 1 for classes
    weights: Floats  # (n_rows,) with mean 1
    is_classification: bool
    seed: int

    @property
    def penalties(self) -> Floats:
        """Falling penalties; at the first one all coefficients are 0."""
        mean = np.average(self.outputs, axis=0, weights=self.weights)
        gradient = self.X.T @ (self.weights[:, None] * (self.outputs - mean)) / len(self.weights)
        shares = 1.1 * np.geomspace(1, BASELINES.min_penalty_share, BASELINES.n_penalties)
        return np.asarray(max(np.abs(gradient).max(), 1e-12) * shares)

    def take(self, rows: Indices) -> SparseProblem:
        """Return the same problem on some rows."""
        weights = self.weights[rows] / self.weights[rows].mean()
        return SparseProblem(self.X[rows], self.outputs[rows], weights, self.is_classification, self.seed)

    def fit_path(self, penalties: Iterable[float]) -> Iterator[SparseModel]:
        """Fit the models at one penalty after the other."""
        estimators = [self._make_estimator() for _ in self.outputs.T]
        for penalty in penalties:
            pairs = [self._fit(*each, penalty) for each in zip(estimators, self.outputs.T, strict=True)]
            yield SparseModel(np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs]))

    def compute_loss(self, model: SparseModel) -> float:
        """Weighted mean of the squared or logistic loss."""
        scores = self.X @ model.coefficients.T + model.intercepts
        if self.is_classification:
            losses = np.logaddexp(0, scores) - self.outputs * scores
        else:
            losses = (scores - self.outputs) ** 2 / 2
        return float(np.average(losses.sum(axis=1), weights=self.weights))

    def _make_estimator(self) -> Any:
        tol = BASELINES.lasso_tol
        if not self.is_classification:
            return Lasso(warm_start=True, tol=tol)
        # liblinear takes a third of saga's time. It penalizes the intercept, but only slightly at this scaling. The
        # parameter for an L1 penalty changed in scikit-learn 1.8.
        l1 = {"l1_ratio": 1.0} if LogisticRegression().penalty == "deprecated" else {"penalty": "l1"}
        return LogisticRegression(solver="liblinear", intercept_scaling=30.0, tol=tol, random_state=self.seed, **l1)

    def _fit(self, estimator: Any, output: Floats, penalty: float) -> tuple[Floats, float]:
        if not self.is_classification:
            estimator.set_params(alpha=penalty)
        elif (output == output[0]).all():
            return np.zeros(self.X.shape[1]), _LOG_ODDS_OF_ONE_CLASS * (1 if output[0] else -1)
        else:
            estimator.set_params(C=1 / (penalty * len(output)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the smallest penalties need not be exact
            estimator.fit(self.X, output, self.weights)
        return np.ravel(estimator.coef_).copy(), float(np.ravel(estimator.intercept_)[0])


def choose_penalty(problem: SparseProblem, folds: Indices) -> float:
    """Largest penalty whose cross-validated loss is within one standard error of the smallest."""
    fold_numbers = range(int(folds.max()) + 1)
    tests = [problem.take(np.flatnonzero(folds == fold)) for fold in fold_numbers]
    paths = [problem.take(np.flatnonzero(folds != fold)).fit_path(problem.penalties) for fold in fold_numbers]
    losses = np.empty((0, len(tests)))
    for models in zip(*paths, strict=True):
        losses = np.vstack([losses, [test.compute_loss(model) for test, model in zip(tests, models, strict=True)]])
        if _stopped_improving(losses.mean(axis=1)):
            break
    means = losses.mean(axis=1)
    best = means.argmin()
    error = losses[best].std(ddof=1) / np.sqrt(len(tests))
    return float(problem.penalties[np.flatnonzero(means <= means[best] + error)[0]])


def _stopped_improving(means: Floats) -> bool:
    """Whether the last penalties brought no improvement; smaller ones take the most time."""
    patience = BASELINES.penalty_patience
    if len(means) <= patience:
        return False
    return bool(means[-patience:].min() > means[:-patience].min() - BASELINES.min_improvement * means[0])
