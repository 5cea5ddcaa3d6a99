from types import SimpleNamespace

import pytest

from minerva_select.config import EXPLANATION, SUPPORT
from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.ranking import Ranking, find_best_sets, measure_path, rank_rest, rank_units


class KnownJudge:
    """A judge that knows what every unit is worth, and which of them are worth more together."""

    arrays_in_use = True

    def __init__(self, worth, synergy=None, n_sets=10**6):
        self.worth = worth  # nats by unit
        self.synergy = synergy or {}  # further nats by set of units
        self.n_sets = n_sets
        self.asked = []

    @property
    def has_time(self):
        return self.has_time_for(1)

    def has_time_for(self, n_sets):
        return len(self.asked) + n_sets <= self.n_sets

    def fit_arrays(self, sets):
        self.fitted = [list(units) for units in sets]

    fit_ranked = fit_arrays

    def array_importances(self, units):
        self.asked.append(list(units))
        full = self.array_bound(units)
        return {unit: full - self.array_bound([other for other in units if other != unit]) for unit in units}

    def array_bound(self, units):
        together = sum(nats for chosen, nats in self.synergy.items() if {*chosen} <= {*units})
        return sum(self.worth[unit] for unit in units) + together

    def best_single(self, order):
        return max(order, key=lambda unit: self.array_bound([unit]))

    def fit_subsets(self, units, subsets):
        self.refitted = [list(one) for one in subsets]

    def tuning_bound(self, units):
        return self.array_bound(units)

    def fit_nested(self, sets, units):
        self.nested = [list(one) for one in sets]

    def measure(self, units):
        self.asked.append(list(units))
        return MeanEstimate(self.array_bound(units), 0.01)


def test_units_are_ranked_by_when_they_are_dropped():
    judge = KnownJudge({0: 0.1, 1: 0.0, 2: 0.0, 3: 0.3, 4: 0.0}, {(1, 2): 0.2})
    order = rank_units(judge, [], [0, 1, 2, 3, 4])
    assert order[0] == 3
    assert {*order[1:3]} == {1, 2}
    assert order[3:] == [0, 4]


def test_units_that_always_stay_are_part_of_every_refit_and_not_ranked():
    judge = KnownJudge({0: 0.0, 1: 0.0, 2: 0.1}, {(0, 1): 0.2})
    assert rank_units(judge, [0], [1, 2]) == [1, 2]
    assert all(0 in units for units in judge.asked)


def test_of_many_units_several_are_dropped_per_refit():
    n_units = 10 * SUPPORT.few_units
    judge = KnownJudge({unit: n_units - unit for unit in range(n_units)})
    assert rank_units(judge, [], list(range(n_units))) == list(range(n_units))
    sizes = [len(units) for units in judge.asked]
    assert sizes[:2] == [n_units, n_units - int(n_units * SUPPORT.drop_share)]
    assert [size for size in sizes if size < SUPPORT.few_units] == list(range(SUPPORT.few_units - 1, 1, -1))


def test_units_keep_their_order_when_there_is_no_time_to_rank_them():
    assert sorted(rank_units(KnownJudge({0: 0.0, 1: 0.1}, n_sets=0), [], [0, 1])) == [0, 1]


def test_with_neural_critics_alone_masked_critics_rank():
    judge = KnownJudge({})
    judge.arrays_in_use = False
    masked = SimpleNamespace(order=lambda units: units[::-1])
    judge.refits = SimpleNamespace(masked_critics=lambda units: masked)
    assert rank_units(judge, [7], [0, 1, 2]) == [2, 1, 0]


def test_with_neural_critics_alone_refits_rank_very_few_units():
    judge = KnownJudge({0: 0.1, 1: 0.3})
    judge.arrays_in_use = False
    assert rank_units(judge, [7], [0, 1]) == [1, 0]
    assert judge.refitted == [[0], [1]]
    assert rank_units(judge, [7], [1]) == [1]


# Units 0 and 1 are worth most together, unit 2 is worth most alone
PAIR = {0: 0.1, 1: 0.1, 2: 0.3}, {(0, 1): 0.4}


@pytest.mark.parametrize(("size", "expected"), [(1, [2]), (2, [0, 1]), (3, [0, 1, 2])])
def test_the_best_set_starts_with_the_ranking_or_with_the_best_single_unit(size, expected):
    assert sorted(find_best_sets(KnownJudge(*PAIR), [0, 1, 2], 3).best(size)) == expected


def test_the_best_set_of_the_selected_size_is_the_selection():
    # Unit 3 carries alone more than units 0 and 1 together
    judge = KnownJudge({0: 0.1, 1: 0.1, 3: 0.9})
    ranking = find_best_sets(judge, [0, 1, 3], 2)
    assert [sorted(ranking.best(size)) for size in (1, 2, 3)] == [[3], [0, 1], [0, 1, 3]]


