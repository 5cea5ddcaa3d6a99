"""Lower bounds on mutual information as functions of critic scores, in nats."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from minerva_select.data.encoded_rows import Rows
from minerva_select.runtime.distributed import ProcessGroup

Critic = Callable[[Rows, Rows, Tensor], Tensor]


def log_mean_exp(scores: Tensor, dim: int = -1) -> Tensor:
    """Logarithm of the mean of exp(scores), stable for scores of any size."""
    return torch.logsumexp(scores, dim=dim) - math.log(scores.shape[dim])


def score_joint_and_marginal(
    critic: Critic, x: Rows, y: Rows, weights: Tensor, generator: Generator
) -> tuple[Tensor, Tensor]:  # (batch,), (batch,)
    """Score the pairs of a batch, and the same pairs with x permuted at random (eq. 7)."""
    sigma = torch.randperm(len(x), generator=generator, device=generator.device).to(x.device)
    joint_scores = critic(x, y, weights)
    marginal_scores = critic(x.take(sigma), y, weights)
    return joint_scores, marginal_scores


def donsker_varadhan(joint_scores: Tensor, marginal_scores: Tensor, ranks: ProcessGroup | None = None) -> Tensor:
    """Lower bound E_P[T] - log E_Q[exp T] on mutual information (eqs. 4 to 8).

    With ``ranks``, the scores are those of this rank. Every rank gets the bound of the whole batch, and the gradient of
    its own share.
    """
    if ranks is not None:
        return ranks.mean(joint_scores.flatten()) - ranks.log_mean_exp(marginal_scores.flatten())
    return joint_scores.mean() - log_mean_exp(marginal_scores.flatten())


def pointwise_information(scores: Tensor, bins: Tensor, log_prior: Tensor) -> Tensor:
    """Pointwise mutual information log q(y|x) / p(y) of each row, with the exact marginal p(y).

    ``scores[..., k]`` is the critic's score of the row with target value k. With q(k|x) proportional to
    p(k) exp T(x, k), the mean over rows is a lower bound on I(X; Y), never below the Donsker-Varadhan bound of the same
    critic (Jensen). It needs no permuted pairs, so it works at any class balance.
    """
    normalizer = torch.logsumexp(scores + log_prior, dim=-1)
    return scores.gather(-1, bins.unsqueeze(-1)).squeeze(-1) - normalizer
