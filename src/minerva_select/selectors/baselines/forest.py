"""Impurity importances of a random forest."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.selectors.baselines.base import FeatureScores, WeightedBaselineSelector, select_highest
from minerva_select.selectors.baselines.design_matrix import DesignMatrix


@dataclass(repr=False, eq=False, kw_only=True)
class RandomForestSelector(WeightedBaselineSelector):
    """Select by the impurity importances of a random forest.

    Selects the columns above the mean importance, as scikit-learn's ``SelectFromModel`` does, or the requested number
    of highest ones. Categories are codes, and missing numbers are the median.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None selects those above the mean.
    n_estimators : int
        Number of trees.
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
        Importance of each column; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import RandomForestSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = RandomForestSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    n_estimators: int = 100
    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        forest = RandomForestClassifier if data.is_classification else RandomForestRegressor
        model = forest(self.n_estimators, n_jobs=self.n_jobs, random_state=data.seed)
        scores = model.fit(data.X, data.y, data.sample_weight).feature_importances_
        selected = scores > scores.mean() if n_to_select is None else select_highest(scores, n_to_select)
        return FeatureScores(scores, selected, ScoreMeasure.IMPORTANCE, ScoreRule.ABOVE_MEAN)
