"""True pairs and shuffled pairs of a batch, scored by a critic."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from minerva_select.data.encoded_rows import Rows

Critic = Callable[[Rows, Rows, Tensor], Tensor]


def score_joint_and_marginal(
    critic: Critic, x: Rows, y: Rows, weights: Tensor, generator: Generator
) -> tuple[Tensor, Tensor]:  # (batch,), (batch,)
    """Scores of the true pairs, and of the pairs under one random permutation of the batch (eq. 7)."""
    sigma = torch.randperm(len(x), generator=generator, device=generator.device).to(x.device)
    joint_scores = critic(x, y, weights)
    marginal_scores = critic(x.take(sigma), y, weights)
    return joint_scores, marginal_scores
