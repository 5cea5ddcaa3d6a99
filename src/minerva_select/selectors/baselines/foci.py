"""FOCI: add the column that makes the target most nearly a function of those chosen, while that helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from minerva_select.codes import WarningCode
from minerva_select.errors import InputError
from minerva_select.results import SelectionWarning
from minerva_select.selectors.baselines.base import MIN_ROWS, BaselineSelector, Ranking, ordinal
from minerva_select.selectors.baselines.chatterjee import Measure, class_measure, ordered_measure
from minerva_select.selectors.baselines.design_matrix import Question
from minerva_select.selectors.baselines.nearest_neighbors import Floats, NeighbourSearch, Points

MAX_LEVELS = 32
"""Levels of a text column with a coordinate of their own; the rarer ones share one."""


class FOCISelector(BaselineSelector):
    """Select by feature ordering by conditional independence (Azadkia and Chatterjee, Annals of Statistics 2021).

    Columns are added one at a time, each time the one that most raises T, the share of the target that is a function
    of the columns added, as the nearest neighbours in those columns show it. It stops when no column raises T, at the
    first step when none is above 0; or after the given number of columns.

    Amounts are divided by their standard deviation, text becomes one such column a level, numbers that are names stay
    numbers. Rows with a missing value are left out. Two classes and amounts are read in their order; three classes or
    more are read without one, each against the rest (``target_type="continuous"`` keeps the order).

    Parameters
    ----------
    n_features_to_select : int or None
        How many columns to keep; None stops when T no longer grows.
    categorical_features : "auto" or list of str
        Columns that are names rather than amounts; without effect here.
    target_type : {"auto", "discrete", "continuous"}
        How to read the target.
    n_jobs : int or None
        Threads of the search for neighbours.
    random_state : int, RandomState or None
        Seed; it decides between rows that are equally near.

    Attributes
    ----------
    selection_ : Selection
        What was kept, what was dropped, and why.
    scores_ : ndarray of float
        1 for the column added first, falling evenly to 1/k for the last of k; 0 for columns not added, NaN for those
        that took no part.

    Examples
    --------
    >>> from minerva_select.problems import additive
    >>> from minerva_select.selectors import FOCISelector
    >>> problem = additive(n_samples=500, n_features=8, random_state=0)
    >>> selector = FOCISelector(n_features_to_select=2, random_state=0).fit(problem.X, problem.y)
    >>> selector.get_feature_names_out().tolist()
    ['f0', 'f3']
    """

    packages = ("scikit-learn", "scipy", "numpy")

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        categorical_features: str | Sequence[str] = "auto",
        target_type: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            categorical_features=categorical_features,
            target_type=target_type,
            random_state=random_state,
        )
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the columns of X that y is most nearly a function of."""
        return self._fit(X, y)

    def _rank(self, question: Question, n_wanted: int | None) -> Ranking:
        rows = _complete_rows(question)
        columns = [
            Points.of(_spread_levels(values) if is_text else _standardise(values[:, None]))
            for values, is_text in zip(question.X[rows].T, question.is_text, strict=True)
        ]
        y = question.y[rows]
        measure = class_measure(y) if question.is_classification and y.max() > 1 else ordered_measure(y)
        varies = [place for place, points in enumerate(columns) if points.places.any()]
        added = add_columns(
            [columns[place] for place in varies],
            measure,
            n_wanted=n_wanted,
            rng=np.random.default_rng(question.seed),
            n_jobs=self.n_jobs,
        )
        scores = np.zeros(question.n_columns)
        remarks = ["not added" if points.places.any() else "constant in the rows used" for points in columns]
        for step, (position, reached) in enumerate(added):
            scores[varies[position]] = 1 - step / len(added)
            remarks[varies[position]] = f"added {ordinal(step + 1)}, T = {reached:.3f}"
        return Ranking(
            scores,
            scores > 0,
            "score {:.2f}",
            "while T grew",
            "T would not grow",
            warnings=_warn_about_missing(question),
            remarks=tuple(remarks),
        )


def add_columns(
    columns: Sequence[Points],
    measure: Measure,
    *,
    n_wanted: int | None,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> list[tuple[int, float]]:
    """Positions of the columns in the order they are added, each with T after it.

    Goes on until T does not grow, or until as many are added as wanted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, size=(1500, 4))
    >>> columns = [Points.of(values[:, None]) for values in X.T.astype(float)]
    >>> added = add_columns(columns, ordered_measure((X[:, 1] + X[:, 3]) % 2), n_wanted=None, rng=rng)
    >>> sorted(position for position, _ in added), added[-1][1]
    ([1, 3], 1.0)
    """
    chosen = NeighbourSearch(n_jobs=n_jobs)
    added: list[tuple[int, float]] = []
    reached = 0.0
    left = list(range(len(columns)))
    while left and (n_wanted is None or len(added) < n_wanted):
        values = [measure(chosen.nearest(columns[position], rng)) for position in left]
        best = int(np.argmax(values))
        if n_wanted is None and values[best] <= reached:
            break
        reached = values[best]
        added.append((left.pop(best), reached))
        chosen = chosen.add(columns[added[-1][0]])
    return added


def _complete_rows(question: Question) -> NDArray[np.intp]:
    """Rows without a missing value; refuses a table that has too few of them."""
    rows = np.flatnonzero(~question.is_missing)
    if len(rows) < MIN_ROWS or np.ptp(question.y[rows]) == 0:
        fault = "all of one target value" if len(rows) >= MIN_ROWS else f"and at least {MIN_ROWS} are needed"
        raise InputError(
            f"FOCI uses only rows without a missing value, here {len(rows)} of {question.n_rows}, {fault}; "
            "fill the missing values, or drop the columns that have most of them."
        )
    return rows


def _warn_about_missing(question: Question) -> tuple[SelectionWarning, ...]:
    n_missing = int(question.is_missing.sum())
    if n_missing == 0:
        return ()
    values = {"n_rows": n_missing, "n_total": question.n_rows}
    return (SelectionWarning(WarningCode.ROWS_WITH_MISSING_VALUES, values=values),)


def _standardise(coordinates: Floats) -> Floats:
    centred = coordinates - coordinates.mean(axis=0)
    spread = np.std(coordinates, axis=0, ddof=1)
    standardised: Floats = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return standardised


def _spread_levels(codes: Floats) -> Floats:
    """One standardised column of 0 and 1 a level."""
    levels, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    if len(levels) > MAX_LEVELS:
        rank = np.empty(len(levels), dtype=np.intp)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(levels))
        place = np.minimum(rank[place], MAX_LEVELS - 1)
    return _standardise(np.eye(min(len(levels), MAX_LEVELS))[place])
