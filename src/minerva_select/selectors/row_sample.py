"""Stratified row samples: to find column types, or to fit if the time limit is too short for all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from minerva_select.mi.sampling import draw_stratified

_SEED = 0  # fixed, so that the same table gives the same sample


@dataclass(frozen=True, eq=False)
class RowSample:
    """A sample of rows and the sampling rate of each row's stratum."""

    rows: NDArray[np.int64]  # ascending
    shares: NDArray[np.float64]


def sample_rows(strata: NDArray[np.int64], n_rows: int) -> RowSample:
    """Draw about this many rows at random, with all rows of rare strata."""
    generator = torch.Generator().manual_seed(_SEED)
    rows, shares = draw_stratified(torch.as_tensor(strata), min(n_rows, len(strata)), generator)
    return RowSample(rows.numpy(), shares.double().numpy())
