"""Non-negative feature weights that a projected gradient step can bring to exactly zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


class FeatureWeights:
    """One weight per unit, where a unit is a feature or a group of features that are selected together."""

    def __init__(self, units: Sequence[int], device: torch.device) -> None:
        self.units = torch.as_tensor(units, dtype=torch.int64, device=device)  # (n_features,) unit of each feature
        self.values = torch.ones(int(self.units.max()) + 1, device=device, requires_grad=True)

    def by_feature(self) -> Tensor:
        """Weight of every feature; differentiable."""
        return self.values[self.units]

    @torch.no_grad()
    def step_(self, rate: float, max_share: float = math.inf) -> None:
        """Take the plain gradient step of Algorithm 1 (line 12), projected onto non-negative weights.

        No weight changes by more than ``max_share`` of the norm of all weights. The bound is steep where a small weight
        is all that carries its information, and a single noisy batch could then bring a needed weight to zero.

        On that cone the 1-norm is linear, so this is the proximal step of the penalty: weights reach exactly zero and
        stay there unless the gradient of the bound exceeds that of the penalty. Adam would scale the noise of
        irrelevant weights up to the size of the signal.
        """
        gradient = self.values.grad
        if gradient is None:
            raise ValueError("step_ needs the gradient of the loss; call backward() first.")
        limit = (max_share * self.values.norm()).nan_to_num(math.inf)  # an infinite share of nothing
        self.values.sub_((rate * gradient).clamp(-limit, limit)).clamp_(min=0.0)
        self.values.grad = None

    @property
    def n_kept(self) -> int:
        """Number of features whose weight is not zero."""
        return int((self.by_feature() > 0).sum())
