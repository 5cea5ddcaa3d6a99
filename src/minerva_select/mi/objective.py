"""The loss of eq. 9: negative bound, sparsity of the weights, drift of their norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Loss:
    """The three terms of the loss, each multiplied by its coefficient."""

    negative_bound: Tensor
    sparsity_term: Tensor | float = 0.0
    drift_term: Tensor | float = 0.0

    @property
    def total(self) -> Tensor:
        """Sum of the three terms, which training minimizes."""
        return self.negative_bound + self.sparsity_term + self.drift_term

    def detach(self) -> Loss:
        """The same values without their gradient."""
        terms = (self.negative_bound, self.sparsity_term, self.drift_term)
        return Loss(*(torch.as_tensor(term).detach() for term in terms))


def sparsity_ratio(weights: Tensor) -> Tensor:
    """``||p||_1 / ||p||_2`` (eq. 9): 1 for a single weight, sqrt(d) for d equal weights of any size.

    The weights are never negative, so the 1-norm is their sum, whose gradient is also right at zero.
    """
    ratio: Tensor = weights.sum() / weights.norm().clamp(min=1e-12)
    return ratio


def norm_drift(weights: Tensor, target_norm: float) -> Tensor:
    """Squared distance of ``||p||_2`` from ``target_norm`` (eq. 9)."""
    drift: Tensor = (weights.norm() - target_norm) ** 2
    return drift
