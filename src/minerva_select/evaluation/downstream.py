"""Score features by a model: gradient boosting trained on some rows and scored on others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.config import COMPARISON
from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.schema import Column, Table

MAX_LEVELS = 253  # with the codes of missing and rare levels, the 255 that scikit-learn's boosting supports
MIN_CLASS_ROWS = 10  # of the rarest class, for early stopping: the validation rows must contain some

R2, ROC_AUC, PR_AUC, ACCURACY = "R2", "ROC-AUC", "PR-AUC", "accuracy"

Floats = NDArray[np.float64]
_Metric = Callable[[Floats], float]  # the score with these row weights


@dataclass(frozen=True)
class Score:
    """The score of a model on held-out rows, with its 95% interval."""

    metric: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.metric} {self.value:.3f} (95% interval {self.low:.3f} to {self.high:.3f})"


def choose_metric(y: Column, is_discrete: bool) -> str:
    """Choose the metric for a target.

    R2 for a numeric target, accuracy for more than two classes, ROC-AUC for two classes, or PR-AUC (average precision
    of the rarer class) if one of them is in less than 5% of the rows.
    """
    if not is_discrete:
        return R2
    counts = np.unique(y.values, return_counts=True)[1]
    if len(counts) > 2:
        return ACCURACY
    return PR_AUC if counts.min() < COMPARISON.rare_share * counts.sum() else ROC_AUC


def boosting_score(
    train: tuple[Table, Column],
    test: tuple[Table, Column],
    metric: str,
    *,
    seed: int = 0,
    categorical: Collection[str] = (),
) -> Score:
    """Train gradient boosting on some rows, and score it on others.

    Without columns, the score is that of a constant prediction. The interval is from bootstrap samples
    of the test rows, stratified by class. ``categorical`` names numeric columns to read as categorical.
    """
    rng = np.random.default_rng(seed)
    if metric == R2:
        # Rescaled together, so that squared errors do not overflow
        values = rescale_extremes(np.concatenate([train[1].values, test[1].values]).astype(np.float64))
        learned, unseen = np.split(values, [train[0].n_rows])
        predicted = _predict(train[0], learned, test[0], categorical, seed, is_discrete=False)
        return _with_interval(metric, _r2(predicted, unseen), [np.arange(test[0].n_rows)], rng)
    classes, codes = np.unique(np.concatenate([_values(train[1]), _values(test[1])]), return_inverse=True)
    y_train, y_test = np.split(codes, [train[0].n_rows])
    probabilities = _predict(train[0], y_train, test[0], categorical, seed, is_discrete=True)
    strata = [np.flatnonzero(y_test == code) for code in range(len(classes))]
    if metric == ACCURACY:
        return _with_interval(metric, _accuracy(probabilities, y_test), strata, rng)
    rarer = int(np.argmin(np.bincount(codes)))  # of two classes
    curve = _average_precision if metric == PR_AUC else _roc_auc
    return _with_interval(metric, _curve_score(probabilities[:, rarer], y_test == rarer, curve), strata, rng)


def _values(column: Column) -> NDArray[Any]:
    return column.values if column.levels is None else column.levels[column.values]


def _predict(
    train: Table, y: NDArray[Any], test: Table, categorical: Collection[str], seed: int, *, is_discrete: bool
) -> Floats:
    """Predict numbers, or the probability of every class, one column each."""
    if not train.columns:
        return np.tile(np.bincount(y) / len(y), (test.n_rows, 1)) if is_discrete else np.full(test.n_rows, y.mean())
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor  # noqa: PLC0415

    (X_train, X_test), is_categorical = _as_matrices(train, test, categorical)
    stops_early = not is_discrete or bool(np.unique(y, return_counts=True)[1].min() >= MIN_CLASS_ROWS)
    booster = (HistGradientBoostingClassifier if is_discrete else HistGradientBoostingRegressor)(
        learning_rate=0.05,
        l2_regularization=5.0,  # without it, leaves with a few rare positives take unbounded steps
        max_iter=500 if stops_early else 100,
        early_stopping=stops_early,
        validation_fraction=0.2,
        n_iter_no_change=20,
        categorical_features=is_categorical,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        booster.fit(X_train, y)
    if not is_discrete:
        return np.asarray(booster.predict(X_test), dtype=np.float64)
    probabilities = np.zeros((test.n_rows, int(y.max()) + 1))
    probabilities[:, booster.classes_] = booster.predict_proba(X_test)  # a class may have no training row
    return probabilities


def _as_matrices(
    train: Table, test: Table, categorical: Collection[str]
) -> tuple[tuple[Floats, Floats], NDArray[np.bool_]]:
    """Encode both tables as numbers, with codes from training rows for categorical columns."""
    is_categorical = np.array([not column.is_numeric or column.name in categorical for column in train.columns])
    matrices = np.zeros((train.n_rows, len(is_categorical))), np.zeros((test.n_rows, len(is_categorical)))
    for index, (column, other) in enumerate(zip(train.columns, test.columns, strict=True)):
        if column.missing.all():  # boosting cannot bin a column without values
            continue
        encoder = LevelEncoder(MAX_LEVELS).fit(column) if is_categorical[index] else None
        for matrix, side in zip(matrices, (column, other), strict=True):
            matrix[:, index] = side.values if encoder is None else encoder.transform(side)
    return matrices, is_categorical


def _with_interval(metric: str, score: _Metric, strata: list[NDArray[np.int64]], rng: np.random.Generator) -> Score:
    """Score the rows, and bootstrap within each stratum for the interval."""
    weights = np.ones(sum(map(len, strata)))
    value = score(weights)
    resampled = []
    for _ in range(COMPARISON.n_bootstrap):
        for rows in strata:
            if len(rows):
                weights[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        resampled.append(score(weights))
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Score(metric, value, min(float(low), value), max(float(high), value))


def _r2(predicted: Floats, y: Floats) -> _Metric:
    errors = (y - predicted) ** 2

    def score(weights: Floats) -> float:
        mean = weights @ y / weights.sum()
        total = float(weights @ (y - mean) ** 2)
        return 1 - float(weights @ errors) / total if total > 0 else 0.0

    return score


def _accuracy(probabilities: Floats, y: NDArray[np.int64]) -> _Metric:
    right = (probabilities.argmax(axis=1) == y).astype(np.float64)
    return lambda weights: float(weights @ right / weights.sum())


def _curve_score(
    probabilities: Floats, is_positive: NDArray[np.bool_], curve: Callable[[Floats, Floats], float]
) -> _Metric:
    """Score a ranking by the area under a curve; sorts once for all bootstrap samples, which scikit-learn would not."""
    order = np.argsort(-probabilities, kind="stable")
    starts = np.flatnonzero(np.diff(probabilities[order], prepend=np.inf))  # equal probabilities are one step
    positives = is_positive[order]

    def score(weights: Floats) -> float:
        ordered = weights[order]
        hits = np.add.reduceat(ordered * positives, starts)
        return curve(hits, np.add.reduceat(ordered, starts) - hits)

    return score


def _roc_auc(hits: Floats, misses: Floats) -> float:
    """Probability that a positive is ranked above a negative; ties count half."""
    below = misses.sum() - np.cumsum(misses)
    return float((hits * (below + misses / 2)).sum() / (hits.sum() * misses.sum()))


def _average_precision(hits: Floats, misses: Floats) -> float:
    found = np.cumsum(hits)
    seen = np.maximum(found + np.cumsum(misses), 1)  # a step may have no row
    return float((hits * found / seen).sum() / hits.sum())
