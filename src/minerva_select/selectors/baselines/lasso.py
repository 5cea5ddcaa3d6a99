"""Lasso: linear for numbers, logistic for classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ScoreMeasure, ScoreRule, WarningCode
from minerva_select.config import BASELINES
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import FeatureScores, WeightedBaselineSelector, select_highest
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.encoding import encode_predictors, standardize
from minerva_select.selectors.baselines.n_features_cv import assign_stratified_folds
from minerva_select.selectors.baselines.sparse_models import Floats, Indices, SparseProblem, choose_penalty


class LassoSelector(WeightedBaselineSelector):
    """Select by the coefficients of a Lasso: a linear model for numbers, a logistic one for classes.

    Numeric columns are standardized. Categorical ones are one-hot encoded without the most frequent level; if there are
    more than 50 levels, the rarest are merged. The score of a column is its largest absolute coefficient. With more
    than two classes there is one model per class against the rest, for at most the 20 most frequent classes.

    If a number of columns is requested, the penalty falls until that many columns have a coefficient, and those with
    the largest coefficients are selected. Otherwise every column with a coefficient is selected, at the largest penalty
    whose cross-validated loss is within one standard error of the smallest.

    Large tables are fitted on a sample of about 50,000 rows that includes all rows of rare classes, weighted so that
    classes count as in the table; ``selection_.warnings`` then says so.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None selects those with a coefficient at the cross-validated penalty.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Largest absolute coefficient of each column; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import LassoSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = LassoSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        rng = np.random.default_rng(data.seed)
        classes = data.y if data.is_classification else np.zeros(data.n_rows, dtype=np.intp)
        rows, weights = _subsample(classes, data.sample_weight, rng)
        predictors, column_of = encode_predictors(data.X[rows], data.is_categorical, weights)
        problem = SparseProblem(
            predictors, _make_outputs(data, rows, weights), weights, data.is_classification, data.seed
        )
        if n_to_select is None:
            folds = assign_stratified_folds(classes[rows], BASELINES.n_folds_linear, rng)
            penalties = [choose_penalty(problem, folds)]
        else:
            penalties = problem.penalties.tolist()
        for model in problem.fit_path(penalties):
            scores = np.zeros(data.n_columns)
            np.maximum.at(scores, column_of, np.abs(model.coefficients).max(axis=0))
            if n_to_select is not None and np.count_nonzero(scores) >= n_to_select:
                break
        n_scored = int(np.count_nonzero(scores))
        found = []
        if len(rows) < data.n_rows:
            values = {"n_rows": len(rows), "n_total": data.n_rows}
            found.append(SelectionWarning(WarningCode.SUBSAMPLED, values=values))
        if n_to_select is not None and n_scored < min(n_to_select, data.n_columns):
            found.append(SelectionWarning(WarningCode.FILLED_UP, values={"n_scored": n_scored}))
        return FeatureScores(
            scores,
            scores > 0 if n_to_select is None else select_highest(scores, n_to_select),
            ScoreMeasure.COEFFICIENT,
            ScoreRule.CROSS_VALIDATION,
            warnings=tuple(found),
        )


def _subsample(classes: NDArray[np.intp], weights: Floats, rng: np.random.Generator) -> tuple[Indices, Floats]:
    """Rows to fit on, with a limited number per class, and their weights with mean 1."""
    counts = np.bincount(classes)
    n_models = min(len(counts), BASELINES.max_lasso_classes) if len(counts) > 2 else 1
    if len(classes) * n_models <= BASELINES.max_lasso_rows:
        return np.arange(len(classes)), weights / weights.mean()
    limit = max(BASELINES.min_lasso_rows_per_class, BASELINES.max_lasso_rows // (n_models * len(counts)))
    sampled = [rng.permutation(np.flatnonzero(classes == label))[:limit] for label in range(len(counts))]
    rows = np.sort(np.concatenate(sampled))
    weights = weights[rows] * np.maximum(1.0, counts / limit)[classes[rows]]
    return rows, weights / weights.mean()


def _make_outputs(data: DesignMatrix, rows: Indices, weights: Floats) -> Floats:
    """The standardized target, or one indicator per class; of two classes, only the second."""
    y = data.y[rows]
    if not data.is_classification:
        return standardize(y[:, None].astype(np.float64), weights)
    counts = np.bincount(y)
    classes = [1] if len(counts) == 2 else np.argsort(-counts, kind="stable")[: BASELINES.max_lasso_classes]
    return np.asarray(y[:, None] == classes, dtype=np.float64)
