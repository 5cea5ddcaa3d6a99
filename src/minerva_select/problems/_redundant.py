"""Relevant columns together with copies, noisy copies and linear mixes of them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from minerva_select.checks import check_integer
from minerva_select.errors import InputError
from minerva_select.problems._parameters import RandomState, check_number, column_names, make_generator
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
    """Draw normal columns that determine y up to noise, and redundant columns derived from them.

    The columns come in this order: ``n_relevant`` originals, ``n_copies`` exact copies (copy k of original
    ``k % n_relevant``), ``n_noisy_copies`` noisy copies in the same way, ``n_mixes`` weighted sums of all originals,
    ``n_noise`` noise columns. y is a weighted sum of the originals plus noise; the weights have absolute values from
    0.5 to 1 and random signs. The weights of a mix are at least 45 degrees away from those of y, so a single mix cannot
    replace several originals. A selection that keeps a copy instead of its original, or a mix together with the other
    originals, loses no information.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_relevant : int
        Number of originals; mixes need 2 or more.
    n_copies, n_noisy_copies, n_mixes, n_noise : int
        Number of columns of each other kind.
    copy_noise : float
        Standard deviation of the noise in a noisy copy, above 0; the originals have standard deviation 1.
    noise : float
        Standard deviation of the noise in y, above 0.
    random_state : int, numpy.random.Generator or None
        Seed or generator. Weights are drawn before the rows, so they do not depend on ``n_samples``.

    Returns
    -------
    Problem
        ``relevant`` lists the originals, ``proxies`` the columns derived from each. The mutual information is
        ``log(1 + sum of squared weights / noise**2) / 2``.

    Examples
    --------
    >>> problem = redundant(n_samples=100, n_relevant=2, n_copies=1, n_noisy_copies=1, n_mixes=1, n_noise=3)
    >>> dict(problem.proxies)
    {'f0': ('f2', 'f3', 'f4'), 'f1': ('f4',)}
    """
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_relevant = check_integer("n_relevant", n_relevant, minimum=1)
    n_copies = check_integer("n_copies", n_copies, minimum=0)
    n_noisy_copies = check_integer("n_noisy_copies", n_noisy_copies, minimum=0)
    n_mixes = check_integer("n_mixes", n_mixes, minimum=0)
    n_noise = check_integer("n_noise", n_noise, minimum=0)
    copy_noise = check_number("copy_noise", copy_noise, 0.0)
    noise = check_number("noise", noise, 0.0)
    if n_mixes and n_relevant < 2:
        raise InputError("A mix needs at least two originals, got n_relevant=1; pass n_mixes=0 or a larger n_relevant.")
    rng = make_generator(random_state)
    weights = rng.uniform(0.5, 1.0, size=n_relevant) * rng.choice([-1.0, 1.0], size=n_relevant)
    mixes = np.array([_draw_mix(weights, rng) for _ in range(n_mixes)]).reshape(n_mixes, n_relevant)

    originals = rng.standard_normal((n_samples, n_relevant))
    copied, noisily_copied = np.arange(n_copies) % n_relevant, np.arange(n_noisy_copies) % n_relevant
    noisy_copies = originals[:, noisily_copied] + copy_noise * rng.standard_normal((n_samples, n_noisy_copies))
    noise_columns = rng.standard_normal((n_samples, n_noise))
    values = np.hstack([originals, originals[:, copied], noisy_copies, originals @ mixes.T, noise_columns])
    names = column_names(values.shape[1])
    sources = [*copied, *noisily_copied, *[None] * n_mixes]  # None: all originals
    return Problem(
        name="redundant",
        X=pd.DataFrame(values, columns=names),
        y=pd.Series(originals @ weights + noise * rng.standard_normal(n_samples), name="y"),
        relevant=tuple(names[:n_relevant]),
        mutual_information=math.log1p(float(weights @ weights) / noise**2) / 2,
        proxies={
            names[original]: tuple(
                names[n_relevant + k] for k, source in enumerate(sources) if source is None or source == original
            )
            for original in range(n_relevant)
        },
    )


def _draw_mix(weights: Array, rng: np.random.Generator) -> Array:
    """Draw a unit vector that is 45 to 135 degrees away from the weights of y."""
    along = weights / np.linalg.norm(weights)
    across = rng.standard_normal(len(weights))
    across -= (across @ along) * along
    angle = rng.uniform(np.pi / 4, 3 * np.pi / 4)
    mix: Array = np.cos(angle) * along + np.sin(angle) * across / np.linalg.norm(across)
    return mix
