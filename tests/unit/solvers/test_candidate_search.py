import dataclasses
import itertools
from types import SimpleNamespace

import pytest
import torch

from minerva_select.mi.cross_fit import CrossFitCritics
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.pair_tables import build_pair_tables
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.mi.training import Schedule
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers import candidate_search
from minerva_select.solvers.candidate_search import (
    CandidateSet,
    add_pair_tables,
    fit_candidates,
    screen_fold,
    search_candidates,
    select_screened_units,
    sparsify,
)
from minerva_select.solvers.fit_config import FitConfig

SIZES = [10, 99, 100, 999, 1000, 4999, 5000, 19_999, 20_000, 3_000_000]
STEP = Schedule(max_steps=1, batch_size=32)
STILL = Schedule(max_steps=1, batch_size=32, learning_rate=0.0)  # leaves every parameter where it starts


def parity(first, second, seed=0):
    """Eight columns; y is the exclusive or of two of them, one in ten flipped: log 2 - H(0.1) = 0.368 nats."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(2, (1600, 8), generator=generator)
    flipped = torch.rand(1600, generator=generator) < 0.1
    return codes, codes[:, first] ^ codes[:, second] ^ flipped.long()


@pytest.fixture(scope="module")
def table():
    """The pair that informs is columns 2 and 5."""
    return parity(2, 5)


@pytest.fixture
def two_tables(make_fold, beside):
    """Two folds side by side: in the first columns 2 and 5 inform, in the second 1 and 6."""
    return beside(make_fold(*parity(2, 5, seed=0)), make_fold(*parity(1, 6, seed=1)))


def singles(n_units):
    return [[unit] for unit in range(n_units)]


def test_fewer_rows_get_smaller_critics_and_more_regularisation():
    plans = [FitConfig.for_rows(n_rows) for n_rows in SIZES]
    for smaller, larger in itertools.pairwise(plans):
        assert smaller.width <= larger.width
        assert smaller.dropout >= larger.dropout
        assert smaller.schedule.weight_decay >= larger.schedule.weight_decay
        assert smaller.schedule.batch_size <= larger.schedule.batch_size
        assert smaller.max_threads <= larger.max_threads
    assert all(plan.n_folds >= 1 and plan.n_members >= 1 and 0 <= plan.dropout < 1 for plan in plans)
    # Every member has a part of its own to tune on, and others to train on
    assert all(1 < plan.n_tune_parts >= plan.n_members for plan in plans)


def test_every_row_of_a_long_table_is_vetted_where_few_rows_say_much():
    plain, rare = FitConfig.for_rows(50_000), FitConfig.for_rows(50_000, 300)
    assert plain.n_folds == 1 < rare.n_folds
    assert rare.width < plain.width
    assert rare.schedule.weight_decay > plain.schedule.weight_decay
    assert FitConfig.for_rows(50_000, 60_000) == plain
    assert FitConfig.for_rows(2_000, 10) == FitConfig.for_rows(2_000)


def test_the_screen_sees_no_vetting_row(table, make_fold):
    codes, y = table
    fold = make_fold(codes, y)
    spoiled = fold.x.take(torch.arange(len(y)))
    spoiled.codes[fold.held_out] = 1 - spoiled.codes[fold.held_out]
    clean, changed = screen_fold(fold), screen_fold(dataclasses.replace(fold, x=spoiled))
    assert torch.equal(clean.marginal_z, changed.marginal_z)
    assert torch.equal(clean.pair_z, changed.pair_z)


def test_the_screen_of_a_fold_sees_its_own_rows_only(two_tables, make_fold):
    for fold, (codes, y) in zip(two_tables, (parity(2, 5, seed=0), parity(1, 6, seed=1)), strict=True):
        found, alone = screen_fold(fold), screen_fold(make_fold(codes, y))
        assert torch.equal(found.marginal_z, alone.marginal_z)
        assert torch.equal(found.pairs, alone.pairs)


def test_a_screen_with_little_time_counts_fewer_rows(make_fold, monkeypatch):
    codes = torch.randint(2, (12_000, 8), generator=torch.Generator().manual_seed(0))
    fold = make_fold(codes, codes[:, 2] ^ codes[:, 5])
    whole, ample = screen_fold(fold), screen_fold(fold, Deadline(1000.0))
    monkeypatch.setitem(candidate_search.SCREEN_CELLS_A_SECOND, "cpu", 1.0)
    little = screen_fold(fold, Deadline(1000.0))
    assert ample.pair_z[0] == whole.pair_z[0] > 2 * little.pair_z[0]
    assert sorted(little.pairs[0].tolist()) == [2, 5]


def test_columns_that_inform_in_pairs_pass_the_screen(table, make_fold, make_context, generator):
    found = screen_fold(make_fold(*table))
    assert set(select_screened_units(found, make_context(singles(8), generator))) >= {2, 5}
    # Unit 0 holds column 2, unit 1 column 5
    assert set(select_screened_units(found, make_context([[2, 7], [5], [0, 1, 3, 4, 6]], generator))) >= {0, 1}


def test_units_kept_on_request_pass_the_screen(table, make_fold, make_context, generator):
    found = screen_fold(make_fold(*table))
    assert set(select_screened_units(found, make_context(singles(8), generator, kept=[0]))) >= {0, 2, 5}


def test_little_of_pure_noise_passes_the_screen(make_fold, make_context, generator):
    codes = torch.randint(3, (1600, 40), generator=generator)
    y = torch.randint(2, (1600,), generator=generator)
    found = screen_fold(make_fold(codes, y))
    # 40 columns and 780 pairs, each with a threshold that the luckiest one seldom passes
    assert len(select_screened_units(found, make_context(singles(40), generator))) <= 4


def screened(n_columns, **z_of_pairs):
    """A screen that found these pairs, named by their two digits."""
    pairs = [[int(digit) for digit in name[1:]] for name in z_of_pairs]
    nothing = torch.zeros(n_columns)
    return PairwiseInformation(nothing, nothing, torch.tensor(pairs).view(-1, 2), torch.tensor([*z_of_pairs.values()]))


def test_folds_are_told_of_the_pairs_that_stand_out_in_any_of_them_the_strongest_first(two_tables):
    # The luckiest of 28 null pairs has a z of sqrt(2 log 28) + 2 = 4.58
    screens = [screened(8, p25=9.0, p13=4.5, p04=6.0), screened(8, p16=30.0, p25=5.0)]
    assert [fold.pairs.pairs for fold in add_pair_tables(two_tables, screens, 10)] == [((1, 6), (2, 5), (0, 4))] * 2
    assert add_pair_tables(two_tables, screens, 1)[0].pairs.pairs == ((1, 6),)


def test_a_pair_that_two_folds_name_in_either_order_is_one_pair(two_tables):
    screens = [screened(8, p25=9.0), screened(8, p52=7.0, p61=8.0)]
    for fold in add_pair_tables(two_tables, screens, 10):
        assert [{*pair} for pair in fold.pairs.pairs] == [{2, 5}, {1, 6}]


def test_folds_are_left_alone_where_no_pair_stands_out_or_none_is_wanted(two_tables):
    lucky, strong = ([screened(8, p25=z)] * 2 for z in (4.0, 40.0))
    assert add_pair_tables(two_tables, lucky, 10) == two_tables
    assert add_pair_tables(two_tables, strong, 0) == two_tables


def test_a_fold_is_told_of_pairs_by_its_training_rows(two_tables):
    screens = [screened(8, p25=9.0, p16=8.0)] * 2
    found = add_pair_tables(two_tables, screens, 10)
    for before, after in zip(two_tables, found, strict=True):
        classes, pairs = before.target.bins, [(2, 5), (1, 6)]
        expected = build_pair_tables(before.x, classes, before.row_weights, before.train[0], pairs)
        assert torch.equal(after.pairs.tables, expected.tables)
        spoiled = classes.clone()
        others = torch.cat([before.held_out, before.tune[0]])
        spoiled[others] = 1 - classes[others]
        other = dataclasses.replace(before, target=dataclasses.replace(before.target, bins=spoiled))
        assert torch.equal(add_pair_tables([other], screens[:1], 10)[0].pairs.tables, expected.tables)
    assert not torch.equal(found[0].pairs.tables, found[1].pairs.tables)


def test_only_folds_of_one_member_are_told_of_pairs():
    # What all members of a fold train on holds the rows that each of them tunes on
    plans = [FitConfig.for_rows(n_rows) for n_rows in SIZES] + [FitConfig.for_rows(50_000, 300)]
    assert all(plan.n_members == 1 for plan in plans if plan.n_pairs)
    assert any(plan.n_pairs for plan in plans)


def test_a_candidate_learns_the_features_of_its_units(table, make_fold, make_context, generator):
    context = make_context([[1], [5, 0], [3, 2]], generator, schedule=STEP)
    (candidate,) = fit_candidates([make_fold(*table)], [[1, 2]], context, "learn")
    assert candidate.units == [1, 2]
    assert candidate.critics.features == [0, 2, 3, 5]
    assert candidate.critics.tasks[candidate.task].features == [0, 2, 3, 5]


def test_candidates_of_several_folds_are_fitted_side_by_side(two_tables, make_context, records, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    first, second = fit_candidates(two_tables, [[0, 1], [1, 2, 3]], context, "learn")
    assert first.critics is second.critics
    assert [first.fold, second.fold] == two_tables
    assert [task.features for task in first.critics.tasks] == [[0, 1], [1, 2, 3]]
    # One training for both
    assert [record.stage for record in records] == ["learn"]
    for candidate, information in zip((first, second), first.critics.tuning_information(), strict=True):
        assert torch.equal(candidate.information, information)
        assert candidate.evidence.mean == pytest.approx(float(information.mean()), abs=1e-6)


def test_a_known_set_of_a_fold_is_not_fitted_again(two_tables, make_context, records, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    known = fit_candidates(two_tables, [[0, 1], [1, 2]], context, "learn")
    assert len(records) == 1
    again = fit_candidates(two_tables[::-1], [[1, 2], [0, 1]], context, "sparsify")
    assert again == known[::-1]
    assert len(records) == 1
    # What the other fold knows is new to this one
    mixed = fit_candidates(two_tables, [[0, 1], [0, 1]], context, "join")
    assert mixed[0] is known[0]
    assert mixed[1].fold is two_tables[1]
    assert len(mixed[1].critics.tasks) == 1
    assert len(records) == 2


def test_a_candidate_starts_from_its_parent(two_tables, make_context, generator):
    context = make_context(singles(8), generator, schedule=STILL)
    parents = fit_candidates(two_tables, [[0, 1, 2], [1, 2, 3]], context, "learn")
    heir, stranger = fit_candidates(two_tables, [[1, 2], [1, 2]], context, "sparsify", [parents[0], None])
    # A parent that does not see a unit is the same network as a child without it
    common = parents[0].critics.feature_mask([1, 2])
    expected = parents[0].critics.held_out_information(common)
    found = heir.critics.held_out_information()
    torch.testing.assert_close(found[heir.task], expected[0], rtol=1e-5, atol=1e-5)
    assert not torch.allclose(found[stranger.task], expected[1], rtol=1e-2, atol=1e-2)


def test_smaller_sets_are_not_waited_for_at_zero(table, make_fold, make_context, generator, monkeypatch):
    patience = {}
    original = CrossFitCritics.fit

    def spy(self, schedule, *arguments, stage, **named):
        patience[stage] = schedule.patience_at_zero
        return original(self, schedule, *arguments, stage=stage, **named)

    monkeypatch.setattr(CrossFitCritics, "fit", spy)
    schedule = dataclasses.replace(STEP, patience=3, patience_at_zero=9)
    fold, context = make_fold(*table), make_context(singles(8), generator, schedule=schedule)
    fit_candidates([fold], [[0, 1]], context, "learn")
    fit_candidates([fold], [[0]], context, "sparsify")
    assert patience == {"learn": 9, "sparsify": 3}


def evidence_of(*z):
    """A mean of 0.1 with these z."""
    return [MeanEstimate(0.1, 0.1 / value) for value in z]


@pytest.mark.parametrize(
    ("z", "n_folds", "learned", "kept", "expected"),
    [
        ([5.0, 0.5, 3.0, 1.5], 1, 10.0, [], [10, 30]),  # those above two
        ([5.0, 0.5, 3.0, 1.5], 3, 10.0, [], [10, 30, 40]),  # above one where every row is vetted in turn
        ([0.7, 0.5, 0.9, 0.2], 3, 10.0, [], [30]),  # at least one
        ([0.7, 0.5, 0.9, 0.2], 3, 1.0, [], [10, 30]),  # half of them where little was learned
        ([5.0, 0.5, 3.0, 0.7], 3, 10.0, [40, 50], [10, 30, 40]),  # and what was asked for, if it is there
    ],
)
def test_units_that_are_missed_are_kept(z, n_folds, learned, kept, expected, make_context, generator):
    candidate = SimpleNamespace(units=[10, 20, 30, 40], evidence=evidence_of(learned)[0])
    context = make_context([], generator, kept=kept)
    context.plan = dataclasses.replace(context.plan, n_folds=n_folds)
    assert candidate_search._keep_missed(candidate, evidence_of(*z), context) == expected


@pytest.fixture
def candidate(table, make_fold):
    """Stand-ins for candidates of one fold, which have so much information on every other tuning row."""
    fold = make_fold(*table)
    n_rows = len(fold.tune[0])

    def make(units, *, first, second):
        information = torch.tensor([first, second]).repeat(n_rows // 2)
        mean, half = (first + second) / 2, abs(first - second) / 2
        return CandidateSet(units, fold, None, 0, information, MeanEstimate(mean, half / n_rows**0.5))

    return make


def test_the_smallest_set_that_loses_nothing_is_the_sparsest(candidate):
    large = candidate([0, 1, 2, 3], first=0.5, second=0.3)
    same = candidate([0, 1], first=0.5, second=0.3)
    worse = candidate([0], first=0.3, second=0.1)
    assert candidate_search._sparsest([large, same, worse]) is same
    # Less by 0.4 and more by 0.3 on every other of 400 rows: a loss of 0.05, known to 0.35 / 20 = 0.018
    assert candidate_search._sparsest([large, candidate([1], first=0.1, second=0.6)]) is large
    # More by 1.2 and less by 1.3: the same loss, known to 1.25 / 20 = 0.063
    unsure = candidate([1], first=1.7, second=-1.0)
    assert candidate_search._sparsest([large, unsure]) is unsure
    # A loss of less than half a percent is none, however sure it is
    nearly = candidate([2], first=0.4991, second=0.2991)
    assert candidate_search._sparsest([large, nearly]) is nearly
    useless = candidate([3], first=-0.1, second=-0.2)
    assert candidate_search._sparsest([useless, large]) is large


def test_a_set_that_holds_the_chosen_one_and_falls_hardly_behind_is_proposed_instead(candidate):
    chosen = candidate([0, 1], first=0.5, second=0.3)
    wider = candidate([0, 1, 2], first=0.49, second=0.29)
    assert candidate_search._widened(chosen, [chosen, wider]) is wider
    assert candidate_search._widened(chosen, [chosen, candidate([0, 2, 3], first=0.49, second=0.29)]) is chosen
    assert (
        candidate_search._widened(chosen, [chosen, candidate([0, 1, 2], first=0.4, second=0.2)]) is chosen
    )  # 75% of it


@pytest.mark.reference
def test_sparsifying_drops_noise_and_keeps_what_is_missed(table, make_fold, make_context, records, generator):
    fold, context = make_fold(*table), make_context(singles(8), generator)
    everything = fit_candidates([fold], [list(range(8))], context, "learn")
    (sparse,) = sparsify(everything, context)
    assert {2, 5} <= {*sparse.units}
    assert len(sparse.units) < 8
    assert sparse.evidence.mean > everything[0].evidence.mean - 0.02
    assert {record.stage for record in records} == {"learn", "sparsify"}


def test_nothing_is_sparsified_after_the_deadline(table, make_fold, make_context, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    fitted = fit_candidates([make_fold(*table)], [list(range(8))], context, "learn")
    context.run = dataclasses.replace(context.run, deadline=Deadline(0.0))
    assert sparsify(fitted, context) == fitted


@pytest.mark.reference
def test_a_proposal_holds_the_pair_that_informs(two_tables, make_context, generator):
    context = make_context(singles(8), generator)
    found = search_candidates(two_tables, [screen_fold(fold) for fold in two_tables], context)
    # Another pair in every fold
    for candidate, fold, pair in zip(found, two_tables, ({2, 5}, {1, 6}), strict=True):
        assert candidate.fold is fold
        assert pair <= {*candidate.units}
        assert len(candidate.units) <= 4
        # log 2 - H(0.1) is 0.368 nats; 400 tuning rows know it to 0.035
        assert candidate.evidence.mean == pytest.approx(0.368, abs=0.1)


@pytest.mark.reference
def test_a_critic_of_all_is_not_asked_where_the_screen_tells_all(make_fold, make_context, records, generator):
    codes = torch.randint(2, (800, 6), generator=generator)
    stages = {}
    for flipped in (0.0, 0.2):
        y = codes[:, 3] ^ (torch.rand(800, generator=generator) < flipped).long()
        fold, context = make_fold(codes, y), make_context(singles(6), generator)
        (candidate,) = search_candidates([fold], [screen_fold(fold)], context)
        assert 3 in candidate.units
        stages[flipped] = {record.stage for record in records}
        records.clear()
    assert "learn" not in stages[0.0]
    assert "learn" in stages[0.2]


def test_a_passed_deadline_leaves_every_fold_with_one_fit(two_tables, make_context, records, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    context.run = dataclasses.replace(context.run, deadline=Deadline(0.0))
    found = search_candidates(two_tables, [screen_fold(fold) for fold in two_tables], context)
    assert [{2, 5} <= {*found[0].units}, {1, 6} <= {*found[1].units}] == [True, True]
    assert [record.stage for record in records] == ["screen"]
