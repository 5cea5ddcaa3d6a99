"""Critics: networks that score pairs of features and target, several members side by side."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from minerva_select.config import CRITIC
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.layers import ColumnEmbedding, Linear, ResidualBlock
from minerva_select.mi.networks import FeatureTower, NetworkShape
from minerva_select.mi.pair_tables import PairTables


class ConcatenatedCritic(nn.Module):
    """The paper's critic: embed features and target, concatenate, bounded projection, residual blocks, one score."""

    def __init__(self, x: ColumnLayout, y: ColumnLayout, shape: NetworkShape | None = None) -> None:
        super().__init__()
        shape = NetworkShape() if shape is None else shape
        n_members, width = shape.n_members, shape.width
        self.embed_x = ColumnEmbedding(x, n_members, shape.embedding_width, clamped=True)
        self.embed_y = ColumnEmbedding(y, n_members, shape.embedding_width, clamped=True)
        self.tower = nn.Sequential(
            Linear(n_members, (x.n_features + y.n_features) * shape.embedding_width, width, bounded=True),
            *(ResidualBlock(n_members, width) for _ in range(shape.n_blocks)),
            nn.SiLU(),
            Linear(n_members, width, 1),
        )

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Score row i of x with row i of y."""
        joined = torch.cat([self.embed_x(x, weights), self.embed_y(y)], dim=-1)
        scores: Tensor = self.tower(joined).squeeze(-1)
        return scores


class SeparableCritic(nn.Module):
    """T(x, y) = h(x) . g(y) / sqrt(K) + b(y): scores all pairs of a batch at the cost of one pass."""

    def __init__(
        self,
        x: ColumnLayout,
        y: ColumnLayout,
        shape: NetworkShape,
        *,
        n_factors: int = CRITIC.n_factors,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.n_factors = n_factors
        self.tower = FeatureTower(x, n_factors, shape, pairs, device)
        target_shape = NetworkShape(
            shape.n_members, shape.width // 2, CRITIC.target_n_blocks, CRITIC.target_embedding_width
        )
        self.target = FeatureTower(y, n_factors + 1, target_shape)

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Score every row of x with every row of y: (n_members, n_rows_x, n_rows_y)."""
        return self.scores(self.tower(x, weights, part), y)

    def scores(self, outputs: Tensor, y: Rows) -> Tensor:
        """Scores from the outputs of the feature tower."""
        g = self.target(y)
        products = outputs @ g[..., : self.n_factors].transpose(-1, -2) / math.sqrt(self.n_factors)
        scores: Tensor = products + g[..., self.n_factors].unsqueeze(-2)
        return scores


class ClassCritic(nn.Module):
    """T(x, k) for every class k of a discrete target, one output per class."""

    def __init__(
        self,
        x: ColumnLayout,
        n_classes: int,
        shape: NetworkShape,
        *,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.tower = FeatureTower(x, n_classes, shape, pairs, device)

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Score every row of x with every class: (n_members, n_rows_x, n_classes)."""
        return self.scores(self.tower(x, weights, part), y)

    def scores(self, outputs: Tensor, y: Rows) -> Tensor:
        """Scores from the outputs of the feature tower, which they are."""
        return outputs
