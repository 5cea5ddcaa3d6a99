"""Target encoding of interacting column pairs, as inputs of a critic.

A critic needs long training to learn that two columns must be read together, and with rare positives it forgets the
other columns meanwhile. Counts of the target's classes in every cell of such a pair make the interaction available from
the first step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.config import CRITIC, DISCRETIZATION
from minerva_select.data.encoded_rows import Rows, index_on_device
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.mi.discretization import discretize_columns
from minerva_select.runtime.rng import network_generator

N_PARTS = CRITIC.n_encoding_parts
N_CELLS = DISCRETIZATION.max_levels**2
_UNSEEN = N_PARTS  # index of the table from all training rows, for all other rows
_CHUNK = 65536  # rows counted at once
_SPREAD = 2654435761  # about 2**32 / golden ratio: neighboring rows get different parts


@dataclass(frozen=True, eq=False)
class PairTables:
    """Log ratio of each target class's frequency in a cell of a pair to its overall frequency."""

    pairs: tuple[tuple[int, int], ...]  # features
    tables: Tensor  # (N_PARTS + 1, n_pairs, N_CELLS, n_values)

    @property
    def n_values(self) -> int:
        """Inputs per pair: one per class except the most frequent one."""
        return int(self.tables.shape[-1])

    def among(self, features: Sequence[int]) -> PairTables:
        """Pairs with both columns among these features, renumbered by their index in ``features``."""
        index = {feature: k for k, feature in enumerate(features)}
        chosen = [k for k, (a, b) in enumerate(self.pairs) if a in index and b in index]
        pairs = tuple((index[a], index[b]) for a, b in (self.pairs[k] for k in chosen))
        return PairTables(pairs, self.tables[:, chosen])


def encoding_part(rows: Tensor) -> Tensor:
    """Part of each training row; it is encoded by the table of the other parts, which do not contain it."""
    return ((rows * _SPREAD) >> 16) % N_PARTS


