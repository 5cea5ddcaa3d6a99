"""What features are worth to a model: gradient boosting trained on some rows and scored on others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.preprocessing.rescale import rescale_extremes
from minerva_select.schema import Column, Table

RARE = 0.05  # share of positives below which a ROC curve looks good whatever the model does
N_RESAMPLES = 300
MAX_LEVELS = 253  # with the codes of the missing and the rare, the 255 that scikit-learn's boosting takes
MIN_CLASS_ROWS = 10  # of the rarest class, for a validation share that holds some

R2, ROC_AUC, PR_AUC, ACCURACY = "R2", "ROC-AUC", "PR-AUC", "accuracy"

Floats = NDArray[np.float64]
_Measure = Callable[[Floats], float]  # a score from how often each row counts


@dataclass(frozen=True)
class Score:
    """What a model reached on held-out rows, with a 95% interval over those rows.

    Examples
    --------
    >>> print(Score("R2", 0.8469, 0.84, 0.8533))
    R2 0.847 (95% interval 0.840 to 0.853)
    """

    metric: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.metric} {self.value:.3f} (95% interval {self.low:.3f} to {self.high:.3f})"


def choose_metric(y: Column, is_discrete: bool) -> str:
    """What a model of this target is scored by.

    R2 for amounts, ROC-AUC for two classes, PR-AUC (average precision of the rarer class) where that one is in less
    than 5% of the rows, accuracy for more classes.

    Examples
    --------
    >>> choose_metric(Column("y", np.array([0.0, 1.0, 1.0])), is_discrete=True)
    'ROC-AUC'
    """
    if not is_discrete:
        return R2
    counts = np.unique(y.values, return_counts=True)[1]
    if len(counts) > 2:
        return ACCURACY
    return PR_AUC if counts.min() < RARE * counts.sum() else ROC_AUC


def boosting_score(
    train: tuple[Table, Column], test: tuple[Table, Column], metric: str, *, seed: int = 0, names: Collection[str] = ()
) -> Score:
    """Train gradient boosting on some rows, and score it on others.

    scikit-learn's histogram boosting at a rate of 0.05, until a fifth of the training rows no longer gains (at most
    500 trees). Without columns, the score of a model that always says the same.

    Parameters
    ----------
    train, test : pair of Table and Column
        Features and target of the rows to learn from, and of those to predict.
    metric : str
        See :func:`choose_metric`.
    seed : int
        Of the validation share and of the bootstrap.
    names : collection of str
        Columns of numbers that are names rather than amounts; text always is.

    Returns
    -------
    Score
        With an interval from 300 bootstrap samples of the test rows, each with as many of every class.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal(400)
    >>> X, y = Table((Column("x", x),), 400), Column("y", 2 * x)
    >>> rows, others = np.arange(300), np.arange(300, 400)
    >>> score = boosting_score((X.take(rows), y.take(rows)), (X.take(others), y.take(others)), "R2")
    >>> score.value > 0.9, score.low <= score.value <= score.high
    (True, True)
    """
    rng = np.random.default_rng(seed)
    if metric == R2:
        # The same unit for both, in which errors can be squared
        amounts = rescale_extremes(np.concatenate([train[1].values, test[1].values]).astype(np.float64))
        answers, unseen = np.split(amounts, [train[0].n_rows])
        predicted = _predict(train[0], answers, test[0], names, seed, is_discrete=False)
        return _with_interval(metric, _r2(predicted, unseen), [np.arange(test[0].n_rows)], rng)
    classes, codes = np.unique(np.concatenate([_values(train[1]), _values(test[1])]), return_inverse=True)
    learned, truth = codes[: train[0].n_rows], codes[train[0].n_rows :]
    predicted = _predict(train[0], learned, test[0], names, seed, is_discrete=True)
    strata = [np.flatnonzero(truth == code) for code in range(len(classes))]
    if metric == ACCURACY:
        return _with_interval(metric, _accuracy(predicted, truth), strata, rng)
    rarer = int(np.argmin(np.bincount(codes)))  # of two classes
    chances = predicted[:, 1] if rarer == 1 else predicted[:, 0]
    measure = _ranked(chances, truth == rarer, _average_precision if metric == PR_AUC else _roc_auc)
    return _with_interval(metric, measure, strata, rng)


def _values(column: Column) -> NDArray[Any]:
    return column.values if column.levels is None else column.levels[column.values]


def _predict(
    train: Table, answers: NDArray[Any], test: Table, names: Collection[str], seed: int, *, is_discrete: bool
) -> Floats:
    """Predicted amounts, or the chance of every class, one column each."""
    if not train.columns:
        return _constant(answers, test.n_rows, is_discrete=is_discrete)
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor  # noqa: PLC0415

    (X, unseen), is_name = _as_numbers(train, test, names)
    enough = not is_discrete or np.unique(answers, return_counts=True)[1].min() >= MIN_CLASS_ROWS
    booster = (HistGradientBoostingClassifier if is_discrete else HistGradientBoostingRegressor)(
        learning_rate=0.05,
        l2_regularization=5.0,  # leaves of a few rare positives otherwise take steps without bound
        max_iter=500 if enough else 100,
        early_stopping=bool(enough),
        validation_fraction=0.2,
        n_iter_no_change=20,
        categorical_features=is_name,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        booster.fit(X, answers)
    if not is_discrete:
        return np.asarray(booster.predict(unseen), dtype=np.float64)
    chances = np.zeros((test.n_rows, int(answers.max()) + 1))
    chances[:, booster.classes_] = booster.predict_proba(unseen)  # a class may have no training row
    return chances


def _constant(answers: NDArray[Any], n_rows: int, *, is_discrete: bool) -> Floats:
    """What is predicted from nothing: the mean, or the share of every class."""
    if not is_discrete:
        return np.full(n_rows, answers.mean())
    return np.tile(np.bincount(answers) / len(answers), (n_rows, 1))


def _as_numbers(train: Table, test: Table, names: Collection[str]) -> tuple[tuple[Floats, Floats], NDArray[np.bool_]]:
    """Both tables as numbers: codes, found from training rows, for columns that are names."""
    is_name = np.array([not column.is_numeric or column.name in names for column in train.columns])
    numbers = np.empty((train.n_rows, len(is_name))), np.empty((test.n_rows, len(is_name)))
    for place, (column, other) in enumerate(zip(train.columns, test.columns, strict=True)):
        encoder = LevelEncoder(MAX_LEVELS).fit(column) if is_name[place] else None
        for matrix, side in zip(numbers, (column, other), strict=True):
            matrix[:, place] = side.values if encoder is None else encoder.transform(side)
        if column.missing.all():  # boosting has no bins for a column without values
            for matrix in numbers:
                matrix[:, place] = 0.0
    return numbers, is_name


def _with_interval(metric: str, measure: _Measure, strata: list[NDArray[np.int64]], rng: np.random.Generator) -> Score:
    """The score of the rows as they are, and its spread when rows are drawn again within each stratum."""
    counts = np.ones(sum(map(len, strata)))
    value = measure(counts)
    resampled = []
    for _ in range(N_RESAMPLES):
        for rows in strata:
            if len(rows):
                counts[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        resampled.append(measure(counts))
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Score(metric, value, min(float(low), value), max(float(high), value))


def _r2(predicted: Floats, truth: Floats) -> _Measure:
    errors = (truth - predicted) ** 2

    def measure(counts: Floats) -> float:
        mean = counts @ truth / counts.sum()
        spread = float(counts @ (truth - mean) ** 2)
        return 1 - float(counts @ errors) / spread if spread > 0 else 0.0

    return measure


def _accuracy(chances: Floats, truth: NDArray[np.int64]) -> _Measure:
    right = (chances.argmax(axis=1) == truth).astype(np.float64)
    return lambda counts: float(counts @ right / counts.sum())


def _ranked(chances: Floats, positive: NDArray[np.bool_], curve: Callable[[Floats, Floats], float]) -> _Measure:
    """Sort once, most likely first; rows with the same chance are one step of the curve."""
    order = np.argsort(-chances, kind="stable")
    starts = np.flatnonzero(np.diff(chances[order], prepend=np.inf))
    is_positive = positive[order]

    def measure(counts: Floats) -> float:
        ordered = counts[order]
        hits = np.add.reduceat(ordered * is_positive, starts)
        return curve(hits, np.add.reduceat(ordered, starts) - hits)

    return measure


def _roc_auc(hits: Floats, misses: Floats) -> float:
    """Chance that a positive is ranked above a negative; equal chances count half."""
    below = misses.sum() - np.cumsum(misses)
    return float((hits * (below + misses / 2)).sum() / (hits.sum() * misses.sum()))


def _average_precision(hits: Floats, misses: Floats) -> float:
    """Mean precision over the positives, as they are found."""
    found = np.cumsum(hits)
    seen = np.maximum(found + np.cumsum(misses), 1)  # a step of no row has no hits either
    return float((hits * found / seen).sum() / hits.sum())
