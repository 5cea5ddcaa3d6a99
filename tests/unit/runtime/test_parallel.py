import threading
import time

import pytest

from minerva_select.runtime import parallel
from minerva_select.runtime.parallel import run_in_threads, run_side_by_side


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(parallel, "available_threads", lambda: 2)


def test_results_are_in_the_order_of_the_jobs(two_threads):
    jobs = [lambda k=k: time.sleep(0.01 * (5 - k)) or k for k in range(5)]
    assert run_side_by_side(jobs, [True, False, True, False, True]) == [0, 1, 2, 3, 4]


def test_only_background_jobs_leave_this_thread(two_threads):
    here = threading.get_ident()
    ran_here = run_side_by_side([lambda: threading.get_ident() == here] * 4, [True, False, False, True])
    assert ran_here == [False, True, True, False]


def test_one_thread_runs_everything_here(monkeypatch):
    monkeypatch.setattr(parallel, "available_threads", lambda: 1)
    here = threading.get_ident()
    assert run_side_by_side([threading.get_ident] * 3, [True] * 3) == [here] * 3


def test_an_error_is_raised_and_no_further_job_is_begun(two_threads):
    begun = []

    def fail():
        raise ValueError("wrong")

    def slow():
        begun.append(1)
        time.sleep(0.05)

    with pytest.raises(ValueError, match="wrong"):
        run_side_by_side([fail, *[slow] * 50], [False, *[True] * 50])
    n_begun = len(begun)
    time.sleep(0.1)
    assert len(begun) == n_begun < 50


def test_results_of_threads_are_in_the_order_of_the_jobs():
    jobs = [lambda k=k: time.sleep(0.01 * (3 - k)) or (k, threading.get_ident()) for k in range(3)]
    found = run_in_threads(jobs, 2)
    assert [k for k, _ in found] == [0, 1, 2]
    assert threading.get_ident() not in {thread for _, thread in found}
    assert {thread for _, thread in run_in_threads(jobs, 1)} == {threading.get_ident()}


def test_an_error_in_a_thread_is_raised():
    def fail():
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        run_in_threads([fail, list], 2)
