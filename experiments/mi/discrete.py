"""Discrete tables: probabilities of all cells, and the information in them."""

import numpy as np
import pandas as pd

from mi.case import Case, Floats, Sample
from minerva_select.problems import equality, parity

LETTERS = np.array(list("abcdefghijklmnopqrst"))


def information(joint: Floats) -> float:
    """I(X; Y) of a table p(x, y), or I(X; Y | Z) of a table p(x, y, z)."""
    joint = joint[..., None] if joint.ndim == 2 else joint
    of_z, of_xz, of_yz = joint.sum((0, 1)), joint.sum(1)[:, None], joint.sum(0)[None]
    inside = joint > 0
    ratio = (joint * of_z)[inside] / (of_xz * of_yz)[inside]
    return max(0.0, float((joint[inside] * np.log(ratio)).sum()))


def table_case(name: str, group: str, joint: Floats, **rest: object) -> Case:
    """Make a case of a table of probabilities; levels are letters."""

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        cells = rng.choice(joint.size, size=n_rows, p=joint.ravel())
        codes = np.unravel_index(cells, joint.shape)
        x, y, *given = (pd.DataFrame({side: LETTERS[code]}) for side, code in zip("xyz", codes, strict=False))
        return Sample(x, y, given[0] if given else None)

    return Case(name, group, (1, 1), information(joint), draw, is_numeric=False, **rest)


def noisy_copy(n_levels: int, flipped: float) -> Floats:
    """p(x, y) of a uniform x that y copies, except in a share of rows that take any level."""
    return ((1 - flipped) * np.eye(n_levels) + flipped / n_levels) / n_levels


def random_table(n_x: int, n_y: int, seed: int) -> Floats:
    """p(x, y) with random probabilities."""
    weights = np.random.default_rng(seed).gamma(0.5, size=(n_x, n_y))
    return weights / weights.sum()


def make_discrete_cases() -> list[Case]:
    """Tables with two columns, and columns that are informative only together."""
    return [
        table_case("noisy-bit", "discrete", noisy_copy(2, 0.2), is_quick=True),
        table_case("noisy-20-levels", "discrete", noisy_copy(20, 0.3)),
        table_case("random-4x6", "discrete", random_table(4, 6, seed=1)),
        table_case("random-12x3", "discrete", random_table(12, 3, seed=2)),
        problem_case("equality-5", equality, 2, n_features=2, n_levels=5, relevant=(0, 1), is_quick=True),
        problem_case("parity-3", parity, 3, n_features=3),
    ]


def problem_case(name: str, problem, n_x: int, *, is_quick: bool = False, **parameters: object) -> Case:
    """Make a case of a problem with a discrete target."""

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        drawn = problem(n_samples=n_rows, random_state=rng, **parameters)
        return Sample(drawn.X, drawn.y.to_frame())

    truth = problem(n_samples=10, random_state=0, **parameters).mutual_information
    return Case(name, "discrete", (n_x, 1), truth, draw, is_numeric=False, is_quick=is_quick)
