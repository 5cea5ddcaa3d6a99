import math

import pytest
from scipy import stats

from minerva_select.mi.student import student_quantile, student_tail


@pytest.mark.parametrize("freedom", [0.3, 1.0, 2.9, 7.0, 30.5, 1000.0, 5e4])
def test_tails_are_scipys(freedom):
    for t in (-50.0, -2.0, -0.1, 0.0, 0.4, 1.2, 1.8, 3.5, 8.0, 100.0):
        # Gamma functions of 25,000 have 11 good digits after their difference is taken
        assert student_tail(t, freedom) == pytest.approx(stats.t.sf(t, freedom), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 4.0, 60.0])
def test_tails_of_one_and_two_degrees_are_those_worked_out_by_hand(t):
    assert student_tail(t, 1.0) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-14)
    assert student_tail(t, 2.0) == pytest.approx(0.5 - 0.5 * t / math.sqrt(2 + t**2), abs=1e-14)


def test_very_many_degrees_are_the_normal_law():
    assert student_tail(3.5, math.inf) == student_tail(3.5, 1e9) == 0.5 * math.erfc(3.5 / math.sqrt(2))
    # The laws differ by about t^4 / (4 freedom) of the tail: 4e-4 at 3.5 where one is taken for the other
    assert student_tail(3.5, 99_999.0) == pytest.approx(student_tail(3.5, math.inf), rel=5e-4)


@pytest.mark.parametrize("t", [math.inf, 1e200])
def test_nothing_is_beyond_the_infinite(t):
    assert (student_tail(t, 3.0), student_tail(-t, 3.0)) == (0.0, 1.0)


@pytest.mark.parametrize("freedom", [1.0, 2.4, 9.0, 100.0, 2e4])
def test_quantiles_are_scipys(freedom):
    # The search ends at 1e-10 of the quantile
    assert student_quantile(0.025, freedom) == pytest.approx(stats.t.isf(0.025, freedom), rel=1e-9)


def test_hardly_any_freedom_makes_quantiles_enormous_and_still_numbers():
    assert 1e100 < student_quantile(0.025, 0.001) < math.inf
