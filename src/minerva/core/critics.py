"""Critics: networks that score a pair of features and target."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from minerva.core.inputs import Layout, Rows
from minerva.core.networks import BoundedLinear, ColumnEmbedding, ResidualTower


class ConcatenatedCritic(nn.Module):
    """The paper's critic: embed features and target, join them, project within bounds, residual blocks, one score."""

    def __init__(self, x: Layout, y: Layout, width: int = 128, n_blocks: int = 2, embedding_width: int = 8) -> None:
        super().__init__()
        self.embed_x = ColumnEmbedding(x, embedding_width, clamped=True)
        self.embed_y = ColumnEmbedding(y, embedding_width, clamped=True)
        n_inputs = (x.n_features + y.n_features) * embedding_width
        self.tower = ResidualTower(BoundedLinear(n_inputs, width), n_blocks, 1)

    def forward(self, x: Rows, y: Rows, weights: Tensor) -> Tensor:  # (batch,)
        """Score row i of x with row i of y."""
        joined = torch.cat([self.embed_x(x, weights), self.embed_y(y)], dim=-1)
        scores: Tensor = self.tower(joined).squeeze(-1)
        return scores


class SeparableCritic(nn.Module):
    """T(x, y) = h(x) . g(y) / sqrt(K) + b(y): scores all pairs of a batch for the price of one."""

    def __init__(
        self,
        x: Layout,
        y: Layout,
        width: int = 128,
        n_blocks: int = 2,
        embedding_width: int = 8,
        n_factors: int = 32,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.n_factors = n_factors
        self.embed_x = ColumnEmbedding(x, embedding_width)
        self.embed_y = ColumnEmbedding(y, 2 * embedding_width)
        project_x = nn.Linear(x.n_features * embedding_width, width)
        project_y = nn.Linear(y.n_features * 2 * embedding_width, width // 2)
        self.tower_x = ResidualTower(project_x, n_blocks, n_factors, dropout)
        self.tower_y = ResidualTower(project_y, 1, n_factors + 1)

    def forward(self, x: Rows, y: Rows, weights: Tensor) -> Tensor:  # (n_rows_x, n_rows_y)
        """Score every row of x with every row of y."""
        h = self.tower_x(self.embed_x(x, weights))
        g = self.tower_y(self.embed_y(y))
        scores: Tensor = h @ g[..., : self.n_factors].T / math.sqrt(self.n_factors) + g[..., self.n_factors]
        return scores


class ClassCritic(nn.Module):
    """T(x, k) for every class k of a discrete target, each with a score of its own: y is only counted."""

    def __init__(
        self,
        x: Layout,
        n_classes: int,
        width: int = 128,
        n_blocks: int = 2,
        embedding_width: int = 8,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embed_x = ColumnEmbedding(x, embedding_width)
        project_x = nn.Linear(x.n_features * embedding_width, width)
        self.tower = ResidualTower(project_x, n_blocks, n_classes, dropout)

    def forward(self, x: Rows, y: Rows, weights: Tensor) -> Tensor:  # (n_rows_x, n_classes)
        """Score every row of x with every class."""
        scores: Tensor = self.tower(self.embed_x(x, weights))
        return scores
