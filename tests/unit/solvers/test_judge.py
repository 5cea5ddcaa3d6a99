import math

import pytest
import torch

from minerva_select.config import Schedule
from minerva_select.mi.families import ARRAY_FAMILIES, Family
from minerva_select.mi.stacking import Stack
from minerva_select.solvers.candidate_search import fit_candidates
from minerva_select.solvers.judge import Judge

FLIPPED = math.log(2) + 0.1 * math.log(0.1) + 0.9 * math.log(0.9)  # log 2 - H(0.1) = 0.368
STEP = Schedule(max_steps=1, batch_size=32)  # where the neural critic has no part


def random_bits(n_rows=1600, n_columns=4, seed=0):
    """Independent binary columns, and one in ten rows marked."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(2, (n_rows, n_columns), generator=generator)
    return codes, (torch.rand(n_rows, generator=generator) < 0.1).long()


@pytest.fixture
def make_judge(make_fold, make_context, generator):
    """Build a judge of tables of categorical columns, one per fold, with one unit per column."""

    def make(*tables, share=None, units=None, schedule=STEP):
        folds = [make_fold(*table) for table in tables]
        folds = share(*folds) if share else folds
        n_features = folds[0].x.layout.n_features
        context = make_context(units or [[feature] for feature in range(n_features)], generator, schedule)
        everything = list(range(len(context.units)))
        candidates = fit_candidates(folds, [everything] * len(folds), context, "learn")
        return Judge(folds, candidates, context)

    return make


@pytest.fixture
def copies():
    """Columns 0 and 1 are copies that determine y up to one flip in ten; 2 and 3 are noise."""
    codes, flips = random_bits()
    codes[:, 1] = codes[:, 0]
    return codes, codes[:, 0] ^ flips


def use_arrays_only(judge):
    """Leave out the neural critic, which takes most of the time."""
    judge.families = ARRAY_FAMILIES
    return judge


def test_the_contribution_of_each_of_two_copies_is_zero(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    both = judge.contributions([0, 1, 2])
    # Without one copy the critics see the same information, up to the noise of other splits
    assert [both[unit].mean for unit in (0, 1)] == pytest.approx([0.0, 0.0], abs=0.01)
    alone = judge.contributions([0, 2])
    # Standard error 0.66 / sqrt(400) = 0.033
    assert alone[0].mean == pytest.approx(FLIPPED, abs=0.08)
    assert alone[0].p_value < 1e-6
    assert alone[2].mean == pytest.approx(0.0, abs=0.02)


def test_contributions_may_be_asked_of_some_units_only(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    assert judge.contributions([0, 2, 3], of=[2]).keys() == {2}


def test_all_units_leave_exactly_nothing_behind(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    left = judge.left_behind([0, 1, 2, 3], [0, 1, 2, 3])
    assert (left.mean, left.standard_error) == (0.0, 0.0)
    assert judge.measure_total([0, 1, 2, 3], [0, 1, 2, 3]).mean == judge.measure([0, 1, 2, 3]).mean


def test_noise_leaves_behind_what_the_informative_unit_carries(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    assert judge.left_behind([2], [0, 1, 2, 3]).mean == pytest.approx(FLIPPED, abs=0.08)
    assert judge.left_behind([], [0, 1, 2, 3]).mean == pytest.approx(FLIPPED, abs=0.08)
    assert judge.left_behind([0], [0, 1, 2, 3]).mean == pytest.approx(0.0, abs=0.01)


def test_a_model_of_all_columns_must_add_more_than_a_second_model_of_the_same_columns(make_judge, copies, monkeypatch):
    judge = use_arrays_only(make_judge(copies))
    fit = judge.arrays.fit

    def fit_second_to_all(family, features):
        return fit(Family.TREES, [0, 2, 3]) if family is Family.SECOND_TREES else fit(family, features)

    monkeypatch.setattr(judge.arrays, "fit", fit_second_to_all)
    monkeypatch.setattr(judge.arrays, "families", (Family.TREES,))
    assert judge.left_behind([2], [0, 2, 3]).mean == 0.0


def test_no_units_have_no_information(make_judge, copies):
    judge = make_judge(copies)
    assert judge.information([]).tolist() == [0.0] * len(judge.weights)
    assert judge.components([]) == ()


def test_a_set_is_fitted_once_in_any_order(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    assert judge.verdict([2, 0]) is judge.verdict([0, 2])
    assert {units for _, units in judge.refits.fitted} == {(0, 2)}


def test_a_target_is_explained_if_its_entropy_is_reached(make_judge, copies):
    codes, y = copies
    judge = use_arrays_only(make_judge((codes, codes[:, 0].clone())))
    n_tuning = sum(map(len, judge.tuning_weights))
    surprisal = -judge.folds[0].target.log_prior[judge.folds[0].target.bins[judge.folds[0].tune[0]]]
    for share, expected in ((1.0, True), (0.98, False), (0.0, False)):
        assert judge.explains_target(Stack(share * surprisal, torch.zeros(1, 1), (), ())) is expected
    assert n_tuning == len(surprisal)
    noisy = use_arrays_only(make_judge((codes, y)))
    assert not noisy.explains_target(noisy.verdict([0]))


def test_nothing_is_left_behind_once_the_target_is_explained(make_judge, copies, monkeypatch):
    judge = use_arrays_only(make_judge(copies))
    monkeypatch.setattr(judge, "explains_target", lambda verdict: True)
    assert judge.left_behind([2], [0, 1, 2, 3]).mean == 0.0


def test_the_best_single_unit_has_the_most_information_alone(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    assert judge.best_single([3, 2, 0]) == 0
    assert judge.array_bound([0]) == pytest.approx(FLIPPED, abs=0.08)
    assert judge.array_bound([2]) == pytest.approx(0.0, abs=0.02)


def test_importances_rank_the_informative_unit_first(make_judge, copies):
    judge = use_arrays_only(make_judge(copies, units=[[2], [0, 3]]))
    found = judge.array_importances([0, 1])
    assert found[1] > 10 * abs(found[0])
    # Relative to the largest, by the weights of trees and additive model without that of the prior
    assert 0.9 < found[1] <= 1.0


def test_an_addition_is_what_one_more_unit_adds(make_judge, copies):
    judge = use_arrays_only(make_judge(copies))
    assert judge.addition(0, [2]).mean == pytest.approx(FLIPPED, abs=0.08)
    assert judge.addition(3, [0]).mean == pytest.approx(0.0, abs=0.01)


def test_several_folds_are_measured_together(make_judge, share_tensors, copies):
    codes, flips = random_bits(800, seed=1)
    judge = use_arrays_only(make_judge(copies, (codes, codes[:, 0] ^ flips), share=share_tensors))
    assert len(judge.information([0])) == 400 + 200
    assert judge.measure([0]).mean == pytest.approx(FLIPPED, abs=0.08)  # standard error 0.027


@pytest.mark.reference
def test_the_neural_critic_is_kept_for_parity(make_judge, quick):
    # Single splits gain nothing, so trees find the parity of four columns only by chance
    codes, flips = random_bits(2000, n_columns=6)
    judge = make_judge((codes, codes[:, :4].sum(1) % 2 ^ flips), schedule=quick)
    judge.choose_families(list(range(6)))
    assert Family.NEURAL in judge.families


def test_the_neural_critic_is_dropped_for_an_additive_target(make_judge, copies, quick):
    judge = make_judge(copies, schedule=quick)
    assert judge.families == (Family.NEURAL, *ARRAY_FAMILIES)
    judge.choose_families([0, 2, 3])
    assert Family.NEURAL not in judge.families
    assert len(judge.families) == 1
    assert judge.arrays_in_use


def test_the_neural_critic_is_not_trained_again_once_it_added_nothing(make_judge, copies, quick):
    judge = make_judge(copies, schedule=quick)
    judge.choose_families([0, 2, 3])
    assert Family.NEURAL not in judge.families
    judge.choose_families([0, 2])
    assert Family.NEURAL not in judge.families
    assert {units for family, units in judge.refits.fitted if family is Family.NEURAL} == {(0, 2, 3)}


def test_other_families_are_not_fitted_if_the_neural_critic_explains_the_target(make_judge, copies, monkeypatch):
    judge = make_judge(copies)
    monkeypatch.setattr(judge, "explains_target", lambda verdict: True)
    judge.choose_families([0, 2])
    assert judge.families == (Family.NEURAL,)
    assert not judge.arrays_in_use
    assert {family for family, _ in judge.refits.fitted} == {Family.NEURAL}


def test_families_are_not_chosen_without_units(make_judge, copies):
    judge = make_judge(copies)
    judge.choose_families([])
    assert judge.families == (Family.NEURAL, *ARRAY_FAMILIES)


def test_a_target_of_many_classes_without_order_has_a_neural_critic_only(make_judge):
    codes, _ = random_bits(800)
    judge = make_judge((codes, torch.arange(800) % 30))
    assert judge.families == (Family.NEURAL,)
    judge.choose_families([0, 1])
    assert judge.families == (Family.NEURAL,)
    assert judge.array_bound([0]) == 0.0
    assert judge.left_behind([0], [0, 1]).mean == 0.0


@pytest.mark.reference
def test_nested_sets_are_measured_by_one_neural_critic(make_judge, copies, records, quick):
    judge = make_judge(copies, schedule=quick)
    judge.families = (Family.NEURAL,)
    judge.fit_nested([[0], [0, 2], []], [0, 2, 3])
    n_trainings = len(records)
    assert judge.measure([0, 2]).mean == pytest.approx(FLIPPED, abs=0.1)
    assert judge.measure([0]).mean == pytest.approx(FLIPPED, abs=0.1)
    assert len(records) == n_trainings
