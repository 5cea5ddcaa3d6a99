"""The hardest interaction of all: no proper subset of the bits says anything."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from minerva_select.problems._parameters import (
    RandomState,
    column_names,
    generator,
    number_from,
    positions,
    whole_number,
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
    """Draw the parity of some bits (their exclusive or) among other bits that do not matter.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns, all independent fair bits.
    n_bits : int
        Number of bits that make y.
    noise : float
        Probability that y is flipped, from 0 to below 0.5.
    relevant : ints, optional
        Positions of the ``n_bits`` bits; drawn when not given.
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw.

    Returns
    -------
    Problem
        With mutual information log 2 - H(noise), H the entropy of a coin with that probability.

    Examples
    --------
    >>> problem = parity(n_samples=1000, n_features=6, n_bits=2, relevant=(1, 4))
    >>> bool((problem.y == (problem.X["f1"] ^ problem.X["f4"])).all())
    True
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    n_features = whole_number("n_features", n_features, at_least=1)
    n_bits = whole_number("n_bits", n_bits, at_least=1, at_most=n_features)
    noise = number_from("noise", noise, 0.0, below=0.5)
    rng = generator(random_state)
    drawn = rng.choice(n_features, size=n_bits, replace=False).tolist()
    chosen = positions("relevant", drawn if relevant is None else relevant, n_bits, n_features)
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
