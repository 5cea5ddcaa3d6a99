"""Information of every row about the target, from critics that never saw that row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from minerva.core.bounds import conditional_scores
from minerva.core.critics import ClassCritic, SeparableCritic
from minerva.core.ensemble import Ensemble
from minerva.core.inputs import Rows, stack_rows
from minerva.core.objective import Loss
from minerva.core.runtime import Deadline
from minerva.core.training import Outcome, Schedule, train
from minerva.results import TrainingRecord

_CHUNK = 16384  # rows scored at once, over all members


@dataclass(frozen=True, eq=False)
class Target:
    """A target as atoms: its classes, or fine quantile levels, with their exact prior."""

    atoms: Tensor  # (n_rows,) int64
    atom_rows: Rows  # one row an atom
    log_prior: Tensor  # (n_atoms,)
    is_discrete: bool

    @property
    def entropy(self) -> float:
        """Entropy of the prior in nats."""
        return float(-(self.log_prior.exp() * self.log_prior).sum())


@dataclass(frozen=True, eq=False)
class Fold:
    """Who may see which rows: members train and tune on their own rows, nobody sees ``vet``.

    Folds of one table share their tensors: each has its rows, encoded its own way, in a stretch of them.
    """

    x: Rows
    target: Target
    row_weights: Tensor  # (n_rows,) mean 1
    train: tuple[Tensor, ...]  # one index a member
    tune: tuple[Tensor, ...]  # one index a member
    vet: Tensor


@dataclass(frozen=True, eq=False)
class Job:
    """Features of which the members of one fold are to learn."""

    fold: Fold
    features: list[int]


MaskSampler = Callable[[int, Generator], Tensor]


class Critics:
    """Critics of several jobs, fitted side by side to the exact conditional bound; each job has its fold's members."""

    def __init__(self, jobs: Sequence[Job], dropout: float = 0.0, width: int = 128) -> None:
        self.jobs = list(jobs)
        fold = self.jobs[0].fold
        self.features = sorted(set().union(*(job.features for job in self.jobs)))
        self.x = fold.x.only(self.features)
        self.device = self.x.device
        self.row_weights, self.atoms = fold.row_weights, fold.target.atoms
        self.n_per_job = len(fold.train)
        self.n_members = self.n_per_job * len(self.jobs)
        targets = [job.fold.target for job in self.jobs for _ in range(self.n_per_job)]
        self.log_prior = torch.stack([target.log_prior for target in targets]).unsqueeze(1)
        self.atom_rows = stack_rows([target.atom_rows for target in targets])
        masks = torch.stack([self.mask_of(job.features) for job in self.jobs])
        self.masks = None if masks.all() else self.for_members(masks)
        self.ensemble = Ensemble(self._build(width, dropout), self.device)

    def _build(self, width: int, dropout: float) -> ClassCritic | SeparableCritic:
        if self.jobs[0].fold.target.is_discrete:
            n_classes = self.log_prior.shape[-1]
            critic = ClassCritic(self.x.layout, n_classes, n_members=self.n_members, width=width, dropout=dropout)
            self.critic: ClassCritic | SeparableCritic = critic
        else:
            layouts = self.x.layout, self.atom_rows.layout
            self.critic = SeparableCritic(*layouts, n_members=self.n_members, width=width, dropout=dropout)
        return self.critic

    def members_of(self, job: int) -> slice:
        """The places of a job's members."""
        return slice(job * self.n_per_job, (job + 1) * self.n_per_job)

    def mask_of(self, features: list[int]) -> Tensor:  # (n_features,)
        """Ones at these features, zeros elsewhere."""
        chosen = {*features}
        return torch.tensor([float(feature in chosen) for feature in self.features], device=self.device)

    def start_from(self, job: int, other: Critics, other_job: int) -> None:
        """Begin a job where a job of another set has ended; features that it does not know start afresh."""
        mine = {feature: k for k, feature in enumerate(self.features)}
        theirs = {feature: k for k, feature in enumerate(other.features)}
        common = sorted(mine.keys() & theirs.keys())
        to = self.critic.tower.column_entries([mine[feature] for feature in common])
        of = other.critic.tower.column_entries([theirs[feature] for feature in common])
        entries = {f"tower.{name}": (to[name], of[name]) for name in to}
        self.ensemble.start_from_(other.ensemble, (self.members_of(job), other.members_of(other_job)), entries)

    def fit(
        self,
        schedule: Schedule,
        generator: Generator,
        deadline: Deadline,
        *,
        stage: str,
        sample_masks: MaskSampler | None = None,
        on_record: Callable[[TrainingRecord], None] = lambda _: None,
    ) -> Outcome:
        """Train until the bound on the tuning rows stops rising."""
        seen = [rows for job in self.jobs for rows in job.fold.train]
        n_seen = torch.tensor([[len(rows)] for rows in seen])
        n_batch = min(schedule.batch_size, int(n_seen.min()))
        seen_rows, _ = pad_rows(seen, self.row_weights)
        tune, tune_weights = self._tune_rows()
        tune_masks: Tensor | None = None

        # No bound on these rows can pass the mean surprise of their targets
        surprise = -self.log_prior.squeeze(1).gather(1, self.atoms[tune])
        ceiling = ((surprise * tune_weights).sum(1) / tune_weights.sum(1)).cpu()
        if sample_masks is not None:  # judged on hidden parts too, or the full set alone would end the training
            tune_masks = sample_masks(tune.numel(), generator).to(self.device).view(*tune.shape, -1)
            ceiling = torch.full_like(ceiling, torch.inf)

        def loss_of_batch() -> Loss:
            drawn = torch.rand(self.n_members, n_batch, generator=generator, dtype=torch.float64) * n_seen
            rows = seen_rows.gather(1, drawn.long().to(self.device))
            masks = self.masks
            if sample_masks is not None:
                masks = sample_masks(rows.numel(), generator).to(self.device).view(*rows.shape, -1)
            weights = self.row_weights[rows]
            information = conditional_scores(self._scores(self.x.take(rows), masks), self.atoms[rows], self.log_prior)
            return Loss(-(information * weights).sum(1) / weights.sum(1))

        def held_out_bound() -> Tensor:
            information = self._by_member(tune, tune_masks)
            return (information * tune_weights).sum(1) / tune_weights.sum(1)

        return train(
            self.ensemble,
            loss_of_batch,
            held_out_bound,
            schedule,
            stage=stage,
            deadline=deadline,
            n_features=lambda: max(len(job.features) for job in self.jobs),
            ceiling=ceiling,
            on_record=on_record,
        )

    @torch.no_grad()
    def tune_information(self) -> list[Tensor]:
        """Information of every job's tuning rows, each by the member that did not train on it."""
        information = self._by_member(self._tune_rows()[0])
        lengths = [[len(rows) for rows in job.fold.tune] for job in self.jobs]
        by_job = information.view(len(self.jobs), self.n_per_job, -1)
        return [
            torch.cat([row[:length] for row, length in zip(rows, of_job, strict=True)])
            for rows, of_job in zip(by_job, lengths, strict=True)
        ]

    @torch.no_grad()
    def information(self, rows: Sequence[Tensor], mask: Tensor | None = None) -> list[Tensor]:
        """Information of rows that no member of a job saw, by the mean score of its members; one index a job."""
        block, _ = pad_rows(rows, self.row_weights)
        masks = None if mask is None else mask.expand(self.n_members, -1)
        pieces = []
        for piece in block.split(self.chunk, dim=1):
            scores = self._scores(self.x.take(self.for_members(piece)), self.masks if masks is None else masks)
            pieces.append(self.by_job(scores, piece))
        return [values[: len(own)] for values, own in zip(torch.cat(pieces, dim=1), rows, strict=True)]

    def vet_information(self, mask: Tensor | None = None) -> list[Tensor]:
        """Information of every job's vetting rows, with the features of the mask or those of each job."""
        return self.information([job.fold.vet for job in self.jobs], mask)

    @property
    def chunk(self) -> int:
        """How many rows of every member to score at once."""
        return max(256, _CHUNK // self.n_members)

    def for_members(self, values: Tensor) -> Tensor:  # (n_members, ...)
        """What is given for every job (n_jobs, ...), once for each of its members."""
        return values.repeat_interleave(self.n_per_job, dim=0)

    def by_job(self, scores: Tensor, rows: Tensor) -> Tensor:  # (n_jobs, n_rows)
        """Information of rows from the mean of each job's members' scores."""
        mean = scores.view(len(self.jobs), self.n_per_job, *scores.shape[1:]).mean(1)
        return conditional_scores(mean, self.atoms[rows], self.log_prior[:: self.n_per_job])

    def _tune_rows(self) -> tuple[Tensor, Tensor]:
        return pad_rows([rows for job in self.jobs for rows in job.fold.tune], self.row_weights)

    def _scores(self, x: Rows, masks: Tensor | None) -> Tensor:  # (n_members, n_rows, n_atoms)
        """Scores of a block of rows with every atom; masks are (n_members, [n_rows,] n_features)."""
        scores: Tensor = self.critic(x, self.atom_rows, masks)
        return scores

    def _by_member(self, rows: Tensor, masks: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Information of a block of rows, member by member."""
        pieces = []
        for start in range(0, rows.shape[1], self.chunk):
            piece = rows[:, start : start + self.chunk]
            scores = self._scores(
                self.x.take(piece), self.masks if masks is None else masks[:, start : start + self.chunk]
            )
            pieces.append(conditional_scores(scores, self.atoms[piece], self.log_prior))
        return torch.cat(pieces, dim=1)


def pad_rows(rows: Sequence[Tensor], row_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Index blocks of unequal length as one, the filling at weight zero."""
    length = max(len(block) for block in rows)
    padded = torch.stack([torch.cat([block, block[:1].expand(length - len(block))]) for block in rows])
    weights = row_weights[padded].clone()
    for k, block in enumerate(rows):
        weights[k, len(block) :] = 0.0
    return padded, weights
