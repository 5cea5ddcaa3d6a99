"""Recursive feature elimination."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.feature_selection import RFE, RFECV
from sklearn.metrics import get_scorer, log_loss, make_scorer

from minerva_select.checks import is_finite
from minerva_select.data.splits import assign_folds
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import BaselineSelector, Ranking
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.trees import boosted_trees, check_estimator, shallow_forest

N_FOLDS = 3


class RFESelector(BaselineSelector):
    """Select by recursive elimination: fit a model, drop the least important columns, fit again.

    With a number of columns to keep this is scikit-learn's ``RFE``. Without, it is ``RFECV``: the number is the one at
    which the model predicts best in three-fold cross-validation, by log loss for classes and by squared error for
    amounts. Text and other names enter as codes, missing amounts as the median.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None finds the number by cross-validation.
    estimator : {"boosting", "forest"}
        The model whose importances decide: LightGBM, or a Random Forest of depth 5 with balanced classes, each tree of
        which draws at most 10,000 rows.
    n_estimators : int
        Number of trees of the model.
    step : float
        How many columns to drop in a round, as a number of 1 or more, or as a share of all.
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
        One over scikit-learn's ranking: 1 for kept columns, 1/2 for those that were eliminated last, 1/3 for those
        before; NaN for columns that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import RFESelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = RFESelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f2', 'f3', 'f4']
    >>> selector.selection_.features[7].reason
    'eliminated in round 2 of 3, no better in cross-validation'
    """

    packages: ClassVar[tuple[str, ...]] = ("lightgbm", "scikit-learn", "numpy")

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        estimator: str = "boosting",
        n_estimators: int = 100,
        step: float = 0.1,
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
        self.n_estimators = n_estimators
        self.step = step
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the columns of X that are left when the model does without the others."""
        return self._fit(X, y, sample_weight)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        ranks = self._eliminate(question, n_wanted)
        n_rounds = int(ranks.max()) - 1
        remarks = tuple(
            "never eliminated" if rank == 1 else f"eliminated in round {n_rounds + 2 - rank} of {n_rounds}"
            for rank in ranks.tolist()
        )
        why = ("best in cross-validation", "no better in cross-validation")
        return Ranking(1.0 / ranks, ranks == 1, "{:.3g}", *why, remarks=remarks)

    def _eliminate(self, question: Question, n_wanted: int | None) -> NDArray[np.int64]:
        """Places in the order of elimination, from the last; 1 for columns that are kept."""
        model, step = self._model(question), self._step()
        if question.n_columns == 1:  # scikit-learn refuses to eliminate among one
            return np.ones(1, dtype=np.int64)
        with config_context(enable_metadata_routing=True):  # the only way for row weights into RFECV
            model.set_fit_request(sample_weight=True)
            search = (
                RFECV(model, step=step, cv=_folds(question), scoring=_scorer(question))
                if n_wanted is None
                else RFE(model, n_features_to_select=min(n_wanted, question.n_columns), step=step)
            )
            ranks: NDArray[np.int64] = search.fit(question.X, question.y, sample_weight=question.weights).ranking_
        return ranks

    def _step(self) -> float:
        """How many columns a round drops, or their share, in the types that scikit-learn knows."""
        if isinstance(self.step, numbers.Integral) and not isinstance(self.step, bool) and self.step >= 1:
            return int(self.step)
        if not is_finite(self.step) or not 0 < self.step < 1:
            raise InputError(f"step must be a whole number above 0 or a share between 0 and 1, got {brief(self.step)}.")
        return float(self.step)

    def _model(self, question: Question) -> Any:
        check_estimator(self.estimator)
        if self.estimator == "forest":
            return shallow_forest(question, n_estimators=self.n_estimators, n_jobs=self.n_jobs)
        return boosted_trees(type(self).__name__, question, n_estimators=self.n_estimators, n_jobs=self.n_jobs)


def _folds(question: Question) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows to train on and rows to score; classes too rare for a row in every fold are in training alone."""
    strata = question.y if question.is_classification else None
    folds = assign_folds(question.n_rows, N_FOLDS, strata, np.random.default_rng(question.seed))
    if question.is_classification:
        folds[np.bincount(question.y)[question.y] < N_FOLDS] = -1
        if (folds < 0).all():
            raise InputError(
                f"The target {question.target_name!r} has fewer than {N_FOLDS} rows of every class, too few for "
                "cross-validation; give n_features_to_select, or target_type='continuous' if it is an amount."
            )
    return [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(N_FOLDS)]


def _scorer(question: Question) -> Any:
    """Log loss or squared error, with row weights: accuracy says nothing where a class is rare."""
    scorer = (
        make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=np.unique(question.y))
        if question.is_classification
        else get_scorer("neg_mean_squared_error")
    )
    return scorer.set_score_request(sample_weight=True)
