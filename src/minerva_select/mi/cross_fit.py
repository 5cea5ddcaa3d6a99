"""Information of every row about the target, from critics that never saw that row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Generator, Tensor

from minerva_select.data.encoded_rows import Rows, stack_rows
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.critics import ClassCritic, SeparableCritic
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.networks import Dropout
from minerva_select.mi.objective import Loss
from minerva_select.mi.pair_tables import PairTables, encoding_part
from minerva_select.mi.sampling import make_sampler, pad_rows
from minerva_select.mi.training import Schedule, TrainingContext, TrainingResult, train
from minerva_select.runtime.cuda_graphs import BatchLoss, Draws

_CHUNK = 16384  # rows scored at once, over all members


@dataclass(frozen=True, eq=False)
class Target:
    """A target as bins: its classes, or fine quantile levels, with their exact prior."""

    bins: Tensor  # (n_rows,) int64
    bin_rows: Rows  # one row a bin
    log_prior: Tensor  # (n_bins,)
    is_discrete: bool

    @property
    def entropy(self) -> float:
        """Entropy of the prior in nats."""
        return float(-(self.log_prior.exp() * self.log_prior).sum())

    @property
    def order(self) -> Tensor:  # (n_bins,)
        """A number a bin, close for bins that are."""
        quantiles = self.bin_rows.quantiles
        return (
            quantiles[:, 0] if quantiles.shape[1] else torch.arange(len(self.log_prior), device=self.log_prior.device)
        )


@dataclass(frozen=True, eq=False)
class Fold:
    """Who may see which rows: members train and tune on their own rows, nobody sees ``vet``.

    Folds of one table share their tensors: each has its rows, encoded its own way, in a stretch of them.
    """

    x: Rows  # of this process alone, where several share the rows
    target: Target
    row_weights: Tensor  # (n_rows,) mean 1; a row that stands for others weighs more
    train: tuple[Tensor, ...]  # one index a member
    tune: tuple[Tensor, ...]  # one index a member
    held_out: Tensor
    pairs: PairTables | None = None  # what the training rows say of columns that work together
    clusters: Tensor | None = None  # (n_rows,) number of the group of each row; None: every row is on its own
    sharding: Sharding = UNSHARDED  # who holds which rows of x


def held_out_clusters(folds: Sequence[Fold]) -> Tensor | None:
    """Groups of the vetting rows, fold after fold; None if every row is on its own."""
    found = [fold.clusters[fold.held_out] for fold in folds if fold.clusters is not None]
    return torch.cat(found) if found else None


@dataclass(frozen=True, eq=False)
class CriticTask:
    """Features of which the members of one fold are to learn."""

    fold: Fold
    features: list[int]


MaskSampler = Callable[[int, Generator], Tensor]


class CrossFitCritics:
    """Critics of several tasks, fitted side by side to the exact bound; each has its fold's members."""

    def __init__(self, tasks: Sequence[CriticTask], dropout: float = 0.0, width: int = 128) -> None:
        self.tasks = list(tasks)
        fold = self.tasks[0].fold
        self.features = sorted(set().union(*(task.features for task in self.tasks)))
        self.x = fold.x.select(self.features)
        self.device, self.sharding = self.x.device, fold.sharding
        self.row_weights, self.bins = fold.row_weights, fold.target.bins
        self.n_members_per_task = len(fold.train)
        self.n_members = self.n_members_per_task * len(self.tasks)
        targets = [task.fold.target for task in self.tasks for _ in range(self.n_members_per_task)]
        self.log_prior = torch.stack([target.log_prior for target in targets]).unsqueeze(1)
        self.bin_rows = stack_rows([target.bin_rows for target in targets])
        masks = torch.stack([self.feature_mask(task.features) for task in self.tasks])
        self.masks = None if masks.all() else self.for_members(masks)
        self.ensemble = Ensemble(self._build(width, dropout), self.device)

    def _build(self, width: int, dropout: float) -> ClassCritic | SeparableCritic:
        options: dict[str, Any] = {"n_members": self.n_members, "width": width, "dropout": dropout}
        options |= {"pairs": self._pairs(), "device": self.device.type}
        if self.tasks[0].fold.target.is_discrete:
            n_classes = self.log_prior.shape[-1]
            self.critic: ClassCritic | SeparableCritic = ClassCritic(self.x.layout, n_classes, **options)
        else:
            self.critic = SeparableCritic(self.x.layout, self.bin_rows.layout, **options)
        return self.critic

    def _pairs(self) -> list[PairTables] | None:
        """Tables of the pairs among the features, one a member; folds of one table know of the same pairs."""
        tables = [task.fold.pairs for task in self.tasks for _ in range(self.n_members_per_task)]
        return [table.among(self.features) for table in tables if table is not None] or None

    def members_of(self, task: int) -> slice:
        """The places of a task's members."""
        return slice(task * self.n_members_per_task, (task + 1) * self.n_members_per_task)

    def feature_mask(self, features: list[int]) -> Tensor:  # (n_features,)
        """Ones at these features, zeros elsewhere."""
        chosen = {*features}
        return torch.tensor([float(feature in chosen) for feature in self.features], device=self.device)

    def warm_start(self, task: int, other: CrossFitCritics, other_task: int) -> None:
        """Begin a task where a task of another set has ended; features that it does not know start afresh."""
        mine = {feature: k for k, feature in enumerate(self.features)}
        theirs = {feature: k for k, feature in enumerate(other.features)}
        common = sorted(mine.keys() & theirs.keys())
        to = self.critic.tower.column_parameters([mine[feature] for feature in common])
        of = other.critic.tower.column_parameters([theirs[feature] for feature in common])
        pairs = sorted({*self._known_pairs()} & {*other._known_pairs()})
        to |= self.critic.tower.pair_parameters([(mine[a], mine[b]) for a, b in pairs])
        of |= other.critic.tower.pair_parameters([(theirs[a], theirs[b]) for a, b in pairs])
        entries = {f"tower.{name}": (to[name], of[name]) for name in to.keys() & of.keys()}
        self.ensemble.warm_start_(other.ensemble, (self.members_of(task), other.members_of(other_task)), entries)

    def _known_pairs(self) -> list[tuple[int, int]]:
        """Pairs, by feature, that the critic is told of."""
        told = self.critic.tower.pairs
        return [] if told is None else [(self.features[a], self.features[b]) for a, b in told.pairs]

    def fit(
        self,
        schedule: Schedule,
        run: TrainingContext,
        *,
        stage: str,
        sample_masks: MaskSampler | None = None,
    ) -> TrainingResult:
        """Train until the bound on the tuning rows stops rising."""
        seen = [rows for task in self.tasks for rows in task.fold.train]
        n_batch = min(schedule.batch_size, *map(len, seen))
        is_discrete, n_draws = self.tasks[0].fold.target.is_discrete, n_batch * schedule.max_steps
        batches = make_sampler(
            seen, self.bins, self.row_weights, self.log_prior, is_discrete=is_discrete, n_draws=n_draws
        )
        tune, tune_weights = self._tune_rows()
        tune_masks: Tensor | None = None
        dropouts = [module for module in self.critic.modules() if isinstance(module, Dropout)]

        # No bound on these rows can pass the mean surprise of their targets
        surprise = -self.log_prior.squeeze(1).gather(1, self.bins[tune])
        ceiling = ((surprise * tune_weights).sum(1) / tune_weights.sum(1)).cpu()
        if sample_masks is not None:  # judged on hidden parts too, or the full set alone would end the training
            tune_masks = sample_masks(tune.numel(), run.generator).to(self.device).view(*tune.shape, -1)
            ceiling = torch.full_like(ceiling, torch.inf)

        def draw() -> Draws:
            rows = batches.draw(n_batch, run.generator)
            if sample_masks is None:
                return (rows,)
            return rows, sample_masks(rows.numel(), run.generator).to(self.device).view(*rows.shape, -1)

        def loss(rows: Tensor, masks: Tensor | None = None) -> Loss:
            own, weights = self.sharding.shard(rows), self.row_weights[rows]
            for dropout in dropouts:
                dropout.shard = own
            masks = self.masks if masks is None else own.select(masks)
            scores = self.critic(self._take(own.rows), self.bin_rows, masks, encoding_part(own.rows))
            information = pointwise_information(scores, self.bins[own.rows], batches.log_prior)
            return Loss(-(information * own.select(weights)).sum(1) / weights.sum(1))

        def held_out_bound() -> Tensor:
            information = self._by_member(tune, tune_masks)
            return (information * tune_weights).sum(1) / tune_weights.sum(1)

        return train(
            self.ensemble,
            BatchLoss(draw, loss),
            held_out_bound,
            schedule,
            replace(run, ranks=self.sharding.ranks),  # those who share the rows, whoever else there is
            stage=stage,
            n_features=lambda: max(len(task.features) for task in self.tasks),
            ceiling=ceiling,
        )

    @torch.no_grad()
    def tuning_information(self) -> list[Tensor]:
        """Information of every task's tuning rows, each by the member that did not train on it."""
        information = self._by_member(self._tune_rows()[0])
        lengths = [[len(rows) for rows in task.fold.tune] for task in self.tasks]
        by_task = information.view(len(self.tasks), self.n_members_per_task, -1)
        return [
            torch.cat([row[:length] for row, length in zip(rows, of_task, strict=True)])
            for rows, of_task in zip(by_task, lengths, strict=True)
        ]

    @torch.no_grad()
    def information(self, rows: Sequence[Tensor], mask: Tensor | None = None) -> list[Tensor]:
        """Information of rows that no member of a task saw, by the mean score of its members; one index a task."""
        own = self.sharding.shard(pad_rows(rows, self.row_weights)[0])
        masks = None if mask is None else mask.expand(self.n_members, -1)
        pieces = []
        for piece in own.rows.split(self.chunk, dim=1):
            scores = self._scores(self._take(self.for_members(piece)), self.masks if masks is None else masks)
            pieces.append(self.by_task(scores, piece))
        whole = own.gather(torch.cat(pieces, dim=1))
        return [values[: len(of_task)] for values, of_task in zip(whole, rows, strict=True)]

    def held_out_information(self, mask: Tensor | None = None) -> list[Tensor]:
        """Information of every task's vetting rows, with the features of the mask or those of each task."""
        return self.information([task.fold.held_out for task in self.tasks], mask)

    @property
    def chunk(self) -> int:
        """How many rows of every member to score at once."""
        return max(256, _CHUNK // self.n_members)

    def for_members(self, values: Tensor) -> Tensor:  # (n_members, ...)
        """What is given for every task (n_tasks, ...), once for each of its members."""
        return values.repeat_interleave(self.n_members_per_task, dim=0)

    def by_task(self, scores: Tensor, rows: Tensor) -> Tensor:  # (n_tasks, n_rows)
        """Information of rows from the mean of each task's members' scores."""
        mean = scores.view(len(self.tasks), self.n_members_per_task, *scores.shape[1:]).mean(1)
        return pointwise_information(mean, self.bins[rows], self.log_prior[:: self.n_members_per_task])

    def _tune_rows(self) -> tuple[Tensor, Tensor]:
        return pad_rows([rows for task in self.tasks for rows in task.fold.tune], self.row_weights)

    def _take(self, rows: Tensor) -> Rows:
        """Features of rows that this process holds."""
        return self.sharding.take(self.x, rows)

    def _scores(self, x: Rows, masks: Tensor | None) -> Tensor:  # (n_members, n_rows, n_bins)
        """Scores of a block of rows with every bin; masks are (n_members, [n_rows,] n_features)."""
        scores: Tensor = self.critic(x, self.bin_rows, masks)
        return scores

    def _by_member(self, rows: Tensor, masks: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Information of a block of rows, member by member."""
        own = self.sharding.shard(rows)
        cut = own.rows.split(self.chunk, dim=1)
        masks_of = [self.masks] * len(cut) if masks is None else own.select(masks).split(self.chunk, dim=1)
        pieces = [
            pointwise_information(self._scores(self._take(piece), of_piece), self.bins[piece], self.log_prior)
            for piece, of_piece in zip(cut, masks_of, strict=True)
        ]
        return own.gather(torch.cat(pieces, dim=1))
