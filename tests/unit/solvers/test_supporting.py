import math

import pytest

from minerva_select.config import SUPPORT
from minerva_select.mi.families import ByFold
from minerva_select.mi.inference import MeanEstimate
from minerva_select.solvers.supporting import add_supporting

TOTAL = 1.0


class LinearJudge:
    """A judge of units with known importances; what is left behind is known for every number of added units.

    ``gains`` is the information of the added units themselves, by their number; by default, it rises. ``tuning`` is the
    same on tuning rows, if it differs.
    """

    arrays_in_use = True

    def __init__(self, left, standard_error=1e-4, n_sets=math.inf, gains=None, noise=None, tuning=None):
        self.left = left  # nats by number of units beyond the proven ones
        self.gains = [0.001 * k for k in range(len(left))] if gains is None else gains
        self.tuning = self.gains if tuning is None else tuning
        self.standard_error = standard_error
        self.noise = noise  # number of columns in which a model of all of them drowns
        self.n_sets = n_sets
        self.measured = []

    @property
    def has_time(self):
        return self.has_time_for(1)

    def has_time_for(self, n_sets):
        return len(self.measured) + n_sets <= self.n_sets

    def array_importances(self, units):
        return {unit: -unit for unit in units}  # low numbers are important

    def array_bound(self, units):
        return self.tuning[self.n_added(units)]

    def fit_ranked(self, sets):
        pass

    def verdict(self, units):
        return list(units)

    def explains_target(self, verdict):
        return False

    def left_behind(self, units, everything):
        self.measured.append(list(units))
        if self.noise and len(everything) == self.noise:
            return MeanEstimate(-0.01, self.standard_error)
        return MeanEstimate(self.left[self.n_added(units)], self.standard_error)

    def n_added(self, units):
        return sum(unit < 100 for unit in units)  # proven units have large numbers

    def information(self, units):
        return self.gains[self.n_added(units)]

    def mean(self, values):
        return MeanEstimate(values, self.standard_error)

    def measure(self, units):
        return self.mean(self.information(units))

    def measure_total(self, units, everything):
        return MeanEstimate(TOTAL, 0.01)


def left_until(size, n_units):
    """Units add 0.1 nats as long as fewer than ``size`` are added."""
    return [0.1 if k < size else 0.001 for k in range(n_units + 1)]


def test_nothing_is_added_if_nothing_is_left_behind_for_sure():
    # 0.5 standard errors: p is 0.3
    judge = LinearJudge([0.1] * 9, standard_error=0.2)
    result = add_supporting(judge, [100], [*range(8), 100])
    assert (result.added, result.order) == ([], [])
    assert judge.measured == [[100]]


def test_nothing_is_added_if_less_than_the_negligible_share_is_left_behind():
    judge = LinearJudge([0.99 * SUPPORT.left_share * TOTAL] * 9)  # many standard errors
    assert add_supporting(judge, [100], [*range(8), 100]).added == []


def test_nothing_is_added_if_all_units_are_proven():
    judge = LinearJudge([0.1])
    assert add_supporting(judge, [100, 101], [100, 101]).added == []
    assert judge.measured == []


@pytest.mark.parametrize("n_units", [1, 2, 3, 5, 8, 13])
def test_units_are_added_in_order_until_the_rest_adds_less_than_one_percent(n_units):
    for size in range(1, n_units + 1):
        judge = LinearJudge(left_until(size, n_units))
        result = add_supporting(judge, [100, 101], [*reversed(range(n_units)), 100, 101])
        assert result.order == list(range(n_units))
        assert result.added == list(range(size))
        assert all(units[:2] == [100, 101] for units in judge.measured)


def test_the_number_of_measured_sets_grows_with_the_logarithm():
    for size in (1, 2, 50, 99, 100):
        judge = LinearJudge(left_until(size, 100))
        assert add_supporting(judge, [], list(range(100))).added == list(range(size))
        assert len(judge.measured) <= 2 * math.log2(100) + 3


def test_units_that_could_not_be_shown_to_add_anything_end_the_search():
    # After three units 0.02 nats are left, but with a standard error of 0.05 they are less than half an error
    left = [0.5, 0.4, 0.3, *[0.02] * 6]
    judge = LinearJudge(left, standard_error=0.05, gains=[0.1 * k for k in range(9)])
    assert add_supporting(judge, [], list(range(8))).added == [0, 1, 2]
    # With a standard error of 0.03 they are more than half an error
    judge = LinearJudge(left, standard_error=0.03, gains=[0.1 * k for k in range(9)])
    assert len(add_supporting(judge, [], list(range(8))).added) == 8


