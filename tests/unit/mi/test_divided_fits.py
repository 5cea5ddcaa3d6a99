"""Claim: ranks divide the fits of trees and additive models among them, and all get those of one process."""

import numpy as np
import pytest
import torch

from minerva_select.data.encoded_rows import ColumnLayout, Rows
from minerva_select.data.sharding import Sharding
from minerva_select.mi import families
from minerva_select.mi.families import ArrayCritics, Family
from minerva_select.mi.fold import Fold, Target
from rank_processes import run_ranks

N_ROWS = 600
SETS = [
    (Family.ADDITIVE, [0, 1, 2, 3]), (Family.TREES, [0, 1, 2, 3]), (Family.ADDITIVE, [1, 2]), (Family.TREES, [2]),
    (Family.ADDITIVE, [3]),
]  # fmt: skip


def make_folds(ranks):
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(3, (N_ROWS, 4), generator=generator, dtype=torch.uint8)
    bins = (codes[:, 2] == 1).long() ^ (torch.rand(N_ROWS, generator=generator) < 0.2)
    sharding = Sharding.of_ranks(ranks, {1: (600,), 2: (250, 350)}[ranks.size][ranks.rank])
    own = torch.arange(*sharding.own_range)
    x = Rows(torch.empty(len(own), 0), codes[own], ColumnLayout(0, (3,) * 4, (0, 1, 2, 3)))
    prior = (torch.bincount(bins) / N_ROWS).log()
    bin_rows = Rows(torch.empty(2, 0), torch.arange(2).unsqueeze(1), ColumnLayout(0, (2,), (0,)))
    target = Target(bins, bin_rows, prior, True)
    parts = torch.randperm(N_ROWS, generator=generator).tensor_split(3)
    return [
        Fold(x, target, torch.ones(N_ROWS), (parts[k],), (parts[k - 1],), parts[k - 2], sharding=sharding)
        for k in range(3)
    ]


def fit_all(ranks):
    """Information from all sets, whose held-out rows are measured early or late, and the number of own fits."""
    n_fits = 0

    def counted(function):
        def call(*arguments, **options):
            nonlocal n_fits
            n_fits += 1
            return function(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("boost", "fit_additive"):
            patch.setattr(families, name, counted(getattr(families, name)))
        critics = ArrayCritics(make_folds(ranks), torch.Generator().manual_seed(0))
        critics.fit_all(SETS[:2])
        critics.fit_all(SETS, measured=True)
        found = [critics.fit(*one) for one in SETS]
        values = [
            value for of_set in found for one in of_set for value in (one.tuning, one.held_out, one.importances())
        ]
    return [value.numpy() for value in values], n_fits


def test_every_rank_fits_its_share_and_has_the_numbers_of_one_process():
    ((expected, n_fits),) = run_ranks(fit_all, 1)
    found = run_ranks(fit_all, 2)
    for values, _ in found:
        assert all(np.array_equal(a, b) for a, b in zip(expected, values, strict=True))
    shares = [own for _, own in found]
    assert sum(shares) == n_fits
    assert max(shares) <= n_fits / 2 + 2
