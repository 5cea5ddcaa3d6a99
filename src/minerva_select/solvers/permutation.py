"""Permutation importance: fall of every row's information when the columns of one unit are permuted among the rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import torch
from torch import Generator, Tensor

from minerva_select.mi.bounds import pointwise_information
from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.inference import MeanEstimate, estimate_mean
from minerva_select.mi.sampling import draw_stratified, pad_rows
from minerva_select.runtime.deadline import Deadline

Units = Sequence[Sequence[list[int]]]  # units of every task, each a list of features


def held_out_importances(
    critics: CrossFitCritics, units: Units, generator: Generator, deadline: Deadline | None = None
) -> list[Tensor]:  # (n_units, n_rows) per task
    """Importance of each unit on every held-out row of its task; 0 for units that the deadline cut off.

    No critic has seen these rows. For a unit that is independent of everything else the expected importance is 0,
    whatever the critic, so a test over rows is valid.
    """
    held_out = [task.fold.held_out for task in critics.tasks]
    rows, _ = pad_rows(held_out, critics.row_weights)
    importances = _importances(critics, units, rows, [len(own) for own in held_out], generator, deadline)
    return [of_task[: len(own), : len(block)] for of_task, own, block in zip(importances, units, held_out, strict=True)]


def tuning_importances(
    critics: CrossFitCritics, units: Units, generator: Generator, max_rows: int
) -> list[list[MeanEstimate]]:
    """Mean importance of each unit on about ``max_rows`` tuning rows of its task."""
    tune = [block for task in critics.tasks for block in task.fold.tune]
    drawn = [draw_stratified(critics.bins[block], max_rows // critics.n_members_per_task, generator) for block in tune]
    rows, weights = pad_rows(
        [block[chosen] for block, (chosen, _) in zip(tune, drawn, strict=True)], critics.row_weights
    )
    for own, (chosen, share) in zip(weights, drawn, strict=True):
        own[: len(chosen)] /= share
    lengths = [len(chosen) for chosen, _ in drawn]
    importances = _importances(critics, units, rows, lengths, generator, by_member=True)
    n_tasks = len(critics.tasks)
    by_task = importances.view(n_tasks, critics.n_members_per_task, *importances.shape[1:]).transpose(1, 2)
    of_rows = critics.tasks[0].fold.clusters  # the same for all folds of a table
    clusters = [None] * n_tasks if of_rows is None else of_rows[rows].view(n_tasks, -1)
    return [
        [estimate_mean(values.flatten(), own_weights, own_clusters) for values in of_task[: len(own)]]
        for of_task, own_weights, own_clusters, own in zip(
            by_task, weights.view(n_tasks, -1), clusters, units, strict=True
        )
    ]


@torch.no_grad()
def _importances(
    critics: CrossFitCritics,
    units: Units,
    rows: Tensor,
    lengths: list[int],
    generator: Generator,
    deadline: Deadline | None = None,
    *,
    by_member: bool = False,
) -> Tensor:  # (len(rows), n_units, n_rows)
    """Importance of each unit on every row, with one block of padded rows per task, or per member.

    Permuting a column changes only its own term in the first sum of the network. All other columns stay as they are, so
    a unit costs one pass through the rest of the network, however many columns there are.
    """
    tower, scores_of = critics.critic.tower, critics.critic.scores
    rounds = [[unit or [] for unit in units_of_round] for units_of_round in zip_longest(*units)]
    permutations = [
        torch.stack([_permutation(length, rows.shape[1], generator) for length in lengths]).to(rows.device)
        for _ in rounds
    ]

    def for_members(values: Tensor) -> Tensor:
        return values if by_member else critics.repeat_for_members(values)

    def information(hidden: Tensor, piece: Tensor) -> Tensor:
        scores = scores_of(tower.head(hidden), critics.bin_rows)
        if by_member:
            return pointwise_information(scores, critics.bins[piece], critics.log_prior)
        return critics.task_information(scores, piece)

    # The rows of one rank may be all alike, as in a table sorted by its target, and permuting them among themselves
    # would change nothing. So every rank gets all rows of the blocks, which are few, and scores a slice of them.
    x, places = critics.sharding.gather_rows(critics.x, rows)
    ranks, pieces = critics.sharding.ranks, []
    own = ranks.own_slice(rows.shape[1])
    for start in range(own.start, max(own.stop, own.start + 1), critics.chunk):
        chunk = slice(start, min(start + critics.chunk, own.stop))
        piece, mine = rows[:, chunk], for_members(places[:, chunk])
        hidden = tower.hidden(x.take(mine), critics.masks)
        base = information(hidden, piece)
        importances: list[Tensor] = []
        for features_of_tasks, permutation in zip(rounds, permutations, strict=True):
            if deadline is not None and deadline.expired:
                importances += [torch.zeros_like(base)] * (len(rounds) - len(importances))
                break
            others = for_members(places.gather(1, permutation[:, chunk]))
            changed = hidden.clone()
            for task, features in enumerate(features_of_tasks):
                if features:
                    members = critics.members_of(task)
                    local = [critics.features.index(feature) for feature in features]
                    changed[members] += tower.hidden_change(
                        x, mine[members], others[members], local, members, critics.masks
                    )
            importances.append(base - information(changed, piece))
        pieces.append(torch.stack(importances, dim=1) if importances else base.new_zeros(len(base), 0, base.shape[1]))
    return ranks.gather_slices(torch.cat(pieces, dim=2), rows.shape[1])


def _permutation(length: int, padded: int, generator: Generator) -> Tensor:
    """A random permutation of the first ``length`` indices; the padding stays in place."""
    return torch.cat([torch.randperm(length, generator=generator), torch.arange(length, padded)])
