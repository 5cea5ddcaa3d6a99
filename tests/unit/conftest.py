"""Small tables with a known answer, split into training, tuning and held-out rows."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from minerva_select.config import FitConfig, Schedule
from minerva_select.data.encoded_rows import ColumnLayout, Rows, join_rows
from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.fold import Fold, Target
from minerva_select.mi.training_loop import TrainingContext
from minerva_select.runtime.rng import seeded_rng
from minerva_select.solvers.candidate_search import SearchContext

CPU = torch.device("cpu")
# Features 0 to 4 are: categorical, continuous, categorical with many levels, continuous, categorical
MIXED = ColumnLayout(2, (4, 40, 3), (1, 3, 0, 2, 4))
QUICK = Schedule(max_steps=120, batch_size=128, learning_rate=5e-3, evaluate_every=20, weight_decay=0.01)


def _fold(codes, y, n_levels=None, n_members=1, row_weights=None):
    """Half training rows, a quarter tuning rows, a quarter held-out rows; members split the first two differently."""
    n_rows, n_features = codes.shape
    levels = n_levels or tuple(int(column.max()) + 1 for column in codes.T)
    x = Rows(torch.empty(n_rows, 0), codes, ColumnLayout(0, levels, tuple(range(n_features))))
    prior = torch.bincount(y).float() / n_rows
    bin_rows = Rows(
        torch.empty(len(prior), 0), torch.arange(len(prior)).unsqueeze(1), ColumnLayout(0, (len(prior),), (0,))
    )
    seen, held_out = torch.arange(n_rows).tensor_split([3 * n_rows // 4])
    rolled = [seen.roll(k * len(seen) // 3) for k in range(n_members)]
    cut = 2 * len(seen) // 3
    return Fold(
        x=x,
        target=Target(y, bin_rows, prior.log(), is_discrete=True),
        row_weights=torch.ones(n_rows) if row_weights is None else row_weights,
        train=tuple(rows[:cut] for rows in rolled),
        tune=tuple(rows[cut:] for rows in rolled),
        held_out=held_out,
    )


def _mixed_fold(n_rows, seed, is_discrete):
    """A fold with columns of both types and missing values; members, prior and weights are all unequal."""
    generator = torch.Generator().manual_seed(seed)
    quantiles = torch.rand(n_rows, 2, generator=generator)
    quantiles[torch.rand(n_rows, 2, generator=generator) < 0.2] = torch.nan
    codes = torch.stack([torch.randint(n, (n_rows,), generator=generator) for n in MIXED.n_levels], dim=1)
    prior = torch.rand(3, generator=generator) + 0.1
    bin_quantiles = torch.rand(3, 1, generator=generator)
    bin_rows = Rows(bin_quantiles, torch.empty(3, 0, dtype=torch.int64), ColumnLayout(1, (), (0,)))
    bins = torch.randint(3, (n_rows,), generator=generator)
    first, second, held_out = torch.randperm(n_rows, generator=generator).tensor_split([n_rows // 5, n_rows // 2])
    return Fold(
        x=Rows(quantiles, codes, MIXED),
        target=Target(bins, bin_rows, (prior / prior.sum()).log(), is_discrete),
        row_weights=torch.rand(n_rows, generator=generator) + 0.5,
        train=(first, second),
        tune=(second, first),
        held_out=held_out,
    )


def _share_tensors(*folds):
    """The same folds with shared tensors, each with its own stretch of rows."""
    x = join_rows([fold.x for fold in folds])
    bins = torch.cat([fold.target.bins for fold in folds])
    row_weights = torch.cat([fold.row_weights for fold in folds])
    starts = torch.tensor([0, *(len(fold.x) for fold in folds)]).cumsum(0).tolist()
    return [
        Fold(
            x=x,
            target=dataclasses.replace(fold.target, bins=bins),
            row_weights=row_weights,
            train=tuple(rows + start for rows in fold.train),
            tune=tuple(rows + start for rows in fold.tune),
            held_out=fold.held_out + start,
        )
        for fold, start in zip(folds, starts[:-1], strict=True)
    ]


@pytest.fixture
def make_fold():
    """Build a fold of categorical columns."""
    return _fold


@pytest.fixture
def share_tensors():
    """Make folds share their tensors, as all folds of one table do."""
    return _share_tensors


@pytest.fixture(params=[True, False], ids=["discrete", "continuous"])
def two_folds(request):
    """Two folds of unequal length with two members each, and five columns of both types."""
    return _share_tensors(_mixed_fold(48, 3, request.param), _mixed_fold(80, 5, request.param))


@pytest.fixture
def draw_critics():
    """Build untrained critics without dropout; their scores depend on every feature of their task."""

    def draw(*tasks, seed=0):
        with seeded_rng(seed, CPU):
            critics = CrossFitCritics(tasks, width=16)
        critics.ensemble.train(False)
        return critics

    return draw


@pytest.fixture
def records():
    """Records of all trainings of the test, in order."""
    return []


@pytest.fixture
def make_context(records):
    """Build a search context with a small and fast configuration."""
    config = dataclasses.replace(FitConfig.for_rows(1000), width=32, dropout=0.0)

    def make(units, generator, schedule=QUICK, required=()):
        training = TrainingContext(generator, on_record=records.append)
        return SearchContext(units, list(required), dataclasses.replace(config, schedule=schedule), training)

    return make


@pytest.fixture
def quick():
    """A schedule that takes a fraction of a second."""
    return QUICK


@pytest.fixture
def generator():
    """Random numbers of one test; restores the global state of torch."""
    with seeded_rng(0, CPU) as generator:
        yield generator
