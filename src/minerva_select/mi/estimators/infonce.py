"""Mutual information by contrast with the other rows of a batch (van den Oord, Li and Vinyals 2018)."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from minerva_select.config import NEURAL_ESTIMATORS
from minerva_select.mi.estimators.neural_critic import PairCritic, train_critic


def infonce(scores: Tensor) -> Tensor:  # (n_rows,)
    """Pointwise bound: the score of each row's own pair minus the log mean exponential of all its pairs.

    ``scores[i, j]`` is the score of row i of x with row j of y. No value exceeds log(n_rows).

    Examples
    --------
    >>> infonce(torch.tensor([[100.0, 0.0], [0.0, 100.0]])).tolist()  # log(2): the two rows are distinguished
    [0.693..., 0.693...]
    """
    return scores.diagonal() - torch.logsumexp(scores, dim=1) + math.log(len(scores))


def infonce_information(x: Tensor, y: Tensor, train: Tensor, held_out: Tensor, generator: Generator) -> Tensor:
    """Train a critic, and return the pointwise information of the held-out rows.

    Parameters
    ----------
    x, y : Tensor of shape (n_rows, n_columns)
        The two sides, standardized.
    train, held_out : Tensor of int
        Positions of the rows to train on, and to stop training and to estimate on.
    generator : Generator
        Draws the batches.

    Returns
    -------
    Tensor of shape (n_held_out,)
        Pointwise information in nats; the mean is the estimate, at most the log of
        ``NEURAL_ESTIMATORS.contrast_rows``.
    """
    critic = PairCritic(x.shape[1], y.shape[1]).to(x.device)
    n_blocks = math.ceil(len(held_out) / NEURAL_ESTIMATORS.contrast_rows)

    def loss(batch: Tensor) -> Tensor:
        rows = train[batch.to(train.device)]
        return -infonce(critic.score_all_pairs(x[rows], y[rows])).mean()

    def score_held_out() -> Tensor:
        blocks = held_out.tensor_split(n_blocks)
        return torch.cat([infonce(critic.score_all_pairs(x[rows], y[rows])) for rows in blocks])

    return train_critic(critic, loss, score_held_out, len(train), generator)