def _cells(codes: Tensor, columns: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Tensor:  # (..., n_pairs)
    """Cell of every pair, from the discretized columns."""
    index = {feature: k for k, feature in enumerate(columns)}
    firsts = index_on_device(codes.device, tuple(index[a] for a, _ in pairs))
    seconds = index_on_device(codes.device, tuple(index[b] for _, b in pairs))
    return codes.index_select(-1, firsts).long() * DISCRETIZATION.max_levels + codes.index_select(-1, seconds)


def _columns_of(pairs: Sequence[tuple[int, int]]) -> list[int]:
    return sorted({feature for pair in pairs for feature in pair})


def build_pair_tables(
    x: Rows,
    classes: Tensor,
    weights: Tensor,
    rows: Tensor,
    pairs: Sequence[tuple[int, int]],
    sharding: Sharding = UNSHARDED,
) -> PairTables:
    """Count the classes in the cells of these pairs over the training rows; classes and weights are of all rows.

    One pseudo-row per class keeps the log ratio of nearly empty cells close to zero.
    """
    n_classes = int(classes.max()) + 1
    counts = _count_cells(x, classes, weights, rows, pairs, sharding)
    by_part = sharding.ranks.sum_(counts).view(N_PARTS, len(pairs), N_CELLS, n_classes)
    total = by_part.sum(0, keepdim=True)
    used = torch.cat([total - by_part, total])
    of_class = used[:, :1].sum(2, keepdim=True)  # the same for every pair
    of_all = of_class.sum(-1, keepdim=True).clamp(min=1.0)
    pseudo = 1.0 / of_class.clamp(min=1.0)
    ratios = (used / of_class.clamp(min=1.0) + pseudo) / (used.sum(-1, keepdim=True) / of_all + pseudo)
    encoded = [k for k in range(n_classes) if k != int(of_class[-1].argmax())]
    return PairTables(tuple(pairs), ratios.log()[..., encoded].float())


def _count_cells(
    x: Rows, classes: Tensor, weights: Tensor, rows: Tensor, pairs: Sequence[tuple[int, int]], sharding: Sharding
) -> Tensor:  # (N_PARTS * n_pairs * N_CELLS * n_classes,)
    """Weighted counts over this process's rows, by part, pair, cell and class."""
    features, n_classes = _columns_of(pairs), int(classes.max()) + 1
    counts = torch.zeros(N_PARTS * len(pairs) * N_CELLS * n_classes, dtype=torch.float64, device=rows.device)
    columns = x.select(features)
    first = torch.arange(len(pairs), device=rows.device) * N_CELLS
    for piece in sharding.select_own(rows).split(_CHUNK):
        index = _cells(discretize_columns(sharding.take(columns, piece)), features, pairs) + first
        index = index + (encoding_part(piece) * (len(pairs) * N_CELLS)).unsqueeze(1)
        index = index * n_classes + classes[piece].unsqueeze(1)
        row_weights = weights[piece].double().unsqueeze(1).expand(index.shape)
        counts += torch.bincount(index.flatten(), row_weights.flatten(), minlength=len(counts))
    return counts


class PairEncoding(nn.Module):
    """Encoded pairs of columns as a term of a tower's projection."""

    def __init__(self, tables: list[PairTables], width: int) -> None:
        """One table per member, all of the same pairs."""
        super().__init__()
        self.pairs, self.n_values = tables[0].pairs, tables[0].n_values
        n_inputs = len(self.pairs) * self.n_values
        limit = 1.0 / math.sqrt(max(1, n_inputs))
        weight = torch.empty(len(tables), n_inputs, width)
        self.weight = nn.Parameter(weight.uniform_(-limit, limit, generator=network_generator()))
        self.register_buffer("tables", torch.stack([table.tables for table in tables]).flatten(0, 3))
        self.register_buffer("members", torch.arange(len(tables)).view(-1, 1) * (N_PARTS + 1))

    tables: Tensor
    members: Tensor

    def forward(self, rows: Rows, weights: Tensor | None = None, part: Tensor | None = None) -> Tensor:
        """Project all pairs (n_members, n_rows, width); the weight of a pair is the product of its columns' weights."""
        columns = _columns_of(self.pairs)
        codes = discretize_columns(rows.select(columns))
        return self._project(codes, columns, list(range(len(self.pairs))), slice(None), weights, part)

    def change(
        self, x: Rows, rows: Tensor, others: Tensor, features: list[int], members: slice, weights: Tensor | None = None
    ) -> Tensor:
        """Change of the projection when ``rows`` take the values of these features from the rows ``others``.

        Weights are (n_members, n_features), of all members.
        """
        touched = [k for k, pair in enumerate(self.pairs) if not {*pair}.isdisjoint(features)]
        if not touched:
            return self.weight.new_zeros(())
        columns = _columns_of([self.pairs[k] for k in touched])
        block = x.select(columns)
        before, after = discretize_columns(block.take(rows)), discretize_columns(block.take(others))
        moved = torch.tensor([feature in features for feature in columns], device=before.device)
        after = torch.where(moved, after, before)
        by_row = None if weights is None else weights[members].unsqueeze(1)
        changed = self._project(after, columns, touched, members, by_row)
        return changed - self._project(before, columns, touched, members, by_row)

    def _project(
        self,
        codes: Tensor,
        columns: list[int],
        chosen: list[int],
        members: slice,
        weights: Tensor | None = None,
        part: Tensor | None = None,
    ) -> Tensor:
        """Project the chosen pairs for some of the members, given the discretized columns."""
        pairs = [self.pairs[k] for k in chosen]
        table = ((self.members[members] + (_UNSEEN if part is None else part)) * len(self.pairs)).unsqueeze(-1)
        table = table + index_on_device(codes.device, tuple(chosen))
        values = functional.embedding(table * N_CELLS + _cells(codes, columns, pairs), self.tables)
        if weights is not None:
            firsts, seconds = (index_on_device(codes.device, features) for features in zip(*pairs, strict=True))
            values = values * (weights.index_select(-1, firsts) * weights.index_select(-1, seconds)).unsqueeze(-1)
        weight = self.weight[members]
        if len(chosen) < len(self.pairs):
            weight = weight.unflatten(1, (-1, self.n_values))[:, chosen].flatten(1, 2)
        projected: Tensor = values.flatten(-2) @ weight
        return projected
