import dataclasses
from types import SimpleNamespace

import pytest
import torch

from minerva_select.config import ELIMINATION, SEARCH, Schedule
from minerva_select.mi.critic_training import fit_critics
from minerva_select.mi.families import Family
from minerva_select.mi.inference import MeanEstimate
from minerva_select.runtime.deadline import Deadline
from minerva_select.solvers import candidate_search
from minerva_select.solvers.candidate_search import (
    CandidateSet,
    fit_candidates,
    search_candidates,
    sparsify,
)
from minerva_select.solvers.screen import screen_fold

STEP = Schedule(max_steps=1, batch_size=32)
SHORT = Schedule(max_steps=50, batch_size=128)
STILL = Schedule(max_steps=1, batch_size=32, learning_rate=0.0)  # leaves every parameter at its initial value


def parity(first, second, seed=0):
    """Eight columns; y is the exclusive or of two of them, one in ten flipped: log 2 - H(0.1) = 0.368 nats."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(2, (1600, 8), generator=generator)
    flipped = torch.rand(1600, generator=generator) < 0.1
    return codes, codes[:, first] ^ codes[:, second] ^ flipped.long()


@pytest.fixture(scope="module")
def table():
    """Columns 2 and 5 are informative as a pair."""
    return parity(2, 5)


@pytest.fixture
def two_tables(make_fold, share_tensors):
    """Two folds that share tensors; columns 2 and 5 are informative in the first, 1 and 6 in the second."""
    return share_tensors(make_fold(*parity(2, 5, seed=0)), make_fold(*parity(1, 6, seed=1)))


def singles(n_units):
    return [[unit] for unit in range(n_units)]


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
        assert candidate.bound.mean == pytest.approx(float(information.mean()), abs=1e-6)


def test_a_fitted_set_of_a_fold_is_reused(two_tables, make_context, records, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    known = fit_candidates(two_tables, [[0, 1], [1, 2]], context, "learn")
    assert len(records) == 1
    again = fit_candidates(two_tables[::-1], [[1, 2], [0, 1]], context, "sparsify")
    assert again == known[::-1]
    assert len(records) == 1
    # A set of another fold is not reused
    mixed = fit_candidates(two_tables, [[0, 1], [0, 1]], context, "join")
    assert mixed[0] is known[0]
    assert mixed[1].fold is two_tables[1]
    assert len(mixed[1].critics.tasks) == 1
    assert len(records) == 2


def test_a_candidate_starts_from_its_parent(two_tables, make_context, generator):
    context = make_context(singles(8), generator, schedule=STILL)
    parents = fit_candidates(two_tables, [[0, 1, 2], [1, 2, 3]], context, "learn")
    child, stranger = fit_candidates(two_tables, [[1, 2], [1, 2]], context, "sparsify", [parents[0], None])
    # A parent with a masked unit is the same network as a child without it
    common = parents[0].critics.feature_mask([1, 2])
    expected = parents[0].critics.held_out_information(common)
    found = child.critics.held_out_information()
    torch.testing.assert_close(found[child.task], expected[0], rtol=1e-5, atol=1e-5)
    assert not torch.allclose(found[stranger.task], expected[1], rtol=1e-2, atol=1e-2)


def test_smaller_sets_get_no_extra_patience_at_zero(table, make_fold, make_context, generator, monkeypatch):
    patience = {}

    def spy(critics, schedule, context, *, stage):
        patience[stage] = schedule.patience_at_zero
        return fit_critics(critics, schedule, context, stage=stage)

    monkeypatch.setattr(candidate_search, "fit_critics", spy)
    schedule = dataclasses.replace(STEP, patience=3, patience_at_zero=9)
    fold, context = make_fold(*table), make_context(singles(8), generator, schedule=schedule)
    (whole,) = fit_candidates([fold], [[0, 1]], context, "learn")
    fit_candidates([fold], [[0]], context, "sparsify")
    assert patience == {"learn": 9, "sparsify": 3}
    fit_candidates([fold], [[1]], context, "sparsify", [whole])
    assert patience["sparsify"] == ELIMINATION.refit_patience
    fit_candidates([fold], [[2]], context, "learn")
    assert patience["learn"] == 3  # a single unit has no interactions


def estimates_of(*z):
    """Estimates with a mean of 0.1 and these z-scores."""
    return [MeanEstimate(0.1, 0.1 / value) for value in z]


@pytest.mark.parametrize(
    ("z", "n_folds", "learned", "required", "expected"),
    [
        ([5.0, 0.5, 3.0, 1.5], 1, 10.0, [], [10, 30]),  # z-scores above two
        ([5.0, 0.5, 3.0, 1.5], 3, 10.0, [], [10, 30, 40]),  # above one with several folds
        ([0.7, 0.5, 0.9, 0.2], 3, 10.0, [], [30]),  # at least one
        ([0.7, 0.5, 0.9, 0.2], 3, 1.0, [], [10, 30]),  # half of them if little was learned
        ([5.0, 0.5, 3.0, 0.7], 3, 10.0, [40, 50], [10, 30, 40]),  # and required units, if present
    ],
)
def test_important_units_are_kept(z, n_folds, learned, required, expected, make_context, generator):
    candidate = SimpleNamespace(units=[10, 20, 30, 40], bound=estimates_of(learned)[0])
    context = make_context([], generator, required=required)
    context.config = dataclasses.replace(context.config, n_folds=n_folds)
    assert candidate_search._keep_important(candidate, estimates_of(*z), context) == expected


@pytest.fixture
def candidate(table, make_fold):
    """Fake candidates of one fold, with two alternating values of information on the tuning rows."""
    fold = make_fold(*table)
    n_rows = len(fold.tune[0])

    def make(units, *, first, second):
        information = torch.tensor([first, second]).repeat(n_rows // 2)
        mean, half = (first + second) / 2, abs(first - second) / 2
        return CandidateSet(units, fold, None, 0, information, MeanEstimate(mean, half / n_rows**0.5))

    return make


def test_the_smallest_set_that_loses_nothing_is_chosen(candidate):
    large = candidate([0, 1, 2, 3], first=0.5, second=0.3)
    same = candidate([0, 1], first=0.5, second=0.3)
    worse = candidate([0], first=0.3, second=0.1)
    assert candidate_search._smallest_sufficient([large, same, worse]) is same
    # Less by 0.4 and more by 0.3 on every other of 400 rows: a loss of 0.05 with standard error 0.35 / 20 = 0.018
    assert candidate_search._smallest_sufficient([large, candidate([1], first=0.1, second=0.6)]) is large
    # More by 1.2 and less by 1.3: the same loss with standard error 1.25 / 20 = 0.063
    unsure = candidate([1], first=1.7, second=-1.0)
    assert candidate_search._smallest_sufficient([large, unsure]) is unsure
    # A loss of less than half a percent does not count, however certain
    nearly = candidate([2], first=0.4991, second=0.2991)
    assert candidate_search._smallest_sufficient([large, nearly]) is nearly
    useless = candidate([3], first=-0.1, second=-0.2)
    assert candidate_search._smallest_sufficient([useless, large]) is large


def test_a_superset_with_nearly_the_same_bound_replaces_the_chosen_set(candidate):
    chosen = candidate([0, 1], first=0.5, second=0.3)
    wider = candidate([0, 1, 2], first=0.49, second=0.29)
    assert candidate_search._widened(chosen, [chosen, wider]) is wider
    assert candidate_search._widened(chosen, [chosen, candidate([0, 2, 3], first=0.49, second=0.29)]) is chosen
    assert (
        candidate_search._widened(chosen, [chosen, candidate([0, 1, 2], first=0.4, second=0.2)]) is chosen
    )  # 75% of it


@pytest.mark.reference
def test_sparsifying_drops_noise_and_keeps_important_units(table, make_fold, make_context, records, generator):
    fold, context = make_fold(*table), make_context(singles(8), generator)
    everything = fit_candidates([fold], [list(range(8))], context, "learn")
    (sparse,) = sparsify(everything, context)
    assert {2, 5} <= {*sparse.units}
    assert len(sparse.units) < 8
    assert sparse.bound.mean > everything[0].bound.mean - 0.02
    assert {record.stage for record in records} == {"learn", "sparsify"}


def test_nothing_is_sparsified_after_the_deadline(table, make_fold, make_context, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    fitted = fit_candidates([make_fold(*table)], [list(range(8))], context, "learn")
    context.training = dataclasses.replace(context.training, deadline=Deadline(0.0))
    assert sparsify(fitted, context) == fitted


@pytest.mark.reference
def test_the_candidate_set_contains_the_informative_pair(two_tables, make_context, generator):
    context = make_context(singles(8), generator)
    found = search_candidates(two_tables, [screen_fold(fold) for fold in two_tables], context)
    # A different pair in every fold
    for candidate, fold, pair in zip(found, two_tables, ({2, 5}, {1, 6}), strict=True):
        assert candidate.fold is fold
        assert pair <= {*candidate.units}
        assert len(candidate.units) <= 4
        # log 2 - H(0.1) is 0.368 nats; 400 tuning rows estimate it to 0.035
        assert candidate.bound.mean == pytest.approx(0.368, abs=0.1)


@pytest.mark.reference
def test_all_units_are_not_learned_if_the_screened_ones_explain_the_target(make_fold, make_context, records, generator):
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


def test_screened_units_that_are_nearly_all_are_not_learned_apart(make_fold, make_context, records, generator):
    codes = torch.randint(2, (400, 10), generator=generator)
    y = codes[:, 0] ^ (torch.rand(400, generator=generator) < 0.2).long()
    fold = make_fold(codes, y)
    stages = {}
    for required in ([], list(range(1, 10))):
        context = dataclasses.replace(make_context(singles(10), generator, schedule=STEP), required=required)
        search_candidates([fold], [screen_fold(fold)], context)
        stages[len(required)] = {record.stage for record in records}
        records.clear()
    assert "screen" in stages[0]
    assert "screen" not in stages[9]


def test_with_an_expired_deadline_every_fold_is_fitted_once(two_tables, make_context, records, generator):
    context = make_context(singles(8), generator, schedule=STEP)
    context.training = dataclasses.replace(context.training, deadline=Deadline(0.0))
    found = search_candidates(two_tables, [screen_fold(fold) for fold in two_tables], context)
    assert [{2, 5} <= {*found[0].units}, {1, 6} <= {*found[1].units}] == [True, True]
    assert [record.stage for record in records] == ["screen"]


class FixedFits:
    """Stands for trees and additive models that find a part of the target's surprisal in many columns."""

    families = (Family.TREES,)

    def __init__(self, fold, share, many):
        surprisal = -fold.target.log_prior[fold.target.bins[torch.cat(fold.tune)]]
        self.found = {True: share * surprisal, False: 0 * surprisal}
        self.many = many

    def fit_all(self, sets):
        pass

    def fit(self, family, features):
        return [SimpleNamespace(tuning=self.found[len(features) >= self.many])]


