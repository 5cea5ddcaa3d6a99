"""A few rows that stand for all of a table: to judge its columns by, or to fit where the time is too short for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.mi.sampling import draw_stratified

_SEED = 0  # which rows stand for all is no choice of the user's: the same table gives the same


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that stand for all, and the share of its stratum that each was drawn with."""

    rows: NDArray[np.int64]  # ascending
    shares: NDArray[np.float64]


def draw(strata: NDArray[np.int64], n_rows: int) -> Drawn:
    """About so many rows at random, with every row of a stratum that is rare.

    Examples
    --------
    >>> drawn = draw(np.repeat([0, 1], [9990, 10]), 100)
    >>> int((drawn.rows >= 9990).sum()), len(drawn.rows) < 200
    (10, True)
    """
    generator = torch.Generator().manual_seed(_SEED)
    rows, shares = draw_stratified(torch.as_tensor(strata), min(n_rows, len(strata)), generator)
    return Drawn(rows.numpy(), shares.double().numpy())
