"""Block HSIC Lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minerva_select.codes import ScoreMeasure, ScoreRule, WarningCode
from minerva_select.config import BASELINES
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import BaselineSelector, FeatureScores
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.hsic import (
    Floats,
    Indices,
    KernelProducts,
    choose_within_one_error,
    compute_products,
    compute_test_errors,
    draw_blocks,
    find_last_knot,
    fit_path,
    pool_products,
)


@dataclass(repr=False, eq=False, kw_only=True)
class HSICLassoSelector(BaselineSelector):
    """Select by block HSIC Lasso: few columns whose kernels add up to the kernel of the target.

    The kernel of a column is the similarity of all pairs of rows within small blocks of rows. A Lasso with nonnegative
    weights approximates the kernel of the target by a sum of the kernels of few columns [1]_ [2]_. Memory holds the
    products of all pairs of columns and one block, whatever the number of rows.

    If a number of columns is requested, the columns of the last knot of the Lasso path with at most that many are
    selected; if these are too few, the columns most similar to the target are added. Otherwise the number is chosen by
    five-fold cross-validation: the smallest within one standard error of the best.

    Categories are similar if they are equal, and numbers by a Gaussian kernel. The published products have a bias for
    independent columns that grows with the number of levels; it is removed if the table has categorical columns, since
    columns of many levels would be selected first. If the rarest class would be in less than half of the blocks, every
    block gets equally many rows of each class, so that rows of rare classes count many times; ``selection_.warnings``
    then says so.

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None chooses it by cross-validation.
    block_size : int
        Rows per block; the time per row is proportional to it. The authors' default is 20.
    n_permutations : int
        How often all rows are divided into blocks.
    categorical_features, target_type
        As in :class:`MinervaSelector`.
    random_state : int, RandomState or None
        Seed.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        Weight of each column; NaN for columns left out.

    References
    ----------
    .. [1] Yamada, Jitkrittum, Sigal, Xing and Sugiyama (2014). High-dimensional feature selection by feature-wise
       kernelized Lasso. Neural Computation 26.
    .. [2] Climente-González, Azencott, Kaski and Yamada (2019). Block HSIC Lasso: model-free biomarker detection for
       ultra-high dimensional data. Bioinformatics 35.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import HSICLassoSelector
    >>> problem = additive(n_samples=1000, n_features=8, random_state=0)
    >>> selector = HSICLassoSelector(random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f1', 'f2', 'f3', 'f4']
    """

    block_size: int = 20
    n_permutations: int = 3

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        rng = np.random.default_rng(data.seed)
        folds, found = _split_into_folds(data, self.block_size, rng)
        parts = [self._compute_products(data, groups, rng) for groups in folds]
        products = _choose_products(data, pool_products(parts))
        path = fit_path(products)
        if n_to_select is not None:
            weights = find_last_knot(path, n_to_select)
        elif len(parts) > 1:
            weights = find_last_knot(path, _choose_n_features(data, parts))
        else:
            weights = path[-1]
            found.append(SelectionWarning(WarningCode.NOT_CROSS_VALIDATED))
        selected = weights > 0
        n_scored = int(selected.sum())
        if n_to_select is not None and n_scored < min(n_to_select, data.n_columns):
            found.append(SelectionWarning(WarningCode.FILLED_UP, values={"n_scored": n_scored}))
            selected[np.lexsort((-products[:-1, -1], -weights))[:n_to_select]] = True
        return FeatureScores(
            weights, selected, ScoreMeasure.KERNEL_WEIGHT, ScoreRule.CROSS_VALIDATION, warnings=tuple(found)
        )

    def _compute_products(
        self, data: DesignMatrix, groups: Sequence[Indices], rng: np.random.Generator
    ) -> KernelProducts:
        sizes = [min(self.block_size // len(groups), len(rows)) for rows in groups]
        n_blocks = max(1, sum(map(len, groups)) // self.block_size)
        return compute_products(
            [*data.X.T, data.y],
            [*data.is_categorical, data.is_classification],
            (draw_blocks(groups, sizes, n_blocks, rng) for _ in range(self.n_permutations)),
        )


def _split_into_folds(
    data: DesignMatrix, block_size: int, rng: np.random.Generator
) -> tuple[list[tuple[Indices, ...]], list[SelectionWarning]]:
    """Rows of each fold, in groups from which each block takes equally many rows."""
    rows = rng.permutation(data.n_rows)
    groups, found = [rows], []
    n_folds = min(BASELINES.n_folds_linear, data.n_rows // block_size)
    if data.is_classification:
        counts = np.bincount(data.y)
        share_of_blocks = 1 - (1 - counts.min() / data.n_rows) ** block_size
        if share_of_blocks < BASELINES.min_share_of_blocks and 2 * len(counts) <= block_size:
            groups = [rows[data.y[rows] == label] for label in range(len(counts))]
            n_folds = min(n_folds, int(counts.min()))
            values = {
                "n_rarest": int(counts.min()),
                "n_total": data.n_rows,
                "block_size": block_size,
                "n_per_class": block_size // len(counts),
            }
            found.append(SelectionWarning(WarningCode.BALANCED_CLASSES, values=values))
    pieces = [np.array_split(group, max(1, n_folds)) for group in groups]
    return list(zip(*pieces, strict=True)), found


def _choose_products(data: DesignMatrix, part: KernelProducts) -> Floats:
    return part.unbiased if data.is_categorical.any() else part.products


def _choose_n_features(data: DesignMatrix, parts: Sequence[KernelProducts]) -> int:
    errors = []
    for place, test in enumerate(parts):
        train = pool_products([part for other, part in enumerate(parts) if other != place])
        errors.append(compute_test_errors(fit_path(_choose_products(data, train)), train, test))
    return choose_within_one_error(np.array(errors))
