"""What a user would pick instead of MINERVA: each ranks the columns of a table, and says what it keeps by itself.

A rival is a function of the table, the target, a seed and a number of threads that returns a :class:`Ranking`: one of
the library's own baselines, or stochastic gates, which the library does not have. :func:`why_unavailable` tells which
cannot run here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from minerva_select.data.frames import as_table
from minerva_select.evaluation import methods
from minerva_select.selectors.baselines.design_matrix import ask


@dataclass(frozen=True)
class Ranking:
    """Scores of columns, the higher the better, and the columns that a rival keeps when not told k."""

    names: tuple[str, ...]
    scores: np.ndarray  # (n_columns,)
    kept: tuple[str, ...]

    def keep(self, k: int | None = None) -> list[str]:
        """The k best columns, or those that the rival keeps by itself, in column order."""
        best = {self.names[place] for place in np.argsort(-self.scores, kind="stable")[:k]} if k else {*self.kept}
        return [name for name in self.names if name in best]


def rank_by_baseline(method: str, X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Fit one of the library's baselines; columns that take no part come last."""
    selector = methods.build(method, seed=seed).set_params(n_jobs=n_threads).fit(X, y)
    scores = np.nan_to_num(selector.scores_, nan=-np.inf)
    return Ranking(tuple(X.columns), scores, selector.selection_.selected)


def rank_by_gates(X: pd.DataFrame, y: pd.Series, seed: int, n_threads: int) -> Ranking:
    """Means of stochastic gates in front of a small network; cut at a half."""
    import torch

    from gates import train_gates

    torch.set_num_threads(n_threads)
    data, _ = ask(as_table(X), y, np.ones(len(X)), categorical="auto", target="auto", seed=seed)
    gates = train_gates(data.X.astype(np.float32), data.y, data.is_classification, seed)
    return Ranking(data.names, gates, tuple(name for name, gate in zip(data.names, gates, strict=True) if gate > 0.5))


@dataclass(frozen=True)
class Rival:
    """A rival, the method of the library that it is, if any, and whether its scores say which k to keep."""

    rank: Callable[[pd.DataFrame, pd.Series, int, int], Ranking]
    method: str | None = None
    takes_k: bool = True


def _baseline(method: str, takes_k: bool = True) -> Rival:
    return Rival(partial(rank_by_baseline, method), method, takes_k)


RIVALS = {
    "lightgbm": _baseline("boosting"),
    "forest": _baseline("forest"),
    "boruta": _baseline("boruta", takes_k=False),
    "gates": Rival(rank_by_gates),
    "ksg": _baseline("ksg"),
}


def why_unavailable(method: str) -> str | None:
    """Why a rival cannot run here, or None when it can."""
    baseline = RIVALS[method].method
    return None if baseline is None else methods.why_unavailable(baseline)
