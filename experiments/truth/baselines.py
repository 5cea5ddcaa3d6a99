"""Alternatives to MINERVA: each ranks the columns of a table and selects some of them.

A baseline is a function of table, target, seed and number of threads that returns a :class:`Ranking`: one of the
baselines of the library, or stochastic gates, which the library does not have. :func:`why_unavailable` says which
cannot run here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from minerva_select.data.frames import as_table
from minerva_select.evaluation import methods
from minerva_select.selectors.baselines.design_matrix import make_design_matrix


@dataclass(frozen=True)
class Ranking:
    """Scores of columns, higher is better, and the columns that a baseline selects without a given number k."""

    names: tuple[str, ...]
    scores: np.ndarray  # (n_columns,)
    selected: tuple[str, ...]

    def select(self, k: int | None = None) -> list[str]:
        """Return the k best columns, or the baseline's own selection, in column order."""
        best = (
            {self.names[position] for position in np.argsort(-self.scores, kind="stable")[:k]}
            if k
            else {*self.selected}
        )
        return [name for name in self.names if name in best]


def rank_by_baseline(method: str, X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Fit a baseline of the library; columns without a score come last."""
    selector = methods.build(method, seed=seed).set_params(n_jobs=n_threads).fit(X, y)
    scores = np.nan_to_num(selector.scores_, nan=-np.inf)
    return Ranking(tuple(X.columns), scores, selector.selection_.selected)


def rank_by_gates(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Rank by the means of stochastic gates, and select those above one half."""
    import torch

    from gates import train_gates

    torch.set_num_threads(n_threads)
    data, _ = make_design_matrix(
        as_table(X), y, np.ones(len(X)), categorical_features="auto", target_type="auto", seed=seed
    )
    gates = train_gates(data.X.astype(np.float32), data.y, data.is_classification, seed)
    return Ranking(data.names, gates, tuple(name for name, gate in zip(data.names, gates, strict=True) if gate > 0.5))


@dataclass(frozen=True)
class Baseline:
    """A baseline, its name in the library if it has one, and whether its scores can select a given number k."""

    rank: Callable[[pd.DataFrame, pd.Series, int, int], Ranking]
    method: str | None = None
    takes_k: bool = True


def _from_library(method: str, takes_k: bool = True) -> Baseline:
    return Baseline(partial(rank_by_baseline, method), method, takes_k)


BASELINES = {
    "lightgbm": _from_library("boosting"),
    "forest": _from_library("forest"),
    "boruta": _from_library("boruta", takes_k=False),
    "gates": Baseline(rank_by_gates),
    "ksg": _from_library("ksg"),
}


def why_unavailable(name: str) -> str | None:
    """Return why a baseline cannot run here, or None if it can."""
    method = BASELINES[name].method
    return None if method is None or methods.is_installed(method) else f"not installed: {methods.INSTALL}"