def test_nothing_is_added_without_time():
    judge = LinearJudge(left_until(3, 8), n_sets=1)
    assert add_supporting(judge, [100], [*range(8), 100]).added == []
    assert judge.measured == []


def test_the_search_ends_where_more_units_tell_no_more_by_themselves():
    # Two models predict better than one, so all columns seem to add 0.1 nats to every subset
    gains = [0.0, 0.3, 0.5, 0.6, 0.6, *[0.59] * 96]
    judge = LinearJudge([0.1] * 101, gains=gains, tuning=list(range(101)))
    result = add_supporting(judge, [100], [*range(100), 100])
    assert result.added == [0, 1, 2, 3]
    assert max(map(len, judge.measured)) == 1 + SUPPORT.patience * 4


def test_units_that_tell_nothing_by_themselves_are_not_added():
    judge = LinearJudge([0.1] * 101, gains=[0.2, *[0.1] * 100], tuning=list(range(101)))
    assert add_supporting(judge, [100], [*range(100), 100]).added == []


def test_all_columns_are_not_added_if_fewer_tell_more_by_themselves():
    # With all columns nothing is left behind, but a model of them has learned noise
    gains = [0.0, 0.3, 0.5, 0.6, 0.6, *[0.5] * 4]
    judge = LinearJudge([*[0.1] * 8, 0.0], gains=gains, tuning=list(range(9)))
    assert add_supporting(judge, [100], [*range(8), 100]).added == [0, 1, 2, 3]


def test_the_tuning_rows_choose_a_subset_where_a_model_of_all_columns_drowns_in_noise():
    gains = [0.0, 0.3, 0.5, 0.6, 0.6, *[0.5] * 96]
    left = [0.2, 0.2, 0.2, 0.2, *[0.0] * 97]
    judge = LinearJudge(left, gains=gains, noise=101)
    assert add_supporting(judge, [100], [*range(100), 100]).added == [0, 1, 2, 3]


def test_nothing_is_added_if_the_chosen_columns_drown_in_noise():
    judge = LinearJudge([0.2] * 101, noise=100)
    assert add_supporting(judge, [], list(range(100))).added == []
    assert judge.measured == [[]]


def test_the_search_goes_on_while_all_columns_add_more_than_those_of_the_first_test():
    class TwoRests(LinearJudge):
        def left_behind(self, units, everything):
            needed = 10 if len(everything) == 101 else 4
            return MeanEstimate(0.1 if self.n_added(units) < needed else 0.0, self.standard_error)

    judge = TwoRests([0.0] * 101, gains=[0.01 * k for k in range(101)], tuning=[0.0, 0.3, 0.5, 0.6, 0.7, *[0.6] * 96])
    assert add_supporting(judge, [100], [*range(100), 100]).added == list(range(10))


def test_units_that_tell_nothing_beyond_the_proven_ones_are_not_added():
    # All columns add 0.1 nats for certain, but the one that is chosen from them adds half a standard error
    judge = LinearJudge([0.1, 0.001], standard_error=0.004, gains=[0.0, 0.002])
    assert add_supporting(judge, [100], [0, 100]).added == []
    judge = LinearJudge([0.1, 0.001], standard_error=0.004, gains=[0.0, 0.02])
    assert add_supporting(judge, [100], [0, 100]).added == [0]


def test_all_columns_are_tested_even_if_the_tuning_rows_prefer_fewer():
    # On tuning rows the proven unit and one other are best; that one adds nothing, all columns do
    class OtherJudge(LinearJudge):
        def left_behind(self, units, everything):
            found = super().left_behind(units, everything)
            return found if len(everything) == 9 else MeanEstimate(0.0, self.standard_error)

    tuning = [0.0, 1.0, *[0.5] * 7]
    judge = OtherJudge([0.1, 0.1, 0.1, *[0.001] * 6], tuning=tuning)
    assert add_supporting(judge, [100], [*range(8), 100]).added == [0, 1, 2]


def test_of_too_many_columns_those_that_each_fold_chose_by_its_own_rows_are_tested():
    # What adds to the proven unit in the columns that all rows preferred is chance
    class OtherJudge(LinearJudge):
        def left_behind(self, units, everything):
            found = super().left_behind(units, [])
            return MeanEstimate(0.0, self.standard_error) if isinstance(everything, ByFold) else found

    judge, by_fold = OtherJudge([0.1] * 9), ByFold(((0, 1, 100), (2, 3, 100)))
    assert add_supporting(judge, [100], [*range(8), 100]).added
    assert add_supporting(judge, [100], [*range(8), 100], by_fold).added == []
    assert add_supporting(judge, [], [*range(8)], by_fold).added == []