def test_sets_larger_than_the_selection_contain_it():
    judge = KnownJudge({0: 0.1, 1: 0.0, 2: 0.0, 3: 0.3, 4: 0.2})
    ranking = find_best_sets(judge, [0, 1, 2, 3, 4], 2)
    assert [ranking.best(size) for size in (1, 2, 3, 4, 5)] == [[3], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]
    assert find_best_sets(judge, [0, 1, 2, 3, 4], 1).best(1) == [0]


def test_the_best_set_of_any_size_is_known_whatever_size_is_asked_for_first():
    judge = KnownJudge({unit: 0.1 * (5 - unit) for unit in range(5)})
    ranking = find_best_sets(judge, range(5), 3)
    assert [ranking.best(size) for size in range(7)] == [list(range(min(size, 5))) for size in range(7)]


def test_the_best_set_holds_all_required_units():
    assert sorted(find_best_sets(KnownJudge(*PAIR), [0, 1, 2], 3, required=[2]).best(2)) == [0, 2]
    ranking = find_best_sets(KnownJudge({0: 0.1, 1: 0.0, 2: 0.3}), [0, 1, 2], 3, required=[1])
    assert ranking.best(1) == [1]
    assert sorted(ranking.best(2)) == [1, 2]


def test_without_time_or_with_neural_critics_alone_the_best_set_follows_the_ranking():
    judge = KnownJudge(*PAIR)
    judge.arrays_in_use = False
    for one in (judge, KnownJudge(*PAIR, n_sets=0)):
        assert find_best_sets(one, [0, 1, 2], 3).best(1) == [0]


def test_what_was_not_selected_is_ranked_by_what_it_adds_to_the_selection():
    judge = KnownJudge({0: 0.5, 1: 0.1, 2: 0.0, 3: 0.2, 4: 0.0}, {(0, 4): 0.3})
    assert rank_rest(judge, [0], [1, 2, 3, 4]) == [4, 3, 1, 2]
    assert all(0 in units for units in judge.asked)


def test_few_refits_rank_many_units():
    n_units = 8 * SUPPORT.max_ranked
    judge = KnownJudge({unit: n_units - unit for unit in range(n_units)})
    assert rank_rest(judge, [], list(range(n_units))) == list(range(n_units))
    assert [len(units) for units in judge.asked] == [n_units, 32, 8, 2]


def test_what_was_not_selected_keeps_its_order_without_time_or_trees():
    slow, neural = KnownJudge({0: 0.0, 1: 0.1}, n_sets=5), KnownJudge({0: 0.0, 1: 0.1})
    neural.arrays_in_use = False
    assert rank_rest(slow, [], [0, 1]) == rank_rest(neural, [], [0, 1]) == [0, 1]
    assert slow.asked == neural.asked == []


def test_the_path_has_the_best_set_of_every_size_from_all_selected_units_down():
    judge = KnownJudge(*PAIR)
    path = measure_path(judge, find_best_sets(judge, [0, 1, 2], 3), [0, 1, 2], required=())
    assert [units for units, _ in path] == [[0, 1, 2], [0, 1], [2]]
    assert [one.mean for _, one in path] == pytest.approx([0.9, 0.6, 0.3])
    assert judge.nested == [units for units, _ in path]


def test_the_best_smaller_set_may_hold_a_unit_that_was_not_selected():
    # Unit 3 carries alone what units 0 and 1 carry together
    judge = KnownJudge({0: 0.1, 1: 0.1, 3: 0.5}, {(0, 1): 0.4})
    path = measure_path(judge, find_best_sets(judge, [0, 1, 3], 2), [0, 1], required=())
    assert [units for units, _ in path] == [[0, 1], [3]]


def test_no_set_of_the_path_lacks_a_required_unit():
    judge = KnownJudge(*PAIR)
    path = measure_path(judge, find_best_sets(judge, [0, 1, 2], 3, [1, 2]), [0, 1, 2], required=[1, 2])
    assert [units for units, _ in path] == [[0, 1, 2], [1, 2]]


def test_the_path_ends_when_the_time_does():
    assert len(measure_path(KnownJudge(*PAIR, n_sets=2), Ranking([0, 1, 2]), [0, 1, 2], required=())) == 2
    assert measure_path(KnownJudge(*PAIR), Ranking([0, 1, 2]), [], required=()) == []


def test_of_many_units_the_path_has_few_points_and_all_small_sizes():
    n_units = 8 * EXPLANATION.max_path_points
    judge = KnownJudge(dict.fromkeys(range(n_units), 0.1))
    path = measure_path(judge, Ranking(range(n_units)), range(n_units), required=())
    sizes = [len(units) for units, _ in path]
    assert sizes[0] == n_units
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-EXPLANATION.small_path_sizes :] == list(range(EXPLANATION.small_path_sizes, 0, -1))
    assert len(sizes) < 2 * EXPLANATION.max_path_points
