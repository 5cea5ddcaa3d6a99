"""Information of each column alone, by nearest neighbours (Kraskov, Stoegbauer and Grassberger)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from minerva_select.checks import check_integer, is_finite
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, keep_best
from minerva_select.selectors.baselines.design_matrix import Question


class KSGSelector(BaselineSelector):
    """Select by the mutual information of each column alone with the target, as scikit-learn estimates it.

    Keeps the columns whose information is above a share of the largest, or the given number of highest ones. Amounts
    are measured by nearest neighbours (Kraskov 2004, Ross 2014), categories by their counts, which is too high where
    levels are many. With rare classes the neighbours can find more than there is to know: no column is given more
    than the entropy of the classes, and constant columns take no part.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None keeps those above ``threshold``.
    n_neighbors : int
        Neighbours of each row that are looked at.
    threshold : float
        Share of the largest information above which a column is kept, from 0 to 1.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    n_jobs : int or None
        Processes, as in scikit-learn.
    random_state : int, RandomState or None
        Seed of the noise that scikit-learn adds to amounts so that none are equal.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        Information of every column in nats; NaN for those that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import KSGSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = KSGSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_neighbors: int = 3,
        threshold: float = 0.02,
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
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the columns of X that tell about y alone."""
        return self._fit(X, y)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        self._check(question.n_rows)
        if question.is_classification and len(question.y) == question.y.max() + 1:
            raise InputError(
                f"The target {question.target_name!r} has one row of every class, and KSG looks for neighbours of the "
                "same class; choose a target whose values repeat, or target_type='continuous' if it is an amount."
            )
        estimate = mutual_info_classif if question.is_classification else mutual_info_regression
        repeats = np.array([question.is_classification or _may_repeat(question, k) for k in range(question.n_columns)])
        scores = np.zeros(question.n_columns)  # of names of single rows, which have no neighbours of the same name
        if repeats.any():
            scores[repeats] = estimate(
                question.X[:, repeats],
                question.y,
                discrete_features=question.is_categorical[repeats],
                n_neighbors=self.n_neighbors,
                random_state=question.seed,
                n_jobs=self.n_jobs,
            )
        if question.is_classification:
            scores = np.minimum(scores, _entropy(question.y))
        kept = scores > self.threshold * scores.max() if n_wanted is None else keep_best(scores, n_wanted)
        share = f"{float(self.threshold):g} of the largest"
        return Ranking(scores, kept, "{:.3g} nats alone", f"above {share}", f"not above {share}", marginal_nats=scores)

    def _check(self, n_rows: int) -> None:
        check_integer("n_neighbors", self.n_neighbors, minimum=1, maximum=n_rows - 1)
        if not is_finite(self.threshold) or not 0 <= self.threshold <= 1:
            raise InputError(f"threshold must be a number from 0 to 1, got {brief(self.threshold)}.")


def _may_repeat(question: Question, column: int) -> bool:
    """Whether a column is amounts, or names of which some name two rows."""
    return not question.is_categorical[column] or len(np.unique(question.X[:, column])) < question.n_rows


def _entropy(classes: NDArray[np.integer[Any]]) -> float:
    shares = np.bincount(classes) / len(classes)
    return float(-(shares * np.log(shares)).sum())
