"""Boosted trees that classify pairs as from one row or from two, for one numeric column of either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.ensemble import HistGradientBoostingClassifier
from torch import Tensor

from minerva_select.config import DENSITY_RATIO

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GridRatio:
    """A density ratio that is constant in the cells of a grid of ranks."""

    log_ratios: Tensor  # (n_cells, n_cells)
    x: Tensor  # (n_rows,) cell of each row
    y: Tensor

    def __call__(self, x_rows: Tensor, y_rows: Tensor) -> Tensor:  # (n_x_rows, n_y_rows)
        """Log density ratios of all pairs of these rows."""
        return self.log_ratios[self.x[x_rows]][:, self.y[y_rows]]


def fit_pair_trees(x: Array, y: Array, train: NDArray[np.int64], rng: np.random.Generator) -> GridRatio:
    """Classify own pairs of the training rows against pairs of different rows; the logit is the log density ratio.

    ``x`` and ``y`` are the ranks of one column of either side: (n_rows,), between 0 and 1.
    """
    n_cells = DENSITY_RATIO.tree_cells
    centers = (np.arange(n_cells) + 0.5) / n_cells
    grid = _inputs(np.repeat(centers, n_cells), np.tile(centers, n_cells))
    own_x, own_y = x[train], y[train]
    logits = np.zeros(len(grid))
    for _ in range(DENSITY_RATIO.n_tree_models):
        others = np.concatenate([rng.permutation(own_y) for _ in range(DENSITY_RATIO.pairs_per_row)])
        pairs = np.vstack([_inputs(own_x, own_y), _inputs(np.tile(own_x, DENSITY_RATIO.pairs_per_row), others)])
        is_own = np.arange(len(pairs)) < len(train)
        model = HistGradientBoostingClassifier(
            learning_rate=DENSITY_RATIO.tree_learning_rate,
            max_iter=DENSITY_RATIO.max_trees,
            max_leaf_nodes=DENSITY_RATIO.tree_leaves,
            min_samples_leaf=DENSITY_RATIO.tree_leaf_pairs,
            l2_regularization=DENSITY_RATIO.tree_l2,
            early_stopping=True,
            validation_fraction=0.15,
            random_state=int(rng.integers(2**31)),
        )
        logits += model.fit(pairs, is_own).decision_function(grid) / DENSITY_RATIO.n_tree_models
    log_ratios = torch.as_tensor(logits.reshape(n_cells, n_cells), dtype=torch.float32)
    return GridRatio(log_ratios, *(torch.as_tensor((ranks * n_cells).astype(np.int64)) for ranks in (x, y)))


def _inputs(x: Array, y: Array) -> Array:
    """Scores of both, and their sum and difference: along the edge of a band, one of these hardly varies."""
    return np.column_stack([ndtri(x), ndtri(y), x - y, x + y])
