"""Mutual information of each column alone, by nearest neighbors (Kraskov, Stoegbauer and Grassberger)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import entr
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from minerva_select.checks import check_integer, is_finite
from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import BaselineSelector, FeatureScores, select_highest
from minerva_select.selectors.baselines.design_matrix import DesignMatrix


@dataclass(repr=False, eq=False, kw_only=True)
class KSGSelector(BaselineSelector):
    """Select by the mutual information of each column alone with the target, as scikit-learn estimates it.

    Selects the columns whose information is above a share of the largest, or the requested number of highest ones.
    Numeric columns are measured by nearest neighbors (Kraskov 2004, Ross 2014), categorical ones by counts, which
    overestimate where there are many levels. With rare classes the neighbors can overestimate too, so that no column
    gets more than the entropy of the classes.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None selects those above ``threshold``.
    n_neighbors : int
        Number of neighbors.
    threshold : float
        Share of the largest information, from 0 to 1, above which a column is selected.
    n_jobs : int or None
        Processes, as in scikit-learn.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed of the noise that scikit-learn adds to numeric columns to break ties.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Mutual information of each column in nats; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import KSGSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = KSGSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    n_neighbors: int = 3
    threshold: float = 0.02
    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        check_integer("n_neighbors", self.n_neighbors, minimum=1, maximum=data.n_rows - 1)
        if not is_finite(self.threshold) or not 0 <= self.threshold <= 1:
            raise InputError(f"threshold must be a number from 0 to 1, got {brief(self.threshold)}.")
        if data.is_classification and data.n_rows == data.y.max() + 1:
            raise InputError(
                f"The target {data.target_name!r} has one row per class, and KSG needs neighbors of the same class; "
                "choose a target whose values repeat, or target_type='continuous' if it is numeric."
            )
        estimate = mutual_info_classif if data.is_classification else mutual_info_regression
        usable = np.array([_is_usable(data, column) for column in range(data.n_columns)])
        scores = np.zeros(data.n_columns)
        if usable.any():
            scores[usable] = estimate(
                data.X[:, usable],
                data.y,
                discrete_features=data.is_categorical[usable],
                n_neighbors=self.n_neighbors,
                random_state=data.seed,
                n_jobs=self.n_jobs,
            )
        if data.is_classification:
            scores = np.minimum(scores, entr(np.bincount(data.y) / data.n_rows).sum())
        return FeatureScores(
            scores,
            scores > self.threshold * scores.max() if n_to_select is None else select_highest(scores, n_to_select),
            ScoreMeasure.MARGINAL_NATS,
            ScoreRule.ABOVE_SHARE,
            {"threshold": float(self.threshold)},
            marginal_nats=scores,
        )


def _is_usable(data: DesignMatrix, column: int) -> bool:
    """Whether rows have neighbors: not if the target is numeric and every row has its own category."""
    is_numeric = data.is_classification or not data.is_categorical[column]
    return bool(is_numeric) or len(np.unique(data.X[:, column])) < data.n_rows
