import dataclasses

import pytest
import torch

from minerva_select.config import ELIMINATION, Schedule
from minerva_select.solvers.candidate_search import fit_candidates
from minerva_select.solvers.masked_critics import MaskedCritics, make_mask_sampler

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


@pytest.fixture
def untrained(two_folds, make_context, generator):
    """Candidates of two folds, and masked critics that start from them and learn nothing."""
    schedule = Schedule(max_steps=1, batch_size=8, learning_rate=0.0)
    context = make_context([[0], [1, 2], [3], [4]], generator, schedule=schedule)
    candidates = fit_candidates(two_folds, [[1], [0, 1]], context, "learn")
    return candidates, MaskedCritics(two_folds, candidates, [0, 1, 3], context)


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


def test_without_units_there_is_no_information(untrained):
    _, masked = untrained
    assert masked.information([]).tolist() == [0.0] * len(masked.weights)


def test_information_is_by_fold_on_tuning_and_held_out_rows(untrained, two_folds):
    _, masked = untrained
    tuning, held_out = masked.information_of([0, 3])
    assert [len(rows) for rows in tuning] == [sum(map(len, fold.tune)) for fold in two_folds]
    assert [len(rows) for rows in held_out] == [len(fold.held_out) for fold in two_folds]
    assert torch.equal(torch.cat(held_out), masked.information([0, 3]))


def test_means_are_over_the_weighted_held_out_rows_of_all_folds(untrained, two_folds):
    _, masked = untrained
    weights = torch.cat([fold.row_weights[fold.held_out] for fold in two_folds])
    values = torch.arange(float(len(weights)))
    assert masked.mean(values).mean == pytest.approx(float((values * weights).sum() / weights.sum()), rel=1e-5)


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


def test_the_bound_of_a_set_is_its_weighted_mean_over_all_tuning_rows(untrained, two_folds):
    _, masked = untrained
    tuning, _ = masked.information_of([0, 3])
    weights = torch.cat([fold.row_weights[torch.cat(fold.tune)] for fold in two_folds])
    expected = float((torch.cat(tuning) * weights).sum() / weights.sum())
    assert masked.tuning_bound([0, 3]) == pytest.approx(expected, abs=1e-6)
    assert masked.tuning_bound([]) == 0.0


def test_units_are_ordered_by_when_they_are_missed_least(untrained, monkeypatch):
    _, masked = untrained
    # Units 0 and 1 are informative mostly together; unit 3 adds a little alone
    nats = {(1, 3): 0.1, (0, 3): 0.15, (0, 1): 0.5, (0,): 0.2, (1,): 0.0}
    monkeypatch.setattr(masked, "tuning_bound", lambda units: nats[tuple(units)])
    assert masked.order([0, 1, 3]) == [0, 1, 3]
    assert masked.order([3]) == [3]


def test_of_many_units_several_are_dropped_at_once(untrained, monkeypatch):
    _, masked = untrained
    asked = []

    def bound(units):
        """2 ** -k nats for unit k: the larger its number, the less a unit adds."""
        asked.append(len(units))
        return sum(2.0**-unit for unit in units)

    monkeypatch.setattr(masked, "tuning_bound", bound)
    n_units = 2 * ELIMINATION.drop_fraction
    assert masked.order(range(n_units)) == list(range(n_units))
    # Two of eight units are dropped at once, then one at a time
    sizes = sorted(set(asked), reverse=True)
    assert sizes == [n_units - 1, *range(n_units - 3, 0, -1)]


@pytest.mark.reference
def test_training_on_nested_sets_gives_the_information_of_each(make_fold, make_context, generator, quick):
    # y has four classes from two binary columns; the third column is noise
    codes = torch.randint(2, (2000, 3), generator=torch.Generator().manual_seed(1))
    fold = make_fold(codes, 2 * codes[:, 0] + codes[:, 1])
    context = make_context([[0], [1], [2]], generator)
    barely = dataclasses.replace(context.config, schedule=Schedule(max_steps=1, batch_size=32))
    candidates = fit_candidates([fold], [[0, 1, 2]], dataclasses.replace(context, config=barely), "learn")
    masked = MaskedCritics([fold], candidates, [0, 1, 2], context)
    assert set(masked.order([0, 1, 2])[:2]) == {0, 1}
    sets = [[0, 1, 2], [0, 1], [1]]
    masked.train_on(sets, context)
    # log 4, log 4, log 2; 500 held-out rows estimate it to a few hundredths
    found = [masked.mean(torch.cat(masked.information_of(units)[1])).mean for units in sets]
    assert found == pytest.approx([1.386, 1.386, 0.693], abs=0.1)
