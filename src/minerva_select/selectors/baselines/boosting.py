"""Gain importances of gradient boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from minerva_select.checks import is_finite
from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import FeatureScores, WeightedBaselineSelector, select_highest
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.trees import make_boosting


@dataclass(repr=False, eq=False, kw_only=True)
class GradientBoostingSelector(WeightedBaselineSelector):
    """Select by the gain importances of gradient boosting, with LightGBM.

    Selects the columns above the mean importance, as scikit-learn's ``SelectFromModel`` does, or the requested number
    of highest ones. Text columns are LightGBM's categorical features, other categories are codes, and missing numbers
    are the median. Leaves must have a hessian of at least 1, as in XGBoost: with LightGBM's default of 0.001, boosting
    diverges where positives are rare.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None selects those above the mean.
    n_estimators : int
        Number of trees.
    learning_rate : float
        Shrinkage of each tree.
    n_jobs : int or None
        Threads, as in scikit-learn.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Share of each column in the gain of all splits; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import GradientBoostingSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = GradientBoostingSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f3']
    >>> print(selector.selection_.features[4].reason)
    8.6% of the gain, not above the mean
    """

    packages: ClassVar[tuple[str, ...]] = ("lightgbm", "scikit-learn", "numpy")

    n_estimators: int = 100
    learning_rate: float = 0.1
    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        if not is_finite(self.learning_rate) or not 0 < self.learning_rate <= 1e30:
            raise InputError(f"learning_rate must be a number above 0 and up to 1e30, got {brief(self.learning_rate)}.")
        model = make_boosting(
            type(self).__name__,
            data,
            n_estimators=self.n_estimators,
            learning_rate=float(self.learning_rate),
            n_jobs=self.n_jobs,
        )
        text_columns = np.flatnonzero(data.is_text).tolist()
        model.fit(data.X, data.y, sample_weight=data.sample_weight, categorical_feature=text_columns)
        gains = model.feature_importances_.astype(np.float64)
        scores = gains / max(gains.sum(), np.finfo(np.float64).tiny)
        selected = scores > scores.mean() if n_to_select is None else select_highest(scores, n_to_select)
        return FeatureScores(scores, selected, ScoreMeasure.GAIN_SHARE, ScoreRule.ABOVE_MEAN)
