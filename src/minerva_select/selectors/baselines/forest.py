"""Importances of a Random Forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, keep_best
from minerva_select.selectors.baselines.design_matrix import Question


class RandomForestSelector(BaselineSelector):
    """Select by the impurity importances of a Random Forest.

    Keeps the columns above the mean importance, as scikit-learn's ``SelectFromModel`` does, or the given number of
    highest ones. Categories enter as codes, missing amounts as the median.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None keeps those above the mean.
    n_estimators : int
        Number of trees.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    n_jobs : int or None
        Threads, as in scikit-learn.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        Importance of every column; NaN for those that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import RandomForestSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = RandomForestSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 100,
        categorical_features: str | Sequence[str] = "auto",
        target_type: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            categorical_features=categorical_features,
            target_type=target_type,
            random_state=random_state,
        )
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the columns of X that the forest splits by."""
        return self._fit(X, y, sample_weight)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        forest = RandomForestClassifier if question.is_classification else RandomForestRegressor
        model = forest(self.n_estimators, n_jobs=self.n_jobs, random_state=question.seed)
        scores = model.fit(question.X, question.y, question.weights).feature_importances_
        kept = scores > scores.mean() if n_wanted is None else keep_best(scores, n_wanted)
        return Ranking(scores, kept, "importance {:.3g}", "above the mean", "not above the mean")
