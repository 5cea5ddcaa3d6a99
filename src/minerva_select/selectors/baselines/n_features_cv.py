"""Number of features by cross-validation: the smallest that predicts as well as any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from minerva_select.config import BASELINES

Floats = NDArray[np.float64]

_TREES = {
    "learning_rate": BASELINES.cv_learning_rate,
    "max_leaf_nodes": BASELINES.cv_max_leaf_nodes,
    "max_bins": BASELINES.cv_max_bins,
    "l2_regularization": BASELINES.cv_l2,
    "early_stopping": False,
}


def choose_n_features(
    X: Floats, y: NDArray[Any], weights: Floats, *, is_classification: bool, rng: np.random.Generator
) -> int:
    """Smallest number of leading columns of X whose cross-validated loss is within one standard error of the best.

    The loss is log loss for classes, since accuracy does not change where positives are rare, and squared error for
    numbers. The model is a small gradient boosting, on at most 20,000 rows that include all rows of rare classes. The
    standard error is that of the difference to the best number, row by row.
    """
    if len(X) > BASELINES.max_cv_rows:
        rows, shares = _subsample(y if is_classification else np.zeros(len(y), dtype=np.intp), rng)
        X, y, weights = X[rows], y[rows], weights[rows] / shares
    weights = weights / weights.mean()  # the regularization of the trees is in rows
    folds = assign_stratified_folds(y, BASELINES.n_folds_trees, rng)
    counts = [count for count in BASELINES.cv_counts if count <= X.shape[1]]
    seed = int(rng.integers(2**31))
    compute_losses = _classification_losses if is_classification else _regression_losses
    losses = np.empty((len(counts), len(X)))
    for place, count in enumerate(counts):
        for fold in range(BASELINES.n_folds_trees):
            test = folds == fold
            losses[place, test] = compute_losses(X[:, :count], y, weights, test, seed)
    differences = losses - losses[np.argmin(losses @ weights)]
    means = differences @ weights / weights.sum()
    errors = np.sqrt((differences - means[:, None]) ** 2 @ weights**2) / weights.sum()
    return counts[int(np.argmax(means <= errors))]


def assign_stratified_folds(y: NDArray[Any], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Fold of each row; every fold has the same share of each class, or of low and high values."""
    folds = np.empty(len(y), dtype=np.intp)
    folds[np.lexsort((rng.random(len(y)), y))] = np.arange(len(y)) % n_folds
    return folds


def _subsample(classes: NDArray[np.intp], rng: np.random.Generator) -> tuple[NDArray[np.intp], Floats]:
    """Rows with equally many of each class, as far as it has them; and the share of its class that each row is from."""
    order = np.lexsort((rng.random(len(classes)), classes))
    counts = np.bincount(classes)
    position = np.empty(len(classes), dtype=np.intp)  # of a row within its class
    position[order] = np.arange(len(classes)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.argsort(position, kind="stable")[: BASELINES.max_cv_rows]
    shares = np.bincount(classes[rows], minlength=len(counts)) / counts
    return rows, shares[classes[rows]]


def _classification_losses(
    X: Floats, classes: NDArray[np.intp], weights: Floats, test: NDArray[np.bool_], seed: int
) -> Floats:
    known, codes = np.unique(classes[~test], return_inverse=True)
    probabilities = np.zeros((int(test.sum()), int(classes.max()) + 1))
    if len(known) == 1:
        probabilities[:, known] = 1.0
    else:
        # An iteration grows one tree per class: fewer iterations keep the time of many classes within bounds
        n_iterations = max(4, 2 * BASELINES.cv_n_trees // len(known))
        model = HistGradientBoostingClassifier(max_iter=n_iterations, random_state=seed, **_TREES)
        model.fit(X[~test], codes, sample_weight=weights[~test])
        probabilities[:, known] = model.predict_proba(X[test])
    own = np.take_along_axis(probabilities, classes[test, None], axis=1)[:, 0]
    return -np.log(np.maximum(own, BASELINES.min_probability))


def _regression_losses(X: Floats, y: Floats, weights: Floats, test: NDArray[np.bool_], seed: int) -> Floats:
    model = HistGradientBoostingRegressor(max_iter=BASELINES.cv_n_trees, random_state=seed, **_TREES)
    model.fit(X[~test], y[~test], sample_weight=weights[~test])
    losses: Floats = (model.predict(X[test]) - y[test]) ** 2
    return losses
