"""Penalized linear models on plain arrays: logistic regression and ridge regression.

The same minima as scikit-learn's ``LogisticRegression`` and ``Ridge``, without their validation: a selection fits
hundreds of models to a few hundred rows, where that takes longer than the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, softmax

Floats = NDArray[np.float64]

_GRADIENT_TOLERANCE = 1e-3  # largest entry of the gradient of the mean loss
_MAX_LINE_SEARCH_STEPS = 50
_MIN_PENALTY = 1e-10  # relative to the largest entry of the diagonal, so that equal columns can be solved for


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A fitted model; of two classes it has the scores of the second one."""

    coefficients: Floats  # (n_outputs, n_terms)
    intercepts: Floats  # (n_outputs,)

    def scores(self, x: Floats) -> Floats:  # (n_rows, n_outputs)
        """Log odds, logits of the classes, or numbers."""
        values: Floats = x @ self.coefficients.T + self.intercepts
        return values


def probabilities(scores: Floats) -> Floats:  # (n_rows, n_classes)
    """Probabilities of the classes by the scores of a logistic regression."""
    if scores.shape[1] > 1:
        found: Floats = softmax(scores, axis=1)
        return found
    second = expit(scores[:, 0])
    return np.stack([1.0 - second, second], axis=1)


def fit_logistic(
    x: Floats,
    classes: NDArray[np.int64],
    weights: Floats,
    strength: float,
    *,
    max_steps: int,
    start: LinearModel | None = None,
) -> LinearModel:
    """Logistic regression of classes 0, 1, ... with a quadratic penalty of inverse ``strength``, by L-BFGS."""
    n_terms, n_classes = x.shape[1], int(classes.max()) + 1
    n_outputs, total = n_classes if n_classes > 2 else 1, weights.sum()
    rows, penalty = np.arange(len(x)), 1.0 / (strength * total)
    shares = (weights / total)[:, None]
    observed = np.zeros((len(x), n_classes))
    observed[rows, classes] = 1.0
    observed = observed[:, -n_outputs:]

    def loss_and_gradient(parameters: Floats) -> tuple[float, Floats]:
        table = parameters.reshape(n_outputs, n_terms + 1)
        coefficients = table[:, :-1]
        scores = x @ coefficients.T + table[:, -1]
        if n_outputs == 1:
            log_normalizer, predicted = np.logaddexp(0.0, scores), expit(scores)
        else:
            largest = scores.max(axis=1, keepdims=True)
            terms = np.exp(scores - largest)
            sums = terms.sum(axis=1, keepdims=True)
            log_normalizer, predicted = np.log(sums) + largest, terms / sums
        fit = float((shares * (log_normalizer - (observed * scores).sum(axis=1, keepdims=True))).sum())
        slopes = shares * (predicted - observed)
        gradient = np.empty_like(table)
        gradient[:, :-1] = slopes.T @ x + penalty * coefficients
        gradient[:, -1] = slopes.sum(axis=0)
        return fit + 0.5 * penalty * float((coefficients**2).sum()), gradient.ravel()

    initial = np.zeros((n_outputs, n_terms + 1))
    if start is not None:
        initial[:, :-1], initial[:, -1] = start.coefficients, start.intercepts
    found = minimize(
        loss_and_gradient,
        initial.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={
            "maxiter": max_steps,
            "gtol": _GRADIENT_TOLERANCE,
            "ftol": 64 * np.finfo(float).eps,
            "maxls": _MAX_LINE_SEARCH_STEPS,
        },
    ).x.reshape(n_outputs, n_terms + 1)
    return LinearModel(found[:, :-1], found[:, -1])


class RidgeFits:
    """Ridge regressions of one table with several penalties, which share its sums of squares and products."""

    def __init__(self, x: Floats, y: Floats, weights: Floats) -> None:
        shares = weights / weights.sum()
        self._center, self._mean = shares @ x, float(shares @ y)
        roots = np.sqrt(weights)
        self._x = (x - self._center) * roots[:, None]
        self._y = (y - self._mean) * roots
        self._is_wide = x.shape[1] > len(x)  # then the products of rows are fewer than those of columns
        self._products = self._x @ self._x.T if self._is_wide else self._x.T @ self._x

    def fit(self, strength: float) -> LinearModel:
        """Minimize the squared error with a quadratic penalty of inverse ``strength``."""
        target = self._y if self._is_wide else self._x.T @ self._y
        solution = _solve(self._products, 1.0 / strength, target)
        coefficients = self._x.T @ solution if self._is_wide else solution
        return LinearModel(coefficients[None], np.array([self._mean - self._center @ coefficients]))


def _solve(products: Floats, penalty: float, target: Floats) -> Floats:
    """Solve (products + penalty) solution = target; columns that are nearly equal need a little more penalty."""
    penalized = products.copy()
    diagonal = np.diag_indices_from(penalized)
    penalized[diagonal] += penalty
    try:
        factor = cho_factor(penalized, overwrite_a=True, check_finite=False)
    except LinAlgError:
        penalized = products.copy()
        penalized[diagonal] += penalty + _MIN_PENALTY * float(products.diagonal().max(initial=1.0))
        factor = cho_factor(penalized, overwrite_a=True, check_finite=False)
    solution: Floats = cho_solve(factor, target, check_finite=False)
    return solution
