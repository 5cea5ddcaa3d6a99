"""Boosted trees as a critic: conditional distribution of the target from gradient boosting on histograms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import JUDGE
from minerva_select.mi.arrays import ArrayFit, FoldArrays, permuted_rows, quiet_fit
from minerva_select.mi.predictive import PredictionScorer, class_information

_ROWS_PER_CALL = 20_000  # of a prediction for permuted columns


def boost(arrays: FoldArrays, features: NDArray[np.int64], member: int, seed: int) -> ArrayFit:
    """Fit boosted trees to the training rows of a member.

    Boosting continues until the bound on the tuning rows stops rising; predictions are those of the best round.
    """
    train, tune = arrays.members[member]
    unseen = np.concatenate([tune, arrays.held_out])
    values = _prebin(arrays, features, train)
    model = _make_model(arrays, features, len(train), seed)
    n_trees_per_round = arrays.target.n_bins if arrays.target.is_class and arrays.target.n_bins > 2 else 1
    best, best_round = (-np.inf, np.zeros(0)), 0
    for n_rounds in JUDGE.tree_rounds:
        if best_round < JUDGE.tree_extend_from * model.max_iter or n_rounds * n_trees_per_round > JUDGE.max_trees:
            break
        _fit_rounds(model, n_rounds, values, arrays, train)
        for k, predicted in _staged(model, values[unseen], arrays):
            score = _score(predicted[: len(tune)], model, arrays, tune)
            if score > best[0]:
                best, best_round = (score, predicted), k
    scorer = PredictionScorer.fit(best[1][: len(tune)], arrays, tune)
    information = scorer.information(best[1], model, unseen)

    def importances() -> NDArray[np.float64]:
        return _importances(model, _prebin(arrays, features, train)[tune], arrays, tune, seed)

    def refit() -> NDArray[np.float64]:
        rows, values = arrays.learnable, _prebin(arrays, features, train)  # not kept in memory
        final = _make_model(arrays, features, len(rows), seed)
        _fit_rounds(final, best_round, values, arrays, rows)
        return scorer.information(_predict(final, values[arrays.held_out], arrays), final, arrays.held_out)

    return ArrayFit(information[: len(tune)], information[len(tune) :], importances, refit)


def _fit_rounds(
    model: Any, n_rounds: int, values: NDArray[np.float32], arrays: FoldArrays, rows: NDArray[np.int64]
) -> None:
    """Boost up to this number of rounds."""
    target, weights = arrays.target, arrays.weights[rows]
    y = target.bins[rows] if target.is_class else target.scores[target.bins[rows]]
    model.set_params(max_iter=n_rounds)
    with quiet_fit():
        model.fit(values[rows], y, sample_weight=None if weights.min() == weights.max() else weights)


def _predict(model: Any, x: NDArray[np.float32], arrays: FoldArrays) -> NDArray[np.float64]:
    predicted: NDArray[np.float64] = model.predict_proba(x) if arrays.target.is_class else model.predict(x)
    return predicted


def _prebin(
    arrays: FoldArrays, features: NDArray[np.int64], train: NDArray[np.int64]
) -> NDArray[np.float32]:  # (n_rows, n_features)
    """Bin quantiles, since scikit-learn bins weighted rows slowly, and merge the rarest levels."""
    own, n_bins = arrays.values[:, features], JUDGE.tree_max_bins - 1
    is_level = arrays.is_categorical[features]
    values: NDArray[np.float32] = np.where(is_level, np.minimum(own, n_bins), np.floor(own * n_bins)).astype(np.float32)
    values[:, np.isnan(values[train]).all(axis=0)] = 0.0  # scikit-learn cannot bin a column without values
    return values


def _make_model(arrays: FoldArrays, features: NDArray[np.int64], n_train: int, seed: int) -> Any:
    from sklearn.ensemble import (  # noqa: PLC0415 - takes half a second
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
    )

    leaves = max(n_leaves for n_rows, n_leaves in JUDGE.tree_leaves if n_train >= n_rows)
    kind = HistGradientBoostingClassifier if arrays.target.is_class else HistGradientBoostingRegressor
    return kind(
        max_iter=0,
        learning_rate=JUDGE.tree_learning_rate,
        max_leaf_nodes=leaves,
        max_bins=JUDGE.tree_max_bins,
        min_samples_leaf=JUDGE.tree_min_leaf_rows,
        l2_regularization=JUDGE.tree_l2,
        max_features=JUDGE.tree_column_share if len(features) >= JUDGE.tree_sampled_columns else 1.0,
        categorical_features=arrays.is_categorical[features],
        early_stopping=False,
        warm_start=True,
        random_state=seed,
    )


def _staged(model: Any, x: NDArray[np.float32], arrays: FoldArrays) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Number of rounds, and what the model predicts after so many rounds."""
    stages = model.staged_predict_proba(x) if arrays.target.is_class else model.staged_predict(x)
    for k, predicted in enumerate(stages, start=1):
        if k % JUDGE.tree_stride == 0:
            yield k, predicted


def _score(
    predicted: NDArray[np.float64], model: Any, arrays: FoldArrays, rows: NDArray[np.int64]
) -> float:  # larger is better
    """Bound of class probabilities, or the negative squared error of numbers."""
    target, bins, weights = arrays.target, arrays.target.bins[rows], arrays.weights[rows]
    if target.is_class:
        return float(np.average(class_information(predicted, model.classes_, bins, target), weights=weights))
    return -float(np.average((predicted - target.scores[bins]) ** 2, weights=weights))


def _importances(
    model: Any, x: NDArray[np.float32], arrays: FoldArrays, tune: NDArray[np.int64], seed: int
) -> NDArray[np.float64]:  # (n_features,)
    """Fall of the bound on tuning rows when one column is permuted."""
    rows, others = permuted_rows(len(tune), seed, JUDGE.importance_rows)
    own, n_features = x[rows], x.shape[1]
    base, found = _score(_predict(model, own, arrays), model, arrays, tune[rows]), np.empty(n_features)
    # One call predicts for many permuted columns: most of a call is overhead
    per_call = max(1, _ROWS_PER_CALL // len(rows))
    for start in range(0, n_features, per_call):
        features = range(start, min(start + per_call, n_features))
        changed = np.repeat(own[None], len(features), axis=0)  # (n_permuted, n_rows, n_features)
        for k, feature in enumerate(features):
            changed[k, :, feature] = x[others, feature]
        predicted = _predict(model, changed.reshape(-1, n_features), arrays)
        for feature, part in zip(features, np.split(predicted, len(features)), strict=True):
            found[feature] = base - _score(part, model, arrays, tune[rows])
    return found
