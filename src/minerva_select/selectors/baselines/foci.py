"""FOCI: add the column that most raises the dependence coefficient T, while it rises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import ScoreMeasure, ScoreRule, WarningCode
from minerva_select.config import BASELINES
from minerva_select.errors import InputError
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import BaselineSelector, FeatureScores
from minerva_select.selectors.baselines.chatterjee import Coefficient, make_class_coefficient, make_ordered_coefficient
from minerva_select.selectors.baselines.design_matrix import DesignMatrix
from minerva_select.selectors.baselines.encoding import merge_rare_levels, standardize
from minerva_select.selectors.baselines.nearest_neighbors import Floats, NeighborSearch, PointCloud


@dataclass(repr=False, eq=False, kw_only=True)
class FOCISelector(BaselineSelector):
    """Select by feature ordering by conditional independence (Azadkia and Chatterjee, Annals of Statistics 2021).

    Columns are added one at a time, each time the one that most raises T. This coefficient, estimated from nearest
    neighbors in the added columns, is 0 if the target is independent of them and 1 if it is a function of them. The
    search stops when no column raises T, or at the requested number of columns.

    Numeric columns are standardized, text is one-hot encoded, and numbers that are categories stay numbers. Rows with
    missing values are left out. Numbers and two classes are compared by their order; three or more classes have no
    order, and each is compared with the rest (``target_type="continuous"`` keeps the order).

    Parameters
    ----------
    n_features_to_select : int or None
        Number of columns to select; None stops when T no longer rises.
    n_jobs : int or None
        Threads of the neighbor search.
    categorical_features, target_type
        As in :class:`MinervaSelector`; ``categorical_features`` has no effect.
    random_state : int, RandomState or None
        Seed, which decides between equally near rows.

    Attributes
    ----------
    selection_, support_
        As in :class:`MinervaSelector`.
    scores_ : ndarray of float
        1 for the first added column, falling linearly to 1/k for the last of k; 0 for columns not added, NaN for
        columns left out.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import FOCISelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = FOCISelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    packages: ClassVar[tuple[str, ...]] = ("scikit-learn", "scipy", "numpy")

    n_jobs: int | None = None

    def _score_columns(self, data: DesignMatrix, n_to_select: int | None) -> FeatureScores:
        rows = _find_complete_rows(data)
        points = [
            PointCloud.from_coordinates(_encode_one_hot(values) if is_text else standardize(values[:, None]))
            for values, is_text in zip(data.X[rows].T, data.is_text, strict=True)
        ]
        y = data.y[rows]
        is_unordered = data.is_classification and y.max() > 1
        varying = [column for column, cloud in enumerate(points) if cloud.point_ids.any()]
        steps = select_forward(
            [points[column] for column in varying],
            make_class_coefficient(y) if is_unordered else make_ordered_coefficient(y),
            n_to_select=n_to_select,
            rng=np.random.default_rng(data.seed),
            n_jobs=self.n_jobs,
        )
        scores = np.zeros(data.n_columns)
        details: list[dict[str, Any]] = [{} if cloud.point_ids.any() else {"is_constant": True} for cloud in points]
        for step, (position, dependence) in enumerate(steps):
            scores[varying[position]] = 1 - step / len(steps)
            details[varying[position]] = {"step": step + 1, "dependence": dependence}
        found = []
        if len(rows) < data.n_rows:
            values = {"n_rows": data.n_rows - len(rows), "n_total": data.n_rows}
            found.append(SelectionWarning(WarningCode.ROWS_WITH_MISSING_VALUES, values=values))
        return FeatureScores(
            scores,
            scores > 0,
            ScoreMeasure.FORWARD_STEP,
            ScoreRule.RAISES_DEPENDENCE,
            details=details,
            warnings=tuple(found),
        )


def select_forward(
    columns: Sequence[PointCloud],
    coefficient: Coefficient,
    *,
    n_to_select: int | None,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> list[tuple[int, float]]:
    """Positions of the columns in the order in which they are added, each with T after it.

    Stops when T does not rise, or at the requested number of columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(1500, 4))
    >>> columns = [PointCloud.from_coordinates(values[:, None]) for values in X.T.astype(float)]
    >>> coefficient = make_ordered_coefficient((X[:, 1] + X[:, 3]) % 2)
    >>> steps = select_forward(columns, coefficient, n_to_select=None, rng=rng)
    >>> sorted(position for position, _ in steps), steps[-1][1]
    ([1, 3], 1.0)
    """
    search = NeighborSearch(n_jobs=n_jobs)
    steps: list[tuple[int, float]] = []
    best_so_far = 0.0
    remaining = list(range(len(columns)))
    while remaining and (n_to_select is None or len(steps) < n_to_select):
        values = [coefficient(search.find(columns[position], rng)) for position in remaining]
        best = int(np.argmax(values))
        if n_to_select is None and values[best] <= best_so_far:
            break
        best_so_far = values[best]
        steps.append((remaining.pop(best), best_so_far))
        search = search.add(columns[steps[-1][0]])
    return steps


def _find_complete_rows(data: DesignMatrix) -> NDArray[np.intp]:
    rows = np.flatnonzero(~data.has_missing)
    if len(rows) < BASELINES.min_rows or np.ptp(data.y[rows]) == 0:
        too_few = len(rows) < BASELINES.min_rows
        fault = f"and at least {BASELINES.min_rows} are needed" if too_few else "all with the same target value"
        raise InputError(
            f"FOCI uses only rows without missing values, here {len(rows)} of {data.n_rows}, {fault}; "
            "fill the missing values, or drop the columns that have most of them."
        )
    return rows


def _encode_one_hot(codes: Floats) -> Floats:
    """One standardized indicator per level."""
    levels, places = np.unique(codes, return_inverse=True)
    if len(levels) > BASELINES.max_levels:
        places = merge_rare_levels(codes, None, BASELINES.max_levels)
    return standardize(np.eye(min(len(levels), BASELINES.max_levels))[places])
