"""Relevant columns among others that could stand in for them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from minerva_select.errors import InputError
from minerva_select.problems._parameters import RandomState, column_names, generator, number_above, whole_number
from minerva_select.problems._problem import Problem
from minerva_select.schema import Array


def redundant(
    n_samples: int = 10_000,
    *,
    n_relevant: int = 4,
    n_copies: int = 2,
    n_noisy_copies: int = 2,
    n_mixes: int = 2,
    n_noise: int = 10,
    copy_noise: float = 0.5,
    noise: float = 0.5,
    random_state: RandomState = 0,
) -> Problem:
    """Draw normal columns that make y, then copies, noisy copies and linear mixes of them, then pure noise.

    The columns come in that order: ``n_relevant`` originals, ``n_copies`` exact copies (the k-th of original
    ``k % n_relevant``), ``n_noisy_copies`` noisy ones likewise, ``n_mixes`` weighted sums of all originals, ``n_noise``
    columns of noise. y is a weighted sum of the originals (sizes 0.5 to 1, random signs) plus noise. A mix is at least
    45 degrees away from that sum, so no mix does the work of several originals by itself; but a copy, or a mix beside
    the other originals, carries what the original carries. A selection with such a stand-in loses nothing.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_relevant : int
        Number of originals; mixes need 2 or more.
    n_copies, n_noisy_copies, n_mixes, n_noise : int
        Number of columns of each other sort.
    copy_noise : float
        Standard deviation of what a noisy copy adds to its original, above 0; the original has 1.
    noise : float
        Standard deviation of the noise in y, above 0.
    random_state : int, numpy.random.Generator or None
        Seed or generator of the draw; weights come before the rows, so they do not depend on ``n_samples``.

    Returns
    -------
    Problem
        ``relevant`` are the originals, ``stand_ins`` says for each which columns were made from it. The mutual
        information is ``log(1 + sum of squared weights / noise**2) / 2``.

    Examples
    --------
    >>> problem = redundant(n_samples=100, n_relevant=2, n_copies=1, n_noisy_copies=1, n_mixes=1, n_noise=3)
    >>> dict(problem.stand_ins)
    {'f0': ('f2', 'f3', 'f4'), 'f1': ('f4',)}
    """
    n_samples = whole_number("n_samples", n_samples, at_least=1)
    n_relevant = whole_number("n_relevant", n_relevant, at_least=1)
    n_copies = whole_number("n_copies", n_copies, at_least=0)
    n_noisy_copies = whole_number("n_noisy_copies", n_noisy_copies, at_least=0)
    n_mixes = whole_number("n_mixes", n_mixes, at_least=0)
    n_noise = whole_number("n_noise", n_noise, at_least=0)
    copy_noise = number_above("copy_noise", copy_noise, 0.0)
    noise = number_above("noise", noise, 0.0)
    if n_mixes and n_relevant < 2:
        raise InputError("A mix needs two originals and n_relevant is 1; pass n_mixes=0 or more originals.")
    rng = generator(random_state)
    weights = rng.uniform(0.5, 1.0, size=n_relevant) * rng.choice([-1.0, 1.0], size=n_relevant)
    mixes = np.array([_draw_mix(weights, rng) for _ in range(n_mixes)]).reshape(n_mixes, n_relevant)

    originals = rng.standard_normal((n_samples, n_relevant))
    copied, noisily = np.arange(n_copies) % n_relevant, np.arange(n_noisy_copies) % n_relevant
    blurred = originals[:, noisily] + copy_noise * rng.standard_normal((n_samples, n_noisy_copies))
    noise_columns = rng.standard_normal((n_samples, n_noise))
    values = np.hstack([originals, originals[:, copied], blurred, originals @ mixes.T, noise_columns])
    names = column_names(values.shape[1])
    made_from = [*copied, *noisily, *[None] * n_mixes]  # None: from every original
    return Problem(
        name="redundant",
        X=pd.DataFrame(values, columns=names),
        y=pd.Series(originals @ weights + noise * rng.standard_normal(n_samples), name="y"),
        relevant=tuple(names[:n_relevant]),
        mutual_information=math.log1p(float(weights @ weights) / noise**2) / 2,
        stand_ins={
            names[original]: tuple(
                names[n_relevant + k] for k, source in enumerate(made_from) if source is None or source == original
            )
            for original in range(n_relevant)
        },
    )


def _draw_mix(signal: Array, rng: np.random.Generator) -> Array:
    """Draw the unit weights of a mix, 45 to 135 degrees away from the signal's."""
    along = signal / np.linalg.norm(signal)
    across = rng.standard_normal(len(signal))
    across -= (across @ along) * along
    angle = rng.uniform(np.pi / 4, 3 * np.pi / 4)
    mix: Array = np.cos(angle) * along + np.sin(angle) * across / np.linalg.norm(across)
    return mix
