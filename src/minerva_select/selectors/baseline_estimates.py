"""Baselines of ``mutual_information``: KSG, CCA, InfoNCE and MINE on numeric columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from minerva_select.checks import check_choice
from minerva_select.codes import Estimator
from minerva_select.config import KSG, NEURAL_ESTIMATORS
from minerva_select.errors import InputError, brief
from minerva_select.mi.estimators.cca import cca_information
from minerva_select.mi.estimators.halving import estimate_with_halves
from minerva_select.mi.estimators.infonce import infonce_information
from minerva_select.mi.estimators.ksg import ksg_information
from minerva_select.mi.estimators.mine import mine_information
from minerva_select.mi.estimators.standardization import Floats, standardize
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.preprocessing.duplicates import find_unusable
from minerva_select.runtime.rng import seeded_rng
from minerva_select.schema import Table, TargetType
from minerva_select.selectors.row_metadata import RowMetadata

Information = Callable[[Floats, Floats], Floats]
_NEURAL = {Estimator.INFONCE: infonce_information, Estimator.MINE: mine_information}


@dataclass(frozen=True, eq=False)
class NumericSides:
    """The columns of X, y and ``given`` as arrays of shape (n_rows, n_columns), without constant ones."""

    x: Floats
    y: Floats
    given: Floats

    @property
    def n_columns(self) -> int:
        """Number of columns of all sides."""
        return sum(len(side.T) for side in (self.x, self.y, self.given))

    def take(self, rows: NDArray[np.int64]) -> NumericSides:
        """Return the same columns with only these rows."""
        return NumericSides(self.x[rows], self.y[rows], self.given[rows])

    def information(self, information: Information) -> Floats:
        """Pointwise information, by the chain rule I(X; Y | Z) = I(X, Z; Y) - I(Z; Y)."""
        joint = information(np.hstack([self.x, self.given]), self.y)
        return joint - information(self.given, self.y) if self.given.shape[1] else joint


def read_numeric_sides(estimator: str, X: Table, y: Table, given: Table | None) -> NumericSides:
    """Return the columns as arrays; raise for columns that a baseline cannot read."""
    x, y_values, conditions = (_read_columns(estimator, table) for table in (X, y, given or Table((), X.n_rows)))
    return NumericSides(x, y_values, conditions)


def check_only_numeric(estimator: str, categorical_features: Any, target_type: Any) -> None:
    """Raise if columns are to be read as categories."""
    check_choice("target_type", target_type, ("auto", *TargetType))
    if target_type == TargetType.DISCRETE:
        raise InputError(
            f"The estimator {estimator!r} reads a target as numbers, but target_type is 'discrete'; use 'auto', or the "
            "default estimator."
        )
    is_numeric = isinstance(categorical_features, Mapping) and not any(categorical_features.values())
    if not is_numeric and (not isinstance(categorical_features, str) or categorical_features != "auto"):
        raise InputError(
            f"The estimator {estimator!r} reads all columns as numbers, but categorical_features is "
            f"{brief(categorical_features)}; use 'auto', or the default estimator."
        )


def _read_columns(estimator: str, table: Table) -> Floats:
    for column in table.columns:
        if not column.is_numeric:
            raise InputError(
                f"The estimator {estimator!r} needs numbers, but column {column.name!r} has categories; encode it as "
                "numbers, drop it, or use the default estimator."
            )
        if n_missing := int(column.missing.sum()):
            raise InputError(
                f"The estimator {estimator!r} needs a number in every row, but column {column.name!r} has {n_missing} "
                "missing values; fill or drop them, or use the default estimator."
            )
    unusable = find_unusable(table)
    kept = [column.values for column in table.columns if column.name not in unusable]
    return np.column_stack([np.empty((table.n_rows, 0)), *kept]).astype(np.float64)


def estimate_by_baseline(
    estimator: Estimator, sides: NumericSides, row_metadata: RowMetadata, rng: np.random.Generator, device: torch.device
) -> MeanEstimate:
    """Estimate information by a baseline, with its standard error."""
    if not sides.x.shape[1]:  # all of X is constant
        return MeanEstimate(0.0, 0.0)
    if estimator == Estimator.KSG:
        return _estimate_by_neighbors(sides, row_metadata, rng)
    if estimator == Estimator.CCA:
        return _estimate_by_correlations(sides, row_metadata)
    return _estimate_by_critic(_NEURAL[estimator], sides, row_metadata, rng, device)


def _estimate_by_neighbors(sides: NumericSides, row_metadata: RowMetadata, rng: np.random.Generator) -> MeanEstimate:
    def estimate(rows: NDArray[np.int64]) -> float:
        return float(sides.take(rows).information(partial(ksg_information, rng=rng)).mean())

    halvings = [row_metadata.assign_folds(2, None, rng) for _ in range(KSG.n_halvings)]
    return estimate_with_halves(estimate, row_metadata.n_rows, halvings)


def _estimate_by_correlations(sides: NumericSides, row_metadata: RowMetadata) -> MeanEstimate:
    n_rows = row_metadata.n_rows
    if sides.n_columns >= n_rows - 1:
        raise InputError(
            f"The estimator 'cca' needs more rows than columns, but X, y and given have {sides.n_columns} columns and "
            f"{n_rows} rows; give more rows or fewer columns."
        )
    pointwise = sides.information(cca_information)
    if not np.isfinite(pointwise).all():
        raise InputError(
            "A linear combination of one side equals one of the other side, so that the estimator 'cca' finds infinite "
            "information; remove one of the two."
        )
    return _estimate_mean(pointwise, row_metadata.groups)


def _estimate_by_critic(
    information: Callable[..., Tensor],
    sides: NumericSides,
    row_metadata: RowMetadata,
    rng: np.random.Generator,
    device: torch.device,
) -> MeanEstimate:
    share = NEURAL_ESTIMATORS.train_share
    parts = row_metadata.split([share, 1 - share], None, rng)
    train, held_out = (torch.as_tensor(part, device=device) for part in parts)
    with seeded_rng(int(rng.integers(2**31)), device) as generator:

        def pointwise(left: Floats, right: Floats) -> Floats:
            x, y = (torch.as_tensor(standardize(side), dtype=torch.float32, device=device) for side in (left, right))
            values: Floats = information(x, y, train, held_out, generator).cpu().numpy()
            return values

        values = sides.information(pointwise)
    return _estimate_mean(values, None if row_metadata.groups is None else row_metadata.groups[parts[1]])


def _estimate_mean(values: Floats, groups: NDArray[np.int64] | None) -> MeanEstimate:
    clusters = None if groups is None else torch.as_tensor(groups)
    return estimate_mean(torch.as_tensor(values), torch.ones(len(values)), clusters)
