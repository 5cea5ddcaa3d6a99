"""Boruta: importances of columns compared with those of permuted copies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import BorutaDecision, ScoreMeasure, ScoreRule
from minerva_select.selectors.baselines.base import BaselineSelector, FeatureScores, missing_package
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.trees import make_ensemble


@dataclass(repr=False, eq=False, kw_only=True)
class BorutaSelector(BaselineSelector):
    """Select the columns that are repeatedly more important to a model than the best of many permuted columns.

    Uses the package Boruta, with its corrected tests at 5%. Selects the confirmed columns; those still undecided after
    the last round are tentative and not selected. If a number of columns is requested, it selects first the confirmed,
    then the tentative, then the rejected columns, in order of importance. Boruta looks for all relevant columns,
    including those that others could replace. Categories are codes, and missing numbers are the median.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None selects the confirmed ones.
    estimator : {"forest", "boosting"}
        Model whose importances are compared: a random forest of depth 5 with balanced classes, as the package advises,
        with at most 10,000 rows per tree; or LightGBM.
    n_iterations : int
        Maximum number of rounds; the search ends earlier if every column is decided.
    n_estimators : int or None
        Number of trees of the model. None: 100 for boosting; for a forest, a number that the package derives from the
        number of columns.
    n_jobs : int or None
        Threads of the model, as in scikit-learn.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Mean importance of each column over its rounds; NaN for columns left out.

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

    estimator: str = "forest"
    n_iterations: int = 100
    n_estimators: int | None = None
    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        search = self._search(data)
        importances: NDArray[np.float64] = np.nanmean(search.importance_history_[1:], axis=0)  # row 0 is a dummy
        is_tentative = search.support_weak_
        # Not support_, which includes tentative columns if none is rejected
        selected = (search.ranking_ == 1) & ~is_tentative
        decisions = np.where(is_tentative, BorutaDecision.TENTATIVE, BorutaDecision.REJECTED)
        details = [
            {"decision": BorutaDecision(decision)}
            for decision in np.where(selected, BorutaDecision.CONFIRMED, decisions).tolist()
        ]
        if n_to_select is not None:
            selected = np.zeros(data.n_columns, dtype=bool)
            selected[np.lexsort((-importances, search.ranking_))[:n_to_select]] = True
        return FeatureScores(importances, selected, ScoreMeasure.IMPORTANCE, ScoreRule.BEATS_PERMUTED, details=details)

    def _search(self, data: DesignMatrix) -> Any:
        model = make_ensemble(self.estimator, type(self).__name__, data, n_jobs=self.n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package is older than numpy 2
            try:
                from boruta import BorutaPy  # noqa: PLC0415 - optional
            except ImportError:
                raise missing_package(type(self).__name__, "Boruta") from None
            search = BorutaPy(
                model,
                n_estimators=self.n_estimators or ("auto" if self.estimator == "forest" else 100),
                max_iter=self.n_iterations + 1,  # the package counts from 1 and stops before the last
                random_state=data.seed,
            )
            return search.fit(data.X, data.y)
