"""Boosted trees as a critic: conditional distribution of the target from gradient boosting on histograms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import JUDGE
from minerva_select.mi.arrays import ArrayFit, FoldArrays, PermutedRows
from minerva_select.mi.predictive import PredictionScorer, class_information
from minerva_select.mi.tree_models import LabeledRows, TreeModel, TreeSettings, fit_trees

_ROWS_PER_CALL = 20_000  # of a prediction for permuted columns


def boost(
    arrays: FoldArrays,
    features: NDArray[np.int64],
    member: int,
    seed: int,
    row_share: float = 1.0,
    max_rounds: int | None = None,
) -> ArrayFit:
    """Fit boosted trees to the training rows of a member, each tree to a random share of them.

    Boosting continues until the bound on the tuning rows stops rising; predictions are those of the best round.
    """
    train, tune = arrays.members[member]
    values, classes = _prebin(arrays, features), np.unique(arrays.target.bins[train])
    settings = TreeSettings(
        n_classes=len(classes) if arrays.target.is_class else 0,
        is_categorical=arrays.is_categorical[features],
        n_leaves=max(n_leaves for n_rows, n_leaves in JUDGE.tree_leaves if len(train) >= n_rows),
        seed=seed,
        row_share=row_share,
        most_rounds=JUDGE.tree_max_rounds if max_rounds is None else max_rounds,
    )
    tuning_rows = _labeled(arrays, values, tune, classes)
    model = fit_trees(settings, _labeled(arrays, values, train, classes), tuning_rows if len(tuning_rows) else None)
    predicted = model.predict(values[tune])
    scorer = PredictionScorer.fit(predicted, arrays, tune)

    def measure() -> NDArray[np.float64]:
        own = _prebin(arrays, features, arrays.held_out)
        return scorer.information(model.predict(own), classes, arrays.held_out)

    def importances() -> NDArray[np.float64]:
        permuted = _permutation_importances(model, classes, _prebin(arrays, features), arrays, tune, seed)
        # Few tuning rows make the first noisy; gains on many training rows do not know what is overfitted
        return permuted if model.gains is None else _scale(permuted) + _scale(model.gains)

    def refit() -> NDArray[np.float64]:
        values = _prebin(arrays, features)  # not kept in memory
        rows = _labeled(arrays, values, arrays.learnable, classes)
        final = fit_trees(settings, rows, n_rounds=model.n_rounds)
        return scorer.information(final.predict(values[arrays.held_out]), classes, arrays.held_out)

    return ArrayFit(scorer.information(predicted, classes, tune), measure, importances, refit, model.n_rounds)


def _labeled(
    arrays: FoldArrays, values: NDArray[np.float32], rows: NDArray[np.int64], classes: NDArray[np.int64]
) -> LabeledRows:
    """Rows with their scores, or with the index of their class; rows of other classes are left out."""
    bins, x, weights = arrays.target.bins[rows], values[rows], arrays.weights[rows]
    if not arrays.target.is_class:
        return LabeledRows(x, arrays.target.scores[bins], weights)
    index = np.searchsorted(classes, bins).clip(max=len(classes) - 1)
    known = classes[index] == bins
    return LabeledRows(x[known], index[known], weights[known])


def _prebin(
    arrays: FoldArrays, features: NDArray[np.int64], rows: NDArray[np.int64] | slice = slice(None)
) -> NDArray[np.float32]:  # (n_rows, n_features)
    """Bin quantiles, so that weights do not shift the bins, and merge the rarest levels."""
    own, n_bins = arrays.read(features, rows), JUDGE.tree_max_bins - 1
    is_level = arrays.is_categorical[features]
    values: NDArray[np.float32] = np.where(is_level, np.minimum(own, n_bins), np.floor(own * n_bins)).astype(np.float32)
    return values


def _score(
    predicted: NDArray[np.float64], classes: NDArray[np.int64], arrays: FoldArrays, drawn: PermutedRows
) -> float:  # larger is better
    """Bound of class probabilities, or the negative squared error of numbers."""
    target, bins, weights = arrays.target, arrays.target.bins[drawn.rows], drawn.weights
    if target.is_class:
        return float(np.average(class_information(predicted, classes, bins, target), weights=weights))
    return -float(np.average((predicted - target.scores[bins]) ** 2, weights=weights))


def _scale(importances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Importances with a largest value of 1."""
    scaled: NDArray[np.float64] = importances / (np.abs(importances).max(initial=0.0) or 1.0)
    return scaled


def _permutation_importances(
    model: TreeModel,
    classes: NDArray[np.int64],
    x: NDArray[np.float32],
    arrays: FoldArrays,
    tune: NDArray[np.int64],
    seed: int,
) -> NDArray[np.float64]:  # (n_features,)
    """Fall of the bound on tuning rows when one column is permuted."""
    drawn = PermutedRows.draw(arrays, tune, seed, JUDGE.importance_rows)
    own, n_features = x[drawn.rows], x.shape[1]
    base, found = _score(model.predict(own), classes, arrays, drawn), np.empty(n_features)
    # One call predicts for many permuted columns: most of a call is overhead
    per_call = max(1, _ROWS_PER_CALL // len(own))
    for start in range(0, n_features, per_call):
        features = range(start, min(start + per_call, n_features))
        changed = np.repeat(own[None], len(features), axis=0)  # (n_permuted, n_rows, n_features)
        for k, feature in enumerate(features):
            changed[k, :, feature] = x[drawn.others, feature]
        predicted = model.predict(changed.reshape(-1, n_features))
        for feature, part in zip(features, np.split(predicted, len(features)), strict=True):
            found[feature] = base - _score(part, classes, arrays, drawn)
    return found
