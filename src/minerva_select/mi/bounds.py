"""Lower bounds on mutual information, as pure functions of critic scores. All in nats."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from minerva_select.runtime.distributed import ProcessGroup


def log_mean_exp(scores: Tensor, dim: int = -1) -> Tensor:
    """Logarithm of the mean of exp(scores), safe at scores of any size."""
    return torch.logsumexp(scores, dim=dim) - math.log(scores.shape[dim])


def donsker_varadhan(joint_scores: Tensor, marginal_scores: Tensor, ranks: ProcessGroup | None = None) -> Tensor:
    """Lower bound E_P[T] - log E_Q[exp T] on mutual information (eqs. 4 to 8).

    With ``ranks`` the scores are this rank's share: the bound is that of the joined batch on every rank, and its
    gradient is this rank's part of the whole.

    Examples
    --------
    A critic that knows nothing has a bound of zero, and adding a constant changes nothing:

    >>> import torch
    >>> scores = torch.zeros(8)
    >>> float(donsker_varadhan(scores + 3, scores + 3))
    0.0
    """
    if ranks is not None:
        return ranks.mean(joint_scores.flatten()) - ranks.log_mean_exp(marginal_scores.flatten())
    return joint_scores.mean() - log_mean_exp(marginal_scores.flatten())


def donsker_varadhan_all_pairs(scores: Tensor) -> Tensor:
    """Donsker-Varadhan's bound with every other row of the batch as a shuffled partner.

    ``scores[i, j]`` pairs the features of row i with the target of row j: the diagonal holds true pairs,
    everything else pairs from the product of the marginals. One shuffle uses n of those; this uses n (n - 1).
    """
    n_rows = scores.shape[0]
    off_diagonal = ~torch.eye(n_rows, dtype=torch.bool, device=scores.device)
    return donsker_varadhan(scores.diagonal(), scores[off_diagonal])


def pointwise_information(scores: Tensor, bins: Tensor, log_prior: Tensor) -> Tensor:
    """Information of each row, log q(y|x) / p(y), where the marginal of y is exact.

    ``scores[..., k]`` is the critic of the row with bin k of the target. With q(k|x) proportional to
    p(k) exp T(x, k), the mean over rows is a lower bound on I(X; Y), and never below Donsker-Varadhan's
    for the same critic (Jensen). No shuffled pairs are needed, so it works at any class balance.
    """
    normaliser = torch.logsumexp(scores + log_prior, dim=-1)
    return scores.gather(-1, bins.unsqueeze(-1)).squeeze(-1) - normaliser
