"""A table with every fault, and clean tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn import datasets

from minerva_select import problems


def faulty(n=3000, seed=0):
    """A table in which every kind of column is wrong, its target and the time of its rows."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    opened = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(400, size=n), unit="D")
    rates = rng.permutation(np.linspace(0.1, 0.9, 51))
    code = rng.integers(51, size=n)
    is_high = rng.random(n) < rates[code]
    y = np.where(rng.random(n) < 0.7, is_high, y).astype(int)
    words = [
        "the",
        "customer",
        "called",
        "about",
        "an",
        "order",
        "that",
        "was",
        "late",
        "and",
        "wants",
        "money",
        "back",
    ]
    amount = rng.lognormal(size=n).round(2)
    X = pd.DataFrame(
        {
            "customer": np.arange(1000, 1000 + n),
            "reference": [f"R{value:x}" for value in rng.permutation(10**6)[:n]],
            "note": [" ".join(rng.choice(words, 8)) for _ in range(n)],
            "shipped": [f"{day:02d}/{month:02d}/2024" for day, month in rng.integers(1, [29, 13], size=(n, 2))],
            "booked": 20240000 + 100 * rng.integers(1, 13, n) + rng.integers(1, 29, n),
            "price": [f"${value:,.2f}" for value in rng.uniform(1, 5000, n)],
            "shop": code + 1,
            "postal code": rng.choice(rng.integers(10_000, 99_999, 300), n),
            "currency": "EUR",
            "discount": np.full(n, np.nan),
            "amount": amount,
            "amount_cents": (100 * amount).round(),
            "late_score": rng.normal(size=n),
            "refund_amount": np.where(y == 1, rng.uniform(1, 9, n), 0),
            "closed": np.where(y == 1, rng.normal(size=n), np.nan),
            "delivered": opened + pd.to_timedelta(rng.integers(1, 9, size=n), unit="D"),
            "distance": np.where(rng.random(n) < 0.01, np.inf, rng.normal(size=n)),
        }
    )
    target = pd.Series(np.where(y == 1, "yes", "no"), name="was_late", dtype=object)
    target[[5, 17, 40]] = None
    target[[7, 8]] = ["maybe", "unknown"]
    again = rng.choice(np.arange(100, n), 60, replace=False)
    X, target = (pd.concat([part, part.iloc[again]], ignore_index=True) for part in (X, target))
    return X, target, pd.Series(opened).pipe(lambda part: pd.concat([part, part.iloc[again]], ignore_index=True))


def _sklearn(load):
    bunch = load(as_frame=True)
    return bunch.data, bunch.target


def _problem(name, **arguments):
    problem = problems.PROBLEMS[name](n_samples=3000, random_state=1, **arguments)
    return problem.X, problem.y


def _sales():
    """Integers of every kind that are quantities: ages, years, days, percentages, counts, all related to the target."""
    rng = np.random.default_rng(3)
    n = 6000
    age, year, day = rng.integers(18, 91, n), rng.integers(1960, 2024, n), rng.integers(1, 366, n)
    visits, percent = rng.poisson(20, n), rng.binomial(100, 0.5, n)
    signal = np.abs(age - 50) / 15 + (year - 1990) / 20 + np.sin(day / 58) + (visits - 20) / 5 + (percent - 50) / 5
    X = pd.DataFrame({"age": age, "year_built": year, "day_of_year": day, "visits": visits, "percent": percent})
    X["paid"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(1, 10**7, n), unit="s")
    X["city"] = rng.choice(["Delft", "Ghent", "Siena", "Turku"], n)
    X["income"] = np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(10, 1, n).round())
    return X, (signal + rng.normal(size=n) > np.median(signal)).astype(int)


CLEAN = {
    "iris": lambda: _sklearn(datasets.load_iris),
    "wine": lambda: _sklearn(datasets.load_wine),
    "diabetes": lambda: _sklearn(datasets.load_diabetes),
    "equality": lambda: _problem("equality"),
    "switching": lambda: _problem("switching"),
    "parity": lambda: _problem("parity"),
    "additive": lambda: _problem("additive"),
    "bayesian_network": lambda: _problem("bayesian_network"),
    "independent": lambda: _problem("independent"),
    "friedman": lambda: datasets.make_friedman1(3000, noise=1.0, random_state=0),
    "sales": _sales,
}
