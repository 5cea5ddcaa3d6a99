"""Lasso: linear for amounts, logistic for classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import WarningCode
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, keep_best
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.encoding import as_predictors, standardised
from minerva_select.selectors.baselines.sparse_models import Floats, Rows, SparseProblem, choose_penalty

_MAX_ROWS = 50_000
_MAX_CLASSES = 20
_N_FOLDS = 5


class LassoSelector(BaselineSelector):
    """Select by the coefficients of a Lasso: of a linear model for amounts, of a logistic one for classes.

    Amounts are standardised; a category becomes a column of 0 and 1 for every level but the commonest, the rarest
    levels beyond 49 joined. A column's score is its largest coefficient, whatever the sign. Of more than two classes
    each is told from the rest, the 20 commonest at most.

    Told how many, it lowers the penalty until that many columns are in, and keeps those with the largest
    coefficients. Not told, it keeps every column with a coefficient at the largest penalty whose cross-validated loss
    is within one standard error of the least.

    Large tables are fitted on a sample of about 50,000 rows, in which rare classes are whole and all rows weighted
    so that classes count as in the table; ``selection_.warnings`` says so.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None keeps those with a coefficient at the penalty found by cross-validation.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        Largest absolute coefficient of every column; NaN for those that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import LassoSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = LassoSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the columns of X that a sparse linear model of y needs."""
        return self._fit(X, y, sample_weight)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        generator = np.random.default_rng(question.seed)
        groups = question.y if question.is_classification else np.zeros(question.n_rows, dtype=np.int64)
        rows, weights = _sample(groups, question.weights, generator)
        predictors, owners = as_predictors(question.X[rows], question.is_categorical, weights)
        outputs = _outputs(question, rows, weights)
        problem = SparseProblem(predictors, outputs, weights, question.is_classification, question.seed)
        if n_wanted is None:
            penalty = choose_penalty(problem, _folds(groups[rows], generator))
            scores = _scores(next(problem.path([penalty])).coefficients, owners)
        else:
            for model in problem.path(problem.penalties):
                scores = _scores(model.coefficients, owners)
                if np.count_nonzero(scores) >= n_wanted:
                    break
        found = []
        if len(rows) < question.n_rows:
            values = {"n_rows": len(rows), "n_total": question.n_rows}
            found.append(SelectionWarning(WarningCode.SUBSAMPLED, values=values))
        if n_wanted is not None and np.count_nonzero(scores) < min(n_wanted, question.n_columns):
            values = {"n_scored": int(np.count_nonzero(scores))}
            found.append(SelectionWarning(WarningCode.FILLED_UP, values=values))
        return Ranking(
            scores,
            kept=scores > 0 if n_wanted is None else keep_best(scores, n_wanted),
            unit="coefficient {:.3g}",
            why_kept="in at the penalty found by cross-validation",
            why_dropped="out at the penalty found by cross-validation",
            warnings=tuple(found),
        )


def _sample(groups: NDArray[np.int64], weights: Floats, generator: np.random.Generator) -> tuple[Rows, Floats]:
    """Rows to fit on, no more of a class than its share of the work, and their weights, of mean 1."""
    counts = np.bincount(groups)
    n_fits = min(len(counts), _MAX_CLASSES) if len(counts) > 2 else 1
    if len(groups) * n_fits <= _MAX_ROWS:
        return np.arange(len(groups)), weights / weights.mean()
    most = max(200, _MAX_ROWS // (n_fits * len(counts)))
    chosen = [generator.permutation(np.flatnonzero(groups == group))[:most] for group in range(len(counts))]
    rows = np.sort(np.concatenate(chosen))
    weights = weights[rows] * np.maximum(1.0, counts / most)[groups[rows]]
    return rows, weights / weights.mean()


def _folds(groups: NDArray[np.int64], generator: np.random.Generator) -> Rows:
    """Fold of every row; each fold has its share of every class."""
    folds = np.empty(len(groups), dtype=np.int64)
    folds[np.lexsort((generator.random(len(groups)), groups))] = np.arange(len(groups)) % _N_FOLDS
    return folds


def _outputs(question: Question, rows: Rows, weights: Floats) -> Floats:
    """What the models predict, one column each: the standardised amount, or whether a row is of a class."""
    y = question.y[rows]
    if not question.is_classification:
        return standardised(y[:, None].astype(np.float64), weights)
    counts = np.bincount(y)
    classes = [1] if len(counts) == 2 else np.argsort(-counts, kind="stable")[:_MAX_CLASSES]
    return np.asarray(y[:, None] == classes, dtype=np.float64)


def _scores(coefficients: Floats, owners: NDArray[np.int64]) -> Floats:
    """Largest absolute coefficient of every column."""
    scores = np.zeros(int(owners.max()) + 1)
    np.maximum.at(scores, owners, np.abs(coefficients).max(axis=0))
    return scores
