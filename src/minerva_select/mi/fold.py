"""Folds of a table: which rows critics train on, tune on and never see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from minerva_select.data.encoded_rows import Rows
from minerva_select.data.sharding import UNSHARDED, Sharding
from minerva_select.mi.pair_tables import PairTables


@dataclass(frozen=True, eq=False)
class Target:
    """A target as bins: its classes, or fine quantile levels, with their exact prior."""

    bins: Tensor  # (n_rows,) int64
    bin_rows: Rows  # one row per bin
    log_prior: Tensor  # (n_bins,)
    is_discrete: bool

    @property
    def entropy(self) -> float:
        """Entropy of the prior in nats."""
        return float(-(self.log_prior.exp() * self.log_prior).sum())

    @property
    def order(self) -> Tensor:  # (n_bins,)
        """Sort key of the bins: neighbors have similar values."""
        quantiles = self.bin_rows.quantiles
        if quantiles.shape[1]:
            return quantiles[:, 0]
        return torch.arange(len(self.log_prior), device=self.log_prior.device)


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of one fold: each member trains and tunes on its own rows, and none sees the held-out rows.

    All folds of a table share their tensors. Each fold indexes a stretch of its own, where the rows are encoded as that
    fold encodes them.
    """

    x: Rows  # the shard of this process, in a distributed run
    target: Target
    row_weights: Tensor  # (n_rows,) mean 1; a row that was drawn to represent others has a larger weight
    train: tuple[Tensor, ...]  # one index per member
    tune: tuple[Tensor, ...]  # one index per member
    held_out: Tensor
    pairs: PairTables | None = None  # target encoding of interacting columns, from the training rows
    clusters: Tensor | None = None  # (n_rows,) group of each row; None: all rows are independent
    sharding: Sharding = UNSHARDED  # which process has which rows of x

    @property
    def all_training_rows(self) -> Tensor:
        """Rows that any member trains on, in order."""
        return torch.cat(self.train).unique() if len(self.train) > 1 else self.train[0]


def held_out_weights(folds: Sequence[Fold]) -> Tensor:
    """Weights of the held-out rows, fold after fold."""
    return torch.cat([fold.row_weights[fold.held_out] for fold in folds])


def held_out_clusters(folds: Sequence[Fold]) -> Tensor | None:
    """Clusters of the held-out rows, fold after fold; None if all rows are independent."""
    found = [fold.clusters[fold.held_out] for fold in folds if fold.clusters is not None]
    return torch.cat(found) if found else None
