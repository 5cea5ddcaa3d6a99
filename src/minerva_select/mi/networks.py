"""Layers that every critic is made of.

Every layer holds several members side by side: parameters and inputs have one leading place a member, and one batched
product serves them all. A small network is bound by the number of calls, not by arithmetic, so ten members cost little
more than one.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.data.sharding import Shard
from minerva_select.mi.pair_tables import PairEncoding, PairTables
from minerva_select.runtime.rng import network_generator

# Levels of a column up to which counting them is cheaper than looking up their vectors: a GPU multiplies more readily
MAX_COUNTED = {"cpu": 32, "cuda": 256}


def soft_clamp(values: Tensor, limit: float = 3.0) -> Tensor:
    """Values bent smoothly into (-limit, limit); near zero they stay what they are."""
    return limit * torch.tanh(values / limit)


def cosines(quantiles: Tensor, n_waves: int) -> Tensor:  # (..., n_waves)
    """A rank in [0, 1] as half waves cos(pi k r) / sqrt(k), k = 1..n_waves.

    A small network learns a wave from straight lines slowly; given waves, it learns most shapes in few steps.
    """
    k = torch.arange(1, n_waves + 1, device=quantiles.device, dtype=quantiles.dtype)
    return torch.cos(math.pi * quantiles.unsqueeze(-1) * k) / k.sqrt()


class Linear(nn.Module):
    """A linear layer a member; ``bounded`` keeps its entries within the range they are drawn from.

    Without that bound the network undoes small feature weights by large entries, and no weight ever means anything.
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
        """Multiply and add."""
        return torch.baddbmm(self.bias, x, self.weight)


class ColumnEmbedding(nn.Module):
    """Every column as a short vector: learned for levels, waves of the rank for amounts, learned where missing."""

    def __init__(self, layout: ColumnLayout, n_members: int, width: int = 8, *, clamped: bool = False) -> None:
        super().__init__()
        self.layout = layout
        self.width = width
        self.bend = soft_clamp if clamped else nn.Identity()
        self.n_codes = max(1, sum(layout.n_levels))
        starts = torch.tensor([0, *layout.n_levels]).cumsum(0)[:-1]
        members = torch.arange(n_members) * self.n_codes
        # Where the vectors of each member's columns begin, in the table of all members joined
        self.register_buffer("starts", members.view(-1, 1, 1) + starts)
        self.register_buffer("order", torch.tensor(layout.positions, dtype=torch.int64))
        self.levels = nn.Parameter(torch.randn(n_members, self.n_codes, width, generator=network_generator()))
        self.missing = nn.Parameter(torch.randn(n_members, layout.n_numeric, width, generator=network_generator()))

    starts: Tensor
    order: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None) -> Tensor:  # (n_members, n_rows, n_features * width)
        """Embedded columns in the order of the layout, each times the weight of its feature.

        Weights are (n_members, n_features) or (n_members, n_rows, n_features).
        """
        levels = functional.embedding(rows.codes + self.starts, self.bend(self.levels).flatten(0, 1))
        amounts = self._amounts(rows.quantiles, self.missing)
        embedded = torch.cat([amounts, levels], dim=-2) if amounts.shape[-2] else levels
        if weights is not None:
            weights = weights if weights.dim() == 3 else weights.unsqueeze(1)
            embedded = embedded * weights[..., self.order].unsqueeze(-1)
        return embedded.flatten(-2)

    def column(self, values: Tensor, place: int, members: slice) -> Tensor:  # (n_members, n_rows, width)
        """One column, given its quantiles or codes (n_members, n_rows), for some of the members."""
        n_numeric = self.layout.n_numeric
        if place < n_numeric:
            return self._amounts(values.unsqueeze(-1), self.missing[members, place : place + 1]).squeeze(2)
        codes = values + self.starts[members, :, place - n_numeric]
        return functional.embedding(codes, self.bend(self.levels).flatten(0, 1))

    def _amounts(self, quantiles: Tensor, missing: Tensor) -> Tensor:
        waves = cosines(quantiles.nan_to_num(0.0), self.width)
        return torch.where(quantiles.isnan().unsqueeze(-1), self.bend(missing).unsqueeze(1), waves)


