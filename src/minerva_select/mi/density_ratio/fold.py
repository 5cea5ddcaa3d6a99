"""Rows of a fold, and the information that is found in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Rows of one fold."""

    train: NDArray[np.int64]
    tune: NDArray[np.int64]
    held_out: NDArray[np.int64]

    @property
    def rest(self) -> NDArray[np.int64]:
        """All rows but the held-out ones."""
        return np.sort(np.concatenate([self.train, self.tune]))


@dataclass(frozen=True, eq=False)
class FoldInformation:
    """Pointwise information that one fold finds: by the best closed form alone, and by all density ratios mixed."""

    is_gaussian: bool  # whether the best closed form is Gaussian
    plain: float  # mean of the best closed form without predictions
    closed: Tensor  # (n_held_out,)
    mixed: Tensor  # (n_held_out,)
    closed_in_training: float  # mean over training rows
    mixed_in_training: float
