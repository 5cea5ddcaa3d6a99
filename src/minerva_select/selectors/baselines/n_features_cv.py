"""How many columns of an order to keep: the fewest with which a model is as good as with any number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

Floats = NDArray[np.float64]

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MOST_COLUMNS = SIZES[-1]
MOST_ROWS = 20_000
N_FOLDS = 3
_N_TREES = 40
_LEAST_PROBABILITY = 1e-6


def choose_size(
    X: Floats, y: NDArray[Any], weights: Floats, *, is_classification: bool, rng: np.random.Generator
) -> int:
    """Fewest first columns of X whose cross-validated error is within one standard error of the least.

    The error is the log loss of classes (the share of wrong ones says nothing where positives are rare) or the squared
    error of amounts, of a few boosted trees on at most 20,000 rows, the rare classes whole. The standard error is that
    of the difference to the best, row by row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 5))
    >>> choose_size(X, X[:, 0] + X[:, 1], np.ones(1000), is_classification=False, rng=rng)
    2
    """
    if len(X) > MOST_ROWS:
        rows, shares = _thin_out(y if is_classification else np.zeros(len(y), dtype=np.intp), rng)
        X, y, weights = X[rows], y[rows], weights[rows] / shares
    weights = weights / weights.mean()  # the trees' penalty is in rows
    folds = _deal(y, rng)
    sizes = [size for size in SIZES if size <= X.shape[1]]
    seed = int(rng.integers(2**31))
    loss = _class_losses if is_classification else _amount_losses
    losses = np.empty((len(sizes), len(X)))
    for place, size in enumerate(sizes):
        for fold in range(N_FOLDS):
            held_out = folds == fold
            losses[place, held_out] = loss(X[:, :size], y, weights, held_out, seed)
    differences = losses - losses[np.argmin(losses @ weights)]
    means = differences @ weights / weights.sum()
    errors = np.sqrt((differences - means[:, None]) ** 2 @ weights**2) / weights.sum()
    return sizes[int(np.argmax(means <= errors))]


def _thin_out(classes: NDArray[np.intp], rng: np.random.Generator) -> tuple[NDArray[np.intp], Floats]:
    """As many rows of every class as there are, up to a number common to all; and which share of its class each is."""
    order = np.lexsort((rng.random(len(classes)), classes))
    counts = np.bincount(classes)
    turn = np.empty(len(classes), dtype=np.intp)  # of a row within its class
    turn[order] = np.arange(len(classes)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.argsort(turn, kind="stable")[:MOST_ROWS]
    shares = np.bincount(classes[rows], minlength=len(counts)) / counts
    return rows, shares[classes[rows]]


def _deal(y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.intp]:
    """Folds with the same share of every class, or of low and high amounts."""
    folds = np.empty(len(y), dtype=np.intp)
    folds[np.lexsort((rng.random(len(y)), y))] = np.arange(len(y)) % N_FOLDS
    return folds


def _class_losses(
    X: Floats, classes: NDArray[np.intp], weights: Floats, held_out: NDArray[np.bool_], seed: int
) -> Floats:
    known, place = np.unique(classes[~held_out], return_inverse=True)
    probabilities = np.zeros((int(held_out.sum()), int(classes.max()) + 1))
    if len(known) == 1:
        probabilities[:, known] = 1.0
    else:
        # A tree a class and iteration: with many classes fewer iterations, or the time would grow with the classes.
        model = HistGradientBoostingClassifier(**_settings(max(4, 2 * _N_TREES // len(known)), seed))
        model.fit(X[~held_out], place, sample_weight=weights[~held_out])
        probabilities[:, known] = model.predict_proba(X[held_out])
    own = np.take_along_axis(probabilities, classes[held_out, None], axis=1)[:, 0]
    return -np.log(np.maximum(own, _LEAST_PROBABILITY))


def _amount_losses(X: Floats, y: Floats, weights: Floats, held_out: NDArray[np.bool_], seed: int) -> Floats:
    model = HistGradientBoostingRegressor(**_settings(_N_TREES, seed))
    model.fit(X[~held_out], y[~held_out], sample_weight=weights[~held_out])
    losses: Floats = (model.predict(X[held_out]) - y[held_out]) ** 2
    return losses


def _settings(n_trees: int, seed: int) -> dict[str, Any]:
    return {
        "max_iter": n_trees,
        "learning_rate": 0.2,
        "max_leaf_nodes": 15,
        "max_bins": 63,
        "l2_regularization": 1.0,  # without, boosting diverges where positives are rare
        "early_stopping": False,
        "random_state": seed,
    }
