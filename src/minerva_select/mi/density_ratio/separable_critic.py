"""Critics h(x) . g(y) that learn what a density ratio in closed form lacks; one for each fold, trained side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from minerva_select.config import DENSITY_RATIO
from minerva_select.mi.density_ratio.closed_forms import ClosedForm
from minerva_select.mi.ensemble import Ensemble
from minerva_select.mi.optimizer import AdamW


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


class _Network(nn.Module):
    """Networks of one shape, one per fold, as stacked weights."""

    def __init__(self, n_networks: int, widths: Sequence[int], generator: torch.Generator) -> None:
        super().__init__()
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for n_in, n_out in pairwise(widths):
            gain = 0.5 if n_out == widths[-1] else math.sqrt(2.0)
            self.weights.append(torch.randn(n_networks, n_in, n_out, generator=generator) * gain / math.sqrt(n_in))
            self.biases.append(torch.zeros(n_networks, 1, n_out))

    def forward(self, values: Tensor) -> Tensor:  # (n_networks, n_rows, n_outputs)
        last = len(self.weights) - 1
        for layer, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = torch.baddbmm(biases, values, weights)
            values = values if layer == last else functional.gelu(values)
        return values


class _SeparableCritics(nn.Module):
    """One critic h(x) . g(y) per fold."""

    def __init__(self, n_critics: int, n_inputs: tuple[int, int], generator: torch.Generator) -> None:
        super().__init__()
        hidden = [DENSITY_RATIO.width, DENSITY_RATIO.width, DENSITY_RATIO.n_features]
        self.x, self.y = (_Network(n_critics, [n_own, *hidden], generator) for n_own in n_inputs)

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:  # (n_critics, n_rows, n_features) each
        return self.x(x) / math.sqrt(DENSITY_RATIO.n_features), self.y(y)


def train_critics(x: Tensor, y: Tensor, jobs: Sequence[CriticJob], generator: torch.Generator) -> list[CriticRatio]:
    """Train one critic per job by InfoNCE in both directions, and keep the one that is best on its tuning rows.

    ``x`` and ``y`` hold the inputs of all rows of either side: (n_critics, n_rows, n_inputs).
    """
    settings = DENSITY_RATIO
    critics = _SeparableCritics(len(jobs), (x.shape[2], y.shape[2]), generator)
    ensemble = Ensemble(critics, x.device)
    n_train = min(len(job.train) for job in jobs)
    n_batch = min(settings.batch_size, n_train)
    n_steps = min(settings.max_steps, max(settings.min_steps, settings.epochs * n_train // n_batch))
    optimizer = AdamW(ensemble, 0.0, settings.weight_decay)
    n_tune = min(settings.max_choice_rows, *(len(job.tune) for job in jobs))
    tune = torch.stack([job.tune[:n_tune] for job in jobs])
    tune_offsets = _offsets(jobs, tune)
    each = torch.arange(len(jobs))[:, None]

    def bounds(rows: Tensor, offsets: Tensor) -> Tensor:  # (n_critics,)
        h, g = critics(x[each, rows], y[each, rows])
        return _info_nce(torch.baddbmm(offsets, h, g.transpose(1, 2)))

    best, best_bounds, n_worse = ensemble.snapshot(), torch.full((len(jobs),), -math.inf), 0
    for step, rows in enumerate(_batches(jobs, n_steps, n_batch, n_train, generator), start=1):
        ensemble.gradient.zero_()
        (-bounds(rows, _offsets(jobs, rows)).sum()).backward()  # the critics share no parameter
        ensemble.clip_gradients_(1.0)
        optimizer.rate = settings.learning_rate * _rate_share((step - 1) / n_steps)
        optimizer.step()
        if step % settings.evaluate_every == 0 or step == n_steps:
            with torch.no_grad():
                found = bounds(tune, tune_offsets)
            better = found > best_bounds
            n_worse = 0 if bool(better.any()) else n_worse + 1
            best_bounds = torch.where(better, found, best_bounds)
            ensemble.update_snapshot_(best, better)
            if n_worse >= settings.patience:
                break
    ensemble.restore_(best)
    with torch.no_grad():
        h, g = critics(x, y)
    return [CriticRatio(job.offset, h[k], g[k]) for k, job in enumerate(jobs)]


def _rate_share(done: float) -> float:
    """Share of the largest learning rate after some of the steps: linear warm-up, then half a cosine down to 0."""
    warm_up = DENSITY_RATIO.warm_up_share
    if done < warm_up:
        return (done + 0.01) / (warm_up + 0.01)
    return (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up))) / 2


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
