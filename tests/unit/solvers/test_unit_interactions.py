import dataclasses
from itertools import combinations

import pytest
import torch

from minerva_select.config import ELIMINATION, Schedule
from minerva_select.mi.inference import MeanEstimate
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.candidate_search import fit_candidates
from minerva_select.solvers.interactions import estimate_interactions, find_partners
from minerva_select.solvers.masked_critics import MaskedCritics


class KnownCritics:
    """Critics that find a known information in every set of units, the same on all of ten rows."""

    def __init__(self, nats):
        self.nats = nats

    def information(self, units):
        return torch.full((10,), self.nats[tuple(units)])

    def mean(self, values):
        return MeanEstimate(float(values.mean()), 0.001)


# Units 0 and 1 are informative only together, unit 2 carries half of that as well
NATS = {(): 0.0, (0,): 0.0, (1,): 0.0, (2,): 0.2, (0, 1): 0.4, (0, 2): 0.2, (1, 2): 0.2, (0, 1, 2): 0.4}


def test_interactions_are_differences_of_four_sets():
    found = estimate_interactions(KnownCritics(NATS), [0, 1, 2], [0, 1, 2], Deadline(None))
    # I(abc) - I(bc) - I(ac) + I(c) is 0.4 - 0.2 - 0.2 + 0.2, and with b or a as the rest 0.4 - 0.2 - 0.4 + 0
    assert {pair: one.mean for pair, one in found.items()} == pytest.approx({(0, 1): 0.2, (0, 2): -0.2, (1, 2): -0.2})


def test_only_pairs_of_the_given_units_are_compared():
    assert estimate_interactions(KnownCritics(NATS), [0, 2], [0, 1, 2], Deadline(None)).keys() == {(0, 2)}


def test_no_pairs_are_compared_after_the_deadline():
    assert estimate_interactions(KnownCritics(NATS), [0, 1, 2], [0, 1, 2], Deadline(0.0)) == {}


def test_partners_are_those_without_whom_half_of_a_clear_contribution_is_lost():
    share = ELIMINATION.partner_share
    contributions = {0: MeanEstimate(0.4, 0.01), 1: MeanEstimate(0.1, 0.01), 2: MeanEstimate(0.01, 0.01)}
    synergies = {(0, 1): 0.4 * share - 0.01, (0, 2): 0.4 * share + 0.01, (1, 2): -0.3}
    pairs = {pair: MeanEstimate(nats, 0.001) for pair, nats in synergies.items()}
    # Unit 2 contributes one standard error, which is not clear
    assert find_partners(contributions, pairs) == {0: [2], 1: [0], 2: []}
    assert find_partners(contributions, {}) == {0: [], 1: [], 2: []}


def flip(y, share=0.1, seed=2):
    """Flip a share of the classes 0 and 1."""
    return y ^ (torch.rand(len(y), generator=torch.Generator().manual_seed(seed)) < share).long()


@pytest.fixture(scope="module")
def codes():
    """One noise column and two binary columns."""
    generator = torch.Generator().manual_seed(1)
    noise = torch.randint(4, (2000, 1), generator=generator)
    return torch.cat([noise, torch.randint(2, (2000, 2), generator=generator)], dim=1)


@pytest.fixture(scope="module")
def parity(codes):
    """Exclusive or of the two binary columns, one in ten flipped: log 2 - H(0.1) = 0.368 nats, 0 in each column."""
    return flip(codes[:, 1] ^ codes[:, 2])


@pytest.fixture
def fit_masked(make_fold, make_context, generator):
    """Fit masked critics of single columns, starting from a candidate that was trained for one step."""

    def fit(codes, y):
        everything = list(range(codes.shape[1]))
        context, fold = make_context([[unit] for unit in everything], generator), make_fold(codes, y)
        barely = dataclasses.replace(context.config, schedule=Schedule(max_steps=1, batch_size=32))
        candidates = fit_candidates([fold], [everything], dataclasses.replace(context, config=barely), "learn")
        return MaskedCritics([fold], candidates, everything, context)

    return fit


@pytest.mark.reference
def test_columns_that_are_informative_only_together_are_partners(codes, parity, fit_masked):
    interactions = estimate_interactions(fit_masked(codes, parity), [0, 1, 2], [0, 1, 2], Deadline(None))
    assert interactions.keys() == set(combinations(range(3), 2))
    # Neither column is informative alone, so each contributes everything. 500 held-out rows estimate it to 0.03
    assert interactions[1, 2].mean == pytest.approx(0.368, abs=0.1)
    contributions = {0: MeanEstimate(0.0, 0.01), 1: MeanEstimate(0.368, 0.03), 2: MeanEstimate(0.368, 0.03)}
    assert find_partners(contributions, interactions) == {0: [], 1: [2], 2: [1]}


@pytest.mark.reference
def test_columns_that_are_informative_alone_are_no_partners(codes, fit_masked):
    masked = fit_masked(codes[:, 1:], 2 * codes[:, 1] + codes[:, 2])
    interactions = estimate_interactions(masked, [0, 1], [0, 1], Deadline(None))
    assert interactions[0, 1].mean == pytest.approx(0.0, abs=0.05)
    contributions = dict.fromkeys((0, 1), MeanEstimate(0.693, 0.01))
    assert find_partners(contributions, interactions) == {0: [], 1: []}


@pytest.mark.reference
def test_redundant_columns_have_a_negative_interaction(codes, fit_masked):
    # Two noisy copies of the same column, each with 5% errors
    bit, first, second = codes[:, 1], flip(codes[:, 1], 0.05, seed=5), flip(codes[:, 1], 0.05, seed=6)
    masked = fit_masked(torch.stack([first, second], dim=1), bit)
    # I(a;y|b) - I(a;y) = 0.1155 - 0.4946 = -0.379 nats, by counting the eight cells
    assert estimate_interactions(masked, [0, 1], [0, 1], Deadline(None))[0, 1].mean == pytest.approx(-0.379, abs=0.08)
