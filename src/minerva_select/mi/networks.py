"""The network from columns to outputs that the critics share."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.config import CRITIC
from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.mi.layers import ColumnEmbedding, Linear, ResidualBlock, cosine_features
from minerva_select.mi.pair_tables import PairEncoding, PairTables

# Levels of a column up to which one-hot products are faster than embedding lookups
MAX_ONE_HOT_LEVELS = {"cpu": 32, "cuda": 256}


@dataclass(frozen=True)
class NetworkShape:
    """Size of a network and its number of members."""

    n_members: int = 1
    width: int = CRITIC.width
    n_blocks: int = CRITIC.n_blocks
    embedding_width: int = CRITIC.embedding_width
    dropout: float = 0.0


def _select_columns(values: Tensor, indices: Tensor) -> Tensor:  # (n_members, n_indices, ...)
    """Entries along the second dimension, by the operation whose gradient is faster on the device."""
    return values.index_select(1, indices) if values.is_cuda else values[:, indices]


def _by_row(weights: Tensor | None) -> Tensor | None:  # (n_members, 1 or n_rows, n_features)
    return weights if weights is None or weights.dim() == 3 else weights.unsqueeze(1)


class FeatureTower(nn.Module):
    """Embedded columns, their projection, residual blocks and an output layer."""

    def __init__(
        self,
        layout: ColumnLayout,
        n_outputs: int,
        shape: NetworkShape,
        pairs: list[PairTables] | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        n_members, width = shape.n_members, shape.width
        self.embed = ColumnEmbedding(layout, n_members, shape.embedding_width)
        self.pairs = PairEncoding(pairs, width) if pairs and pairs[0].pairs else None
        self.project = Linear(n_members, layout.n_features * shape.embedding_width, width)
        starts = [0, *torch.tensor(layout.n_levels, dtype=torch.int64).cumsum(0).tolist()]
        limit = MAX_ONE_HOT_LEVELS.get(device, MAX_ONE_HOT_LEVELS["cpu"])
        few = [k for k, n_levels in enumerate(layout.n_levels) if n_levels <= limit]
        self.many_level_columns = [(k, starts[k], n) for k, n in enumerate(layout.n_levels) if n > limit]
        sizes = torch.tensor([layout.n_levels[k] for k in few], dtype=torch.int64)
        # For columns with few levels: index, first one-hot position; for each position its code and its column
        self.register_buffer("few_level_columns", torch.tensor(few, dtype=torch.int64))
        self.register_buffer("first_position", sizes.cumsum(0) - sizes)
        codes = [code for k in few for code in range(starts[k], starts[k + 1])]
        self.register_buffer("codes", torch.tensor(codes, dtype=torch.int64))
        self.register_buffer("column_of_code", layout.n_numeric + self.few_level_columns.repeat_interleave(sizes))
        self.head = nn.Sequential(
            *(ResidualBlock(n_members, width, shape.dropout) for _ in range(shape.n_blocks)),
            nn.SiLU(),
            Linear(n_members, width, n_outputs),
        )

    few_level_columns: Tensor
    first_position: Tensor
    codes: Tensor
    column_of_code: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Outputs of every row (n_members, n_rows, n_outputs).

        Weights are (n_members, n_features) or (n_members, n_rows, n_features). Training rows pass their ``part``, see
        :func:`minerva_select.mi.pair_tables.encoding_part`.
        """
        out: Tensor = self.head(self.hidden(rows, weights, part))
        return out

    def hidden(self, rows: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Projection of the embedded columns and of the encoded pairs (n_members, n_rows, width)."""
        weights = _by_row(weights)
        hidden = self._project_columns(rows, weights)
        return hidden if self.pairs is None else hidden + self.pairs(rows, weights, part)

    def _project_columns(self, rows: Rows, weights: Tensor | None) -> Tensor:  # (n_members, n_rows, width)
        """Project without building the embeddings: levels are embedded and projected once, not row by row.

        Forward and backward passes take a seventh of the time of embedding lookups.
        """
        embed, n_numeric = self.embed, self.embed.layout.n_numeric
        by_column = self.project.weight.unflatten(1, (-1, embed.width))  # (n_members, n_columns, embedding, width)
        if weights is not None:
            weights = weights[..., embed.order]
        hidden = self.project.bias.expand(-1, rows.codes.shape[-2], -1)
        if n_numeric:
            numeric = self._numeric_inputs(rows.quantiles, None if weights is None else weights[..., :n_numeric])
            hidden = torch.baddbmm(hidden, numeric, by_column[:, :n_numeric].flatten(1, 2))
            if embed.layout.any_missing:
                vectors = (embed.missing.unsqueeze(-1) * by_column[:, :n_numeric]).sum(2)
                missing = rows.quantiles.isnan().to(vectors.dtype)
                missing = missing if weights is None else missing * weights[..., :n_numeric]
                hidden = torch.baddbmm(hidden, missing, vectors)
        if self.few_level_columns.numel():
            levels = _select_columns(embed.levels, self.codes).unsqueeze(-1)
            vectors = (levels * _select_columns(by_column, self.column_of_code)).sum(2)
            one_hot = hidden.new_zeros(*rows.codes.shape[:-1], len(self.codes))
            one_hot.scatter_(2, rows.codes[..., self.few_level_columns] + self.first_position, 1.0)
            one_hot = one_hot if weights is None else one_hot * weights[..., self.column_of_code]
            hidden = torch.baddbmm(hidden, one_hot, vectors)
        for k, first, n_levels in self.many_level_columns:
            vectors = embed.levels[:, first : first + n_levels] @ by_column[:, n_numeric + k]
            indices = rows.codes[..., k] + torch.arange(len(vectors), device=vectors.device).view(-1, 1) * n_levels
            found = functional.embedding(indices, vectors.flatten(0, 1))
            hidden = hidden + (found if weights is None else found * weights[..., n_numeric + k].unsqueeze(-1))
        return hidden

    def _numeric_inputs(
        self, quantiles: Tensor, weights: Tensor | None
    ) -> Tensor:  # (n_members, n_rows, n_numeric * embedding)
        """Cosine features, 0 where missing. They need no gradient, which saves a product."""
        waves = cosine_features(quantiles.nan_to_num(0.0), self.embed.width)
        if self.embed.layout.any_missing:
            waves = waves * ~quantiles.isnan().unsqueeze(-1)
        return (waves if weights is None else waves * weights.unsqueeze(-1)).flatten(-2)

    def hidden_change(
        self, x: Rows, rows: Tensor, others: Tensor, features: list[int], members: slice, weights: Tensor | None = None
    ) -> Tensor:
        """Change of :meth:`hidden` when ``rows`` take the values of these features from the rows ``others``.

        A column enters the rest of the network only through its term of the projection and through its pairs. Weights
        are (n_members, n_features), of all members, and 1 at ``features``; they scale the pairs.
        """
        parts = [self._project_column(x.select([feature]), feature, others, members) for feature in features]
        parts += [-self._project_column(x.select([feature]), feature, rows, members) for feature in features]
        if self.pairs is not None:
            parts.append(self.pairs.change(x, rows, others, features, members, weights).expand_as(parts[0]))
        return torch.stack(parts).sum(0)

    def _project_column(
        self, column: Rows, feature: int, rows: Tensor, members: slice
    ) -> Tensor:  # (n_members, n_rows, width)
        place, taken = self.embed.layout.positions.index(feature), column.take(rows)
        values = (taken.quantiles if place < self.embed.layout.n_numeric else taken.codes).squeeze(-1)
        of_column = slice(place * self.embed.width, (place + 1) * self.embed.width)
        return self.embed.column(values, place, members) @ self.project.weight[members, of_column]

    def column_parameters(self, features: list[int]) -> dict[str, list[int]]:
        """Indices of the entries that belong to these features, for each parameter with entries per column."""
        layout, width = self.embed.layout, self.embed.width
        places = [layout.positions.index(feature) for feature in features]
        first = [0, *torch.tensor(layout.n_levels, dtype=torch.int64).cumsum(0).tolist()]
        numeric = [place for place in places if place < layout.n_numeric]
        categorical = [place - layout.n_numeric for place in places if place >= layout.n_numeric]
        return {
            "embed.missing": numeric,
            "embed.levels": [code for k in categorical for code in range(first[k], first[k + 1])],
            "project.weight": [place * width + k for place in places for k in range(width)],
        }

    def pair_parameters(self, pairs: list[tuple[int, int]]) -> dict[str, list[int]]:
        """Indices of the entries that belong to these pairs of features."""
        if self.pairs is None:
            return {}
        width, places = self.pairs.n_values, [self.pairs.pairs.index(pair) for pair in pairs]
        return {"pairs.weight": [place * width + k for place in places for k in range(width)]}
