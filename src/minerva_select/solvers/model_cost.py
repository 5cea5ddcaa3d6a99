"""Boosted trees of some columns, scored on held-out rows in the usual measures of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ScoreMetric
from minerva_select.config import COMPARISON, JUDGE, MODEL_COST
from minerva_select.mi.tree_models import LabeledRows, TreeSettings, fit_trees
from minerva_select.solvers.model_scores import Score, average_precision, macro_roc_auc, r_squared, roc_auc

_SEED = 0

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CostRows:
    """Rows of a table as trees read them, and their target: classes from 0 on, or numbers."""

    x: NDArray[np.float32]  # (n_rows, n_features) bins of quantiles (NaN: missing) or codes
    is_categorical: NDArray[np.bool_]  # (n_features,)
    y: Indices | Floats
    n_classes: int  # 0 for numbers


@dataclass(frozen=True, eq=False)
class CostFold:
    """Rows of one fold, by their positions, with the weight of each."""

    train: Indices
    tune: Indices
    held_out: Indices
    weights: Floats  # (n_rows,) 0 for rows of no part

    @property
    def rest(self) -> Indices:
        """Rows that are not held out."""
        return np.concatenate([self.train, self.tune])


def choose_metric(y: Indices | Floats, n_classes: int) -> ScoreMetric:
    """R2 for numbers, the area under the ROC curve for classes, and PR-AUC if the rarer one of two classes is rare."""
    if not n_classes:
        return ScoreMetric.R2
    if n_classes > 2:
        return ScoreMetric.MACRO_ROC_AUC
    rarest = np.bincount(y.astype(np.int64), minlength=2).min()
    return ScoreMetric.PR_AUC if rarest < COMPARISON.rare_share * len(y) else ScoreMetric.ROC_AUC


def score_fold(rows: CostRows, fold: CostFold, features: Sequence[int], metric: ScoreMetric) -> Score | None:
    """Fit trees to these columns and score them on the held-out rows; None if all of these are of one class."""
    y, weights = rows.y[fold.held_out], fold.weights[fold.held_out]
    if not len(y) or (rows.n_classes and (y == y[0]).all()):
        return None
    predicted = _predict(rows, fold, list(features))
    if metric is ScoreMetric.R2:
        return r_squared(predicted[:, 0], y.astype(np.float64), weights)
    classes = y.astype(np.int64)
    if metric is ScoreMetric.MACRO_ROC_AUC:
        return macro_roc_auc(predicted, classes, weights)
    positive = int(np.argmin(np.bincount(rows.y.astype(np.int64), minlength=2)))  # the rarer class
    curve = average_precision if metric is ScoreMetric.PR_AUC else roc_auc
    return curve(predicted[:, positive], classes == positive, weights)


def _predict(rows: CostRows, fold: CostFold, features: list[int]) -> Floats:  # (n_held_out, n_classes or 1)
    """Predictions for the held-out rows; tuning rows choose the number of rounds, then of few rows trees learn too."""
    y, weights = rows.y[fold.rest], fold.weights[fold.rest]
    classes = np.unique(y) if rows.n_classes else np.empty(0)
    if not features or len(classes) == 1 or not len(fold.train):
        return _constant(rows, y, weights, len(fold.held_out))
    x = rows.x[:, features]

    def labeled(chosen: Indices, classes: NDArray[Any]) -> LabeledRows:
        if not rows.n_classes:
            return LabeledRows(x[chosen], rows.y[chosen].astype(np.float64), fold.weights[chosen])
        chosen = chosen[np.isin(rows.y[chosen], classes)]
        return LabeledRows(x[chosen], np.searchsorted(classes, rows.y[chosen]), fold.weights[chosen])

    train_classes = np.unique(rows.y[fold.train]) if rows.n_classes else classes
    settings = TreeSettings(
        n_classes=len(classes),
        is_categorical=rows.is_categorical[features],
        n_leaves=max(n_leaves for n_rows, n_leaves in JUDGE.tree_leaves if len(fold.train) >= n_rows),
        seed=_SEED,
    )
    most, model = max(1, min(settings.max_rounds, MODEL_COST.max_trees // max(1, len(classes)))), None
    if len(fold.tune) > 0 and len(train_classes) != 1:
        parts = labeled(fold.train, train_classes), labeled(fold.tune, train_classes)
        model = fit_trees(replace(settings, n_classes=len(train_classes)), *parts, most)
    if model is None or len(fold.rest) <= JUDGE.max_refit_rows:
        model = fit_trees(settings, labeled(fold.rest, classes), n_rounds=most if model is None else model.n_rounds)
    else:
        classes = train_classes
    found = model.predict(x[fold.held_out])
    if not rows.n_classes:
        return found[:, None]
    probabilities = np.zeros((len(fold.held_out), rows.n_classes))
    probabilities[:, classes.astype(np.int64)] = found
    return probabilities


def _constant(rows: CostRows, y: Indices | Floats, weights: Floats, n_rows: int) -> Floats:
    """The mean, or the shares of the classes: what is known without columns."""
    if not rows.n_classes:
        return np.full((n_rows, 1), np.average(y, weights=weights))
    shares = np.bincount(y.astype(np.int64), weights, rows.n_classes) / weights.sum()
    return np.tile(shares, (n_rows, 1))
