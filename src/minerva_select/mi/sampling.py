"""Sampling of rows: batches, with rare classes more often than they occur, and stratified subsamples."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from minerva_select.config import SAMPLING


class UniformSampler:
    """Batches of each member's rows, all equally likely."""

    def __init__(self, seen: Sequence[Tensor], row_weights: Tensor, log_prior: Tensor) -> None:
        self.rows, _ = pad_rows(seen, row_weights)
        self.n_rows = torch.tensor([[len(rows)] for rows in seen], device=self.rows.device)
        self.log_prior = log_prior

    def draw(self, n_batch: int, generator: Generator) -> Tensor:  # (n_members, n_batch)
        """Draw the rows of one batch."""
        chance = _draw(len(self.rows), n_batch, generator=generator, device=self.rows.device)
        return self.rows.gather(1, (chance * self.n_rows).long())


class RebalancedSampler:
    """Batches with given shares of the classes, and the class prior of such batches.

    With q(k|x) proportional to p(k) exp T(x, k), the best critic does not depend on the prior p of the batches, as long
    as the loss uses that prior. Without rebalancing, most batches would contain no row of a very rare class.
    """

    def __init__(self, seen: Sequence[Tensor], bins: Tensor, row_weights: Tensor, share: Tensor) -> None:
        n_classes = share.shape[1]
        ordered = [rows[bins[rows].argsort(stable=True)] for rows in seen]
        counts = torch.stack([torch.bincount(bins[rows], minlength=n_classes) for rows in seen])
        totals = torch.stack([torch.bincount(bins[rows], row_weights[rows].double(), n_classes) for rows in seen])
        prior = share * totals / counts.clamp(min=1)  # row weights may differ between classes
        self.log_prior = (prior / prior.sum(1, keepdim=True)).log().clamp(min=SAMPLING.log_never).float().unsqueeze(1)
        self.rows, _ = pad_rows(ordered, row_weights)
        self.counts = counts
        self.starts = counts.cumsum(1) - counts
        self.edges = share.cumsum(1)[:, :-1].contiguous()

    def draw(self, n_batch: int, generator: Generator) -> Tensor:  # (n_members, n_batch)
        """Draw the rows of one batch."""
        chance = _draw(2, len(self.rows), n_batch, generator=generator, device=self.rows.device)
        classes = torch.searchsorted(self.edges, chance[0], right=True)
        places = self.starts.gather(1, classes) + (chance[1] * self.counts.gather(1, classes)).long()
        return self.rows.gather(1, places)


def _draw(*shape: int, generator: Generator, device: torch.device) -> Tensor:
    """Random numbers in [0, 1), drawn on the CPU so that all devices get the same, and copied without a wait."""
    is_cuda = device.type == "cuda"
    chance = torch.rand(shape, generator=generator, dtype=torch.float64, pin_memory=is_cuda)
    return chance.to(device, non_blocking=is_cuda)


def make_sampler(
    seen: Sequence[Tensor], bins: Tensor, row_weights: Tensor, log_prior: Tensor, *, is_discrete: bool, n_draws: int
) -> UniformSampler | RebalancedSampler:
    """Sampler for a training of ``n_draws`` rows; rebalanced if it would see too few rows of some class."""
    if is_discrete:
        n_classes = log_prior.shape[-1]
        counts = torch.stack([torch.bincount(bins[rows], minlength=n_classes) for rows in seen]).double()
        share = counts / counts.sum(1, keepdim=True)
        max_share = min(SAMPLING.max_share, SAMPLING.max_total_share / n_classes)
        wanted = (SAMPLING.max_visits * counts / n_draws).clamp(max=max_share)
        if (wanted > share).any():
            share = torch.maximum(share, wanted)
            return RebalancedSampler(seen, bins, row_weights, share / share.sum(1, keepdim=True))
    return UniformSampler(seen, row_weights, log_prior)


def pad_rows(rows: Sequence[Tensor], row_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Stack indices of unequal length, with padding of weight zero."""
    length = max(len(block) for block in rows)
    padded = torch.stack([torch.cat([block, block[:1].expand(length - len(block))]) for block in rows])
    weights = row_weights[padded].clone()
    for k, block in enumerate(rows):
        weights[k, len(block) :] = 0.0
    return padded, weights


def draw_stratified(bins: Tensor, n_rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Draw about ``n_rows`` indices with equal numbers per class, rare classes whole.

    Returns the indices, and the share of its class that was drawn for each.
    """
    counts = torch.bincount(bins)
    per_class = max(1, n_rows // max(1, int((counts > 0).sum())))
    share = (per_class / counts.clamp(min=1)).clamp(max=1.0)
    # Classes with fewer rows leave room for the others
    share = (share * n_rows / (share * counts).sum()).clamp(max=1.0)
    chosen = torch.rand(len(bins), generator=generator).to(bins.device) < share[bins]
    indices = chosen.nonzero().squeeze(1)
    indices = indices if len(indices) else torch.zeros(1, dtype=torch.int64, device=bins.device)  # at least one
    return indices, share[bins[indices]]
