"""Small tables with a known answer, cut into train, tune and vet rows."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from minerva.core.information import Fold, Target
from minerva.core.inputs import Layout, Rows
from minerva.core.plan import Plan
from minerva.core.proposals import Workshop
from minerva.core.runtime import Deadline, seeded
from minerva.core.training import Schedule

CPU = torch.device("cpu")
QUICK = Schedule(max_steps=120, batch_size=128, learning_rate=5e-3, evaluate_every=20, weight_decay=0.01)


def _fold(codes, y, n_levels=None, n_members=1, row_weights=None):
    """Half of the rows train, a quarter tunes, a quarter vets; every member has its own order of the first two."""
    n_rows, n_features = codes.shape
    levels = n_levels or tuple(int(column.max()) + 1 for column in codes.T)
    x = Rows(torch.empty(n_rows, 0), codes, Layout(0, levels, tuple(range(n_features))))
    prior = torch.bincount(y).float() / n_rows
    atom_rows = Rows(torch.empty(len(prior), 0), torch.arange(len(prior)).unsqueeze(1), Layout(0, (len(prior),), (0,)))
    seen, vet = torch.arange(n_rows).tensor_split([3 * n_rows // 4])
    rolled = [seen.roll(k * len(seen) // 3) for k in range(n_members)]
    cut = 2 * len(seen) // 3
    return Fold(
        x=x,
        target=Target(y, atom_rows, prior.log(), is_discrete=True),
        row_weights=torch.ones(n_rows) if row_weights is None else row_weights,
        train=tuple(rows[:cut] for rows in rolled),
        tune=tuple(rows[cut:] for rows in rolled),
        vet=vet,
    )


def _workshop(units, generator, schedule=QUICK, kept=()):
    plan = dataclasses.replace(Plan.for_rows(1000), width=32, dropout=0.0, schedule=schedule)
    return Workshop(
        units=units,
        kept=list(kept),
        plan=plan,
        generator=generator,
        deadline=Deadline(None),
        records=[],
        on_record=lambda _: None,
    )


@pytest.fixture
def make_fold():
    """Build a fold of categorical columns."""
    return _fold


@pytest.fixture
def make_workshop():
    """Build what the moves of a run share, with a small and fast plan."""
    return _workshop


@pytest.fixture
def quick():
    """A schedule of a fraction of a second."""
    return QUICK


@pytest.fixture
def generator():
    """Draws of one test; torch's global state is put back after it."""
    with seeded(0, CPU) as generator:
        yield generator
