"""mRMR: columns that tell much about the target and little about one another."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from minerva_select.selectors.baselines.base import BaselineSelector, Ranking, ordinal
from minerva_select.selectors.baselines.binned import Order, bin_amounts, join_rare, order_columns
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.n_features_cv import MOST_COLUMNS, choose_size


class MRMRSelector(BaselineSelector):
    """Select by minimal redundancy and maximal relevance (Peng, Long and Ding, IEEE PAMI 2005).

    Columns are ordered one at a time, each time the one with the most information about the target less its mean
    information about those before it. The first ones are kept: as many as asked for, or as its authors advise by the
    cross-validated error of a model along the order, the fewest columns that are within one standard error of the
    best. At least one column is always kept.

    Amounts enter as at most 10 bins of equal weight, categories as they are, the rarest of more than 32 joined.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None chooses by cross-validation, at most 64.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    random_state : int, RandomState or None
        Seed of the cross-validation; the order of the columns has no chance in it.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        Relevance less redundancy of every column in nats, at the moment it was added to the order; for one never
        added, as it would have been next. NaN for columns that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import MRMRSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = MRMRSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find columns of X that tell about y, each something else."""
        return self._fit(X, y, sample_weight)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        weights = question.weights
        columns = [
            (join_rare if is_categorical else bin_amounts)(values, weights)
            for values, is_categorical in zip(question.X.T, question.is_categorical, strict=True)
        ]
        target = (join_rare if question.is_classification else bin_amounts)(question.y, weights)
        order = order_columns(columns, target, weights, n_wanted or MOST_COLUMNS)
        n_kept = n_wanted
        if n_kept is None:
            n_kept = choose_size(
                question.X[:, order.columns],
                target if question.is_classification else question.y,
                weights,
                is_classification=question.is_classification,
                rng=np.random.default_rng(question.seed),
            )
        kept = np.zeros(question.n_columns, dtype=bool)
        kept[list(order.columns[:n_kept])] = True
        return Ranking(
            order.relevance - order.redundancy,
            kept,
            "{:.3g} nats, relevance less redundancy",
            "more would not lower the error",
            "would not lower the error",
            marginal_nats=np.maximum(0.0, order.relevance),
            remarks=_describe(order),
        )


def _describe(order: Order) -> tuple[str, ...]:
    step_of = {column: step for step, column in enumerate(order.columns, start=1)}
    return tuple(
        (f"added {ordinal(step_of[column])}, " if column in step_of else "")
        + f"{max(0.0, relevance):.3g} nats alone less {max(0.0, redundancy):.3g} shared"
        for column, (relevance, redundancy) in enumerate(zip(order.relevance, order.redundancy, strict=True))
    )
