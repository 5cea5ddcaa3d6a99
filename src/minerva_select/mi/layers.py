"""Layers of the critics.

Every layer holds several members side by side: parameters and inputs have a leading dimension of members, and one
batched product serves them all. The number of calls, not arithmetic, bounds the speed of small networks, so ten members
cost little more than one.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.config import CRITIC
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.data.sharding import Shard
from minerva_select.runtime.rng import network_generator


def soft_clamp(values: Tensor, limit: float = CRITIC.clamp_limit) -> Tensor:
    """Map values smoothly into (-limit, limit); close to the identity near zero."""
    return limit * torch.tanh(values / limit)


def cosine_features(quantiles: Tensor, n_waves: int) -> Tensor:  # (..., n_waves)
    """Half waves cos(pi k r) / sqrt(k), k = 1..n_waves, of values r in [0, 1].

    A small network learns waves slowly from linear inputs; given waves, it learns most shapes in few steps.
    """
    if not quantiles.is_cpu:  # a GPU takes the cosines in one pass
        k = torch.arange(1, n_waves + 1, device=quantiles.device, dtype=quantiles.dtype)
        return torch.cos(math.pi * quantiles.unsqueeze(-1) * k) / k.sqrt()
    # cos((k + 1) a) = 2 cos(a) cos(k a) - cos((k - 1) a): half the time of n_waves cosines, with errors below 2e-6
    wave = torch.cos(math.pi * quantiles)
    doubled, before = 2.0 * wave, torch.ones_like(wave)
    waves = wave.new_empty(*wave.shape, n_waves)
    for number in range(1, n_waves + 1):
        torch.mul(wave, 1.0 / math.sqrt(number), out=waves[..., number - 1])
        wave, before = torch.mul(doubled, wave).sub_(before), wave
    return waves


class Linear(nn.Module):
    """A linear layer per member; ``bounded`` keeps its entries within the range of their initial values.

    Otherwise the network compensates small feature weights by large entries, and the weights lose their meaning.
    """

    def __init__(self, n_members: int, n_inputs: int, n_outputs: int, *, bounded: bool = False) -> None:
        super().__init__()
        self.bounded = bounded
        self.limit = 1.0 / math.sqrt(max(1, n_inputs))
        self.weight = nn.Parameter(self._draw(n_members, n_inputs, n_outputs))
        self.bias = nn.Parameter(self._draw(n_members, 1, n_outputs))

    def _draw(self, *shape: int) -> Tensor:
        return torch.empty(shape).uniform_(-self.limit, self.limit, generator=network_generator())

    def forward(self, x: Tensor) -> Tensor:  # (n_members, n_rows, n_outputs)
        """Apply the affine map of each member."""
        return torch.baddbmm(self.bias, x, self.weight)


class ColumnEmbedding(nn.Module):
    """A short vector per column: learned for categorical levels and missing values, cosine features for numbers."""

    def __init__(
        self, layout: ColumnLayout, n_members: int, width: int = CRITIC.embedding_width, *, clamped: bool = False
    ) -> None:
        super().__init__()
        self.layout = layout
        self.width = width
        self.clamp = soft_clamp if clamped else nn.Identity()
        self.n_codes = max(1, sum(layout.n_levels))
        starts = torch.tensor([0, *layout.n_levels]).cumsum(0)[:-1]
        members = torch.arange(n_members) * self.n_codes
        # Index of the first vector of each member's columns, in the concatenated table of all members
        self.register_buffer("starts", members.view(-1, 1, 1) + starts)
        self.register_buffer("order", torch.tensor(layout.positions, dtype=torch.int64))
        self.levels = nn.Parameter(torch.randn(n_members, self.n_codes, width, generator=network_generator()))
        self.missing = nn.Parameter(torch.randn(n_members, layout.n_numeric, width, generator=network_generator()))

    starts: Tensor
    order: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None) -> Tensor:  # (n_members, n_rows, n_features * width)
        """Embed the columns in the order of the layout, each multiplied by the weight of its feature.

        Weights are (n_members, n_features) or (n_members, n_rows, n_features).
        """
        levels = functional.embedding(rows.codes + self.starts, self.clamp(self.levels).flatten(0, 1))
        numeric = self._embed_numeric(rows.quantiles, self.missing)
        embedded = torch.cat([numeric, levels], dim=-2) if numeric.shape[-2] else levels
        if weights is not None:
            weights = weights if weights.dim() == 3 else weights.unsqueeze(1)
            embedded = embedded * weights[..., self.order].unsqueeze(-1)
        return embedded.flatten(-2)

    def column(self, values: Tensor, place: int, members: slice) -> Tensor:  # (n_members, n_rows, width)
        """Embed the values (n_members, n_rows) of one column for some of the members."""
        n_numeric = self.layout.n_numeric
        if place < n_numeric:
            return self._embed_numeric(values.unsqueeze(-1), self.missing[members, place : place + 1]).squeeze(2)
        codes = values + self.starts[members, :, place - n_numeric]
        return functional.embedding(codes, self.clamp(self.levels).flatten(0, 1))

    def _embed_numeric(self, quantiles: Tensor, missing: Tensor) -> Tensor:
        waves = cosine_features(quantiles.nan_to_num(0.0), self.width)
        return torch.where(quantiles.isnan().unsqueeze(-1), self.clamp(missing).unsqueeze(1), waves)


class Dropout(nn.Module):
    """Dropout that draws one byte per value, at a tenth of the cost of nn.Dropout.

    In a distributed run every process draws for the whole batch and uses its own portion, so that all see the same.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.n_kept = 256 - round(256 * share)  # of 256
        self.shard: Shard | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Set a share of the values to zero while training, and scale up the others."""
        if not self.training or self.n_kept == 256:
            return x
        shape = x.shape if self.shard is None else (len(x), self.shard.length, x.shape[-1])
        n_drawn = math.prod(shape)
        words = torch.empty((n_drawn + 7) // 8, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None, generator=network_generator(x.device))
        kept = words.view(torch.uint8)[:n_drawn].view(shape) < self.n_kept
        kept = kept if self.shard is None else self.shard.select(kept)
        # Products of floats and booleans are slow, forward and backward
        return x * kept.to(x.dtype).mul_(256 / self.n_kept)


class ResidualBlock(nn.Module):
    """x + W2 silu(W1 norm(x))."""

    def __init__(self, n_members: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n_members, 1, width))
        self.shift = nn.Parameter(torch.zeros(n_members, 1, width))
        self.inner = nn.Sequential(
            Linear(n_members, width, width), nn.SiLU(), Dropout(dropout), Linear(n_members, width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add the output of the inner layers to the input."""
        normal = functional.layer_norm(x, x.shape[-1:])
        out: Tensor = x + self.inner(torch.addcmul(self.shift, normal, self.scale))
        return out