class Dropout(nn.Module):
    """Set a share of the values to zero while training. Draws a byte a value: a tenth of the price of nn.Dropout.

    Of a batch that several processes share, each draws for the whole and uses its shard, so that they are as one.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.n_kept = 256 - round(256 * share)  # of 256
        self.shard: Shard | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Values that are kept grow in proportion, so that the sum stays what it was."""
        if not self.training or self.n_kept == 256:
            return x
        shape = x.shape if self.shard is None else (len(x), self.shard.length, x.shape[-1])
        n_drawn = math.prod(shape)
        words = torch.empty((n_drawn + 7) // 8, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None, generator=network_generator(x.device))
        kept = words.view(torch.uint8)[:n_drawn].view(shape) < self.n_kept
        kept = kept if self.shard is None else self.shard.select(kept)
        return x * kept * (256 / self.n_kept)


class ResidualBlock(nn.Module):
    """x + W2 silu(W1 norm(x)), the unit that the critics stack."""

    def __init__(self, n_members: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n_members, 1, width))
        self.shift = nn.Parameter(torch.zeros(n_members, 1, width))
        self.inner = nn.Sequential(
            Linear(n_members, width, width), nn.SiLU(), Dropout(dropout), Linear(n_members, width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add what the block has learned to its input."""
        normal = functional.layer_norm(x, x.shape[-1:])
        out: Tensor = x + self.inner(torch.addcmul(self.shift, normal, self.scale))
        return out


def _pick(values: Tensor, places: Tensor) -> Tensor:  # (n_members, n_places, ...)
    """Entries along the second dimension; of two ways, the one whose gradient the device adds up sooner."""
    return values.index_select(1, places) if values.is_cuda else values[:, places]


class FeatureTower(nn.Module):
    """Embedded columns, their projection, residual blocks, and an output layer."""

    def __init__(
        self,
        layout: ColumnLayout,
        n_outputs: int,
        *,
        n_members: int = 1,
        width: int = 128,
        n_blocks: int = 2,
        embedding_width: int = 8,
        dropout: float = 0.0,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.embed = ColumnEmbedding(layout, n_members, embedding_width)
        self.pairs = PairEncoding(pairs, width) if pairs and pairs[0].pairs else None
        self.project = Linear(n_members, layout.n_features * embedding_width, width)
        starts = [0, *torch.tensor(layout.n_levels, dtype=torch.int64).cumsum(0).tolist()]
        most = MAX_COUNTED.get(device, MAX_COUNTED["cpu"])
        few = [k for k, n_levels in enumerate(layout.n_levels) if n_levels <= most]
        self.looked_up = [(k, starts[k], n) for k, n in enumerate(layout.n_levels) if n > most]
        sizes = torch.tensor([layout.n_levels[k] for k in few], dtype=torch.int64)
        # Columns of few levels; where the codes of each begin among theirs; of each code its vector and its column
        self.register_buffer("counted", torch.tensor(few, dtype=torch.int64))
        self.register_buffer("first_code", sizes.cumsum(0) - sizes)
        codes = [code for k in few for code in range(starts[k], starts[k + 1])]
        self.register_buffer("codes", torch.tensor(codes, dtype=torch.int64))
        self.register_buffer("column_of_code", layout.n_numeric + self.counted.repeat_interleave(sizes))
        self.finish = nn.Sequential(
            *(ResidualBlock(n_members, width, dropout) for _ in range(n_blocks)),
            nn.SiLU(),
            Linear(n_members, width, n_outputs),
        )

    counted: Tensor
    first_code: Tensor
    codes: Tensor
    column_of_code: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Outputs of every row (n_members, n_rows, n_outputs).

        Weights are (n_members, n_features) or (n_members, n_rows, n_features); ``part`` is of training rows, as in
        :func:`minerva_select.mi.pair_tables.encoding_part`.
        """
        out: Tensor = self.finish(self.hidden(rows, weights, part))
        return out

    def hidden(self, rows: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """The projection of the embedded columns (n_members, n_rows, width), and what pairs of them add.

        A column of few levels adds one of few vectors, so that counts of levels times these vectors are all there is
        to compute: a seventh of the price of looking up embeddings, forth and back.
        """
        hidden = self._of_columns(rows, weights)
        if self.pairs is not None:
            by_row = None if weights is None else weights if weights.dim() == 3 else weights.unsqueeze(1)
            hidden = hidden + self.pairs(rows, by_row, part)
        return hidden

    def _of_columns(self, rows: Rows, weights: Tensor | None) -> Tensor:  # (n_members, n_rows, width)
        embed, n_numeric = self.embed, self.embed.layout.n_numeric
        by_column = self.project.weight.unflatten(1, (-1, embed.width))  # (n_members, n_columns, embedding, width)
        if weights is not None:
            weights = (weights if weights.dim() == 3 else weights.unsqueeze(1))[..., embed.order]
        hidden = self.project.bias.expand(-1, rows.codes.shape[-2], -1)
        if n_numeric:
            amounts = self._amounts(rows.quantiles, None if weights is None else weights[..., :n_numeric])
            hidden = torch.baddbmm(hidden, amounts, by_column[:, :n_numeric].flatten(1, 2))
            if embed.layout.any_missing:
                vectors = (embed.missing.unsqueeze(-1) * by_column[:, :n_numeric]).sum(2)
                missing = rows.quantiles.isnan().to(vectors.dtype)
                missing = missing if weights is None else missing * weights[..., :n_numeric]
                hidden = torch.baddbmm(hidden, missing, vectors)
        if self.counted.numel():
            vectors = (_pick(embed.levels, self.codes).unsqueeze(-1) * _pick(by_column, self.column_of_code)).sum(2)
            counts = hidden.new_zeros(*rows.codes.shape[:-1], len(self.codes))
            counts.scatter_(2, rows.codes[..., self.counted] + self.first_code, 1.0)
            counts = counts if weights is None else counts * weights[..., self.column_of_code]
            hidden = torch.baddbmm(hidden, counts, vectors)
        for k, first, n_levels in self.looked_up:
            vectors = embed.levels[:, first : first + n_levels] @ by_column[:, n_numeric + k]
            places = rows.codes[..., k] + torch.arange(len(vectors), device=vectors.device).view(-1, 1) * n_levels
            found = functional.embedding(places, vectors.flatten(0, 1))
            hidden = hidden + (found if weights is None else found * weights[..., n_numeric + k].unsqueeze(-1))
        return hidden

    def _amounts(
        self, quantiles: Tensor, weights: Tensor | None
    ) -> Tensor:  # (n_members, n_rows, n_numeric * embedding)
        """Waves of the quantiles, nothing where one is missing. They have no gradient, which saves a product."""
        waves = cosines(quantiles.nan_to_num(0.0), self.embed.width)
        if self.embed.layout.any_missing:
            waves = waves * ~quantiles.isnan().unsqueeze(-1)
        return (waves if weights is None else waves * weights.unsqueeze(-1)).flatten(-2)

    def change(
        self,
        x: Rows,
        mine: Tensor,
        others: Tensor,
        features: list[int],
        members: slice,
        weights: Tensor | None = None,
    ) -> Tensor:
        """How the projection of the rows ``mine`` changes when they get these features of the rows ``others``.

        The rest of the tower sees a column only through its part of the first sum, and through its pairs, which count
        as far as both their columns do: weights are (n_members, n_features), of all members, and 1 at ``features``.
        """
        parts = [self._part(x.select([feature]), feature, others, members) for feature in features]
        parts += [-self._part(x.select([feature]), feature, mine, members) for feature in features]
        if self.pairs is not None:
            parts.append(self.pairs.change(x, mine, others, features, members, weights).expand_as(parts[0]))
        return torch.stack(parts).sum(0)

    def _part(self, column: Rows, feature: int, index: Tensor, members: slice) -> Tensor:  # (n_members, n_rows, width)
        """What one column adds to the projection of the rows of an index."""
        place, taken = self.embed.layout.positions.index(feature), column.take(index)
        values = (taken.quantiles if place < self.embed.layout.n_numeric else taken.codes).squeeze(-1)
        of_column = slice(place * self.embed.width, (place + 1) * self.embed.width)
        return self.embed.column(values, place, members) @ self.project.weight[members, of_column]

    def column_parameters(self, features: list[int]) -> dict[str, list[int]]:
        """Which entries of the parameters that have one per column belong to these features, in this order."""
        layout, width = self.embed.layout, self.embed.width
        places = [layout.positions.index(feature) for feature in features]
        first = [0, *torch.tensor(layout.n_levels, dtype=torch.int64).cumsum(0).tolist()]
        amounts = [place for place in places if place < layout.n_numeric]
        names = [place - layout.n_numeric for place in places if place >= layout.n_numeric]
        return {
            "embed.missing": amounts,
            "embed.levels": [code for k in names for code in range(first[k], first[k + 1])],
            "project.weight": [place * width + k for place in places for k in range(width)],
        }

    def pair_parameters(self, pairs: list[tuple[int, int]]) -> dict[str, list[int]]:
        """Which entries of the parameters of the pairs belong to these, in this order."""
        if self.pairs is None:
            return {}
        width, places = self.pairs.n_values, [self.pairs.pairs.index(pair) for pair in pairs]
        return {"pairs.weight": [place * width + k for place in places for k in range(width)]}
