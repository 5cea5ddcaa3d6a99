"""Predictions of one side from the other by boosted trees, as further columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side, as_quantiles


def add_predictions(x: Side, y: Side, train: NDArray[np.int64], rng: np.random.Generator) -> tuple[Side, Side] | None:
    """Add predictions of a narrow side to a wider one; None if no side is narrow enough to be predicted.

    A function of x adds no information to x, whatever it is, so the density ratio keeps its meaning.
    """
    narrow, fewest = DENSITY_RATIO.max_predicted, DENSITY_RATIO.min_rows_predicted
    if len(train) < fewest or max(x.n_columns, y.n_columns) < 2:
        return None
    if y.n_columns <= narrow and x.n_columns >= y.n_columns:
        return _with_predictions(x, y, train, rng), y
    if x.n_columns <= narrow:
        return x, _with_predictions(y, x, train, rng)
    return None


def _with_predictions(side: Side, other: Side, train: NDArray[np.int64], rng: np.random.Generator) -> Side:
    predicted = [as_quantiles(_predict(side.values, values, train, rng)) for values in other.values.T]
    return side.join(Side(np.column_stack(predicted), np.empty((side.n_rows, 0))))


def _predict(
    x: NDArray[np.float64], y: NDArray[np.float64], train: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.float64]:  # (n_rows,)
    """Predictions by models that did not see the row; of rows that no model saw, their mean."""
    n_parts = DENSITY_RATIO.n_prediction_parts
    part_of = rng.permutation(len(train)) % n_parts
    predicted = np.zeros(len(x))
    out_of_part = np.empty(len(train))
    for part in range(n_parts):
        model = HistGradientBoostingRegressor(
            learning_rate=DENSITY_RATIO.tree_learning_rate,
            max_iter=DENSITY_RATIO.max_trees,
            max_leaf_nodes=DENSITY_RATIO.prediction_leaves,
            early_stopping=True,
            validation_fraction=0.15,
            random_state=int(rng.integers(2**31)),
        )
        own = train[part_of != part]
        found = model.fit(x[own], y[own]).predict(x)
        predicted += found / n_parts
        out_of_part[part_of == part] = found[train[part_of == part]]
    predicted[train] = out_of_part
    return predicted
