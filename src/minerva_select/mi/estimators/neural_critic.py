"""The critic of InfoNCE and MINE, and its training."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from minerva_select.config import NEURAL_ESTIMATORS
from minerva_select.errors import DivergenceError
from minerva_select.runtime.rng import network_generator


class PairCritic(nn.Module):
    """Score pairs of rows with a small network of ReLU layers on the columns of both sides.

    Hidden values have the shape (width, n_pairs): products of a small matrix with a long one take two thirds of the
    time that they take the other way round.
    """

    def __init__(self, n_x: int, n_y: int) -> None:
        super().__init__()
        widths = (n_x + n_y, *NEURAL_ESTIMATORS.widths, 1)
        self.n_x = n_x
        self.weights = nn.ParameterList(_draw(n_out, n_in, n_inputs=n_in) for n_in, n_out in pairwise(widths))
        self.biases = nn.ParameterList(_draw(n_out, 1, n_inputs=n_in) for n_in, n_out in pairwise(widths))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:  # (n_rows,)
        """Score row i of x with row i of y."""
        of_x, of_y = self._project(x, y)
        return self._score(of_x + of_y)

    def score_all_pairs(self, x: Tensor, y: Tensor) -> Tensor:  # (n_x_rows, n_y_rows)
        """Score every row of x with every row of y."""
        of_x, of_y = self._project(x, y)
        return self._score((of_x[:, :, None] + of_y[:, None]).flatten(1)).view(len(x), len(y))

    def _project(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:  # (width, n_rows) each
        """Apply the first layer to each side alone; their sum is its output."""
        weight = self.weights[0]
        of_x: Tensor = weight[:, : self.n_x] @ x.T
        return of_x, weight[:, self.n_x :] @ y.T + self.biases[0]

    def _score(self, hidden: Tensor) -> Tensor:  # (n_pairs,)
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            hidden = torch.addmm(bias, weight, functional.relu(hidden))
        return hidden[0]


def _draw(*shape: int, n_inputs: int) -> nn.Parameter:
    """Uniform initial values within 1 / sqrt(n_inputs), the default of torch."""
    limit = 1 / math.sqrt(n_inputs)
    return nn.Parameter(torch.empty(shape).uniform_(-limit, limit, generator=network_generator()))


def train_critic(
    critic: PairCritic,
    loss: Callable[[Tensor], Tensor],
    score_held_out: Callable[[], Tensor],
    n_train: int,
    generator: Generator,
) -> Tensor:
    """Train with Adam on random batches until the bound on held-out rows stops rising.

    Parameters
    ----------
    critic : PairCritic
        Trained in place.
    loss : callable
        Loss of a batch, given the positions of its rows among the training rows.
    score_held_out : callable
        Pointwise information of the held-out rows; its mean is the bound.
    n_train : int
        Number of training rows.
    generator : Generator
        Draws the batches.

    Returns
    -------
    Tensor of shape (n_held_out,)
        The best pointwise information of the held-out rows.
    """
    settings = NEURAL_ESTIMATORS
    optimizer = torch.optim.Adam(critic.parameters(), lr=settings.learning_rate)
    best, best_bound, n_worse = None, -math.inf, 0
    for step in range(1, settings.max_steps + 1):
        optimizer.zero_grad()
        batch = torch.randperm(n_train, generator=generator)[: settings.batch_size]
        loss(batch).backward()
        optimizer.step()
        if step % settings.evaluate_every == 0:
            with torch.no_grad():
                pointwise = score_held_out().double()
            bound = float(pointwise.mean())  # .item() waits for the GPU, so only at evaluations
            if bound > best_bound:
                best, best_bound, n_worse = pointwise, bound, 0
            else:
                n_worse += 1
            if n_worse >= settings.patience:
                break
    if best is None:
        raise DivergenceError(
            f"The bound was not finite after {settings.patience * settings.evaluate_every} training steps; "
            "rescale columns with extreme values, or use another estimator."
        )
    return best
