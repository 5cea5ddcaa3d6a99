import dataclasses

import pytest
import torch

from minerva_select.mi.training import Schedule
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers.candidate_search import fit_candidates
from minerva_select.solvers.elimination import (
    FULL_SHARE,
    ONE_OUT_SHARE,
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


def test_masks_show_everything_or_hide_one_unit_as_often_as_promised():
    n_hidden = (masks_of_units([[unit] for unit in range(20)]) == 0).sum(1)
    # A share of 20,000 draws has a standard error of at most 0.0036; random parts may add to both shares
    for hidden, promised in ((0, FULL_SHARE), (1, ONE_OUT_SHARE)):
        share = float((n_hidden == hidden).float().mean())
        assert promised - 0.015 < share < promised + 0.1
    assert n_hidden.max() > 5


def test_masks_hide_every_unit_alike():
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
    """The same classes 0 and 1, a share of them wrong."""
    return y ^ (torch.rand(len(y), generator=torch.Generator().manual_seed(seed)) < share).long()


@pytest.fixture(scope="module")
def codes():
    """A column of noise and two bits."""
    generator = torch.Generator().manual_seed(1)
    noise = torch.randint(4, (2000, 1), generator=generator)
    return torch.cat([noise, torch.randint(2, (2000, 2), generator=generator)], dim=1)


@pytest.fixture(scope="module")
def parity(codes):
    """The exclusive or of the two bits, one in ten flipped: log 2 - H(0.1) = 0.368 nats, none of it in one bit."""
    return flip(codes[:, 1] ^ codes[:, 2])


@pytest.fixture
def vet(make_fold, make_context, generator):
    """Fit critics that answer for any part of these units, from a candidate that has learned next to nothing."""

    def fit(codes, y, units, **arguments):
        context = make_context(units, generator, **arguments)
        everything = list(range(len(units)))
        barely = dataclasses.replace(context.plan, schedule=Schedule(max_steps=1, batch_size=32))
        candidates = fit_candidates(
            [make_fold(codes, y)], [everything], dataclasses.replace(context, plan=barely), "learn"
        )
        return MaskedCritics(candidates, everything, context), context

    return fit


@pytest.fixture
def still(two_folds, make_context, generator):
    """Proposals of two folds, and critics that start from them and learn nothing."""
    schedule = Schedule(max_steps=1, batch_size=8, learning_rate=0.0)
    context = make_context([[0], [1, 2], [3], [4]], generator, schedule=schedule)
    candidates = fit_candidates(two_folds, [[1], [0, 1]], context, "learn")
    return candidates, MaskedCritics(candidates, [0, 1, 3], context)


def test_vetting_starts_from_the_proposal_of_every_fold(still):
    candidates, vetting = still
    assert vetting.critics.features == [0, 1, 2, 4]
    first, second = vetting.information([1]).split([len(candidate.fold.held_out) for candidate in candidates])
    # Unit 1 is all that the first fold proposed, and a part of what the second did
    expected, _ = candidates[0].critics.held_out_information()
    torch.testing.assert_close(first, expected, rtol=1e-5, atol=1e-5)
    critics = candidates[1].critics
    _, expected = critics.held_out_information(critics.feature_mask([1, 2]))
    torch.testing.assert_close(second, expected, rtol=1e-5, atol=1e-5)


def test_one_training_serves_the_vetting_of_all_folds(still, records):
    assert [record.stage for record in records] == ["learn", "vet"]


def test_vetting_rows_of_all_folds_are_weighed_together(still, two_folds):
    _, vetting = still
    weights = torch.cat([fold.row_weights[fold.held_out] for fold in two_folds])
    values = torch.arange(float(len(weights)))
    assert vetting.estimate_mean(values).mean == pytest.approx(
        float((values * weights).sum() / weights.sum()), rel=1e-5
    )


def test_a_unit_contributes_what_falls_without_it_and_never_more_than_everything(still, monkeypatch):
    _, vetting = still
    # Nats of every row: without unit 0 there are fewer, without unit 3 the critic is worse than nothing
    nats = {(0, 1, 3): 0.5, (1, 3): 0.2, (0, 3): 0.6, (0, 1): -0.4}
    monkeypatch.setattr(vetting, "information", lambda units: torch.full_like(vetting.weights, nats[tuple(units)]))
    found = {unit: evidence.mean for unit, evidence in vetting.contributions([0, 1, 3]).items()}
    assert found == pytest.approx({0: 0.3, 1: -0.1, 3: 0.5})


def test_units_are_hidden_feature_by_feature(still):
    _, vetting = still
    before = {units: vetting.information(list(units)) for units in ((0,), (1,), (0, 1, 3))}
    place = vetting.critics.x.layout.positions.index(vetting.critics.features.index(2))
    column = vetting.critics.x.codes[:, place - vetting.critics.x.layout.n_numeric]
    column.copy_((column + 1) % 40)  # feature 2, a part of unit 1
    after = {units: vetting.information(list(units)) for units in before}
    assert {units: torch.equal(before[units], after[units]) for units in before} == {
        (0,): True,
        (1,): False,
        (0, 1, 3): False,
    }


@pytest.mark.reference
def test_a_copy_is_found_superfluous_and_its_original_stands_in(vet, quick):
    generator = torch.Generator().manual_seed(5)
    first, noise = torch.randint(3, (2, 2400), generator=generator)
    y = flip((first > 1).long())
    longer = dataclasses.replace(quick, max_steps=300, batch_size=256, learning_rate=2e-3, patience=6)
    vetting, context = vet(torch.stack([first, first, noise], dim=1), y, [[0], [1], [2]], schedule=longer)
    alone = vetting.estimate_mean(vetting.information([0])).mean
    assert alone > 0.25
    # Either column tells everything, so that neither adds anything to the other, and each all without the other
    assert max(vetting.contributions([0, 1, 2])[unit].mean for unit in (0, 1)) < 0.1 * alone
    assert vetting.contributions([0, 2])[0].mean == pytest.approx(alone, rel=0.2)
    result = eliminate(vetting, context, level=0.05, n_wanted=None)
    (kept,) = result.kept
    assert kept in (0, 1)
    replaced_by = {dropped.unit: dropped.replaced_by for dropped in result.dropped}
    assert replaced_by == {1 - kept: kept, 2: None}
    assert [len(units) for units, _ in result.path] == [3, 2, 1]


@pytest.mark.reference
def test_columns_that_inform_together_only_are_kept_as_partners(codes, parity, vet):
    vetting, context = vet(codes, parity, [[0], [1], [2]])
    result = eliminate(vetting, context, level=0.05, n_wanted=None)
    assert result.kept == [1, 2]
    # Without the other, neither bit is worth anything: what each adds is all there is. 500 vetting rows know it to 0.03
    for unit in result.kept:
        assert result.contributions[unit].mean == pytest.approx(0.368, abs=0.1)
    together = estimate_interactions(vetting, result.kept, result.kept, Deadline(None))
    assert together[1, 2].mean == pytest.approx(0.368, abs=0.1)  # each bit adds that much more where it meets the other
    assert find_partners(result.contributions, together) == {1: [2], 2: [1]}


@pytest.mark.reference
def test_columns_that_inform_each_on_its_own_are_no_partners(codes, vet):
    vetting, context = vet(codes[:, 1:], 2 * codes[:, 1] + codes[:, 2], [[0], [1]])
    result = eliminate(vetting, context, level=0.05, n_wanted=None)
    assert result.kept == [0, 1]
    together = estimate_interactions(vetting, result.kept, result.kept, Deadline(None))
    assert together[0, 1].mean == pytest.approx(0.0, abs=0.05)
    assert find_partners(result.contributions, together) == {0: [], 1: []}


@pytest.mark.reference
def test_columns_that_say_the_same_are_redundant_in_nats(codes, vet):
    # Two columns of the same bit, each with its own 5% of errors: what they share counts against them
    bit, first, second = codes[:, 1], flip(codes[:, 1], 0.05, seed=5), flip(codes[:, 1], 0.05, seed=6)
    vetting, _ = vet(torch.stack([first, second], dim=1), bit, [[0], [1]])
    # I(a;y|b) - I(a;y) = 0.1155 - 0.4946 = -0.379 nats, by counting the eight cells
    assert estimate_interactions(vetting, [0, 1], [0, 1], Deadline(None))[0, 1].mean == pytest.approx(-0.379, abs=0.08)


@pytest.mark.reference
def test_the_path_ends_with_what_the_best_single_column_tells(codes, vet):
    # y has four classes, two bits; the third column is the first bit with a tenth of errors
    y = 2 * codes[:, 1] + codes[:, 2]
    columns = torch.stack([codes[:, 1], codes[:, 2], flip(codes[:, 1])], dim=1)
    vetting, context = vet(columns, y, [[0], [1], [2]])
    result = eliminate(vetting, context, level=0.05, n_wanted=None)
    order = order_units(vetting, result)
    assert sorted(order[:2]) == [0, 1]
    path = measure_nested_sets(vetting, order, [3, 2, 1], context)
    assert [units for units, _ in path] == [[0, 1, 2], [0, 1], order[:1]]
    # Two bits, two bits, one bit; 500 vetting rows know it to a few hundredths
    assert [evidence.mean for _, evidence in path] == pytest.approx([1.386, 1.386, 0.693], abs=0.1)


@pytest.mark.reference
def test_when_the_time_is_up_all_stay_or_as_many_as_are_wanted(codes, parity, vet):
    vetting, context = vet(codes, parity, [[0], [1], [2]])
    context.run = dataclasses.replace(context.run, deadline=Deadline(0.0))
    ended = eliminate(vetting, context, level=0.05, n_wanted=None)
    assert (ended.kept, ended.in_time) == ([0, 1, 2], False)
    cut = eliminate(vetting, context, level=0.05, n_wanted=1)
    assert len(cut.kept) == 1
    assert [len(units) for units, _ in cut.path] == [3, 1]  # both at once
    assert estimate_interactions(vetting, [1, 2], [1, 2], Deadline(0.0)) == {}


@pytest.mark.reference
def test_elimination_goes_on_to_the_number_wanted_and_never_takes_what_was_asked_for(codes, parity, vet):
    vetting, context = vet(codes, parity, [[0], [1], [2]], kept=[0])
    assert eliminate(vetting, context, level=0.05, n_wanted=None).kept == [0, 1, 2]
    assert 0 in eliminate(vetting, context, level=0.05, n_wanted=2).kept
    assert eliminate(vetting, context, level=0.05, n_wanted=1).kept == [0]
    assert eliminate(vetting, context, level=0.05, n_wanted=3).kept == [0, 1, 2]


@pytest.mark.reference
def test_grouped_columns_are_hidden_together(codes, parity, vet):
    vetting, _ = vet(codes, parity, [[0], [1, 2]])
    contributions = vetting.contributions([0, 1])
    assert contributions[1].mean == pytest.approx(0.368, abs=0.1)
    assert abs(contributions[0].mean) < 0.05
