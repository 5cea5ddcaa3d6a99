"""Stacking: mixtures of conditional distributions, with weights learned on tuning rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from minerva_select.config import JUDGE

_N_STEPS = 60


@dataclass(eq=False)
class FoldInformation:
    """Pointwise information that one critic finds in the rows of one fold."""

    tuning: Tensor  # (n_tuning_rows,) of all members, each by the member that did not train on it
    measure: Callable[[], Tensor]  # computes that of the held-out rows, which a ranking on tuning rows does not need
    importances: Callable[[], Tensor] | None = None  # of each feature, to the critic
    _held_out: Tensor | None = None

    @classmethod
    def of_values(cls, tuning: Tensor, held_out: Tensor) -> FoldInformation:
        """Values that are known already."""
        return cls(tuning, lambda: held_out)

    @property
    def held_out(self) -> Tensor:  # (n_held_out_rows,)
        """Information of the held-out rows, computed once."""
        if self._held_out is None:  # a cached_property would let one thread at a time compute any of them
            self._held_out = self.measure()
        return self._held_out


@dataclass(frozen=True, eq=False)
class Stack:
    """Information of a mixture of critics, on tuning rows and on held-out rows."""

    tuning: Tensor  # fold after fold
    weights: Tensor  # (n_folds, n_critics + 1); the last one of each fold is that of the prior
    critics: Sequence[Sequence[FoldInformation]]
    n_held_out: Sequence[int]

    @cached_property
    def held_out(self) -> Tensor:
        """Information of the held-out rows, fold after fold."""
        mixed = []
        for k, n_rows in enumerate(self.n_held_out):
            prior = self.tuning.new_zeros(n_rows)
            mixed.append(mix(torch.stack([*(critic[k].held_out for critic in self.critics), prior]), self.weights[k]))
        return torch.cat(mixed)


def stack(
    critics: Sequence[Sequence[FoldInformation]], tuning_weights: Sequence[Tensor], n_held_out: Sequence[int]
) -> Stack:
    """Mix critics and the prior in every fold, with the weights that are best on its tuning rows."""
    tuning, weights = [], []
    for k, own in enumerate(tuning_weights):
        models = torch.stack([*(critic[k].tuning for critic in critics), torch.zeros_like(own)])
        weights.append(mixture_weights(models, own, JUDGE.weight_prior_rows))
        tuning.append(mix(models, weights[-1]))
    return Stack(torch.cat(tuning), torch.stack(weights), critics, n_held_out)


def mixture_weights(information: Tensor, row_weights: Tensor, prior_rows: float) -> Tensor:  # (n_models,)
    """Weights of models in the mixture with the largest bound, by expectation maximization.

    ``information`` is (n_models, n_rows): pointwise information log q(y|x) / p(y) of every model on tuning rows. Each
    model has ``prior_rows`` rows in its favor, so that few rows do not decide for one of them alone.
    """
    n_models = len(information)
    ratios = (information - information.max(dim=0).values).double().exp()
    rows = row_weights.double() * len(row_weights) / row_weights.double().sum()
    weights = torch.full((n_models,), 1.0 / n_models, dtype=torch.float64, device=ratios.device)
    for _ in range(_N_STEPS):
        shares = weights[:, None] * ratios
        shares = shares / shares.sum(dim=0)
        weights = (shares * rows).sum(dim=1) + prior_rows
        weights = weights / weights.sum()
    return weights


def mix_by_rows(information: Sequence[Tensor], row_weights: Tensor) -> Tensor:  # (n_rows,)
    """Pointwise information of the best mixture of models and the prior, on the rows that choose its weights."""
    models = torch.stack([*information, torch.zeros_like(row_weights)])
    return mix(models, mixture_weights(models, row_weights, JUDGE.weight_prior_rows))


def mix(information: Tensor, weights: Tensor) -> Tensor:  # (n_rows,)
    """Pointwise information of the mixture of models, itself a conditional distribution."""
    log_weights = weights.log().to(information.dtype)
    return torch.logsumexp(information + log_weights[:, None], dim=0)
