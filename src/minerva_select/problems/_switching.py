"""Two categorical columns that decide which numeric ones are relevant (Experiment B of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from minerva_select.checks import check_choice, check_integer
from minerva_select.problems._equality import draw_levels
from minerva_select.problems._parameters import RandomState, column_names, make_generator
from minerva_select.problems._problem import Problem
from minerva_select.schema import Array

N_CATEGORICAL = 10
N_WAVES = 4  # number of sine columns, and of cosine columns


@dataclass(frozen=True)
class Rule:
    """The columns and coefficients that determine y."""

    equal_columns: tuple[int, ...]
    sin_columns: tuple[int, ...]
    sin_coefficients: tuple[float, ...]
    cos_columns: tuple[int, ...]
    cos_coefficients: tuple[float, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """All relevant columns, sorted."""
        return tuple(sorted((*self.equal_columns, *self.sin_columns, *self.cos_columns)))

    def target(self, levels: Array, waves: Array) -> Array:
        """Compute y from the categorical columns and the uniform ones (which start at position N_CATEGORICAL)."""
        first, second = self.equal_columns
        sines = np.sin(2 * np.pi * waves[:, np.subtract(self.sin_columns, N_CATEGORICAL)])
        cosines = np.cos(2 * np.pi * waves[:, np.subtract(self.cos_columns, N_CATEGORICAL)])
        # The paper's text swaps the two branches; its authors' generator is as here.
        equal = levels[:, first] == levels[:, second]
        return np.where(equal, cosines @ self.cos_coefficients, sines @ self.sin_coefficients)


PAPER_RULE = Rule(
    equal_columns=(6, 8),
    sin_columns=(14, 18, 20, 28),
    sin_coefficients=(-0.3980448127663869, 0.8571356339640301, -0.4096834727715364, -0.6941827744989786),
    cos_columns=(19, 23, 24, 31),
    cos_coefficients=(0.5603483755491454, -0.21299698496263209, -0.40715691455861536, -0.6467713146785634),
)


def switching(
    n_samples: int = 50_000,
    n_features: int = 40,
    *,
    n_levels: int = 5,
    coefficients: Literal["paper", "random"] = "paper",
    random_state: RandomState = 0,
) -> Problem:
    """Draw a sum of sines or of cosines, depending on whether two categorical columns are equal: Experiment B.

    The first 10 columns are uniform on 1, ..., ``n_levels``, the others uniform on [0, 1). Where the two relevant
    categorical columns differ, y is a weighted sum of sin(2 pi x) over four columns; where they are equal, of
    cos(2 pi x) over four other columns. All ten columns are relevant.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns: at least 32 with ``coefficients="paper"``, at least 18 with ``"random"``.
    n_levels : int
        Number of levels of the categorical columns, 2 or more.
    coefficients : {"paper", "random"}
        Columns and coefficients of the paper's authors, or random ones. Random coefficients have absolute values
        uniform on [0.2, 1) and random signs.
    random_state : int, numpy.random.Generator or None
        Seed or generator. Coefficients are drawn before the rows, so they do not depend on ``n_samples``.

    Returns
    -------
    Problem
        Integer columns first, then float columns. The mutual information is None: y is continuous and a function of X,
        so it is infinite.

    Examples
    --------
    >>> switching(n_samples=1000).relevant
    ('f6', 'f8', 'f14', 'f18', 'f19', 'f20', 'f23', 'f24', 'f28', 'f31')
    >>> len(switching(n_samples=1000, coefficients="random", random_state=1).relevant)
    10
    """
    check_choice("coefficients", coefficients, ("paper", "random"))
    n_samples = check_integer("n_samples", n_samples, minimum=1)
    n_levels = check_integer("n_levels", n_levels, minimum=2, maximum=np.iinfo(np.int16).max)
    min_features = max(PAPER_RULE.columns) + 1 if coefficients == "paper" else N_CATEGORICAL + 2 * N_WAVES
    n_features = check_integer("n_features", n_features, minimum=min_features)
    rng = make_generator(random_state)
    rule = PAPER_RULE if coefficients == "paper" else draw_rule(n_features, rng)
    levels = draw_levels(n_samples, N_CATEGORICAL, n_levels, rng)
    waves = rng.random((n_samples, n_features - N_CATEGORICAL))
    names = column_names(n_features)
    parts = [pd.DataFrame(levels, columns=names[:N_CATEGORICAL]), pd.DataFrame(waves, columns=names[N_CATEGORICAL:])]
    return Problem(
        name="switching",
        X=pd.concat(parts, axis="columns"),
        y=pd.Series(rule.target(levels, waves), name="y"),
        relevant=tuple(names[position] for position in rule.columns),
    )


def draw_rule(n_features: int, rng: np.random.Generator) -> Rule:
    """Draw random columns and coefficients."""
    equal = rng.choice(N_CATEGORICAL, size=2, replace=False)
    waves = N_CATEGORICAL + rng.choice(n_features - N_CATEGORICAL, size=2 * N_WAVES, replace=False)
    coefficients = rng.uniform(0.2, 1.0, size=2 * N_WAVES) * rng.choice([-1.0, 1.0], size=2 * N_WAVES)
    return Rule(
        equal_columns=tuple(sorted(equal.tolist())),
        sin_columns=tuple(waves[:N_WAVES].tolist()),
        sin_coefficients=tuple(coefficients[:N_WAVES].tolist()),
        cos_columns=tuple(waves[N_WAVES:].tolist()),
        cos_coefficients=tuple(coefficients[N_WAVES:].tolist()),
    )
