"""Mutual information by the bound of Donsker and Varadhan: MINE (Belghazi et al. 2018)."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from minerva_select.config import NEURAL_ESTIMATORS
from minerva_select.mi.bounds import log_mean_exp
from minerva_select.mi.estimators.neural_critic import PairCritic, train_critic


def pointwise_donsker_varadhan(joint_scores: Tensor, marginal_scores: Tensor) -> Tensor:  # (n_rows,)
    """Values whose mean is the bound E_P[T] - log E_Q[exp T], and whose spread gives its standard error.

    The logarithm is linearized at its argument (delta method), so row i holds its share of both expectations.

    Examples
    --------
    >>> values = pointwise_donsker_varadhan(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    >>> values.tolist()
    [1.0, 2.0]
    """
    normalizer = log_mean_exp(marginal_scores)
    return joint_scores - normalizer - torch.expm1(marginal_scores - normalizer)


class MovingAverage:
    """Exponential moving average of E_Q[exp T] over batches, on a log scale.

    The gradient of a batch's log E_Q[exp T] divides by the mean of that batch alone, which biases it. Dividing by the
    average over batches corrects most of the bias. The average starts at 0, as in the "Beyond Normal" benchmark: the
    first gradients are then large, so Adam takes small steps at first, and fewer trainings get stuck at 0.
    """

    def __init__(self, decay: float = NEURAL_ESTIMATORS.decay) -> None:
        self.decay = decay
        self.log_mean = torch.tensor(-math.inf)

    def correct(self, log_mean: Tensor) -> Tensor:
        """Return a term with the corrected gradient of the log mean of a batch, and add the batch to the average."""
        current = log_mean.detach()
        past = self.log_mean.to(current) + math.log(self.decay)
        self.log_mean = torch.logaddexp(past, current + math.log(1 - self.decay))
        return torch.exp(current - self.log_mean) * log_mean


def mine_information(x: Tensor, y: Tensor, train: Tensor, held_out: Tensor, generator: Generator) -> Tensor:
    """Train a critic, and return the pointwise bound of the held-out rows.

    Parameters
    ----------
    x, y : Tensor of shape (n_rows, n_columns)
        The two sides, standardized.
    train, held_out : Tensor of int
        Positions of the rows to train on, and to stop training and to estimate on.
    generator : Generator
        Draws the batches and the permuted pairs.

    Returns
    -------
    Tensor of shape (n_held_out,)
        Values in nats whose mean is the estimate.
    """
    critic = PairCritic(x.shape[1], y.shape[1]).to(x.device)
    average = MovingAverage()

    def loss(batch: Tensor) -> Tensor:
        rows = train[batch.to(train.device)]
        others = train[torch.randperm(len(train), generator=generator)[: len(rows)].to(train.device)]
        log_mean = average.correct(log_mean_exp(critic(x[rows], y[others])))
        joint: Tensor = critic(x[rows], y[rows]).mean()
        return log_mean - joint

    def score_held_out() -> Tensor:
        others = held_out[torch.randperm(len(held_out), generator=generator).to(held_out.device)]
        return pointwise_donsker_varadhan(critic(x[held_out], y[held_out]), critic(x[held_out], y[others]))

    return train_critic(critic, loss, score_held_out, len(train), generator)
