"""Pairs of columns that the screen found to work together, as inputs of a critic.

A critic learns from scratch that two columns must be read together, and where positives are rare it has forgotten the
others by then. What the training rows say of every cell of such a pair is a table of counts: given to the critic, the
pair is known from the first step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.data.encoded_rows import Rows, index_on_device
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.mi.discretization import MAX_LEVELS, discretize_columns
from minerva_select.runtime.rng import network_generator

N_PARTS = 4  # a training row is told of a table that this share of the others made, and never the row itself
UNSEEN = N_PARTS  # the table of all training rows, for those that are not among them
N_CELLS = MAX_LEVELS**2
_CHUNK = 65536
_SPREAD = 2654435761  # about 2**32 / golden ratio: neighbouring rows go to different parts


@dataclass(frozen=True, eq=False)
class PairTables:
    """How much more often each class of the target occurs in a cell of a pair than elsewhere, as logarithms."""

    pairs: tuple[tuple[int, int], ...]  # features
    tables: Tensor  # (N_PARTS + 1, n_pairs, N_CELLS, n_values)

    @property
    def n_values(self) -> int:
        """Inputs that each pair gives: one a class, but for the most frequent one."""
        return int(self.tables.shape[-1])

    def among(self, features: Sequence[int]) -> PairTables:
        """The pairs whose columns are both among these features, which are then numbered by their places there."""
        place = {feature: k for k, feature in enumerate(features)}
        chosen = [k for k, (a, b) in enumerate(self.pairs) if a in place and b in place]
        pairs = tuple((place[a], place[b]) for a, b in (self.pairs[k] for k in chosen))
        return PairTables(pairs, self.tables[:, chosen])


def encoding_part(rows: Tensor) -> Tensor:
    """The part that each row belongs to: it is told of the table that the other parts made."""
    return ((rows * _SPREAD) >> 16) % N_PARTS


def _cells(codes: Tensor, columns: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Tensor:  # (..., n_pairs)
    """The cell of every pair, from the coarse codes of these columns."""
    place = {feature: k for k, feature in enumerate(columns)}
    firsts = index_on_device(codes.device, tuple(place[a] for a, _ in pairs))
    seconds = index_on_device(codes.device, tuple(place[b] for _, b in pairs))
    return codes.index_select(-1, firsts).long() * MAX_LEVELS + codes.index_select(-1, seconds)


def _columns(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Features of any of these pairs."""
    return sorted({feature for pair in pairs for feature in pair})


def build_pair_tables(
    x: Rows,
    classes: Tensor,
    weights: Tensor,
    rows: Tensor,
    pairs: Sequence[tuple[int, int]],
    sharding: Sharding = UNSHARDED,
) -> PairTables:
    """Tables of these pairs from the training rows at ``rows``; classes and weights are of all rows.

    A cell's share of a class is compared with its share of all rows. One row of the class, spread over both, keeps
    cells that hardly occur close to zero.
    """
    features = _columns(pairs)
    n_classes = int(classes.max()) + 1
    counts = torch.zeros(N_PARTS * len(pairs) * N_CELLS * n_classes, dtype=torch.float64, device=rows.device)
    columns = x.select(features)
    first = torch.arange(len(pairs), device=rows.device) * N_CELLS
    for piece in sharding.select_own(rows).split(_CHUNK):
        place_of = _cells(discretize_columns(sharding.take(columns, piece)), features, pairs) + first
        place_of = place_of + (encoding_part(piece) * (len(pairs) * N_CELLS)).unsqueeze(1)
        place_of = place_of * n_classes + classes[piece].unsqueeze(1)
        amounts = weights[piece].double().unsqueeze(1).expand(place_of.shape)
        counts += torch.bincount(place_of.flatten(), amounts.flatten(), minlength=len(counts))
    by_part = sharding.ranks.sum_(counts).view(N_PARTS, len(pairs), N_CELLS, n_classes)
    total = by_part.sum(0, keepdim=True)
    known = torch.cat([total - by_part, total])
    of_class = known[:, :1].sum(2, keepdim=True)  # every pair counts every row
    of_all = of_class.sum(-1, keepdim=True).clamp(min=1.0)
    little = 1.0 / of_class.clamp(min=1.0)
    ratios = (known / of_class.clamp(min=1.0) + little) / (known.sum(-1, keepdim=True) / of_all + little)
    told = [k for k in range(n_classes) if k != int(of_class[-1].argmax())]
    return PairTables(tuple(pairs), ratios.log()[..., told].float())


class PairEncoding(nn.Module):
    """What is known of pairs of columns, as numbers that add to the projection of a tower."""

    def __init__(self, tables: list[PairTables], width: int) -> None:
        """One table a member, all of the same pairs."""
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
        """What all pairs add, (n_members, n_rows, width); a pair weighs what its columns do, multiplied."""
        columns = _columns(self.pairs)
        codes = discretize_columns(rows.select(columns))
        return self._add(codes, columns, list(range(len(self.pairs))), slice(None), weights, part)

    def change(
        self,
        x: Rows,
        mine: Tensor,
        others: Tensor,
        features: list[int],
        members: slice,
        weights: Tensor | None = None,
    ) -> Tensor:
        """How that changes for the rows ``mine`` when they get these features of the rows ``others``.

        Weights are (n_members, n_features), of all members.
        """
        touched = [k for k, pair in enumerate(self.pairs) if not {*pair}.isdisjoint(features)]
        if not touched:
            return self.weight.new_zeros(())
        columns = _columns([self.pairs[k] for k in touched])
        block = x.select(columns)
        before, after = discretize_columns(block.take(mine)), discretize_columns(block.take(others))
        moved = torch.tensor([feature in features for feature in columns], device=before.device)
        after = torch.where(moved, after, before)
        by_row = None if weights is None else weights[members].unsqueeze(1)
        return self._add(after, columns, touched, members, by_row) - self._add(
            before, columns, touched, members, by_row
        )

    def _add(
        self,
        codes: Tensor,
        columns: list[int],
        chosen: list[int],
        members: slice,
        weights: Tensor | None = None,
        part: Tensor | None = None,
    ) -> Tensor:
        """What the chosen pairs add for some of the members, given the coarse codes of their columns."""
        pairs = [self.pairs[k] for k in chosen]
        table = ((self.members[members] + (UNSEEN if part is None else part)) * len(self.pairs)).unsqueeze(-1)
        table = table + index_on_device(codes.device, tuple(chosen))
        values = functional.embedding(table * N_CELLS + _cells(codes, columns, pairs), self.tables)
        if weights is not None:
            firsts, seconds = (index_on_device(codes.device, features) for features in zip(*pairs, strict=True))
            values = values * (weights.index_select(-1, firsts) * weights.index_select(-1, seconds)).unsqueeze(-1)
        weight = self.weight[members]
        if len(chosen) < len(self.pairs):
            weight = weight.unflatten(1, (-1, self.n_values))[:, chosen].flatten(1, 2)
        added: Tensor = values.flatten(-2) @ weight
        return added
