"""Samples with known information, as sides."""

import numpy as np

from minerva_select.mi.density_ratio.cross_fit import FoldRows
from minerva_select.mi.density_ratio.side import Side, as_quantiles, read_side
from minerva_select.schema import Column, ColumnType, Table


def as_side(values):
    """Numeric columns of an array as a side."""
    table = Table(tuple(Column(f"c{k}", values[:, k]) for k in range(values.shape[1])), len(values))
    return read_side(table, dict.fromkeys(table.names, ColumnType.NUMERIC))


def side_in_order(values):
    """The same, without turning columns."""
    return Side(np.column_stack([as_quantiles(column) for column in values.T]), np.empty((len(values), 0)))


def correlated(n_rows, n_x, n_y, correlation, seed=0):
    """Gaussian columns; only the first ones of both sides are correlated."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n_rows, n_x)), rng.normal(size=(n_rows, n_y))
    y[:, 0] = correlation * x[:, 0] + np.sqrt(1 - correlation**2) * y[:, 0]
    return x, y


def heavy_tailed(n_rows, n_x, n_y, degrees_of_freedom, seed=0):
    """Uncorrelated columns of a Student distribution: all information is in the common scale."""
    rng = np.random.default_rng(seed)
    scale = np.sqrt(rng.chisquare(degrees_of_freedom, size=(n_rows, 1)) / degrees_of_freedom)
    values = rng.normal(size=(n_rows, n_x + n_y)) / scale
    return values[:, :n_x], values[:, n_x:]


def swirled(n_rows, correlation, seed=0):
    """Two Gaussian pairs, of which x is turned by an angle that grows with the radius."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 2))
    y = correlation * x + np.sqrt(1 - correlation**2) * rng.normal(size=(n_rows, 2))
    angle = (x**2).sum(axis=1) / 2
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.column_stack([cosine * x[:, 0] - sine * x[:, 1], sine * x[:, 0] + cosine * x[:, 1]]), y


def gaussian_information(correlation):
    """Information of one Gaussian pair."""
    return -0.5 * np.log(1 - correlation**2)


def two_folds(n_rows):
    """Each half is held out once; a fifth of the other half is for tuning."""
    rows = np.random.default_rng(1).permutation(n_rows)
    halves = rows[: n_rows // 2], rows[n_rows // 2 :]
    folds = []
    for own, other in (halves, halves[::-1]):
        n_tune = len(own) // 5
        folds.append(FoldRows(train=own[n_tune:], tune=own[:n_tune], held_out=other))
    return folds
