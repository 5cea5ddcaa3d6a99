"""Two columns that say nothing alone and everything together (Experiment A of the paper)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from minerva_select.problems._parameters import RandomState, column_names, generator, positions, whole_number
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
    """Draw whether two of many categorical columns are equal: Experiment A.

    All columns are independent and uniform on 1, ..., ``n_levels``; y is 1 where the two relevant ones are equal and 0
    elsewhere. Every single column is independent of y.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns.
    n_levels : int
        Levels of every column, 2 or more.
    relevant : two ints
        Positions of the two columns that are compared.
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw.

    Returns
    -------
    Problem
        With the mutual information of :func:`equality_information`.

    Examples
    --------
    >>> problem = equality(n_samples=1000, n_features=10)
    >>> problem.relevant
    ('f3', 'f8')
    >>> bool((problem.y == (problem.X["f3"] == problem.X["f8"])).all())
    True
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    n_features = whole_number("n_features", n_features, at_least=2)
    n_levels = whole_number("n_levels", n_levels, at_least=2, at_most=np.iinfo(np.int16).max)
    first, second = positions("relevant", relevant, 2, n_features)
    rng = generator(random_state)
    values = draw_levels(n_samples, n_features, n_levels, rng)
    names = column_names(n_features)
    return Problem(
        name="equality",
        X=pd.DataFrame(values, columns=names),
        y=pd.Series((values[:, first] == values[:, second]).astype(np.int64), name="y"),
        relevant=(names[first], names[second]),
        mutual_information=equality_information(n_levels),
    )


def equality_information(n_levels: int) -> float:
    """Return the nats that two uniform columns carry about whether they are equal: the paper's lemma.

    Examples
    --------
    >>> round(equality_information(5), 4)
    0.5004
    """
    m = whole_number("n_levels", n_levels, at_least=2)
    return (m - 1) / m * math.log(m / (m - 1)) + math.log(m) / m


def draw_levels(n_samples: int, n_features: int, n_levels: int, rng: np.random.Generator) -> Array:
    """Draw independent uniform levels 1, ..., n_levels in the smallest integer type that holds them."""
    dtype = np.int8 if n_levels <= np.iinfo(np.int8).max else np.int16
    return rng.integers(1, n_levels, size=(n_samples, n_features), dtype=dtype, endpoint=True)
