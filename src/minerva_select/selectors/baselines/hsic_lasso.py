"""Block HSIC Lasso."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from minerva_select.codes import WarningCode
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import BaselineSelector, Ranking
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.hsic import (
    Floats,
    KernelProducts,
    Rows,
    draw_blocks,
    fewest_within_one_error,
    held_out_errors,
    kernel_products,
    last_knot,
    pool,
    weight_path,
)

_N_FOLDS = 5


class HSICLassoSelector(BaselineSelector):
    """Select by block HSIC Lasso: few columns whose kernels add up to the target's kernel.

    Every column becomes a kernel, the similarity of all pairs of rows within small blocks of rows; a Lasso with
    weights of 0 or more writes the target's kernel as a sum of those of few columns [1]_ [2]_. Memory is for the
    products of all pairs of columns and for one block, whatever the number of rows.

    Told how many, it keeps the columns of the last knot of the Lasso path with at most that many; should no knot have
    enough, the columns nearest to the target alone come after them. Not told, it cross-validates that number: paths
    of four fifths of the rows are judged on the last fifth, and the fewest columns within one standard error of the
    best are kept.

    Categories are similar where they are equal, amounts by a Gaussian kernel. Published sums of products contain what
    even independent columns have in common, which grows with the number of levels; where a table has categories, that
    part is taken out, or many levels would go first. Where the rarest class would be in less than half of the blocks,
    every block has as many rows of each class, those of rare ones many times over; ``selection_.warnings`` says so.

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None finds the number by cross-validation.
    block_size : int
        Rows of a block, and how much work a row is. 20 is its authors' default.
    n_permutations : int
        How many times all rows are cut into blocks.
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
        Weight of every column; NaN for those that took no part.

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

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        block_size: int = 20,
        n_permutations: int = 3,
        categorical_features: str | Sequence[str] = "auto",
        target_type: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            categorical_features=categorical_features,
            target_type=target_type,
            random_state=random_state,
        )
        self.block_size = block_size
        self.n_permutations = n_permutations

    def fit(self, X: Any, y: Any) -> Self:
        """Find the columns of X whose kernels add up to that of y."""
        return self._fit(X, y)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        generator = np.random.default_rng(question.seed)
        folds, found = _folds(question, self.block_size, generator)
        parts = [self._sum(question, groups, generator) for groups in folds]
        whole = _products(question, pool(parts))
        path = weight_path(whole)
        if n_wanted is None and len(parts) > 1:
            weights = last_knot(path, _count(question, parts))
        elif n_wanted is None:
            weights = path[-1]
            found.append(SelectionWarning(WarningCode.NOT_CROSS_VALIDATED))
        else:
            weights = last_knot(path, n_wanted)
        kept = weights > 0
        if n_wanted is not None and kept.sum() < min(n_wanted, question.n_columns):
            found.append(SelectionWarning(WarningCode.FILLED_UP, values={"n_scored": int(kept.sum())}))
            kept[np.lexsort((-whole[:-1, -1], -weights))[:n_wanted]] = True
        rule = "found by cross-validation"
        return Ranking(
            weights, kept, "weight {:.3g}", f"among those {rule}", f"not among those {rule}", None, tuple(found)
        )

    def _sum(self, question: Question, groups: list[Rows], generator: np.random.Generator) -> KernelProducts:
        share = self.block_size // len(groups)
        sizes = [min(share, len(rows)) for rows in groups]
        n_blocks = max(1, sum(map(len, groups)) // self.block_size)
        return kernel_products(
            [*question.X.T, question.y],
            [*question.is_categorical, question.is_classification],
            (draw_blocks(groups, sizes, n_blocks, generator) for _ in range(self.n_permutations)),
        )


def _folds(
    question: Question, block_size: int, generator: np.random.Generator
) -> tuple[list[list[Rows]], list[SelectionWarning]]:
    """Rows of every fold, in groups of which each block has equal numbers; and what to tell about it."""
    rows = generator.permutation(question.n_rows)
    groups, found = [rows], []
    n_folds = min(_N_FOLDS, question.n_rows // block_size)
    if question.is_classification:
        counts = np.bincount(question.y)
        in_a_block = 1 - (1 - counts.min() / question.n_rows) ** block_size
        if in_a_block < 0.5 and 2 * len(counts) <= block_size:
            groups = [rows[question.y[rows] == label] for label in range(len(counts))]
            n_folds = min(n_folds, int(counts.min()))
            values = {
                "n_rarest": int(counts.min()),
                "n_total": question.n_rows,
                "block_size": block_size,
                "n_per_class": block_size // len(counts),
            }
            found.append(SelectionWarning(WarningCode.BALANCED_CLASSES, values=values))
    pieces = [np.array_split(group, max(1, n_folds)) for group in groups]
    return [list(fold) for fold in zip(*pieces, strict=True)], found


def _products(question: Question, part: KernelProducts) -> Floats:
    return part.unbiased if question.is_categorical.any() else part.products


def _count(question: Question, parts: Sequence[KernelProducts]) -> int:
    """Number of columns found by cross-validation over the parts."""
    errors = []
    for place, test in enumerate(parts):
        train = pool([part for other, part in enumerate(parts) if other != place])
        errors.append(held_out_errors(weight_path(_products(question, train)), train, test))
    return fewest_within_one_error(np.array(errors))
