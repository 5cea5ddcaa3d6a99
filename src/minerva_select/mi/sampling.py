"""Which rows a batch holds: each as likely as any other, or rare classes more often than they occur."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

NEVER = -80.0  # logarithm of the prior of a class that never occurs
MAX_VISITS = 10  # how often a whole training may show a row of a rare class: more, and it is learned by heart
MAX_SHARE = 0.02  # of a batch: beyond that a class is not rare


class UniformSampler:
    """Batches of each member's rows, all equally likely."""

    def __init__(self, seen: Sequence[Tensor], row_weights: Tensor, log_prior: Tensor) -> None:
        self.rows, _ = pad_rows(seen, row_weights)
        self.n_rows = torch.tensor([[len(rows)] for rows in seen], device=self.rows.device)
        self.log_prior = log_prior

    def draw(self, n_batch: int, generator: Generator) -> Tensor:  # (n_members, n_batch)
        """Rows of one batch."""
        chance = torch.rand(len(self.rows), n_batch, generator=generator, dtype=torch.float64)
        return self.rows.gather(1, (chance.to(self.rows.device) * self.n_rows).long())


class RebalancedSampler:
    """Batches with shares of the classes that are not their own, and the prior that such batches have.

    With q(k|x) proportional to p(k) exp T(x, k), the best critic is the same whatever the prior p of the batches, as
    long as the loss knows it; but of one positive in ten thousand most batches hold none, and nothing is learned.
    """

    def __init__(self, seen: Sequence[Tensor], bins: Tensor, row_weights: Tensor, share: Tensor) -> None:
        n_classes = share.shape[1]
        ordered = [rows[bins[rows].argsort(stable=True)] for rows in seen]
        counts = torch.stack([torch.bincount(bins[rows], minlength=n_classes) for rows in seen])
        amounts = torch.stack([torch.bincount(bins[rows], row_weights[rows].double(), n_classes) for rows in seen])
        prior = share * amounts / counts.clamp(min=1)  # rows of a class may weigh more than those of another
        self.log_prior = (prior / prior.sum(1, keepdim=True)).log().clamp(min=NEVER).float().unsqueeze(1)
        self.rows, _ = pad_rows(ordered, row_weights)
        self.counts = counts
        self.starts = counts.cumsum(1) - counts
        self.edges = share.cumsum(1)[:, :-1].contiguous()

    def draw(self, n_batch: int, generator: Generator) -> Tensor:  # (n_members, n_batch)
        """Rows of one batch."""
        chance = torch.rand(2, len(self.rows), n_batch, generator=generator, dtype=torch.float64).to(self.rows.device)
        classes = torch.searchsorted(self.edges, chance[0], right=True)
        places = self.starts.gather(1, classes) + (chance[1] * self.counts.gather(1, classes)).long()
        return self.rows.gather(1, places)


def make_sampler(
    seen: Sequence[Tensor], bins: Tensor, row_weights: Tensor, log_prior: Tensor, *, is_discrete: bool, n_draws: int
) -> UniformSampler | RebalancedSampler:
    """Who draws the rows of a training of so many draws: plainly, unless it would see too little of some class."""
    if is_discrete:
        n_classes = log_prior.shape[-1]
        counts = torch.stack([torch.bincount(bins[rows], minlength=n_classes) for rows in seen]).double()
        share = counts / counts.sum(1, keepdim=True)
        wanted = (MAX_VISITS * counts / n_draws).clamp(max=min(MAX_SHARE, 0.5 / n_classes))
        if (wanted > share).any():
            share = torch.maximum(share, wanted)
            return RebalancedSampler(seen, bins, row_weights, share / share.sum(1, keepdim=True))
    return UniformSampler(seen, row_weights, log_prior)


def pad_rows(rows: Sequence[Tensor], row_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Index blocks of unequal length as one, the filling at weight zero."""
    length = max(len(block) for block in rows)
    padded = torch.stack([torch.cat([block, block[:1].expand(length - len(block))]) for block in rows])
    weights = row_weights[padded].clone()
    for k, block in enumerate(rows):
        weights[k, len(block) :] = 0.0
    return padded, weights


def draw_stratified(bins: Tensor, n_rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Places of about so many rows, with the share of its bin that each stands for: rare bins are drawn whole."""
    counts = torch.bincount(bins)
    per_bin = max(1, n_rows // max(1, int((counts > 0).sum())))
    share = (per_bin / counts.clamp(min=1)).clamp(max=1.0)
    # Rows that a class does not fill go to the others
    share = (share * n_rows / (share * counts).sum()).clamp(max=1.0)
    chosen = torch.rand(len(bins), generator=generator).to(bins.device) < share[bins]
    places = chosen.nonzero().squeeze(1)
    places = places if len(places) else torch.zeros(1, dtype=torch.int64, device=bins.device)  # never none
    return places, share[bins[places]]
