"""What a critic loses, row by row, when one unit of columns is shuffled among the rows."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from minerva.core.evidence import Evidence, weigh
from minerva.core.information import Critics, pad_rows
from minerva.core.inputs import Rows


def shuffle_features(x: Rows, features: list[int], permutation: Tensor) -> Rows:
    """The same rows, with these features taken from the rows of a permutation (of the last index of rows)."""
    n_continuous = x.layout.n_continuous
    places = [x.layout.positions.index(feature) for feature in features]
    ranks, codes = x.ranks.clone(), x.codes.clone()
    for place in places:
        if place < n_continuous:
            ranks[..., place] = x.ranks[..., permutation, place]
        else:
            codes[..., place - n_continuous] = x.codes[..., permutation, place - n_continuous]
    return Rows(ranks, codes, x.layout)


def falls_on_vet_rows(critics: Critics, units: list[list[int]], generator: Generator) -> Tensor:  # (n_units, n_rows)
    """Fall of every vetting row's information when a unit is shuffled.

    Nothing has seen these rows. For a unit that is independent of all else the mean fall is 0 in expectation,
    whatever the critic: that makes a test over rows valid.
    """
    rows = critics.fold.vet
    x = critics.fold.x.take(rows)
    base = critics.information(rows, x=x)
    falls = []
    for features in units:
        permutation = torch.randperm(len(rows), generator=generator).to(rows.device)
        falls.append(base - critics.information(rows, x=shuffle_features(x, features, permutation)))
    return torch.stack(falls)


@torch.no_grad()
def falls_on_tune_rows(critics: Critics, units: list[list[int]], generator: Generator, max_rows: int) -> list[Evidence]:
    """Mean fall on (at most ``max_rows``) tuning rows when a unit is shuffled, to rank units while pruning."""
    fold = critics.fold
    share = max(1, max_rows // critics.n_members)
    rows, weights = pad_rows(tuple(block[:share] for block in fold.tune), fold.row_weights)
    x = fold.x.take(rows)
    base = critics.by_member(x, rows)
    evidence = []
    for features in units:
        permutation = torch.randperm(rows.shape[1], generator=generator).to(rows.device)
        fall = base - critics.by_member(shuffle_features(x, features, permutation), rows)
        evidence.append(weigh(fall.flatten(), weights.flatten()))
    return evidence
