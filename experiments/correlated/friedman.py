"""Friedman's function of 5 of 10 uniform columns, with near-copies or coarser versions of every column."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from correlated.tables import Table, Unit, shuffle_columns

N_COLUMNS = 10
N_RELEVANT = 5
COPY_NOISE = 0.002  # standard deviation, as a share of the range
BINARY_NOISE = 2.0  # I(X; y) = 0.43 of 0.69 nats; with 1.0 it is 0.56
N_BINS = 8
N_INDICATORS = 4

ROWS = (2_000, 2_000, 10_000, 10_000, 50_000)  # of consecutive pairs of seeds: one regression, one classification


def _noisy(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return values + COPY_NOISE * rng.standard_normal(len(values))


COPIES: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "rounded": lambda values, rng: values.round(3),
    "rescaled": lambda values, rng: 32.0 + 180.0 * values,
    "noisy": _noisy,
    "monotone": lambda values, rng: np.log(values + 0.1),
    "all": lambda values, rng: (250.0 - 100.0 * _noisy(values, rng)).round(1),
}


def signal(values: np.ndarray) -> np.ndarray:
    """Friedman's first function of the first five columns."""
    a0, a1, a2, a3, a4 = values[:, :N_RELEVANT].T
    return 10 * np.sin(np.pi * a0 * a1) + 20 * (a2 - 0.5) ** 2 + 10 * a3 + 5 * a4


def near_copies(seed: int, n_copies: int = 1, rows: Sequence[int] = ROWS) -> Table:
    """Draw columns a0 to a9 with ``n_copies`` near-copies each (b0, c0, d0, ...); the kinds rotate with the seed."""
    rng, values = _draw_values(seed, rows)
    columns, units = {}, []
    for k in range(N_COLUMNS):
        names = [f"{letter}{k}" for letter in "abcde"[: n_copies + 1]]
        columns[names[0]] = values[:, k]
        for j, name in enumerate(names[1:]):
            columns[name] = COPIES[copy_kind(seed, k + j)](values[:, k], rng)
        units.append(Unit(tuple(names)))
    return _make_table(columns, values, units, seed, rng)


def copy_kind(seed: int, number: int) -> str:
    """Return the kind of a near-copy; it rotates, so that every column has every kind at different sizes."""
    table = seed // 2
    return list(COPIES)[(table + table // len(ROWS) + number) % len(COPIES)]


def coarse_versions(seed: int, rows: Sequence[int] = ROWS) -> Table:
    """Draw columns a0 to a9, each with its eighth (bin0, ...) and indicators of its quarter (is0_0, ..., is0_3)."""
    rng, values = _draw_values(seed, rows)
    columns, units = {}, []
    for k in range(N_COLUMNS):
        eighth, quarter = (np.floor(n * values[:, k]).astype(int) for n in (N_BINS, N_INDICATORS))
        coarse = {f"bin{k}": eighth, **{f"is{k}_{j}": (quarter == j).astype(int) for j in range(N_INDICATORS)}}
        columns |= {f"a{k}": values[:, k], **coarse}
        units.append(Unit((f"a{k}",), tuple(coarse)))
    return _make_table(columns, values, units, seed, rng)


def signal_lost(table: Table, selected: Sequence[str]) -> float:
    """Share of the signal's variance that the selected columns do not determine, from 0 to 1.

    E[Var(f | kept)] is half the mean square of f(x) - f(x'), where x' redraws the lost columns given what is kept of
    them. Here a column is redrawn by shuffling its values among rows with the same kept coarse versions.
    """
    kept, rng = set(selected), np.random.default_rng(0)
    values = np.column_stack([table.X[f"a{k}"] for k in range(N_RELEVANT)])
    redrawn = values.copy()
    for k, unit in enumerate(table.relevant):
        if not kept & set(unit.columns):
            coarse = [name for name in unit.coarse if name in kept]
            redrawn[:, k] = _shuffle_within(values[:, k], table.X[coarse].to_numpy(), rng)
    f = signal(values)
    return float(np.mean((f - signal(redrawn)) ** 2) / 2 / f.var())


def _draw_values(seed: int, rows: Sequence[int]) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng([15, seed])
    return rng, rng.random((rows[seed // 2 % len(rows)], N_COLUMNS))


def _make_table(
    columns: dict[str, np.ndarray], values: np.ndarray, units: list[Unit], seed: int, rng: np.random.Generator
) -> Table:
    """Add the target: continuous for even seeds, binary for odd ones."""
    f, noise = signal(values), rng.standard_normal(len(values))
    y = (f + BINARY_NOISE * noise > np.median(f)).astype(int) if seed % 2 else f + noise
    X = shuffle_columns(pd.DataFrame(columns), rng)
    return Table(X, pd.Series(y, name="y"), tuple(units[:N_RELEVANT]))


def _shuffle_within(values: np.ndarray, keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shuffle values among the rows with equal keys; among all rows if there are no keys."""
    groups = np.unique(keys, axis=0, return_inverse=True)[1].ravel() if keys.shape[1] else np.zeros(len(values), int)
    in_order, in_random_order = (np.lexsort((key, groups)) for key in (np.arange(len(values)), rng.random(len(values))))
    shuffled = np.empty_like(values)
    shuffled[in_order] = values[in_random_order]
    return shuffled
