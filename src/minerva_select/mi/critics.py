"""Critics: networks that score a pair of features and target, several members side by side."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.networks import ColumnEmbedding, FeatureTower, Linear, ResidualBlock
from minerva_select.mi.pair_tables import PairTables


class ConcatenatedCritic(nn.Module):
    """The paper's critic: embed features and target, join them, project within bounds, residual blocks, one score."""

    def __init__(
        self,
        x: ColumnLayout,
        y: ColumnLayout,
        *,
        n_members: int = 1,
        width: int = 128,
        n_blocks: int = 2,
        embedding_width: int = 8,
    ) -> None:
        super().__init__()
        self.embed_x = ColumnEmbedding(x, n_members, embedding_width, clamped=True)
        self.embed_y = ColumnEmbedding(y, n_members, embedding_width, clamped=True)
        n_inputs = (x.n_features + y.n_features) * embedding_width
        self.tower = nn.Sequential(
            Linear(n_members, n_inputs, width, bounded=True),
            *(ResidualBlock(n_members, width) for _ in range(n_blocks)),
            nn.SiLU(),
            Linear(n_members, width, 1),
        )

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Score row i of x with row i of y."""
        joined = torch.cat([self.embed_x(x, weights), self.embed_y(y)], dim=-1)
        scores: Tensor = self.tower(joined).squeeze(-1)
        return scores


class SeparableCritic(nn.Module):
    """T(x, y) = h(x) . g(y) / sqrt(K) + b(y): scores all pairs of a batch for the price of one."""

    def __init__(
        self,
        x: ColumnLayout,
        y: ColumnLayout,
        *,
        n_members: int = 1,
        width: int = 128,
        n_factors: int = 32,
        dropout: float = 0.0,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.n_factors = n_factors
        self.tower = FeatureTower(
            x, n_factors, n_members=n_members, width=width, dropout=dropout, pairs=pairs, device=device
        )
        self.target = FeatureTower(
            y, n_factors + 1, n_members=n_members, width=width // 2, n_blocks=1, embedding_width=16
        )

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Score every row of x with every row of y: (n_members, n_rows_x, n_rows_y)."""
        return self.scores(self.tower(x, weights, part), y)

    def scores(self, outputs: Tensor, y: Rows) -> Tensor:
        """Scores from what the tower says of the features."""
        g = self.target(y)
        products = outputs @ g[..., : self.n_factors].transpose(-1, -2) / math.sqrt(self.n_factors)
        scores: Tensor = products + g[..., self.n_factors].unsqueeze(-2)
        return scores


class ClassCritic(nn.Module):
    """T(x, k) for every class k of a discrete target, each with a score of its own: y is only counted."""

    def __init__(
        self,
        x: ColumnLayout,
        n_classes: int,
        *,
        n_members: int = 1,
        width: int = 128,
        dropout: float = 0.0,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.tower = FeatureTower(
            x, n_classes, n_members=n_members, width=width, dropout=dropout, pairs=pairs, device=device
        )

    def forward(self, x: Rows, y: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Score every row of x with every class: (n_members, n_rows_x, n_classes)."""
        return self.scores(self.tower(x, weights, part), y)

    def scores(self, outputs: Tensor, y: Rows) -> Tensor:
        """Scores from what the tower says of the features: its outputs."""
        return outputs
