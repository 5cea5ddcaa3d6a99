"""Stochastic gates (Yamada, Lindenbaum, Negahban, Kluger 2020): a network with noisy gates on its inputs.

Column d is multiplied by z_d = clip(mu_d + sigma * noise, 0, 1) with sigma = 0.5. The network and the means mu are
trained together on the loss plus LAMBDA times the expected share of open gates, P(z_d > 0) = Phi(mu_d / sigma). After
training, the score of a column is the mean of its gate.
"""

import itertools
import math

import numpy as np
import torch
from torch import Tensor, nn

SIGMA = 0.5
# The same penalty for all data. Of the 10 relevant columns of switching (one seed), 0.01 keeps 10, 0.02 keeps 9, 0.05
# keeps 6 and 0.1 keeps 5; if nothing is relevant, 0.02 keeps all columns and 0.05 none.
LAMBDA = 0.02
HIDDEN = (64, 20)
N_STEPS = 12_000
BATCH_SIZE = 500
LEARNING_RATE = 3e-3


class GatedNetwork(nn.Module):
    """A small network with a gate on every input; all gates start half open."""

    def __init__(self, n_columns: int, n_outputs: int) -> None:
        super().__init__()
        self.means = nn.Parameter(torch.full((n_columns,), 0.5))
        sizes = (n_columns, *HIDDEN)
        layers = [layer for pair in itertools.pairwise(sizes) for layer in (nn.Linear(*pair), nn.ReLU())]
        self.network = nn.Sequential(*layers, nn.Linear(HIDDEN[-1], n_outputs))

    def forward(self, X: Tensor, noise: Tensor) -> Tensor:
        gates = (self.means + SIGMA * noise).clamp(0.0, 1.0)
        return self.network(X * gates)

    def open_share(self) -> Tensor:
        """Expected share of open gates."""
        return 0.5 * (1.0 + torch.erf(self.means / (SIGMA * math.sqrt(2.0)))).mean()


def train_gates(X: np.ndarray, y: np.ndarray, is_classification: bool, seed: int) -> np.ndarray:
    """Train on standardized columns and return the mean of each gate."""
    torch.manual_seed(seed)
    inputs = _standardize(torch.tensor(X, dtype=torch.float32))
    if is_classification:
        targets, n_outputs, loss = torch.tensor(y, dtype=torch.int64), int(y.max()) + 1, nn.CrossEntropyLoss()
    else:
        targets, n_outputs = _standardize(torch.tensor(y, dtype=torch.float32)[:, None]), 1
        loss = nn.MSELoss()
    model = GatedNetwork(inputs.shape[1], n_outputs)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    for _ in range(N_STEPS):
        rows = torch.randint(len(inputs), (BATCH_SIZE,))
        noise = torch.randn(BATCH_SIZE, inputs.shape[1])  # independent for every row, as in the paper
        objective = loss(model(inputs[rows], noise), targets[rows]) + LAMBDA * model.open_share()
        optimizer.zero_grad()
        objective.backward()
        optimizer.step()
    return model.means.detach().numpy().astype(float)


def _standardize(values: Tensor) -> Tensor:
    return (values - values.mean(dim=0)) / values.std(dim=0).clamp_min(1e-6)
