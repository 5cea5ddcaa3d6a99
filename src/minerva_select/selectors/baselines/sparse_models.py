"""Linear and logistic models under an L1 penalty, and the penalty that cross-validation finds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_PENALTIES = 1.1 * np.logspace(0, -3, 20)  # shares of the least penalty that keeps every predictor out
_PATIENCE = 3


@dataclass(frozen=True, eq=False)
class SparseModel:
    """A linear score for every output."""

    coefficients: Floats  # (n_outputs, n_predictors)
    intercepts: Floats  # (n_outputs,)


@dataclass(frozen=True, eq=False)
class SparseProblem:
    """Outputs to tell from predictors: is a row of a class (0 or 1), or what is its amount.

    Examples
    --------
    >>> x = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> problem = SparseProblem(x, 2 * x, np.ones(4), is_classification=False, seed=0)
    >>> [round(float(model.coefficients[0, 0]), 6) for model in problem.path([2.0, 0.5])]
    [0.0, 1.5]
    """

    design: Any  # (n_rows, n_predictors), dense or sparse
    outputs: Floats  # (n_rows, n_outputs)
    weights: Floats  # (n_rows,) of mean 1
    is_classification: bool
    seed: int

    @property
    def penalties(self) -> Floats:
        """Penalties from the least that keeps every predictor out, downwards."""
        mean = np.average(self.outputs, axis=0, weights=self.weights)
        gradient = self.design.T @ (self.weights[:, None] * (self.outputs - mean)) / len(self.weights)
        return np.asarray(max(np.abs(gradient).max(), 1e-12) * _PENALTIES)

    def take(self, rows: Rows) -> SparseProblem:
        """The same problem on some rows."""
        weights = self.weights[rows] / self.weights[rows].mean()
        return SparseProblem(self.design[rows], self.outputs[rows], weights, self.is_classification, self.seed)

    def path(self, penalties: Iterable[float]) -> Iterator[SparseModel]:
        """The model at one penalty after the other."""
        estimators = [self._estimator() for _ in self.outputs.T]
        for penalty in penalties:
            pairs = [self._fitted(*each, penalty) for each in zip(estimators, self.outputs.T, strict=True)]
            yield SparseModel(np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs]))

    def loss(self, model: SparseModel) -> float:
        """Weighted mean over rows of the squared or the logistic loss."""
        scores = self.design @ model.coefficients.T + model.intercepts
        if self.is_classification:
            losses = np.logaddexp(0, scores) - self.outputs * scores
        else:
            losses = (scores - self.outputs) ** 2 / 2
        return float(np.average(losses.sum(axis=1), weights=self.weights))

    def _estimator(self) -> Any:
        if not self.is_classification:
            return Lasso(warm_start=True, tol=1e-3)
        # liblinear takes a third of saga's time, but penalises the intercept, if little at this scaling. The way to ask
        # for an L1 penalty changed in scikit-learn 1.8.
        l1 = {"l1_ratio": 1.0} if LogisticRegression().penalty == "deprecated" else {"penalty": "l1"}
        return LogisticRegression(solver="liblinear", intercept_scaling=30.0, tol=1e-3, random_state=self.seed, **l1)

    def _fitted(self, estimator: Any, output: Floats, penalty: float) -> tuple[Floats, float]:
        if not self.is_classification:
            estimator.set_params(alpha=penalty)
        elif (output == output[0]).all():  # rows of one class only: log odds of a million to one
            return np.zeros(self.design.shape[1]), 13.8 if output[0] else -13.8
        else:
            estimator.set_params(C=1 / (penalty * len(output)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the smallest penalties need not be exact
            estimator.fit(self.design, output, self.weights)
        return np.ravel(estimator.coef_).copy(), float(np.ravel(estimator.intercept_)[0])


def choose_penalty(problem: SparseProblem, folds: Rows) -> float:
    """Largest penalty within one standard error of the least loss on other rows; ``folds`` numbers every row's fold."""
    numbers = range(int(folds.max()) + 1)
    tests = [problem.take(np.flatnonzero(folds == fold)) for fold in numbers]
    paths = [problem.take(np.flatnonzero(folds != fold)).path(problem.penalties) for fold in numbers]
    losses = np.empty((0, len(tests)))
    for models in zip(*paths, strict=True):
        losses = np.vstack([losses, [test.loss(model) for test, model in zip(tests, models, strict=True)]])
        if _is_past_the_best(losses.mean(axis=1)):
            break
    means = losses.mean(axis=1)
    best = means.argmin()
    error = losses[best].std(ddof=1) / np.sqrt(len(tests))
    return float(problem.penalties[np.flatnonzero(means <= means[best] + error)[0]])


def _is_past_the_best(means: Floats) -> bool:
    """Whether the last penalties, the costliest to fit, have gained next to nothing."""
    return len(means) > _PATIENCE and means[-_PATIENCE:].min() > means[:-_PATIENCE].min() - 1e-4 * means[0]
