"""Nothing to find: the problem on which a selector must stay silent."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from minerva_select.checks import check_choice
from minerva_select.problems._parameters import RandomState, column_names, generator, whole_number
from minerva_select.problems._problem import Problem

COLOURS = ("amber", "blue", "green", "red", "white")
TARGETS = ("discrete", "continuous", "rare")
MISSING_SHARE = 0.1
FEWEST_POSITIVES = 5


def independent(
    n_samples: int = 5_000,
    n_features: int = 20,
    *,
    target: Literal["discrete", "continuous", "rare"] = "discrete",
    random_state: RandomState = 0,
) -> Problem:
    """Draw a target that no column knows anything about, beside columns of every kind.

    Column k is, as k mod 5 goes from 0 to 4: a normal float; a skewed float with 10% missing; a string out of five; a
    string out of five with 10% missing; an integer from 0 to 9.

    Parameters
    ----------
    n_samples : int
        Number of rows, 10 or more.
    n_features : int
        Number of columns.
    target : {"discrete", "continuous", "rare"}
        Three classes with shares 0.5, 0.3 and 0.2; a normal variable; or ones among zeros, their share drawn between
        0.1% and 1% (evenly in its logarithm) and never fewer than 5 of them.
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw.

    Returns
    -------
    Problem
        Nothing is relevant, and the mutual information is 0.

    Examples
    --------
    >>> problem = independent(n_samples=1000, n_features=5, target="rare")
    >>> problem.relevant, problem.mutual_information, int(problem.y.sum()) >= 5
    ((), 0.0, True)
    """
    check_choice("kind of target", target, TARGETS)
    n_samples = whole_number("n_samples", n_samples, at_least=2 * FEWEST_POSITIVES)
    n_features = whole_number("n_features", n_features, at_least=1)
    rng = generator(random_state)
    y = _draw_target(target, n_samples, rng)
    names = column_names(n_features)
    columns = {name: _draw_column(position % 5, n_samples, rng) for position, name in enumerate(names)}
    return Problem(name="independent", X=pd.DataFrame(columns), y=y, relevant=(), mutual_information=0.0)


def _draw_target(target: str, n_samples: int, rng: np.random.Generator) -> pd.Series:
    if target == "continuous":
        return pd.Series(rng.standard_normal(n_samples), name="y")
    if target == "discrete":
        return pd.Series(rng.choice(3, size=n_samples, p=[0.5, 0.3, 0.2]), name="y", dtype=np.int64)
    share = np.exp(rng.uniform(np.log(0.001), np.log(0.01)))
    n_positives = max(FEWEST_POSITIVES, round(share * n_samples))
    return pd.Series(rng.permutation(np.arange(n_samples) < n_positives), name="y").astype(np.int64)


def _draw_column(kind: int, n_samples: int, rng: np.random.Generator) -> pd.Series:
    match kind:
        case 0:
            return pd.Series(rng.standard_normal(n_samples))
        case 1:
            return _with_missing(pd.Series(rng.lognormal(size=n_samples)), rng)
        case 2:
            return pd.Series(rng.choice(COLOURS, size=n_samples).tolist())
        case 3:
            return _with_missing(pd.Series(rng.choice(COLOURS, size=n_samples).tolist()), rng)
        case _:
            return pd.Series(rng.integers(0, 10, size=n_samples))


def _with_missing(column: pd.Series, rng: np.random.Generator) -> pd.Series:
    return column.mask(rng.random(len(column)) < MISSING_SHARE)
