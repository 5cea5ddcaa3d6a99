"""Information of every row about the target, from critics that never saw that row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from minerva.core.bounds import conditional_scores
from minerva.core.critics import ClassCritic, SeparableCritic
from minerva.core.ensemble import Ensemble
from minerva.core.inputs import Rows
from minerva.core.objective import Loss
from minerva.core.runtime import Deadline
from minerva.core.training import Outcome, Schedule, train
from minerva.results import TrainingRecord

_CHUNK = 8192  # rows scored at once


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
    """Encoded rows, and who may see which: members train and tune on their own rows, nobody sees ``vet``."""

    x: Rows
    target: Target
    row_weights: Tensor  # (n_rows,) mean 1
    train: tuple[Tensor, ...]  # one index a member
    tune: tuple[Tensor, ...]  # one index a member
    vet: Tensor

    def only(self, features: list[int]) -> Fold:
        """The same rows with only these features."""
        return Fold(self.x.only(features), self.target, self.row_weights, self.train, self.tune, self.vet)


MaskSampler = Callable[[int, Generator], Tensor]


class Critics:
    """The critics of one fold, one a member, fitted to the exact conditional bound."""

    def __init__(self, fold: Fold, dropout: float = 0.0, width: int = 128) -> None:
        self.fold = fold
        self.n_members = len(fold.train)
        x, y = fold.x.layout, fold.target.atom_rows.layout

        def build() -> ClassCritic | SeparableCritic:
            if fold.target.is_discrete:
                return ClassCritic(x, len(fold.target.log_prior), width=width, dropout=dropout)
            return SeparableCritic(x, y, width=width, dropout=dropout)

        self.ensemble = Ensemble(build, self.n_members, fold.x.device)

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
        fold, device, n_features = self.fold, self.fold.x.device, self.fold.x.layout.n_features
        everything = self._weights(None)
        tune_masks: Tensor | None = None
        n_batch = min(schedule.batch_size, *(len(rows) for rows in fold.train))
        tune, tune_weights = pad_rows(fold.tune, fold.row_weights)

        # No bound on these rows can pass the mean surprise of their targets
        surprise = -fold.target.log_prior[fold.target.atoms[tune]]
        ceiling = ((surprise * tune_weights).sum(1) / tune_weights.sum(1)).cpu()
        if sample_masks is not None:  # judged on hidden parts too, or the full set alone would end the training
            tune_masks = sample_masks(tune.numel(), generator).to(device).view(*tune.shape, -1)
            ceiling = torch.full_like(ceiling, torch.inf)

        def loss_of_batch() -> Loss:
            drawn = [rows[torch.randint(len(rows), (n_batch,), generator=generator).to(device)] for rows in fold.train]
            rows = torch.stack(drawn)
            masks = everything
            if sample_masks is not None:
                masks = sample_masks(self.n_members * n_batch, generator).to(device).view(self.n_members, n_batch, -1)
            weights = fold.row_weights[rows]
            information = self._row_information(fold.x.take(rows), fold.target.atoms[rows], masks)
            return Loss(-(information * weights).sum(1) / weights.sum(1))

        def held_out_bound() -> Tensor:
            information = self.by_member(fold.x.take(tune), tune, tune_masks)
            return (information * tune_weights).sum(1) / tune_weights.sum(1)

        return train(
            self.ensemble,
            loss_of_batch,
            held_out_bound,
            schedule,
            stage=stage,
            deadline=deadline,
            n_features=lambda: n_features,
            ceiling=ceiling,
            on_record=on_record,
        )

    @torch.no_grad()
    def tune_information(self, x: Rows | None = None) -> Tensor:  # (sum of tuning rows,)
        """Information of the tuning rows, each by the member that did not train on it."""
        tune, _ = pad_rows(self.fold.tune, self.fold.row_weights)
        information = self.by_member(self.fold.x.take(tune) if x is None else x, tune)
        return torch.cat([row[: len(rows)] for row, rows in zip(information, self.fold.tune, strict=True)])

    @torch.no_grad()
    def information(self, rows: Tensor, mask: Tensor | None = None, x: Rows | None = None) -> Tensor:  # (n_rows,)
        """Information of rows that no member saw, by the mean score of all members."""
        x = self.fold.x.take(rows) if x is None else x
        pieces = []
        for piece in torch.arange(len(rows), device=rows.device).split(_CHUNK):
            scores = self._scores(x.take(piece.expand(self.n_members, -1)), self._weights(mask)).mean(0)
            pieces.append(conditional_scores(scores, self.fold.target.atoms[rows[piece]], self.fold.target.log_prior))
        return torch.cat(pieces)

    def _scores(self, x: Rows, weights: Tensor) -> Tensor:  # (n_members, n_rows, n_atoms)
        """Scores of a block of rows with every atom; weights are (n_members, [n_rows,] n_features)."""
        atoms = self.fold.target.atom_rows
        stacked = Rows(
            atoms.ranks.expand(self.n_members, *atoms.ranks.shape),
            atoms.codes.expand(self.n_members, *atoms.codes.shape),
            atoms.layout,
        )
        return self.ensemble(x, stacked, weights)

    def _row_information(self, x: Rows, atoms: Tensor, weights: Tensor) -> Tensor:  # (n_members, n_rows)
        return conditional_scores(self._scores(x, weights), atoms, self.fold.target.log_prior)

    def by_member(self, x: Rows, rows: Tensor, masks: Tensor | None = None) -> Tensor:  # (n_members, n_rows)
        """Information of a block of rows, member by member; ``rows`` says whose targets they have."""
        pieces = []
        for start in range(0, rows.shape[1], _CHUNK):
            part = slice(start, start + _CHUNK)
            block = Rows(x.ranks[:, part], x.codes[:, part], x.layout)
            weights = self._weights(None) if masks is None else masks[:, part]
            pieces.append(self._row_information(block, self.fold.target.atoms[rows[:, part]], weights))
        return torch.cat(pieces, dim=1)

    def _weights(self, mask: Tensor | None) -> Tensor:
        n_features = self.fold.x.layout.n_features
        mask = torch.ones(n_features) if mask is None else mask
        return mask.to(self.fold.x.device).expand(self.n_members, n_features)


def pad_rows(rows: tuple[Tensor, ...], row_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Index blocks of unequal length as one, the filling at weight zero."""
    length = max(len(block) for block in rows)
    padded = torch.stack([torch.cat([block, block[:1].expand(length - len(block))]) for block in rows])
    weights = row_weights[padded].clone()
    for k, block in enumerate(rows):
        weights[k, len(block) :] = 0.0
    return padded, weights
