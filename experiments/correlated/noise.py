"""Tables without information about the target: columns independent or correlated, rows once or twice, few or many."""

import numpy as np
import pandas as pd

from correlated.tables import Table, shuffle_columns

TARGETS = ("binary", "classes", "continuous")


def independent_noise(seed: int) -> Table:
    """Draw 20 normal and 11 integer columns; 400 rows for even seeds, 5,000 for odd ones."""
    rng = np.random.default_rng([16, seed])
    n_rows = (400, 5_000)[seed % 2]
    columns = {f"x{k}": rng.standard_normal(n_rows) for k in range(20)}
    columns |= {f"c{k}": rng.integers(k + 2, size=n_rows) for k in range(11)}
    return Table(pd.DataFrame(columns), draw_target(TARGETS[seed // 2 % 3], n_rows, rng))


def correlated_noise(seed: int, max_rows: int = 2_000) -> Table:
    """Draw 300 or more rows of 10 to 40 columns of mixed types: a factor model, and near-copies of some columns."""
    rng = np.random.default_rng([17, seed])
    n_rows, n_columns = int(rng.integers(300, max_rows + 1)), int(rng.integers(10, 41))
    n_copies = n_columns // 4
    values = factor_model(n_rows, n_columns - n_copies, rng)
    columns = {f"x{k}": _as_type(values[:, k], rng) for k in range(values.shape[1])}
    for j, k in enumerate(rng.choice(values.shape[1], n_copies, replace=False)):
        columns[f"copy{j}"] = (values[:, k] + 0.01 * rng.standard_normal(n_rows)).round(2)
    X = shuffle_columns(pd.DataFrame(columns), rng)
    return Table(X, draw_target(TARGETS[seed % 3], n_rows, rng))


def doubled_noise(seed: int) -> Table:
    """Append a correlated noise table of 300 to 1,500 rows to itself, so that every row occurs twice."""
    table = correlated_noise(1_000 + seed, max_rows=1_500)
    X, y = (pd.concat([part, part], ignore_index=True) for part in (table.X, table.y))
    return Table(X, y)


def wide_noise(seed: int) -> Table:
    """Draw 600 to 2,000 columns of 300 to 1,200 rows: a factor model, every third column in steps for odd seeds."""
    rng = np.random.default_rng([18, seed])
    n_rows, n_columns = ((300, 600), (500, 1_000), (1_200, 800), (400, 2_000))[seed % 4]
    values = factor_model(n_rows, n_columns, rng)
    if seed % 2:
        values[:, ::3] = np.floor(1.5 * values[:, ::3])
    X = pd.DataFrame(values, columns=[f"x{k}" for k in range(n_columns)])
    return Table(X, draw_target(TARGETS[seed % 3], n_rows, rng))


def factor_model(n_rows: int, n_columns: int, rng: np.random.Generator) -> np.ndarray:
    """Draw standard normal columns that share one to five factors."""
    n_factors = int(rng.integers(1, 6))
    loadings = rng.standard_normal((n_factors, n_columns))
    shared = rng.standard_normal((n_rows, n_factors)) @ (loadings / np.linalg.norm(loadings, axis=0))
    share = rng.uniform(0.2, 0.95, n_columns)  # of the variance that the factors explain
    return np.sqrt(share) * shared + np.sqrt(1 - share) * rng.standard_normal((n_rows, n_columns))


def draw_target(kind: str, n_rows: int, rng: np.random.Generator) -> pd.Series:
    """Draw a target that is independent of everything: binary with 10% to 50% ones, 4 classes, or log-normal."""
    if kind == "binary":
        y = (rng.random(n_rows) < rng.uniform(0.1, 0.5)).astype(int)
    elif kind == "classes":
        y = rng.choice(4, n_rows, p=rng.dirichlet(np.full(4, 5.0)))
    else:
        y = np.exp(rng.uniform(0, 1) * rng.standard_normal(n_rows))
    return pd.Series(y, name="y")


def _as_type(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turn a normal column into one of several types: numeric, skewed, spike at zero, binary, or categories."""
    kind = rng.integers(6)
    if kind == 0:
        return np.exp(values)
    if kind == 1:
        return np.maximum(values, 0.0).round(2)
    if kind == 2:
        return (values > rng.normal()).astype(int)
    if kind == 3:
        edges = np.sort(rng.standard_normal(int(rng.integers(2, 8))))
        return np.array([f"level {code}" for code in range(len(edges) + 1)])[np.searchsorted(edges, values)]
    return values
