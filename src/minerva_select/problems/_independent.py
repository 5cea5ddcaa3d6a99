"""A target that is independent of every column: a selector must keep nothing."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from minerva_select.checks import check_choice, check_integer
from minerva_select.problems._parameters import RandomState, column_names, make_generator
from minerva_select.problems._problem import Problem

COLORS = ("amber", "blue", "green", "red", "white")
TARGET_TYPES = ("discrete", "continuous", "rare")
MISSING_SHARE = 0.1
MIN_POSITIVES = 5


def independent(
    n_samples: int = 5_000,
    n_features: int = 20,
    *,
    target_type: Literal["discrete", "continuous", "rare"] = "discrete",
    random_state: RandomState = 0,
) -> Problem:
    """Draw columns of several types and a target that is independent of all of them.

    The columns repeat five types: normal floats; log-normal floats with 10% missing; strings with five levels; strings
    with five levels and 10% missing; integers from 0 to 9.

    Parameters
    ----------
    n_samples : int
        Number of rows, 10 or more.
    n_features : int
        Number of columns.
    target_type : {"discrete", "continuous", "rare"}
        Three classes with shares 0.5, 0.3 and 0.2; a normal variable; or a rare binary class. The share of the rare
        class is drawn log-uniformly between 0.1% and 1%, and it has at least 5 rows.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        Nothing is relevant, and the mutual information is 0.

    Examples
    --------
    >>> problem = independent(n_samples=1000, n_features=5, target_type="rare")
    >>> problem.relevant, problem.mutual_information, int(problem.y.sum()) >= 5
    ((), 0.0, True)
    """
    check_choice("target_type", target_type, TARGET_TYPES)
    n_samples = check_integer("n_samples", n_samples, minimum=2 * MIN_POSITIVES)
    n_features = check_integer("n_features", n_features, minimum=1)
    rng = make_generator(random_state)
    y = _draw_target(target_type, n_samples, rng)
    names = column_names(n_features)
    columns = {name: _draw_column(position % 5, n_samples, rng) for position, name in enumerate(names)}
    return Problem(name="independent", X=pd.DataFrame(columns), y=y, relevant=(), mutual_information=0.0)


def _draw_target(target_type: str, n_samples: int, rng: np.random.Generator) -> pd.Series:
    if target_type == "continuous":
        return pd.Series(rng.standard_normal(n_samples), name="y")
    if target_type == "discrete":
        return pd.Series(rng.choice(3, size=n_samples, p=[0.5, 0.3, 0.2]), name="y", dtype=np.int64)
    share = np.exp(rng.uniform(np.log(0.001), np.log(0.01)))
    n_positives = max(MIN_POSITIVES, round(share * n_samples))
    return pd.Series(rng.permutation(np.arange(n_samples) < n_positives), name="y").astype(np.int64)


def _draw_column(type_number: int, n_samples: int, rng: np.random.Generator) -> pd.Series:
    match type_number:
        case 0:
            return pd.Series(rng.standard_normal(n_samples))
        case 1:
            return _with_missing(pd.Series(rng.lognormal(size=n_samples)), rng)
        case 2:
            return pd.Series(rng.choice(COLORS, size=n_samples).tolist())
        case 3:
            return _with_missing(pd.Series(rng.choice(COLORS, size=n_samples).tolist()), rng)
        case _:
            return pd.Series(rng.integers(0, 10, size=n_samples))


def _with_missing(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    return column.mask(rng.random(len(column)) < MISSING_SHARE)
