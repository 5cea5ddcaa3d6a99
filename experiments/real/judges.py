"""Three models that judge a set of columns: boosted trees, extra trees and a penalized linear model.

A judge is a function of a split, columns and number of threads that returns predictions for the test rows: the
probability of every class, one column each, or numbers. It learns everything from the training rows.
"""

import itertools
import time
from collections.abc import Callable, Sequence

import numpy as np

from cases import Split
from encoding import encode_by_target, encode_codes, encode_linear
from scores import Scores, log_loss, score_nothing, score_predictions

N_BOOSTERS = 3  # each stops early on other rows
MAX_BOOSTED_TREES = 6000  # of each; every round adds one per class
N_TREES = 100
MAX_TREE_ROWS = 100_000
MIN_LEAF_ROWS = 5
POWERS = (1.0, 1.3, 1.6, 2.0, 3.0)  # of probabilities: averages of many trees are too close to the prior
PRIOR_WEIGHTS = (0.0, 1e-3, 0.01, 0.03, 0.1, 0.3)  # of the class frequencies, for leaves with too extreme ones
PENALTIES = (0.01, 0.1, 1.0, 10.0)  # C of the logistic regression
RIDGE_PENALTIES = (0.1, 1.0, 10.0)
TUNE_SHARE = 0.2

Judge = Callable[[Split, int], np.ndarray]


def judge(split: Split, columns: Sequence[str], n_threads: int) -> tuple[dict[str, Scores], dict[str, float]]:
    """Scores of every judge with these columns, and the seconds that each took."""
    prior = class_shares(split) if split.is_classification else None
    if not columns:
        return {name: score_nothing(split.y_test, prior) for name in JUDGES}, dict.fromkeys(JUDGES, 0.0)
    kept = Split(
        split.X_train[list(columns)], split.y_train, split.X_test[list(columns)], split.y_test,
        split.is_classification, split.seed,
    )  # fmt: skip
    scores, seconds = {}, {}
    for name, predict in JUDGES.items():
        start = time.perf_counter()
        scores[name] = score_predictions(predict(kept, n_threads), split.y_test, prior)
        seconds[name] = time.perf_counter() - start
    return scores, seconds


def class_shares(split: Split) -> np.ndarray:
    """Class frequencies of the training rows."""
    return np.bincount(split.y_train, minlength=split.n_classes) / len(split.y_train)


def predict_boosting(split: Split, n_threads: int) -> np.ndarray:
    """Mean of LightGBM models, each stopped early on its own part of the training rows."""
    import lightgbm

    codes = encode_codes(split.X_train, split.X_test)
    model_class = lightgbm.LGBMClassifier if split.is_classification else lightgbm.LGBMRegressor
    n_rounds = min(1000, MAX_BOOSTED_TREES // (split.n_classes if split.is_classification else 1))
    predicted = []
    for part in range(N_BOOSTERS):
        learn, stop = tune_split(split, split.seed + part)
        # As in XGBoost, leaves need a hessian of 1: with LightGBM's default, boosting diverges if positives are rare
        model = model_class(
            n_estimators=n_rounds, learning_rate=0.1, min_child_weight=1.0, reg_lambda=1.0,
            random_state=split.seed + part, n_jobs=n_threads, deterministic=True, force_row_wise=True, verbose=-1,
        )  # fmt: skip
        model.fit(
            codes.train[learn], split.y_train[learn],
            eval_X=codes.train[stop], eval_y=split.y_train[stop],
            categorical_feature=np.flatnonzero(codes.is_text).tolist(),
            callbacks=[lightgbm.early_stopping(30, verbose=False)],
        )  # fmt: skip
        predicted.append(_predict(model, codes.test, split))
    return np.mean(predicted, axis=0)


def predict_extra_trees(split: Split, n_threads: int) -> np.ndarray:
    """Extra trees on bootstrap samples; the rows left out of them calibrate the probabilities."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    codes = encode_by_target(split.X_train, split.X_test, split.y_train, split.seed)
    model = (ExtraTreesClassifier if split.is_classification else ExtraTreesRegressor)(
        N_TREES, min_samples_leaf=MIN_LEAF_ROWS, max_features=0.5, bootstrap=True, oob_score=split.is_classification,
        max_samples=MAX_TREE_ROWS if len(codes.train) > MAX_TREE_ROWS else None, n_jobs=n_threads,
        random_state=split.seed,
    )  # fmt: skip
    model.fit(codes.train, split.y_train)
    predicted = _predict(model, codes.test, split)
    if not split.is_classification:
        return predicted
    held_out = np.zeros((len(codes.train), split.n_classes))
    held_out[:, model.classes_] = model.oob_decision_function_
    seen = held_out.sum(axis=1) > 0  # with few trees, a row may be in every sample
    prior = class_shares(split)
    settings = itertools.product(POWERS, PRIOR_WEIGHTS)
    best = min(
        settings, key=lambda setting: log_loss(recalibrate(held_out[seen], prior, *setting), split.y_train[seen])
    )
    return recalibrate(predicted, prior, *best)


def recalibrate(probabilities: np.ndarray, prior: np.ndarray, power: float, prior_weight: float) -> np.ndarray:
    """Sharpen probabilities by a power, and mix them with the class frequencies."""
    sharpened = probabilities**power
    sharpened /= sharpened.sum(axis=1, keepdims=True)
    return (1 - prior_weight) * sharpened + prior_weight * prior


def predict_linear(split: Split, n_threads: int) -> np.ndarray:
    """Logistic or ridge regression on one-hot columns and splines; a part of the training rows chooses the penalty."""
    from sklearn.metrics import mean_squared_error

    train, test = encode_linear(split.X_train, split.X_test)
    learn, tune = tune_split(split, split.seed)

    def loss(penalty: float) -> float:
        model = _make_linear(split, penalty).fit(train[learn], split.y_train[learn])
        predicted = _predict(model, train[tune], split)
        measure = log_loss if split.is_classification else mean_squared_error
        return float(measure(predicted, split.y_train[tune]))

    best = min(PENALTIES if split.is_classification else RIDGE_PENALTIES, key=loss)
    return _predict(_make_linear(split, best).fit(train, split.y_train), test, split)


def _make_linear(split: Split, penalty: float) -> object:
    from sklearn.linear_model import LogisticRegression, Ridge

    if split.is_classification:
        # With rare positives gradients are small: at tol=1e-3 PR-AUC on creditcard_ulb is 0.44, at 1e-5 0.83
        return LogisticRegression(C=penalty, max_iter=500, tol=1e-6)
    return Ridge(alpha=penalty, random_state=split.seed)


def tune_split(split: Split, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Split the training rows into those that learn and those that tune, stratified by class if every class allows."""
    from sklearn.model_selection import train_test_split

    counts = np.bincount(split.y_train) if split.is_classification else np.zeros(0)
    stratify = split.y_train if split.is_classification and counts[counts > 0].min() >= 2 else None
    return train_test_split(np.arange(len(split.y_train)), test_size=TUNE_SHARE, stratify=stratify, random_state=seed)


def _predict(model: object, X: np.ndarray, split: Split) -> np.ndarray:
    if not split.is_classification:
        return model.predict(X)
    probabilities = np.zeros((X.shape[0], split.n_classes))
    probabilities[:, model.classes_] = model.predict_proba(X)  # a class may have no training row
    return probabilities


JUDGES: dict[str, Judge] = {
    "boosting": predict_boosting,
    "extra_trees": predict_extra_trees,
    "linear": predict_linear,
}
