"""Boruta: columns against shuffled copies of themselves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, missing_package
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.trees import boosted_trees, check_estimator, shallow_forest


class BorutaSelector(BaselineSelector):
    """Select the columns that are more important to a model than the best of many shuffled columns, again and again.

    Uses the package Boruta, with its corrected tests at 5%. Keeps the columns that are confirmed; those that are still
    undecided after the last round are called tentative and not kept. Asked for a number of columns, it keeps first the
    confirmed, then the tentative, then the rejected, the most important first. Boruta looks for all that is relevant:
    it also keeps what others can stand in for. Text and other names enter as codes, missing amounts as the median.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None keeps those that are confirmed.
    estimator : {"forest", "boosting"}
        The model whose importances are compared: a Random Forest of depth 5 with balanced classes, as the package
        advises, each tree of which draws at most 10,000 rows; or LightGBM.
    n_iterations : int
        Most rounds of shuffling; the search ends before if every column is decided.
    n_estimators : int or None
        Trees of a model. None: 100 of boosting; of a forest as many as the package finds right for the columns left.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    n_jobs : int or None
        Threads of a model, as in scikit-learn.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        Mean importance of every column over the rounds in which it took part; NaN for those that took part in none.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import BorutaSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = BorutaSelector(n_iterations=20, n_estimators=50, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f2', 'f3', 'f4']
    """

    packages: ClassVar[tuple[str, ...]] = ("Boruta", "lightgbm", "scikit-learn", "numpy")
    may_be_none: ClassVar[tuple[str, ...]] = ("n_estimators",)

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        estimator: str = "forest",
        n_iterations: int = 100,
        n_estimators: int | None = None,
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
        self.estimator = estimator
        self.n_iterations = n_iterations
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the columns of X that beat shuffled ones."""
        return self._fit(X, y)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        search = self._search(question)
        importances: NDArray[np.float64] = np.nanmean(search.importance_history_[1:], axis=0)  # row 0 is a dummy
        is_tentative = search.support_weak_
        # Not support_, which holds tentative columns too where none is rejected
        is_confirmed = (search.ranking_ == 1) & ~is_tentative
        kept = is_confirmed
        if n_wanted is not None:
            kept = np.zeros(question.n_columns, dtype=bool)
            kept[np.lexsort((-importances, search.ranking_))[:n_wanted]] = True
        remarks = tuple(
            f"{'confirmed' if sure else 'tentative' if undecided else 'rejected'} (importance {importance:.3g})"
            for importance, sure, undecided in zip(importances, is_confirmed, is_tentative, strict=True)
        )
        why = ("beats shuffled columns", "not sure to beat shuffled columns")
        return Ranking(importances, kept, "importance {:.3g}", *why, remarks=remarks)

    def _search(self, question: Question) -> Any:
        """The package's search, which has no other draws than those of its seed."""
        model = self._model(question)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package is from before numpy 2
            try:
                from boruta import BorutaPy  # noqa: PLC0415 - optional
            except ImportError:
                raise missing_package(type(self).__name__, "Boruta") from None
            search = BorutaPy(
                model,
                n_estimators=self.n_estimators or ("auto" if self.estimator == "forest" else 100),
                max_iter=self.n_iterations + 1,  # the package counts from 1 and stops before the last
                random_state=question.seed,
            )
            return search.fit(question.X, question.y)

    def _model(self, question: Question) -> Any:
        check_estimator(self.estimator)
        if self.estimator == "forest":
            return shallow_forest(question, n_jobs=self.n_jobs)
        return boosted_trees(type(self).__name__, question, n_jobs=self.n_jobs)
