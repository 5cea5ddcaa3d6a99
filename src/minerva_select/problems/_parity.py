"""The parity of a few bits: no proper subset of them carries any information."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.problems._parameters import (
    RandomState,
    check_number,
    check_positions,
    column_names,
    make_generator,
)
from minerva_select.problems._problem import Problem


def parity(
    n_samples: int = 10_000,
    n_features: int = 20,
    *,
    n_bits: int = 3,
    noise: float = 0.0,
    relevant: Iterable[int] | None = None,
    random_state: RandomState = 0,
) -> Problem:
    """Draw random bits and the parity (exclusive or) of a few of them.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns, all independent fair bits.
    n_bits : int
        Number of relevant bits.
    noise : float
        Probability that y is flipped, from 0 to below 0.5.
    relevant : ints, optional
        Positions of the ``n_bits`` relevant bits; random by default.
    random_state : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    Problem
        The mutual information is log 2 - H(noise), where H is the entropy of a coin with that probability.

    Examples
    --------
    >>> problem = parity(n_samples=1000, n_features=6, n_bits=2, relevant=(1, 4))
    >>> bool((problem.y == (problem.X["f1"] ^ problem.X["f4"])).all())
    True
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_features = check_integer("n_features", n_features, minimum=1)
    n_bits = check_integer("n_bits", n_bits, minimum=1, maximum=n_features)
    noise = check_number("noise", noise, 0.0, 0.5, include_low=True)
    rng = make_generator(random_state)
    drawn = rng.choice(n_features, size=n_bits, replace=False).tolist()
    chosen = check_positions("relevant", drawn if relevant is None else relevant, n_bits, n_features)
    bits = rng.integers(0, 2, size=(n_samples, n_features), dtype=np.int8)
    flipped = rng.random(n_samples) < noise
    names = column_names(n_features)
    return Problem(
        name="parity",
        X=pd.DataFrame(bits, columns=names),
        y=pd.Series((bits[:, chosen].sum(axis=1) + flipped) % 2, name="y", dtype=np.int64),
        relevant=tuple(names[position] for position in chosen),
        mutual_information=math.log(2) - _coin_entropy(noise),
    )


def _coin_entropy(probability: float) -> float:
    if probability == 0:
        return 0.0
    return -probability * math.log(probability) - (1 - probability) * math.log1p(-probability)
