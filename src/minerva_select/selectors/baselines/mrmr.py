"""mRMR: columns with much information about the target and little about each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr
from scipy.stats.contingency import expected_freq

from minerva_select.codes import ScoreMeasure, ScoreRule
from minerva_select.config import BASELINES
from minerva_select.selectors.baselines.base import FeatureScores, WeightedBaselineSelector
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.encoding import Codes, Floats, bin_numeric, merge_rare_levels
from minerva_select.selectors.baselines.n_features_cv import choose_n_features


class MRMRSelector(WeightedBaselineSelector):
    """Select by minimal redundancy and maximal relevance (Peng, Long and Ding, IEEE PAMI 2005).

    Columns are added one at a time, each time the one with the most mutual information with the target minus its mean
    mutual information with the columns added before. The first ones are selected: the requested number or, as the
    authors advise, the smallest number whose cross-validated loss is within one standard error of the best. At least
    one column is always selected.

    Numeric columns are split into at most 10 bins of equal weight. If a categorical column has more than 32 levels, the
    rarest are merged.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None chooses it by cross-validation, at most 64.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed of the cross-validation; the order of the columns is deterministic.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Relevance minus redundancy of each column in nats when it was added or, if it was not added, after the last
        step; NaN for columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import MRMRSelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = MRMRSelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        weights = data.sample_weight
        columns = [
            _discretize(values, weights, is_categorical)
            for values, is_categorical in zip(data.X.T, data.is_categorical, strict=True)
        ]
        target = _discretize(data.y, weights, data.is_classification)
        order = order_columns(columns, target, weights, n_to_select or BASELINES.cv_counts[-1])
        n_selected = n_to_select or choose_n_features(
            data.X[:, order.columns],
            target if data.is_classification else data.y,
            weights,
            is_classification=data.is_classification,
            rng=np.random.default_rng(data.seed),
        )
        selected = np.zeros(data.n_columns, dtype=bool)
        selected[list(order.columns[:n_selected])] = True
        relevance = np.maximum(0.0, order.relevance)
        details = [
            {"relevance": nats, "redundancy": shared}
            for nats, shared in zip(relevance.tolist(), np.maximum(0.0, order.redundancy).tolist(), strict=True)
        ]
        for step, column in enumerate(order.columns, start=1):
            details[column]["step"] = step
        return FeatureScores(
            order.relevance - order.redundancy,
            selected,
            ScoreMeasure.RELEVANCE_MINUS_REDUNDANCY,
            ScoreRule.CROSS_VALIDATION,
            details=details,
            marginal_nats=relevance,
        )


def _discretize(values: Floats, weights: Floats, is_categorical: bool) -> Codes:
    return merge_rare_levels(values, weights, BASELINES.max_levels) if is_categorical else bin_numeric(values, weights)


def estimate_binned_mi(first: Codes, second: Codes, weights: Floats) -> float:
    """Plug-in estimate of mutual information in nats, corrected for bias.

    The bias of independent columns is (r - 1)(c - 1) / 2n to first order, where n is the effective number of rows. So
    the estimate for independent columns is about 0, and may be negative.

    Examples
    --------
    >>> coin, weights = np.array([0, 1] * 50), np.ones(100)
    >>> round(estimate_binned_mi(coin, coin, weights), 4)  # log(2) - 1/200
    0.6881
    """
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    total = weights.sum()
    cells = np.bincount(first * n_second + second, weights=weights, minlength=n_first * n_second)
    table = cells.reshape(n_first, n_second) / total
    bias = (n_first - 1) * (n_second - 1) * (weights @ weights) / (2 * total**2)
    return float(rel_entr(table, expected_freq(table)).sum() - bias)


@dataclass(frozen=True, eq=False)
class ColumnOrder:
    """Columns in the order in which mRMR adds them."""

    columns: tuple[int, ...]
    relevance: Floats  # (n_columns,) mutual information with the target, in nats
    redundancy: Floats  # (n_columns,) mean mutual information with the columns added before, or with all added


def order_columns(columns: Sequence[Codes], target: Codes, weights: Floats, n_to_add: int) -> ColumnOrder:
    """Add columns one at a time by relevance minus redundancy (the difference form of Peng, Long and Ding, 2005).

    Each step compares the last added column with the remaining ones, so the time is proportional to ``n_to_add`` times
    the number of columns.

    Examples
    --------
    >>> target = np.array([0, 0, 1, 1, 2, 2, 3, 3] * 20)
    >>> columns = [target // 2, target // 2, target % 2]
    >>> order_columns(columns, target, np.ones(160), n_to_add=3).columns
    (0, 2, 1)
    """
    relevance = np.array([estimate_binned_mi(column, target, weights) for column in columns])
    total_shared = np.zeros(len(columns))
    redundancy = np.zeros(len(columns))
    remaining = np.ones(len(columns), dtype=bool)
    added: list[int] = []
    while len(added) < min(n_to_add, len(columns)):
        added.append(int(np.argmax(np.where(remaining, relevance - redundancy, -np.inf))))
        remaining[added[-1]] = False
        for other in np.flatnonzero(remaining).tolist():
            total_shared[other] += estimate_binned_mi(columns[added[-1]], columns[other], weights)
        redundancy[remaining] = total_shared[remaining] / len(added)
    return ColumnOrder(tuple(added), relevance, redundancy)
