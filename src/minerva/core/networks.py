"""Layers that every critic is made of."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from minerva.core.inputs import Layout, Rows


def soft_clamp(values: Tensor, limit: float = 3.0) -> Tensor:
    """Values bent smoothly into (-limit, limit); near zero they stay what they are."""
    return limit * torch.tanh(values / limit)


def cosines(ranks: Tensor, n_waves: int) -> Tensor:  # (..., n_waves)
    """A rank in [0, 1] as half waves cos(pi k r) / sqrt(k), k = 1..n_waves.

    A small network learns a wave from straight lines slowly; given waves, it learns most shapes in few steps.
    """
    k = torch.arange(1, n_waves + 1, device=ranks.device, dtype=ranks.dtype)
    return torch.cos(math.pi * ranks.unsqueeze(-1) * k) / k.sqrt()


class ColumnEmbedding(nn.Module):
    """Every column as a short vector: learned for levels, waves of the rank for amounts, learned where missing."""

    def __init__(self, layout: Layout, width: int = 8, *, clamped: bool = False) -> None:
        super().__init__()
        self.layout = layout
        self.width = width
        self.bend = soft_clamp if clamped else nn.Identity()
        offsets = [sum(layout.n_levels[:k]) for k in range(len(layout.n_levels))]
        self.register_buffer("offsets", torch.tensor(offsets, dtype=torch.int64))
        self.register_buffer("order", torch.tensor(layout.positions, dtype=torch.int64))
        self.levels = nn.Embedding(max(1, sum(layout.n_levels)), width)
        self.missing = nn.Parameter(torch.randn(layout.n_continuous, width))

    offsets: Tensor
    order: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None) -> Tensor:  # (batch, n_features * width)
        """Embedded columns, each times the weight of its feature, in the order of the layout."""
        levels = self.bend(self.levels(rows.codes + self.offsets))
        waves = cosines(rows.ranks.nan_to_num(0.0), self.width)
        amounts = torch.where(rows.ranks.isnan().unsqueeze(-1), self.bend(self.missing), waves)
        embedded = torch.cat([amounts, levels], dim=-2)
        if weights is not None:
            embedded = embedded * weights[..., self.order].unsqueeze(-1)
        return embedded.flatten(-2)


class BoundedLinear(nn.Linear):
    """A linear layer whose entries stay within the range they are drawn from, +-1/sqrt(n_inputs).

    Without it the network undoes small feature weights by large entries, and no weight ever means anything.
    """

    @property
    def limit(self) -> float:
        """Largest size an entry may have."""
        return 1.0 / math.sqrt(self.in_features)


class ResidualBlock(nn.Module):
    """x + W2 silu(W1 norm(x)), the unit that the critics stack."""

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Dropout(dropout), nn.Linear(width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add what the block has learned to its input."""
        out: Tensor = x + self.inner(x)
        return out


class ResidualTower(nn.Sequential):
    """Projection of the embedded columns, residual blocks, and an output layer."""

    def __init__(self, projection: nn.Linear, n_blocks: int, n_outputs: int, dropout: float = 0.0) -> None:
        width = projection.out_features
        blocks = [ResidualBlock(width, dropout) for _ in range(n_blocks)]
        super().__init__(projection, *blocks, nn.SiLU(), nn.Linear(width, n_outputs))
