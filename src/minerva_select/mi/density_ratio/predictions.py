"""Predictions of one side from the other by boosted trees and by curves, as further columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.side import Side, as_quantiles

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of the columns of one side from those of the other."""

    of_x: bool  # whether x is predicted from y
    values: Array  # (n_rows, n_columns, n_models)

    @property
    def mean(self) -> Array:  # (n_rows, n_columns)
        """Mean over the models."""
        mean: Array = self.values.mean(axis=2)
        return mean

    def add_to(self, x: Side, y: Side) -> tuple[Side, Side]:
        """Add them to the side that they are made from.

        A function of x adds no information to x, whatever it is, so the density ratio keeps its meaning.
        """
        columns = self.values.reshape(len(self.values), -1).T
        more = Side(np.column_stack([as_quantiles(column) for column in columns]), np.empty((x.n_rows, 0)))
        return (x, y.join(more)) if self.of_x else (x.join(more), y)


def predict_narrow_side(x: Side, y: Side, train: NDArray[np.int64], rng: np.random.Generator) -> Predictions | None:
    """Predict a narrow side from a wider one; None if no side is narrow enough to be predicted."""
    narrow, fewest = DENSITY_RATIO.max_predicted, DENSITY_RATIO.min_rows_predicted
    if len(train) < fewest or max(x.n_columns, y.n_columns) < 2:
        return None
    if y.n_columns <= narrow and x.n_columns >= y.n_columns:
        return Predictions(False, np.stack([_predict(x.values, own, train, rng) for own in y.values.T], axis=1))
    if x.n_columns <= narrow:
        return Predictions(True, np.stack([_predict(y.values, own, train, rng) for own in x.values.T], axis=1))
    return None


def fit_curves(x: Array, y: Array) -> Pipeline:
    """Penalized splines of every column; the penalty is the best one in leave-one-out cross-validation."""
    splines = SplineTransformer(DENSITY_RATIO.n_spline_knots, knots="quantile", extrapolation="linear")
    curves = RidgeCV(DENSITY_RATIO.spline_penalties)
    return make_pipeline(splines, StandardScaler(with_std=False), curves).fit(x, y)


def predict_by_curves(x: Array, y: Array, train: NDArray[np.int64], rng: np.random.Generator) -> Array:  # (n_rows,)
    """Predictions by curves alone, each by models that did not see the row."""
    predicted, out_of_part = np.zeros(len(x)), np.empty(len(train))
    for own, is_other in _parts(train, rng):
        found = fit_curves(x[own], y[own]).predict(x)
        predicted += found / DENSITY_RATIO.n_prediction_parts
        out_of_part[is_other] = found[train[is_other]]
    predicted[train] = out_of_part
    return predicted


def _parts(train: NDArray[np.int64], rng: np.random.Generator) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Training rows without one part, and which of the training rows are in it."""
    part_of = rng.permutation(len(train)) % DENSITY_RATIO.n_prediction_parts
    for part in range(DENSITY_RATIO.n_prediction_parts):
        yield train[part_of != part], part_of == part


def _predict(x: Array, y: Array, train: NDArray[np.int64], rng: np.random.Generator) -> Array:  # (n_rows, n_models)
    """Predictions by models that did not see the row; of rows that no model saw, their mean.

    One model is made of trees, the other of curves of single columns and of trees for what these leave.
    """
    predicted, out_of_part = np.zeros((len(x), 2)), np.empty((len(train), 2))
    for own, is_other in _parts(train, rng):
        curves = fit_curves(x[own], y[own]).predict(x)
        rest = _fit_trees(x[own], y[own] - curves[own], rng).predict(x)
        found = np.column_stack([_fit_trees(x[own], y[own], rng).predict(x), curves + rest])
        predicted += found / DENSITY_RATIO.n_prediction_parts
        out_of_part[is_other] = found[train[is_other]]
    predicted[train] = out_of_part
    return predicted


def _fit_trees(x: Array, y: Array, rng: np.random.Generator) -> HistGradientBoostingRegressor:
    return HistGradientBoostingRegressor(
        learning_rate=DENSITY_RATIO.tree_learning_rate,
        max_iter=DENSITY_RATIO.max_trees,
        max_leaf_nodes=DENSITY_RATIO.prediction_leaves,
        early_stopping=True,
        validation_fraction=0.15,
        random_state=int(rng.integers(2**31)),
    ).fit(x, y)
