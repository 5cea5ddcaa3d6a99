"""Friedman's first function: a smooth sum of effects of different strengths."""

from __future__ import annotations

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.problems._parameters import RandomState, check_number, column_names, make_generator
from minerva_select.problems._problem import Problem


def additive(
    n_samples: int = 2_000, n_features: int = 10, *, noise: float = 1.0, random_state: RandomState = 0
) -> Problem:
    """Draw Friedman's first regression function, with an interaction, a square and two linear terms.

    Columns are independent and uniform on [0, 1), and
    y = 10 sin(pi f0 f1) + 20 (f2 - 0.5)^2 + 10 f3 + 5 f4 + noise * N(0, 1).

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns, at least 5; f5 and later columns are irrelevant.
    noise : float
        Standard deviation of the noise, 0 or more.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        The mutual information has no closed form.

    Examples
    --------
    >>> additive(n_samples=100).relevant
    ('f0', 'f1', 'f2', 'f3', 'f4')
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_features = check_integer("n_features", n_features, minimum=5)
    noise = check_number("noise", noise, 0.0, include_low=True)
    rng = make_generator(random_state)
    values = rng.random((n_samples, n_features))
    signal = (
        10 * np.sin(np.pi * values[:, 0] * values[:, 1])
        + 20 * (values[:, 2] - 0.5) ** 2
        + 10 * values[:, 3]
        + 5 * values[:, 4]
    )
    names = column_names(n_features)
    return Problem(
        name="additive",
        X=pd.DataFrame(values, columns=names),
        y=pd.Series(signal + noise * rng.standard_normal(n_samples), name="y"),
        relevant=tuple(names[:5]),
    )