@pytest.mark.parametrize(("share", "is_learned"), [(0.0, False), (0.9, True)])
def test_more_units_than_can_be_learned_are_left_to_the_screen_unless_others_find_more(
    share, is_learned, make_fold, make_context, records, generator, monkeypatch
):
    codes = torch.randint(2, (400, 10), generator=generator)
    y = codes[:, 0] ^ (torch.rand(400, generator=generator) < 0.2).long()
    fold, context = make_fold(codes, y), make_context(singles(10), generator, schedule=SHORT)
    monkeypatch.setattr(candidate_search, "SEARCH", dataclasses.replace(SEARCH, max_learned_units=8))
    search_candidates([fold], [screen_fold(fold)], context, FixedFits(fold, share, many=8))
    assert ("learn" in {record.stage for record in records}) is is_learned


def test_all_units_are_learned_if_they_are_few(make_fold, make_context, records, generator):
    codes = torch.randint(2, (400, 10), generator=generator)
    y = codes[:, 0] ^ (torch.rand(400, generator=generator) < 0.2).long()
    fold, context = make_fold(codes, y), make_context(singles(10), generator, schedule=STEP)
    search_candidates([fold], [screen_fold(fold)], context, FixedFits(fold, 0.0, many=8))
    assert "learn" in {record.stage for record in records}
