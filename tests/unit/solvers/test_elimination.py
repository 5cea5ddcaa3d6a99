import dataclasses

import pytest
import torch

from minerva_select.config import ELIMINATION, Schedule
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.candidate_search import fit_candidates
from minerva_select.solvers.elimination import (
    MaskedCritics,
    eliminate,
    estimate_interactions,
    find_partners,
    make_mask_sampler,
    measure_nested_sets,
    order_units,
)

N_DRAWS = 20_000


def masks_of_units(local_units):
    return make_mask_sampler(local_units)(N_DRAWS, torch.Generator().manual_seed(0))


def test_masks_show_all_units_or_hide_one_with_the_configured_shares():
    n_hidden = (masks_of_units([[unit] for unit in range(20)]) == 0).sum(1)
    # A share of 20,000 draws has a standard error of at most 0.0036; random subsets may add to both shares
    for hidden, configured in ((0, ELIMINATION.full_share), (1, ELIMINATION.one_out_share)):
        share = float((n_hidden == hidden).float().mean())
        assert configured - 0.015 < share < configured + 0.1
    assert n_hidden.max() > 5


def test_masks_hide_all_units_equally_often():
    hidden = (masks_of_units([[unit] for unit in range(6)]) == 0).float().mean(0)
    assert hidden.min() > 0.05
    # Standard error of a share: at most 0.0036
    assert float(hidden.max() - hidden.min()) < 0.02


def test_masks_hide_the_features_of_a_unit_together():
    masks = masks_of_units([[0, 3], [2], [1, 4]])
    assert torch.equal(masks[:, 0], masks[:, 3])
    assert torch.equal(masks[:, 1], masks[:, 4])
    assert not torch.equal(masks[:, 0], masks[:, 1])
    assert set(masks.unique().tolist()) == {0.0, 1.0}


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
    """Fit masked critics of these units, starting from a candidate that was trained for one step."""

    def fit(codes, y, units, **arguments):
        context = make_context(units, generator, **arguments)
        everything = list(range(len(units)))
        barely = dataclasses.replace(context.config, schedule=Schedule(max_steps=1, batch_size=32))
        candidates = fit_candidates(
            [make_fold(codes, y)], [everything], dataclasses.replace(context, config=barely), "learn"
        )
        return MaskedCritics(candidates, everything, context), context

    return fit


@pytest.fixture
def untrained(two_folds, make_context, generator):
    """Candidates of two folds, and masked critics that start from them and learn nothing."""
    schedule = Schedule(max_steps=1, batch_size=8, learning_rate=0.0)
    context = make_context([[0], [1, 2], [3], [4]], generator, schedule=schedule)
    candidates = fit_candidates(two_folds, [[1], [0, 1]], context, "learn")
    return candidates, MaskedCritics(candidates, [0, 1, 3], context)


def test_masked_critics_start_from_the_candidate_of_every_fold(untrained):
    candidates, masked = untrained
    assert masked.critics.features == [0, 1, 2, 4]
    first, second = masked.information([1]).split([len(candidate.fold.held_out) for candidate in candidates])
    # Unit 1 is the whole candidate of the first fold, and a part of that of the second
    expected, _ = candidates[0].critics.held_out_information()
    torch.testing.assert_close(first, expected, rtol=1e-5, atol=1e-5)
    critics = candidates[1].critics
    _, expected = critics.held_out_information(critics.feature_mask([1, 2]))
    torch.testing.assert_close(second, expected, rtol=1e-5, atol=1e-5)


def test_one_training_serves_all_folds(untrained, records):
    assert [record.stage for record in records] == ["learn", "vet"]


def test_means_are_over_the_weighted_held_out_rows_of_all_folds(untrained, two_folds):
    _, masked = untrained
    weights = torch.cat([fold.row_weights[fold.held_out] for fold in two_folds])
    values = torch.arange(float(len(weights)))
    assert masked.mean(values).mean == pytest.approx(float((values * weights).sum() / weights.sum()), rel=1e-5)


def test_a_contribution_is_the_fall_without_the_unit_and_at_most_all_information(untrained, monkeypatch):
    _, masked = untrained
    # Nats of every row: fewer without unit 0, negative without unit 3
    nats = {(0, 1, 3): 0.5, (1, 3): 0.2, (0, 3): 0.6, (0, 1): -0.4}
    monkeypatch.setattr(masked, "information", lambda units: torch.full_like(masked.weights, nats[tuple(units)]))
    found = {unit: estimate.mean for unit, estimate in masked.contributions([0, 1, 3]).items()}
    assert found == pytest.approx({0: 0.3, 1: -0.1, 3: 0.5})


def test_masking_a_unit_hides_all_its_features(untrained):
    _, masked = untrained
    before = {units: masked.information(list(units)) for units in ((0,), (1,), (0, 1, 3))}
    place = masked.critics.x.layout.positions.index(masked.critics.features.index(2))
    column = masked.critics.x.codes[:, place - masked.critics.x.layout.n_numeric]
    column.copy_((column + 1) % 40)  # feature 2, a part of unit 1
    after = {units: masked.information(list(units)) for units in before}
    assert {units: torch.equal(before[units], after[units]) for units in before} == {
        (0,): True,
        (1,): False,
        (0, 1, 3): False,
    }


