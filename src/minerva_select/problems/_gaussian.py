"""Correlated normal pairs, the standard reference for estimates of mutual information."""

from __future__ import annotations

import math

import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.problems._parameters import RandomState, check_number, column_names, make_generator
from minerva_select.problems._problem import Problem


def gaussian(
    n_samples: int = 10_000,
    n_features: int = 1,
    *,
    correlation: float = 0.6,
    n_noise: int = 0,
    random_state: RandomState = 0,
) -> Problem:
    """Draw normal features, each correlated with its own target column, followed by noise columns.

    Feature k and target column k are jointly normal with mean 0, variance 1 and the given correlation. Different pairs
    are independent.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of informative columns and of target columns; X has ``n_features + n_noise`` columns.
    correlation : float
        Correlation of every pair, above -1 and below 1. At 0 nothing is relevant.
    n_noise : int
        Number of normal columns that are independent of everything else.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        y is a Series named ``y`` for one pair and a DataFrame with columns ``y0``, ``y1``, ... for several. The mutual
        information is ``-n_features / 2 * log(1 - correlation**2)``.

    Examples
    --------
    >>> problem = gaussian(n_samples=1000, n_features=2, correlation=0.6, n_noise=3)
    >>> problem.relevant, list(problem.y.columns), round(problem.mutual_information, 4)
    (('f0', 'f1'), ['y0', 'y1'], 0.4463)
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_features = check_integer("n_features", n_features, minimum=1)
    n_noise = check_integer("n_noise", n_noise, minimum=0)
    correlation = check_number("correlation", correlation, -1.0, 1.0)
    rng = make_generator(random_state)
    values = rng.standard_normal((n_samples, n_features + n_noise))
    errors = rng.standard_normal((n_samples, n_features))
    targets = correlation * values[:, :n_features] + math.sqrt(1 - correlation**2) * errors
    names = column_names(n_features + n_noise)
    y = pd.DataFrame(targets, columns=[f"y{position}" for position in range(n_features)])
    return Problem(
        name="gaussian",
        X=pd.DataFrame(values, columns=names),
        y=y["y0"].rename("y") if n_features == 1 else y,
        relevant=tuple(names[:n_features]) if correlation else (),
        mutual_information=-n_features / 2 * math.log1p(-(correlation**2)),
    )
