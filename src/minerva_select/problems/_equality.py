"""Two columns that are informative only together (Experiment A of the paper)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.problems._parameters import RandomState, check_positions, column_names, make_generator
from minerva_select.problems._problem import Problem
from minerva_select.schema import Array


def equality(
    n_samples: int = 50_000,
    n_features: int = 30,
    *,
    n_levels: int = 5,
    relevant: Iterable[int] = (3, 8),
    random_state: RandomState = 0,
) -> Problem:
    """Draw categorical columns and whether two of them are equal: Experiment A.

    All columns are independent and uniform on 1, ..., ``n_levels``; y is 1 where the two relevant columns are equal and
    0 elsewhere. Each single column is independent of y.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns.
    n_levels : int
        Number of levels of every column, 2 or more.
    relevant : two ints
        Positions of the two columns that are compared.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        The mutual information is (m - 1)/m log(m / (m - 1)) + log(m)/m for m levels.

    Examples
    --------
    >>> problem = equality(n_samples=1000, n_features=10)
    >>> problem.relevant, round(problem.mutual_information, 4)
    (('f3', 'f8'), 0.5004)
    >>> bool((problem.y == (problem.X["f3"] == problem.X["f8"])).all())
    True
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_features = check_integer("n_features", n_features, minimum=2)
    n_levels = check_integer("n_levels", n_levels, minimum=2, maximum=np.iinfo(np.int16).max)
    first, second = check_positions("relevant", relevant, 2, n_features)
    rng = make_generator(random_state)
    values = draw_levels(n_samples, n_features, n_levels, rng)
    names = column_names(n_features)
    return Problem(
        name="equality",
        X=pd.DataFrame(values, columns=names),
        y=pd.Series((values[:, first] == values[:, second]).astype(np.int64), name="y"),
        relevant=(names[first], names[second]),
        mutual_information=_mutual_information(n_levels),
    )


def _mutual_information(m: int) -> float:
    """Evaluate the paper's lemma for two uniform columns of m levels."""
    return (m - 1) / m * math.log(m / (m - 1)) + math.log(m) / m


def draw_levels(n_samples: int, n_features: int, n_levels: int, rng: np.random.Generator) -> Array:
    """Draw independent uniform levels 1, ..., n_levels in the smallest integer type that holds them."""
    dtype = np.int8 if n_levels <= np.iinfo(np.int8).max else np.int16
    return rng.integers(1, n_levels, size=(n_samples, n_features), dtype=dtype, endpoint=True)
