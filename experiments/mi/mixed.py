"""A discrete column that shifts or scales a continuous one, with rare classes among them."""

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.stats import norm

from mi.case import Case, Floats, Sample, frame

RARE = ((0.01, 5_000), (0.01, 20_000), (0.002, 20_000))  # share of the rare class, rows


def mixture_information(shares: Floats, means: Floats, deviations: Floats) -> float:
    """Information of a class about a value that is normal in each class: h(value) - h(value | class)."""
    ends = (means - 12 * deviations).min(), (means + 12 * deviations).max()

    def entropy_density(value: float) -> float:
        density = float((shares * norm.pdf(value, means, deviations)).sum())
        return -density * np.log(density) if density > 0 else 0.0

    entropy = quad(entropy_density, *ends, points=sorted(set(means)), limit=500)[0]
    return float(entropy - (shares * norm(0, deviations).entropy()).sum())


def class_case(
    name: str,
    group: str,
    shares: Floats,
    means: Floats,
    deviations: Floats,
    *,
    n_noise: int = 0,
    reverse: bool = False,
    **rest: object,
) -> Case:
    """Make a case of a class and a value that depends on it, next to noise columns; ``reverse``: the class is X."""
    shares, means, deviations = (np.asarray(values, dtype=float) for values in (shares, means, deviations))

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        classes = rng.choice(len(shares), size=n_rows, p=shares)
        value = rng.normal(means[classes], deviations[classes])
        values = frame(np.column_stack([value, rng.standard_normal((n_rows, n_noise))]), "v")
        names = pd.DataFrame({"class": np.array(list("abcdef"))[classes]})
        return Sample(names, values) if reverse else Sample(values, names)

    shape = (1, 1 + n_noise) if reverse else (1 + n_noise, 1)
    truth = mixture_information(shares, means, deviations)
    return Case(name, group, shape, truth, draw, is_numeric=False, **rest)


def slope_case() -> Case:
    """Make a case of a class that decides the slope of a line: X is the class and the position on the line."""
    slopes, noise = np.array([-2.0, 0.0, 1.0]), 0.5

    def draw(n_rows: int, rng: np.random.Generator) -> Sample:
        classes, x = rng.integers(0, 3, n_rows), rng.standard_normal(n_rows)
        y = slopes[classes] * x + noise * rng.standard_normal(n_rows)
        return Sample(pd.DataFrame({"class": np.array(list("abc"))[classes], "x": x}), pd.DataFrame({"y": y}))

    # h(y) - h(y | class, x); the entropy of y is that of a mixture of normal distributions around 0
    deviations = np.sqrt(slopes**2 + noise**2)
    shares = np.full(3, 1 / 3)
    entropy = mixture_information(shares, np.zeros(3), deviations) + (shares * norm(0, deviations).entropy()).sum()
    return Case("class-and-slope", "mixed", (2, 1), float(entropy - norm(0, noise).entropy()), draw, is_numeric=False)


def make_mixed_cases() -> list[Case]:
    """Discrete against continuous sides."""
    thirds, shifts = [1 / 3] * 3, [0.0, 1.5, 4.0]
    return [
        class_case("class-of-a-value", "mixed", thirds, shifts, [1.0, 1.0, 0.5], is_quick=True),
        class_case("value-of-a-class", "mixed", thirds, shifts, [1.0, 1.0, 0.5], reverse=True),
        class_case("class-of-5-columns", "mixed", thirds, shifts, [1.0, 1.0, 0.5], n_noise=4),
        class_case("5-columns-of-a-class", "mixed", thirds, shifts, [1.0, 1.0, 0.5], n_noise=4, reverse=True),
        class_case("spike-and-slab", "mixed", [0.7, 0.3], [0.0, 0.0], [0.01, 2.0]),
        slope_case(),
    ]


def make_rare_cases() -> list[Case]:
    """A rare class that shifts one of five columns by two standard deviations."""
    return [
        class_case(
            f"rare-{share:g}-{n_rows}", "rare", [1 - share, share], [0.0, 2.0], [1.0, 1.0], n_noise=4, rows=(n_rows,)
        )
        for share, n_rows in RARE
    ]
