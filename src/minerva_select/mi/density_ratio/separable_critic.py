"""Critics h(x) . g(y) that learn what a density ratio in closed form lacks; one for each fold, trained side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.closed_forms import ClosedForm
from minerva_select.mi.density_ratio.side import MIN_INPUTS


@dataclass(frozen=True, eq=False)
class CriticJob:
    """What one critic learns from: the density ratio that it starts from, and the rows to train and tune on."""

    offset: ClosedForm
    train: Tensor
    tune: Tensor


@dataclass(frozen=True, eq=False)
class CriticRatio:
    """A density ratio in closed form times that of a trained critic."""

    offset: ClosedForm
    x: Tensor  # (n_rows, n_features)
    y: Tensor  # (n_rows, n_features)

    def __call__(self, x_rows: Tensor, y_rows: Tensor) -> Tensor:  # (n_x_rows, n_y_rows)
        """Log density ratios of all pairs of these rows."""
        return self.offset(x_rows, y_rows) + self.x[x_rows] @ self.y[y_rows].T


class _Networks:
    """Networks of one shape, one per fold, as stacked weights."""

    def __init__(self, n_networks: int, widths: Sequence[int], generator: torch.Generator) -> None:
        self.weights, self.biases = [], []
        for n_in, n_out in pairwise(widths):
            gain = 0.5 if n_out == widths[-1] else math.sqrt(2.0)
            weights = torch.randn(n_networks, n_in, n_out, generator=generator) * gain / math.sqrt(n_in)
            self.weights.append(weights.requires_grad_())
            self.biases.append(torch.zeros(n_networks, 1, n_out, requires_grad=True))

    @property
    def parameters(self) -> list[Tensor]:
        return [*self.weights, *self.biases]

    def __call__(self, values: Tensor) -> Tensor:  # (n_networks, n_rows, n_outputs)
        for weights, biases in zip(self.weights[:-1], self.biases[:-1], strict=True):
            values = functional.gelu(torch.baddbmm(biases, values, weights))
        return torch.baddbmm(self.biases[-1], values, self.weights[-1])


@dataclass(eq=False)
class _Best:
    """Best bound of each critic on its tuning rows, and the parameters that reached it."""

    bounds: Tensor  # (n_critics,)
    parameters: list[Tensor]
    n_since: int = 0  # evaluations since any critic improved

    def update(self, bounds: Tensor, parameters: Sequence[Tensor]) -> None:
        better = bounds > self.bounds
        self.n_since = 0 if bool(better.any()) else self.n_since + 1
        self.bounds = torch.where(better, bounds, self.bounds)
        for kept, current in zip(self.parameters, parameters, strict=True):
            kept[better] = current.detach()[better]


def train_critics(x: Tensor, y: Tensor, jobs: Sequence[CriticJob], generator: torch.Generator) -> list[CriticRatio]:
    """Train one critic per job by InfoNCE in both directions, and keep the one that is best on its tuning rows.

    ``x`` and ``y`` hold the inputs of all rows of either side: (n_critics, n_rows, n_inputs).
    """
    settings = DENSITY_RATIO
    x_net, y_net = (
        _Networks(len(jobs), [values.shape[2], settings.width, settings.width, settings.n_features], generator)
        for values in (x, y)
    )
    parameters = x_net.parameters + y_net.parameters
    n_train = min(len(job.train) for job in jobs)
    n_batch = min(settings.batch_size, n_train)
    epochs = settings.epochs_of_pair if x.shape[2] == y.shape[2] == MIN_INPUTS else settings.epochs
    n_steps = min(settings.max_steps, max(settings.min_steps, epochs * n_train // n_batch))
    optimizer = torch.optim.AdamW(parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.learning_rate, n_steps, pct_start=0.1)
    n_tune = min(settings.max_choice_rows, *(len(job.tune) for job in jobs))
    tune = torch.stack([job.tune[:n_tune] for job in jobs])
    tune_offsets = _offsets(jobs, tune)
    scale, each = 1 / math.sqrt(settings.n_features), torch.arange(len(jobs))[:, None]
    best = _Best(torch.full((len(jobs),), -math.inf), [parameter.detach().clone() for parameter in parameters])

    def scores(rows: Tensor, offsets: Tensor) -> Tensor:  # (n_critics, n_rows, n_rows)
        return torch.baddbmm(offsets, x_net(x[each, rows]), y_net(y[each, rows]).transpose(1, 2), alpha=scale)

    for step, rows in enumerate(_batches(jobs, n_steps, n_batch, n_train, generator), start=1):
        loss = -_info_nce(scores(rows, _offsets(jobs, rows))).sum()  # the critics share no parameter
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, math.sqrt(len(jobs)))
        optimizer.step()
        schedule.step()
        if step % settings.evaluate_every == 0 or step == n_steps:
            with torch.no_grad():
                best.update(_info_nce(scores(tune, tune_offsets)), parameters)
            if best.n_since >= settings.patience:
                break
    with torch.no_grad():
        for parameter, kept in zip(parameters, best.parameters, strict=True):
            parameter.copy_(kept)
        x_out, y_out = x_net(x) * scale, y_net(y)
    return [CriticRatio(job.offset, x_out[k], y_out[k]) for k, job in enumerate(jobs)]


def _offsets(jobs: Sequence[CriticJob], rows: Tensor) -> Tensor:  # (n_critics, n_rows, n_rows)
    return torch.stack([job.offset(own, own) for job, own in zip(jobs, rows, strict=True)])


def _info_nce(scores: Tensor) -> Tensor:  # (n_critics,)
    """Mean of the two InfoNCE bounds of each critic, less the logarithm of the number of rows."""
    own = scores.diagonal(dim1=1, dim2=2)
    return (own - (scores.logsumexp(1) + scores.logsumexp(2)) / 2).mean(1)


def _batches(
    jobs: Sequence[CriticJob], n_steps: int, n_batch: int, n_train: int, generator: torch.Generator
) -> Iterator[Tensor]:  # of (n_critics, n_batch)
    """Yield batches of training rows of every job, epoch after epoch."""
    per_epoch = n_train // n_batch
    for step in range(n_steps):
        if step % per_epoch == 0:
            orders = torch.stack(
                [job.train[torch.randperm(len(job.train), generator=generator)[:n_train]] for job in jobs]
            )
        start = step % per_epoch * n_batch
        yield orders[:, start : start + n_batch]
