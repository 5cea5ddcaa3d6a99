"""Recursive feature elimination."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.feature_selection import RFE, RFECV
from sklearn.metrics import get_scorer, log_loss, make_scorer

from minerva_select.checks import is_finite
from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.config import BASELINES
from minerva_select.data.splits import assign_folds
from minerva_select.errors import InputError, brief
from minerva_select.selectors.baselines.base import FeatureScores, WeightedBaselineSelector
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.trees import make_ensemble


@dataclass(repr=False, eq=False, kw_only=True)
class RFESelector(WeightedBaselineSelector):
    """Select by recursive elimination: fit a model, drop the least important columns, and repeat.

    If a number of columns is requested, this is scikit-learn's ``RFE``; otherwise it is ``RFECV``, which chooses the
    number with the best three-fold cross-validation score: log loss for classes, squared error for numbers. Categories
    are codes, and missing numbers are the median.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None chooses it by cross-validation.
    estimator : {"boosting", "forest"}
        Model whose importances decide: LightGBM, or a random forest of depth 5 with balanced classes and at most 10,000
        rows per tree.
    n_estimators : int
        Number of trees of the model.
    step : float
        Columns to drop per round: a number of 1 or more, or a share of all columns.
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
        One over scikit-learn's ranking: 1 for selected columns, 1/2 for those eliminated in the last round, 1/3 in the
        round before; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import RFESelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = RFESelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f2', 'f3', 'f4']
    >>> print(selector.selection_.features[7].reason)
    eliminated in round 2 of 3, dropped by cross-validation
    """

    packages: ClassVar[tuple[str, ...]] = ("lightgbm", "scikit-learn", "numpy")

    estimator: str = "boosting"
    n_estimators: int = 100
    step: float = 0.1
    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        ranking = self._eliminate(data, n_to_select)
        n_rounds = int(ranking.max()) - 1
        details = [
            {} if place == 1 else {"round": n_rounds + 2 - place, "n_rounds": n_rounds} for place in ranking.tolist()
        ]
        return FeatureScores(
            1.0 / ranking,
            ranking == 1,
            ScoreMeasure.ELIMINATION_ROUND,
            ScoreRule.CROSS_VALIDATION,
            details=details,
        )

    def _eliminate(self, data: DesignMatrix, n_to_select: int | None) -> NDArray[np.int64]:
        """scikit-learn's ranking: 1 for selected columns, 2 for those eliminated last."""
        model = make_ensemble(
            self.estimator, type(self).__name__, data, n_estimators=self.n_estimators, n_jobs=self.n_jobs
        )
        step = self._check_step()
        if data.n_columns == 1:  # which scikit-learn refuses
            return np.ones(1, dtype=np.int64)
        with config_context(enable_metadata_routing=True):  # the only way to pass row weights to RFECV
            model.set_fit_request(sample_weight=True)
            search = (
                RFECV(model, step=step, cv=_split(data), scoring=_make_scorer(data))
                if n_to_select is None
                else RFE(model, n_features_to_select=min(n_to_select, data.n_columns), step=step)
            )
            ranking: NDArray[np.int64] = search.fit(data.X, data.y, sample_weight=data.sample_weight).ranking_
        return ranking

    def _check_step(self) -> float:
        if isinstance(self.step, numbers.Integral) and not isinstance(self.step, bool) and self.step >= 1:
            return int(self.step)
        if not is_finite(self.step) or not 0 < self.step < 1:
            raise InputError(f"step must be an integer above 0 or a share between 0 and 1, got {brief(self.step)}.")
        return float(self.step)


def _split(data: DesignMatrix) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test rows of each fold; classes too rare for a row in every fold are only trained on."""
    n_folds = BASELINES.n_folds_trees
    strata = data.y if data.is_classification else None
    folds = assign_folds(data.n_rows, n_folds, strata, np.random.default_rng(data.seed))
    if data.is_classification:
        folds[np.bincount(data.y)[data.y] < n_folds] = -1
        if (folds < 0).all():
            raise InputError(
                f"The target {data.target_name!r} has fewer than {n_folds} rows of every class, too few for "
                "cross-validation; give n_features_to_select, or target_type='continuous' if it is numeric."
            )
    return [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(n_folds)]


def _make_scorer(data: DesignMatrix) -> Any:
    """Log loss or squared error with row weights; accuracy would ignore rare classes."""
    scorer = (
        make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=np.unique(data.y))
        if data.is_classification
        else get_scorer("neg_mean_squared_error")
    )
    return scorer.set_score_request(sample_weight=True)