@pytest.mark.reference
def test_a_copy_is_dropped_as_replaced_by_its_original(fit_masked, quick):
    generator = torch.Generator().manual_seed(5)
    first, noise = torch.randint(3, (2, 2400), generator=generator)
    y = flip((first > 1).long())
    longer = dataclasses.replace(quick, max_steps=300, batch_size=256, learning_rate=2e-3, patience=6)
    masked, context = fit_masked(torch.stack([first, first, noise], dim=1), y, [[0], [1], [2]], schedule=longer)
    marginal = masked.mean(masked.information([0])).mean
    assert marginal > 0.25
    # Each column carries all information: neither contributes given the other, and each contributes all without it
    assert max(masked.contributions([0, 1, 2])[unit].mean for unit in (0, 1)) < 0.1 * marginal
    assert masked.contributions([0, 2])[0].mean == pytest.approx(marginal, rel=0.2)
    result = eliminate(masked, context)
    (kept,) = result.kept
    assert kept in (0, 1)
    replaced_by = {dropped.unit: dropped.replaced_by for dropped in result.dropped}
    assert replaced_by == {1 - kept: kept, 2: None}
    assert [len(units) for units, _ in result.path] == [3, 2, 1]


@pytest.mark.reference
def test_columns_that_are_informative_only_together_are_partners(codes, parity, fit_masked):
    masked, context = fit_masked(codes, parity, [[0], [1], [2]])
    result = eliminate(masked, context)
    assert result.kept == [1, 2]
    # Neither column is informative alone, so each contributes everything. 500 held-out rows estimate it to 0.03
    for unit in result.kept:
        assert result.contributions[unit].mean == pytest.approx(0.368, abs=0.1)
    interactions = estimate_interactions(masked, result.kept, result.kept, Deadline(None))
    assert interactions[1, 2].mean == pytest.approx(0.368, abs=0.1)
    assert find_partners(result.contributions, interactions) == {1: [2], 2: [1]}


@pytest.mark.reference
def test_columns_that_are_informative_alone_are_no_partners(codes, fit_masked):
    masked, context = fit_masked(codes[:, 1:], 2 * codes[:, 1] + codes[:, 2], [[0], [1]])
    result = eliminate(masked, context)
    assert result.kept == [0, 1]
    interactions = estimate_interactions(masked, result.kept, result.kept, Deadline(None))
    assert interactions[0, 1].mean == pytest.approx(0.0, abs=0.05)
    assert find_partners(result.contributions, interactions) == {0: [], 1: []}


@pytest.mark.reference
def test_redundant_columns_have_a_negative_interaction(codes, fit_masked):
    # Two noisy copies of the same column, each with 5% errors
    bit, first, second = codes[:, 1], flip(codes[:, 1], 0.05, seed=5), flip(codes[:, 1], 0.05, seed=6)
    masked, _ = fit_masked(torch.stack([first, second], dim=1), bit, [[0], [1]])
    # I(a;y|b) - I(a;y) = 0.1155 - 0.4946 = -0.379 nats, by counting the eight cells
    assert estimate_interactions(masked, [0, 1], [0, 1], Deadline(None))[0, 1].mean == pytest.approx(-0.379, abs=0.08)


@pytest.mark.reference
def test_the_path_ends_with_the_information_of_the_best_single_column(codes, fit_masked):
    # y has four classes from two columns; the third column is the first one with 10% errors
    y = 2 * codes[:, 1] + codes[:, 2]
    columns = torch.stack([codes[:, 1], codes[:, 2], flip(codes[:, 1])], dim=1)
    masked, context = fit_masked(columns, y, [[0], [1], [2]])
    result = eliminate(masked, context)
    order = order_units(masked, result)
    assert sorted(order[:2]) == [0, 1]
    path = measure_nested_sets(masked, order, [3, 2, 1], context)
    assert [units for units, _ in path] == [[0, 1, 2], [0, 1], order[:1]]
    # log 4, log 4, log 2; 500 held-out rows estimate it to a few hundredths
    assert [estimate.mean for _, estimate in path] == pytest.approx([1.386, 1.386, 0.693], abs=0.1)


@pytest.mark.reference
def test_when_time_has_run_out_all_units_stay_or_as_many_as_requested(codes, parity, fit_masked):
    masked, context = fit_masked(codes, parity, [[0], [1], [2]])
    context.training = dataclasses.replace(context.training, deadline=Deadline(0.0))
    ended = eliminate(masked, context)
    assert (ended.kept, ended.completed) == ([0, 1, 2], False)
    cut = eliminate(masked, context, n_to_select=1)
    assert len(cut.kept) == 1
    assert [len(units) for units, _ in cut.path] == [3, 1]  # both at once
    assert estimate_interactions(masked, [1, 2], [1, 2], Deadline(0.0)) == {}


@pytest.mark.reference
def test_elimination_continues_to_the_requested_number_and_never_drops_required_units(codes, parity, fit_masked):
    masked, context = fit_masked(codes, parity, [[0], [1], [2]], required=[0])
    assert eliminate(masked, context).kept == [0, 1, 2]
    assert 0 in eliminate(masked, context, n_to_select=2).kept
    assert eliminate(masked, context, n_to_select=1).kept == [0]
    assert eliminate(masked, context, n_to_select=3).kept == [0, 1, 2]


@pytest.mark.reference
def test_grouped_columns_contribute_together(codes, parity, fit_masked):
    masked, _ = fit_masked(codes, parity, [[0], [1, 2]])
    contributions = masked.contributions([0, 1])
    assert contributions[1].mean == pytest.approx(0.368, abs=0.1)
    assert abs(contributions[0].mean) < 0.05
