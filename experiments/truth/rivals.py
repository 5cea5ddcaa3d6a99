"""What a user would pick instead of MINERVA: each ranks the columns of a table, and says where it would cut by itself.

A rival is a function of the table, the target, a seed and a number of threads that returns a :class:`Ranking`. Packages
that may not be there are imported late; :func:`why_unavailable` tells which rivals cannot run here.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import type_of_target

MOST_LEVELS = 50  # whole numbers with more distinct values than this are amounts


@dataclass(frozen=True)
class Ranking:
    """Scores of columns, the higher the better, and the score above which a rival keeps a column when not told k."""

    names: tuple[str, ...]
    scores: np.ndarray  # (n_columns,)
    cut: float

    def keep(self, k: int | None = None) -> list[str]:
        """The k best columns, or those above the cut, in column order."""
        kept = self.scores > self.cut
        if k is not None:
            best = np.argsort(-self.scores, kind="stable")[:k]
            kept = np.isin(np.arange(len(self.names)), best)
        return [name for name, is_kept in zip(self.names, kept, strict=True) if is_kept]


@dataclass(frozen=True)
class Encoded:
    """A table as a rival reads it: floats alone, and whether columns and target are names rather than amounts."""

    names: tuple[str, ...]
    X: np.ndarray  # (n_rows, n_columns)
    y: np.ndarray  # (n_rows,): class numbers from 0, or amounts
    is_discrete: np.ndarray  # (n_columns,)
    is_classification: bool


def encode(X: pd.DataFrame, y: pd.Series) -> Encoded:
    """Turn categories into codes with -1 for missing ones, and fill missing amounts with the column's median."""
    columns, is_discrete = [], []
    for name in X.columns:
        column = X[name]
        if not pd.api.types.is_numeric_dtype(column):
            column = pd.Series(pd.factorize(column, sort=True)[0])
        is_whole = pd.api.types.is_integer_dtype(column)
        is_discrete.append(is_whole and column.nunique() <= MOST_LEVELS)
        columns.append(column.fillna(column.median()).to_numpy(dtype=np.float32))
    is_classification = type_of_target(y) != "continuous"
    return Encoded(
        names=tuple(X.columns),
        X=np.column_stack(columns),
        y=pd.factorize(y, sort=True)[0] if is_classification else y.to_numpy(dtype=np.float64),
        is_discrete=np.array(is_discrete),
        is_classification=is_classification,
    )


def lightgbm_gain(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Total gain of splits in gradient boosting; cut at the mean."""
    import lightgbm

    data = encode(X, y)
    model = lightgbm.LGBMClassifier if data.is_classification else lightgbm.LGBMRegressor
    fitted = model(importance_type="gain", random_state=seed, n_jobs=n_threads, verbose=-1).fit(data.X, data.y)
    return _above_mean(data, fitted.feature_importances_)


def random_forest(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Impurity importance in a Random Forest; cut at the mean."""
    data = encode(X, y)
    return _above_mean(
        data, _forest(data, random_state=seed, n_jobs=n_threads).fit(data.X, data.y).feature_importances_
    )


def boruta(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Boruta with the forest its documentation advises: shallow trees, balanced classes. It decides for itself."""
    from boruta import BorutaPy

    data = encode(X, y)
    balanced = {"class_weight": "balanced"} if data.is_classification else {}
    forest = _forest(data, max_depth=5, n_jobs=n_threads, **balanced)
    search = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(data.X, data.y)
    return Ranking(data.names, search.support_.astype(float), cut=0.5)


def stochastic_gates(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Means of stochastic gates in front of a small network; cut at a half."""
    import torch

    from gates import train_gates

    torch.set_num_threads(n_threads)
    data = encode(X, y)
    return Ranking(data.names, train_gates(data.X, data.y, data.is_classification, seed), cut=0.5)


def ksg(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Mutual information of each column alone by nearest neighbours; cut at 0.02 of the largest."""
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    data = encode(X, y)
    estimate = mutual_info_classif if data.is_classification else mutual_info_regression
    scores = estimate(data.X, data.y, discrete_features=data.is_discrete, random_state=seed, n_jobs=n_threads)
    scores[np.ptp(data.X, axis=0) == 0] = 0.0  # a constant column gets more than 0 where positives are rare
    return Ranking(data.names, scores, cut=0.02 * scores.max())


@dataclass(frozen=True)
class Rival:
    """A rival, the package it needs, and whether it can be told how many columns to keep."""

    rank: Callable[[pd.DataFrame, pd.Series, int, int], Ranking]
    package: str = "sklearn"
    takes_k: bool = True


RIVALS = {
    "lightgbm": Rival(lightgbm_gain, package="lightgbm"),
    "forest": Rival(random_forest),
    "boruta": Rival(boruta, package="boruta", takes_k=False),
    "gates": Rival(stochastic_gates, package="torch"),
    "ksg": Rival(ksg),
}


def why_unavailable(method: str) -> str | None:
    """Why a rival cannot run here, or None when it can."""
    package = RIVALS[method].package
    return None if importlib.util.find_spec(package) else f"the package {package} is not installed"


def _forest(data: Encoded, **settings):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return (RandomForestClassifier if data.is_classification else RandomForestRegressor)(**settings)


def _above_mean(data: Encoded, importances: np.ndarray) -> Ranking:
    return Ranking(data.names, np.asarray(importances, dtype=float), cut=float(np.mean(importances)))
