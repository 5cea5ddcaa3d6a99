"""Cross-fitting: pointwise information of every row from critics that never saw that row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from minerva_select.config import CRITIC
from minerva_select.data.encoded_rows import stack_rows
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critics import ClassCritic, SeparableCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.fold import Fold
from minerva_select.mi.networks import NetworkShape
from minerva_select.mi.sampling import pad_rows

_CHUNK = 16384  # rows scored at once, over all members


@dataclass(frozen=True, eq=False)
class CriticTask:
    """Features that the critics of one fold learn."""

    fold: Fold
    features: list[int]


class CrossFitCritics:
    """Critics of several tasks, trained side by side; each task has one critic per member of its fold."""

    def __init__(self, tasks: Sequence[CriticTask], dropout: float = 0.0, width: int = CRITIC.width) -> None:
        self.tasks = list(tasks)
        fold = self.tasks[0].fold
        self.features = sorted(set().union(*(task.features for task in self.tasks)))
        self.x = fold.x.select(self.features)
        self.device, self.sharding = self.x.device, fold.sharding
        self.row_weights, self.bins = fold.row_weights, fold.target.bins
        self.is_discrete = fold.target.is_discrete
        self.n_members_per_task = len(fold.train)
        self.n_members = self.n_members_per_task * len(self.tasks)
        targets = [task.fold.target for task in self.tasks for _ in range(self.n_members_per_task)]
        self.log_prior = torch.stack([target.log_prior for target in targets]).unsqueeze(1)
        self.bin_rows = stack_rows([target.bin_rows for target in targets])
        masks = torch.stack([self.feature_mask(task.features) for task in self.tasks])
        self.masks = None if masks.all() else self.repeat_for_members(masks)
        self.critic = self._build(width, dropout)
        self.ensemble = Ensemble(self.critic, self.device)

    def _build(self, width: int, dropout: float) -> ClassCritic | SeparableCritic:
        shape = NetworkShape(n_members=self.n_members, width=width, dropout=dropout)
        tables = [task.fold.pairs for task in self.tasks for _ in range(self.n_members_per_task)]
        pairs = [table.among(self.features) for table in tables if table is not None] or None
        layout, device = self.x.layout, self.device.type
        if self.is_discrete:
            return ClassCritic(layout, self.log_prior.shape[-1], shape, pairs=pairs, device=device)
        return SeparableCritic(layout, self.bin_rows.layout, shape, pairs=pairs, device=device)

    def members_of(self, task: int) -> slice:
        """Indices of a task's members."""
        return slice(task * self.n_members_per_task, (task + 1) * self.n_members_per_task)

    def repeat_for_members(self, values: Tensor) -> Tensor:  # (n_members, ...)
        """Repeat values given per task (n_tasks, ...) for each of its members."""
        return values.repeat_interleave(self.n_members_per_task, dim=0)

    def feature_mask(self, features: list[int]) -> Tensor:  # (n_features,)
        """Ones at these features, zeros elsewhere."""
        chosen = {*features}
        return torch.tensor([float(feature in chosen) for feature in self.features], device=self.device)

    def encoded_pairs(self) -> list[tuple[int, int]]:
        """Pairs of features that the critic gets as inputs."""
        encoding = self.critic.tower.pairs
        return [] if encoding is None else [(self.features[a], self.features[b]) for a, b in encoding.pairs]

    @torch.no_grad()
    def tuning_information(self, mask: Tensor | None = None) -> list[Tensor]:
        """Information of every task's tuning rows, each from the member that did not train on it."""
        rows = self.tuning_rows()[0]
        masks = None if mask is None else mask.expand(*rows.shape, -1)
        information = self.member_information(rows, masks)
        lengths = [[len(rows) for rows in task.fold.tune] for task in self.tasks]
        by_task = information.view(len(self.tasks), self.n_members_per_task, -1)
        return [
            torch.cat([row[:length] for row, length in zip(rows, of_task, strict=True)])
            for rows, of_task in zip(by_task, lengths, strict=True)
        ]

    @torch.no_grad()
    def information(self, rows: Sequence[Tensor], mask: Tensor | None = None) -> list[Tensor]:
        """Information of unseen rows, one index per task, from the mean score of the task's members."""
        own = self.sharding.shard(pad_rows(rows, self.row_weights)[0])
        masks = None if mask is None else mask.expand(self.n_members, -1)
        pieces = []
        for piece in own.rows.split(self.chunk, dim=1):
            scores = self.scores(self.repeat_for_members(piece), self.masks if masks is None else masks)
            pieces.append(self.task_information(scores, piece))
        whole = own.gather(torch.cat(pieces, dim=1))
        return [values[: len(of_task)] for values, of_task in zip(whole, rows, strict=True)]

    def held_out_information(self, mask: Tensor | None = None) -> list[Tensor]:
        """Information of every task's held-out rows, with the features of the mask or those of the task."""
        return self.information([task.fold.held_out for task in self.tasks], mask)

    @cached_property
    def trained_held_out_information(self) -> list[Tensor]:
        """The same with all features of each task, computed once; the critics must not be trained again."""
        return self.held_out_information()

    @property
    def chunk(self) -> int:
        """Number of rows per member that are scored at once."""
        return max(256, _CHUNK // self.n_members)

    def task_information(self, scores: Tensor, rows: Tensor) -> Tensor:  # (n_tasks, n_rows)
        """Information of rows from the mean score of each task's members."""
        mean = scores.view(len(self.tasks), self.n_members_per_task, *scores.shape[1:]).mean(1)
        return pointwise_information(mean, self.bins[rows], self.log_prior[:: self.n_members_per_task])

    def tuning_rows(self) -> tuple[Tensor, Tensor]:  # (n_members, n_rows) each
        """Index and weights of the tuning rows, padded."""
        return pad_rows([rows for task in self.tasks for rows in task.fold.tune], self.row_weights)

    def scores(self, rows: Tensor, masks: Tensor | None, part: Tensor | None = None) -> Tensor:
        """Scores of rows with every target value; masks are (n_members, [n_rows,] n_features)."""
        scores: Tensor = self.critic(self.sharding.take(self.x, rows), self.bin_rows, masks, part)
        return scores  # (n_members, n_rows, n_bins)

    def member_information(self, rows: Tensor, masks: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Information of rows from each member on its own."""
        own = self.sharding.shard(rows)
        chunks = own.rows.split(self.chunk, dim=1)
        masks_of = [self.masks] * len(chunks) if masks is None else own.select(masks).split(self.chunk, dim=1)
        pieces = [
            pointwise_information(self.scores(chunk, of_chunk), self.bins[chunk], self.log_prior)
            for chunk, of_chunk in zip(chunks, masks_of, strict=True)
        ]
        return own.gather(torch.cat(pieces, dim=1))
