import math

import pytest

from minerva_select.config import ELIMINATION, VETTING
from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.elimination import EliminationResult, eliminate, find_proven

ERROR = 0.01  # standard error of every contribution, in nats


class KnownJudge:
    """A judge of units that each tell a set of facts; a set of units has the nats of all facts that it tells."""

    def __init__(self, facts, nats, n_sets=math.inf):
        self.facts = facts  # by unit
        self.nats = nats  # by fact
        self.asked = []  # remaining units and those whose contribution was asked for
        self.n_sets = n_sets  # that there is time for

    def has_time_for(self, n_sets):
        return n_sets <= self.n_sets

    @property
    def has_time(self):
        return self.has_time_for(1)

    def measure(self, units):
        told = set().union(*(self.facts[unit] for unit in units))
        return MeanEstimate(sum(self.nats[fact] for fact in told), ERROR)

    def contributions(self, units, of=None):
        targets = list(units if of is None else of)
        self.asked.append((list(units), targets))
        self.n_sets -= 1 + len(targets)
        full = self.measure(units).mean
        rests = {unit: self.measure([other for other in units if other != unit]).mean for unit in targets}
        return {unit: MeanEstimate(full - rest, ERROR) for unit, rest in rests.items()}


@pytest.fixture
def copies():
    """Units 0 and 1 tell the same fact, unit 2 tells another one, unit 3 tells nothing."""
    return KnownJudge({0: "a", 1: "a", 2: "b", 3: ""}, {"a": 0.5, "b": 0.3})


def test_of_two_copies_exactly_one_is_dropped_and_the_other_then_contributes(copies):
    result = eliminate(copies, [0, 1, 2, 3], ())
    assert 2 in result.kept
    assert len({0, 1} & {*result.kept}) == 1
    assert len(result.kept) == 2
    assert result.completed
    assert {unit: one.mean for unit, one in result.dropped.items()} == pytest.approx(
        {unit: 0.0 for unit in range(4) if unit not in result.kept}
    )
    contributions = copies.contributions(result.kept)
    assert sorted(one.mean for one in contributions.values()) == pytest.approx([0.3, 0.5])


def test_units_that_each_contribute_stay():
    judge = KnownJudge({0: "a", 1: "b"}, {"a": 0.2, "b": 0.2})
    assert eliminate(judge, [0, 1], ()) == EliminationResult([0, 1])


def test_nothing_is_left_of_no_units(copies):
    assert eliminate(copies, [], ()) == EliminationResult([])
    assert copies.asked == []


def test_required_units_stay_whatever_they_contribute(copies):
    result = eliminate(copies, [0, 1, 2, 3], [3, 1])
    assert result.kept == [1, 2, 3]
    assert list(result.dropped) == [0]


def test_the_least_contribution_goes_first():
    judge = KnownJudge({0: "a", 1: "b", 2: "c", 3: "d"}, {"a": 0.012, "b": 0.008, "c": 0.9, "d": 0.01})
    assert list(eliminate(judge, [0, 1, 2, 3], ()).dropped) == [1, 3, 0]


def test_only_doubtful_units_are_measured_again_and_once(copies):
    eliminate(copies, [0, 1, 2, 3], ())
    # Unit 2 is proven from the start; without unit 0 its copy is proven too, and unit 3 is dropped last
    assert copies.asked == [([0, 1, 2, 3], [0, 1, 2, 3]), ([1, 2, 3], [1]), ([1, 2, 3], [3])]


@pytest.mark.parametrize(("n_strong", "kept"), [(1, True), (40, False)])
def test_the_level_of_proofs_is_divided_by_the_number_of_remaining_units(n_strong, kept):
    # One-sided p of 0.01: below 0.05 / 2, above 0.05 / 41
    weak = 2.326 * ERROR
    assert VETTING.level / 41 < MeanEstimate(weak, ERROR).p_value < VETTING.level / 2
    nats = {"weak": weak} | {str(unit): 0.1 for unit in range(n_strong)}
    judge = KnownJudge({-1: {"weak"}} | {unit: {str(unit)} for unit in range(n_strong)}, nats)
    assert (-1 in eliminate(judge, list(judge.facts), (), proven_only=True).kept) is kept
    assert -1 in eliminate(judge, list(judge.facts), ()).kept


def test_a_contribution_below_its_share_of_all_information_is_dropped_however_certain():
    total = 100.0
    near = [(1 - 0.1) * ELIMINATION.min_share * total, (1 + 0.1) * ELIMINATION.min_share * total]  # 45 and 55 errors
    judge = KnownJudge({0: "a", 1: "b", 2: "c"}, {"a": total - sum(near), "b": near[0], "c": near[1]})
    assert eliminate(judge, [0, 1, 2], ()).kept == [0, 2]


def test_when_time_runs_out_the_remaining_units_stay():
    # All five units and each set without one, all four and one set without one, and no more
    judge = KnownJudge(dict.fromkeys(range(5), ""), {}, n_sets=6 + 2)
    result = eliminate(judge, list(range(5)), ())
    assert len(judge.asked) == 2
    assert len(result.dropped) == 2
    assert len(result.kept) == 3
    assert not result.completed


def test_without_time_for_one_round_all_units_stay():
    judge = KnownJudge(dict.fromkeys(range(5), ""), {}, n_sets=5)
    assert eliminate(judge, list(range(5)), ()) == EliminationResult(list(range(5)), completed=False)
    assert judge.asked == []


def test_proven_units_are_those_of_holms_procedure():
    z_of_p = {0.001: 3.0903, 0.02: 2.0538, 0.024: 1.9774, 0.04: 1.7507}

    def proven(*p_values):
        return find_proven({unit: MeanEstimate(z_of_p[p] * ERROR, ERROR) for unit, p in enumerate(p_values)})

    # Levels are 0.05 / 3, 0.05 / 2 and 0.05 in the order of the p-values
    assert proven(0.04, 0.024, 0.001) == {0, 1, 2}
    assert proven(0.02, 0.02, 0.02) == frozenset()
    assert proven(0.02) == {0}
    assert find_proven({}) == frozenset()
