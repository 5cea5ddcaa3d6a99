"""What critics lose, row by row, when one unit of columns is shuffled among the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

import torch
from torch import Generator, Tensor

from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.sampling import draw_stratified, pad_rows
from minerva_select.runtime.deadline import Deadline

Units = Sequence[Sequence[list[int]]]  # for every task its units, each a list of features


def held_out_importances(
    critics: CrossFitCritics, units: Units, generator: Generator, deadline: Deadline | None = None
) -> list[Tensor]:  # (n_units, n_rows) a task
    """Fall of every vetting row's information when a unit of its task is shuffled; 0 for those the time did not reach.

    Nothing has seen these rows. For a unit that is independent of all else the mean fall is 0 in expectation,
    whatever the critic: that makes a test over rows valid.
    """
    vet = [task.fold.held_out for task in critics.tasks]
    rows, _ = pad_rows(vet, critics.row_weights)
    lengths = torch.tensor([len(own) for own in vet])
    falls = _falls(critics, units, rows, lengths, critics.for_members, critics.by_task, generator, deadline)
    return [fall[: len(own), : len(block)] for fall, own, block in zip(falls, units, vet, strict=True)]


def tuning_importances(
    critics: CrossFitCritics, units: Units, generator: Generator, max_rows: int
) -> list[list[MeanEstimate]]:
    """Mean fall on (about ``max_rows`` of a task's) tuning rows when a unit is shuffled, to rank units."""
    tune = [block for task in critics.tasks for block in task.fold.tune]
    drawn = [draw_stratified(critics.bins[block], max_rows // critics.n_members_per_task, generator) for block in tune]
    rows, weights = pad_rows(
        [block[chosen] for block, (chosen, _) in zip(tune, drawn, strict=True)], critics.row_weights
    )
    for own, (chosen, share) in zip(weights, drawn, strict=True):
        own[: len(chosen)] /= share
    lengths = torch.tensor([len(chosen) for chosen, _ in drawn])

    def by_member(scores: Tensor, piece: Tensor) -> Tensor:
        return pointwise_information(scores, critics.bins[piece], critics.log_prior)

    falls = _falls(critics, units, rows, lengths, lambda piece: piece, by_member, generator)
    by_task = falls.view(len(critics.tasks), critics.n_members_per_task, *falls.shape[1:]).transpose(1, 2)
    of_task = weights.view(len(critics.tasks), -1)
    known = critics.tasks[0].fold.clusters  # one for all folds of a table
    clusters = [None] * len(units) if known is None else known[rows].view(len(units), -1)
    return [
        [estimate_mean(fall.flatten(), own, together) for fall in task[: len(names)]]
        for task, own, together, names in zip(by_task, of_task, clusters, units, strict=True)
    ]


@torch.no_grad()
def _falls(
    critics: CrossFitCritics,
    units: Units,
    rows: Tensor,
    lengths: Tensor,
    for_members: Callable[[Tensor], Tensor],
    information: Callable[[Tensor, Tensor], Tensor],
    generator: Generator,
    deadline: Deadline | None = None,
) -> Tensor:  # (len(rows), n_units, n_rows)
    """Fall of the information of each row of a block when a unit is shuffled along the block's rows.

    The network sees a column only through its part of the first sum, so shuffling one column changes that part
    and leaves the sum of all others as it is: a unit costs the rest of the network, however many columns there are.
    """
    tower, scores_of = critics.critic.tower, critics.critic.scores
    rounds = [[unit or [] for unit in units_of_round] for units_of_round in zip_longest(*units)]
    permutations = [
        torch.stack([_permutation(int(length), rows.shape[1], generator) for length in lengths]).to(rows.device)
        for _ in rounds
    ]
    # The rows of a rank may all be alike, as in a table sorted by its target: shuffled among themselves they would lose
    # nothing. So every rank gets all rows of the block, which are not many, and scores a slice of them.
    x, places = critics.sharding.gather_rows(critics.x, rows)
    ranks, pieces = critics.sharding.ranks, []
    own = ranks.own_slice(rows.shape[1])
    for start in range(own.start, max(own.stop, own.start + 1), critics.chunk):
        cut = slice(start, min(start + critics.chunk, own.stop))
        piece, mine = rows[:, cut], for_members(places[:, cut])
        hidden = tower.hidden(x.take(mine), critics.masks)
        base = information(scores_of(tower.finish(hidden), critics.bin_rows), piece)
        falls: list[Tensor] = []
        for features_of_tasks, permutation in zip(rounds, permutations, strict=True):
            if deadline is not None and deadline.expired:
                falls += [torch.zeros_like(base)] * (len(rounds) - len(falls))
                break
            others = for_members(places.gather(1, permutation[:, cut]))
            changed = hidden.clone()
            for task, features in enumerate(features_of_tasks):
                if features:
                    members = critics.members_of(task)
                    local = [critics.features.index(feature) for feature in features]
                    changed[members] += tower.change(x, mine[members], others[members], local, members, critics.masks)
            falls.append(base - information(scores_of(tower.finish(changed), critics.bin_rows), piece))
        pieces.append(torch.stack(falls, dim=1) if falls else base.new_zeros(len(base), 0, base.shape[1]))
    return ranks.gather_slices(torch.cat(pieces, dim=2), rows.shape[1])


def _permutation(length: int, padded: int, generator: Generator) -> Tensor:
    """A random order of the first ``length`` places; the filling stays where it is."""
    return torch.cat([torch.randperm(length, generator=generator), torch.arange(length, padded)])
