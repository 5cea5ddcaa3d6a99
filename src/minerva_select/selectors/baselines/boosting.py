"""Importances of gradient boosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from minerva_select.checks import is_finite
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, keep_best
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.trees import boosted_trees


class GradientBoostingSelector(BaselineSelector):
    """Select by the gain importances of gradient boosting, with LightGBM.

    Keeps the columns above the mean importance, as scikit-learn's ``SelectFromModel`` does, or the given number of
    highest ones. Text enters as LightGBM's categories, other names as codes, missing amounts as the median. Leaves must
    hold a hessian of 1, as in XGBoost: with LightGBM's own 0.001, boosting diverges where positives are rare.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None keeps those above the mean.
    n_estimators : int
        Number of trees.
    learning_rate : float
        Share of each tree in the sum.
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
        Share of every column in the gain of all splits; NaN for those that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import GradientBoostingSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = GradientBoostingSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f3']
    >>> selector.selection_.features[4].reason
    '8.6% of the gain, not above the mean'
    """

    packages: ClassVar[tuple[str, ...]] = ("lightgbm", "scikit-learn", "numpy")

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
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
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the columns of X whose splits lower the loss most."""
        return self._fit(X, y, sample_weight)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        if not is_finite(self.learning_rate) or not 0 < self.learning_rate <= 1e30:
            raise InputError(f"learning_rate must be a number above 0 and up to 1e30, got {brief(self.learning_rate)}.")
        name = type(self).__name__
        model = boosted_trees(
            name, question, n_estimators=self.n_estimators, learning_rate=float(self.learning_rate), n_jobs=self.n_jobs
        )
        text = np.flatnonzero(question.is_text).tolist()
        model.fit(question.X, question.y, sample_weight=question.weights, categorical_feature=text)
        gains = model.feature_importances_.astype(np.float64)
        scores = gains / max(gains.sum(), np.finfo(np.float64).tiny)
        kept = scores > scores.mean() if n_wanted is None else keep_best(scores, n_wanted)
        return Ranking(scores, kept, "{:.1%} of the gain", "above the mean", "not above the mean")
