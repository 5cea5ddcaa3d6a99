"""The loss of eq. 9: the negative bound, the sparsity of the weights, the drift of their norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Loss:
    """The three terms of the loss, each already multiplied by its coefficient."""

    negative_bound: Tensor
    sparsity_term: Tensor | float = 0.0
    drift_term: Tensor | float = 0.0

    @property
    def total(self) -> Tensor:
        """What is minimised."""
        return self.negative_bound + self.sparsity_term + self.drift_term

    def detach(self) -> Loss:
        """The same values without their gradient."""
        terms = (self.negative_bound, self.sparsity_term, self.drift_term)
        return Loss(*(torch.as_tensor(term).detach() for term in terms))


def sparsity_ratio(weights: Tensor) -> Tensor:
    """``||p||_1 / ||p||_2``: 1 for a single weight, sqrt(d) for d equal ones, whatever their size (eq. 9).

    The weights are never negative, so the 1-norm is their plain sum: its gradient is right at zero too, and the
    kink becomes the edge of the cone that :meth:`FeatureWeights.step_` projects onto.
    """
    ratio: Tensor = weights.sum() / weights.norm().clamp(min=1e-12)
    return ratio


def norm_drift(weights: Tensor, target_norm: float) -> Tensor:
    """Squared distance of ``||p||_2`` from the norm it should keep (eq. 9)."""
    drift: Tensor = (weights.norm() - target_norm) ** 2
    return drift
