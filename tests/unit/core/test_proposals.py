import dataclasses
import itertools

import pytest
import torch

from minerva.core.plan import Plan
from minerva.core.proposals import fit_candidate, propose, screen_fold, screened_units, sparsify

SIZES = [10, 99, 100, 999, 1000, 4999, 5000, 19_999, 20_000, 3_000_000]


@pytest.fixture(scope="module")
def table():
    """Eight columns; y is the exclusive or of columns 2 and 5, one in ten flipped."""
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(2, (1600, 8), generator=generator)
    flipped = torch.rand(1600, generator=generator) < 0.1
    return codes, codes[:, 2] ^ codes[:, 5] ^ flipped.long()


def singles(n_units):
    return [[unit] for unit in range(n_units)]


def test_fewer_rows_get_smaller_critics_and_more_regularisation():
    plans = [Plan.for_rows(n_rows) for n_rows in SIZES]
    for smaller, larger in itertools.pairwise(plans):
        assert smaller.width <= larger.width
        assert smaller.dropout >= larger.dropout
        assert smaller.schedule.weight_decay >= larger.schedule.weight_decay
        assert smaller.schedule.batch_size <= larger.schedule.batch_size
    assert all(plan.n_folds >= 1 and plan.n_members >= 1 and 0 <= plan.dropout < 1 for plan in plans)


def test_the_screen_sees_no_vetting_row(table, make_fold):
    codes, y = table
    fold = make_fold(codes, y)
    spoiled = fold.x.take(torch.arange(len(y)))
    spoiled.codes[fold.vet] = 1 - spoiled.codes[fold.vet]
    clean, changed = screen_fold(fold), screen_fold(dataclasses.replace(fold, x=spoiled))
    assert torch.equal(clean.marginal_z, changed.marginal_z)
    assert torch.equal(clean.pair_z, changed.pair_z)


def test_columns_that_inform_in_pairs_pass_the_screen(table, make_fold, make_workshop, generator):
    found = screen_fold(make_fold(*table))
    assert set(screened_units(found, make_workshop(singles(8), generator))) >= {2, 5}
    # Unit 0 holds column 2, unit 1 column 5
    assert set(screened_units(found, make_workshop([[2, 7], [5], [0, 1, 3, 4, 6]], generator))) >= {0, 1}


def test_units_kept_on_request_pass_the_screen(table, make_fold, make_workshop, generator):
    found = screen_fold(make_fold(*table))
    assert set(screened_units(found, make_workshop(singles(8), generator, kept=[0]))) >= {0, 2, 5}


def test_little_of_pure_noise_passes_the_screen(make_fold, make_workshop, generator):
    codes = torch.randint(3, (1600, 40), generator=generator)
    y = torch.randint(2, (1600,), generator=generator)
    found = screen_fold(make_fold(codes, y))
    # 40 columns and 780 pairs, each with a threshold that the luckiest one seldom passes
    assert len(screened_units(found, make_workshop(singles(40), generator))) <= 4


def test_sparsifying_drops_noise_and_keeps_what_is_missed(table, make_fold, make_workshop, generator):
    fold, workshop = make_fold(*table), make_workshop(singles(8), generator)
    everything = fit_candidate(fold, list(range(8)), workshop, "learn")
    sparse = sparsify(everything, fold, workshop)
    assert {2, 5} <= {*sparse.units}
    assert len(sparse.units) < 8
    assert sparse.evidence.mean > everything.evidence.mean - 0.02
    assert {record.stage for record in workshop.records} == {"learn", "sparsify"}


def test_a_candidate_knows_its_features_by_its_own_numbers(table, make_fold, make_workshop, generator, quick):
    short = dataclasses.replace(quick, max_steps=1)
    workshop = make_workshop([[1], [5, 0], [3, 2]], generator, schedule=short)
    candidate = fit_candidate(make_fold(*table), [1, 2], workshop, "learn")
    # Features 0, 2, 3 and 5, in this order
    assert candidate.critics.fold.x.layout.n_features == 4
    assert candidate.local_units(workshop) == [[3, 0], [2, 1]]


def test_a_proposal_holds_the_pair_that_informs(table, make_fold, make_workshop, generator):
    fold, workshop = make_fold(*table), make_workshop(singles(8), generator)
    proposal = propose(fold, screen_fold(fold), workshop)
    assert {2, 5} <= {*proposal.units}
    assert len(proposal.units) <= 4
    # log 2 - H(0.1) is 0.368 nats; 400 tuning rows know it to 0.035
    assert proposal.evidence.mean == pytest.approx(0.368, abs=0.1)
