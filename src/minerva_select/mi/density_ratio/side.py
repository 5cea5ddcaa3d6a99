"""One side of an estimate: its columns as ranks, so that no increasing map of a column changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit
from scipy.stats import rankdata

from minerva_select.config import DENSITY_RATIO
from minerva_select.preprocessing.categories import FIRST_LEVEL, LevelEncoder
from minerva_select.schema import Column, ColumnType, Table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Side:
    """Columns of one side.

    Ranks are those among all rows. They depend on one column at a time, so they do not reveal how the two sides of
    held-out rows belong together.
    """

    quantiles: Array  # (n_rows, n_numeric) above 0 and below 1, 0.5 where missing
    indicators: Array  # (n_rows, n_indicators) of levels and of missing values, each with mean 0 and variance 1

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.quantiles.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns of :attr:`values`."""
        return int(self.quantiles.shape[1] + self.indicators.shape[1])

    @property
    def is_numeric(self) -> bool:
        """Whether there are only numeric columns without missing values."""
        return bool(self.indicators.shape[1] == 0)

    @cached_property
    def normal_scores(self) -> Array:  # (n_rows, n_numeric)
        """Normal quantiles of the ranks."""
        return self._at_distinct(ndtri)

    @cached_property
    def values(self) -> Array:  # (n_rows, n_columns)
        """Normal scores and indicators."""
        return np.hstack([self.normal_scores, self.indicators])

    def student_scores(self, degrees_of_freedom: float) -> Array:  # (n_rows, n_numeric)
        """Quantiles of Student's t distribution of the ranks."""
        return self._at_distinct(lambda quantiles: stdtrit(degrees_of_freedom, quantiles))

    @cached_property
    def radius(self) -> Array:  # (n_rows, 1)
        """How far from the center a row lies: the squared norm of its normal scores, standardized and clipped."""
        squares = (self.normal_scores**2).sum(axis=1, keepdims=True)
        n_columns = max(1, self.quantiles.shape[1])
        limit = DENSITY_RATIO.max_radius
        radius: Array = np.clip((squares - n_columns) / np.sqrt(2 * n_columns), -limit, limit)
        return radius

    @cached_property
    def radial_values(self) -> Array:  # (n_rows, n_columns + n_numeric)
        """The values, and each normal score times the radius: a rotation by the radius is nearly linear in these."""
        return np.hstack([self.values, self.normal_scores * self.radius])

    @cached_property
    def critic_inputs(self) -> Array:  # (n_rows, n_columns + 2)
        """The values and two functions of the radius."""
        squares = (self.normal_scores**2).sum(axis=1, keepdims=True)
        return np.hstack([self.values, self.radius, np.log(squares + 0.1)])

    def join(self, other: Side) -> Side:
        """The columns of both sides."""
        return Side(np.hstack([self.quantiles, other.quantiles]), np.hstack([self.indicators, other.indicators]))

    def take(self, columns: NDArray[np.int64]) -> Side:
        """The same rows with only these columns of :attr:`values`."""
        n_numeric = self.quantiles.shape[1]
        is_numeric = columns < n_numeric
        return Side(self.quantiles[:, columns[is_numeric]], self.indicators[:, columns[~is_numeric] - n_numeric])

    def take_rows(self, rows: NDArray[np.int64]) -> Side:
        """These rows, with their ranks among all rows."""
        return Side(self.quantiles[rows], self.indicators[rows])

    @cached_property
    def _distinct(self) -> tuple[Array, NDArray[np.int64]]:
        distinct, index = np.unique(self.quantiles, return_inverse=True)
        return distinct, index.reshape(self.quantiles.shape)

    def _at_distinct(self, function: np.ufunc | object) -> Array:
        """Values of a slow function, computed once per distinct rank."""
        distinct, index = self._distinct
        values: Array = function(distinct)[index]  # type: ignore[operator]
        return values


def read_side(table: Table, column_types: Mapping[str, ColumnType]) -> Side:
    """Rank numeric columns, and make indicators of levels and of missing values.

    Each numeric column is turned so that its product with a fixed sequence of numbers is positive, so that a decreasing
    map changes nothing either.
    """
    direction = np.random.default_rng(0).standard_normal(table.n_rows)
    quantiles, indicators = [], []
    for column in table.columns:
        if column_types[column.name] == ColumnType.CATEGORICAL:
            indicators += _level_indicators(column)
            continue
        quantiles.append(as_quantiles(column.values, direction))
        if column.missing.any():
            indicators.append(_standardize(column.missing))
    return Side(_stack(quantiles, table.n_rows), _stack(indicators, table.n_rows))


def as_quantiles(values: Array, direction: Array | None = None) -> Array:
    """Ranks of numbers among each other, above 0 and below 1; 0.5 where missing.

    With a ``direction``, ranks are turned so that their product with it is positive.
    """
    missing = np.isnan(values)
    present = values[~missing]
    ranks = rankdata(present)  # multiples of a half, so that turning them is exact
    if direction is not None and (ranks - (len(ranks) + 1) / 2) @ direction[~missing] < 0:
        ranks = len(ranks) + 1 - ranks
    quantiles = np.full(len(values), 0.5)
    quantiles[~missing] = (ranks - 0.5) / max(1, len(ranks))
    return quantiles


def _level_indicators(column: Column) -> list[Array]:
    encoder = LevelEncoder(DENSITY_RATIO.max_levels).fit(column)
    codes = encoder.transform(column)
    present = [codes == code for code in range(encoder.n_levels)]
    found = [_standardize(rows) for rows in present if 0 < rows.sum() < len(codes)]
    return found[:1] if encoder.n_levels == FIRST_LEVEL + 2 and len(found) == 2 else found


def _standardize(is_one: NDArray[np.bool_]) -> Array:
    share = is_one.mean()
    standardized: Array = (is_one - share) / np.sqrt(share * (1 - share))
    return standardized


def _stack(columns: list[Array], n_rows: int) -> Array:
    return np.column_stack(columns) if columns else np.empty((n_rows, 0))
