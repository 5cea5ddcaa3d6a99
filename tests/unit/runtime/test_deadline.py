import math
import time

import pytest

from minerva_select.runtime.deadline import Deadline


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_deadline_expires_after_its_seconds(clock):
    limited, unlimited = Deadline(10.0), Deadline(None)
    clock[0] += 9.0
    assert not limited.expired
    clock[0] += 2.0
    assert limited.expired
    assert not unlimited.expired
    assert not unlimited.fraction(0.5).expired


def test_a_deadline_allows_what_fits_in_the_remaining_time(clock):
    limited = Deadline(10.0)
    clock[0] += 7.0
    assert limited.allows(3.0)
    assert not limited.allows(3.5)
    assert Deadline(None).allows(1e9)


def test_a_fraction_is_taken_of_the_remaining_time(clock):
    deadline = Deadline(10.0)
    clock[0] += 4.0
    half = deadline.fraction(0.5)
    assert half.seconds == pytest.approx(3.0)
    clock[0] += 3.5
    assert half.expired
    assert not deadline.expired
    clock[0] += 10.0
    assert deadline.fraction(0.5).seconds == 0.0


def test_a_deadline_counts_from_its_start(clock):
    deadline = Deadline(10.0, start=clock[0] - 8.0)
    assert not deadline.expired
    clock[0] += 3.0
    assert deadline.expired


def test_a_fraction_lasts_at_least_the_given_seconds(clock):
    late = Deadline(10.0, start=clock[0] - 20.0).fraction(0.5, at_least=2.0)
    assert not late.expired
    clock[0] += 3.0
    assert late.expired


def test_a_request_to_stop_ends_earlier_fractions_and_leaves_the_grace_period(clock):
    requests = []
    deadline = Deadline(None, stop=lambda: bool(requests), grace=4.0)
    learning = deadline.fraction(0.7)
    assert deadline.remaining == math.inf
    requests.append(True)
    assert learning.expired
    assert not deadline.expired
    vetting = deadline.fraction(0.5)
    assert vetting.remaining == pytest.approx(2.0)
    assert not vetting.expired
    clock[0] += 3.0
    assert vetting.expired
    assert not deadline.expired
    clock[0] += 2.0
    assert deadline.expired


def test_the_grace_period_does_not_extend_the_limit(clock):
    deadline = Deadline(2.0, stop=lambda: True, grace=4.0)
    assert deadline.remaining == pytest.approx(2.0)
    clock[0] += 3.0
    assert deadline.expired


def test_a_request_to_stop_without_grace_ends_everything():
    requests = []
    deadline = Deadline(None, stop=lambda: bool(requests))
    half = deadline.fraction(0.5)
    assert not deadline.expired
    requests.append(True)
    assert deadline.expired
    assert half.expired
