"""Generated tables of any size, with the shape of tables that people have."""

from __future__ import annotations

import numpy as np
import pandas as pd

Table = tuple[pd.DataFrame, np.ndarray]

_N_INFORMATIVE = 10


def credit(n_rows: int, n_columns: int = 20, seed: int = 0) -> Table:
    """A binary target, 30% positive, and a mixture of numeric and categorical columns; half of them tell a little."""
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    logits = np.full(n_rows, -1.1)
    for k in range(n_columns):
        if k % 3 == 0:
            values = rng.gamma(2.0, 1.0, n_rows)
            columns[f"amount{k}"] = np.round(100 * values, -1 if k % 2 else 0)
            effect = 0.5 * (values - 2.0)
        else:
            codes = rng.integers(0, 2 + k % 9, n_rows)
            columns[f"status{k}"] = codes.astype(str).astype(object)
            effect = rng.normal(0.0, 0.5, 2 + k % 9)[codes]
        if k < _N_INFORMATIVE:
            logits += effect
    y = (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-logits))).astype(np.int64)
    return pd.DataFrame(columns), y


def noise(n_rows: int, n_columns: int, seed: int = 0) -> Table:
    """Numeric columns and a binary target that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return _frame(rng.normal(size=(n_rows, n_columns))), rng.integers(0, 2, n_rows)


def wide_categorical(n_rows: int, n_columns: int, seed: int = 0) -> Table:
    """Columns of three levels; two of them decide about the target together, and nine rows of ten follow them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, n_columns), dtype=np.uint8)
    y = (X[:, n_columns // 100] + X[:, 7 * n_columns // 10]) % 3 == 0
    return _frame(X), np.where(rng.random(n_rows) < 0.1, ~y, y).astype(np.int64)


def wide_numeric(n_rows: int, n_columns: int, seed: int = 0) -> Table:
    """Normal columns; the target is the product of two of them, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    return _frame(X), X[:, 3] * X[:, 9] + 0.3 * rng.normal(size=n_rows)


def additive_numeric(n_rows: int, n_columns: int, seed: int = 0) -> Table:
    """Normal columns; the target is a sum of three of them, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    return _frame(X), X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] + rng.normal(size=n_rows)


def _frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"v{k}" for k in range(X.shape[1])])
