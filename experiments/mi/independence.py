"""Independent sides, noise next to one informative column, and monotone maps of columns."""

from collections.abc import Callable

import numpy as np

from mi.beyond_normal import CORRELATION, make_tasks
from mi.case import Case, Floats, Sample, as_case, frame
from mi.distributions import Distribution, normal
from mi.transforms import transform

SHAPES = ((1, 1), (1, 30), (5, 5), (15, 10), (30, 30))
N_NOISE = 30
ROWS = 2_000  # of the independent sides, and of the columns that are mapped
QUICK = "1v1-normal-0.75"  # whose maps are in the quick study

DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy-tailed": lambda rng, shape: rng.standard_t(1.5, shape),
    "with-ties": lambda rng, shape: np.round(rng.exponential(1.0, shape), 0),
    "categorical": lambda rng, shape: rng.integers(0, 4, shape),
}
MAPS: dict[str, Callable[[Floats], Floats]] = {
    "exp": np.exp,
    "cubed": lambda values: values**3,
    "scaled": lambda values: -1e6 * values + 3e7,
    "bounded": lambda values: values / (1 + np.abs(values)),
}


def make_independent_cases() -> list[Case]:
    """Twenty tables of independent columns."""
    return [independent_case(kind, shape) for kind in DRAWS for shape in SHAPES]


def independent_case(kind: str, shape: tuple[int, int]) -> Case:
    """Make a case of two sides of independent columns."""
    is_numeric = kind != "categorical"

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        sides = [DRAWS[kind](rng, (n_rows, n_columns)) for n_columns in shape]
        x, y = (frame(side, name) for side, name in zip(sides, "xy", strict=True))
        return (
            Sample(x, y) if is_numeric else Sample(x.map(lambda code: "abcd"[code]), y.map(lambda code: "abcd"[code]))
        )

    return Case(
        f"independent-{kind}-{shape[0]}-{shape[1]}", "independence", shape, 0.0, draw, rows=(ROWS,), n_seeds=1,
        is_numeric=is_numeric, is_quick=shape == (1, 1) and is_numeric,
    )  # fmt: skip


def make_noise_cases() -> list[Case]:
    """One informative column among 30 others, on one side or on both."""
    pair = normal(np.array([[1.0, CORRELATION], [CORRELATION, 1.0]]), 1)
    return [noise_case("30-noise-columns", pair, (N_NOISE, 0)), noise_case("15-and-15-noise-columns", pair, (15, 15))]


def noise_case(name: str, pair: Distribution, n_noise: tuple[int, int]) -> Case:
    """Make a case of a pair of columns, each followed by noise columns."""

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        sides = [
            np.hstack([side, rng.standard_normal((n_rows, n))])
            for side, n in zip(pair.draw(n_rows, rng), n_noise, strict=True)
        ]
        return Sample(*(frame(side, prefix) for side, prefix in zip(sides, "xy", strict=True)))

    return Case(name, "noise", (1 + n_noise[0], 1 + n_noise[1]), pair.information, draw)


def make_monotone_cases() -> list[Case]:
    """Tables of 2,000 rows, and the same rows after monotone maps of every column."""
    tasks = make_tasks()
    cases = []
    for name in ("1v1-normal-0.75", "multinormal-sparse-3-3-2-2.0", "student-identity-2-2-2"):
        original, settings = f"{name}-as-drawn", {"rows": (ROWS,), "n_seeds": 1}
        cases.append(as_case(original, "monotone", tasks[name], is_quick=name == QUICK, **settings))
        for label, apply in MAPS.items():
            if name.startswith("student") and label in ("exp", "cubed"):  # would overflow
                continue
            mapped = transform(tasks[name], apply)
            is_quick = name == QUICK and label == "exp"
            cases.append(
                as_case(f"{name}-{label}", "monotone", mapped, original=original, is_quick=is_quick, **settings)
            )
    return cases
