"""Sentences about compared methods."""

from __future__ import annotations

import pytest

from minerva_select.codes import FailureCode
from minerva_select.evaluation.failures import Failure
from minerva_select.evaluation.leaderboard import Comparison, MethodResult
from minerva_select.results import Estimate
from minerva_select.text.comparison import describe_failure, describe_notes, method_notes, method_status


@pytest.mark.parametrize("code", FailureCode)
def test_every_failure_can_be_described(code):
    assert describe_failure(Failure(code, "the message"))


def test_a_failure_in_some_splits_says_in_how_many():
    failures = (Failure(FailureCode.OUT_OF_TIME, seconds=5.0),)
    some = MethodResult("ksg", "KSG", kept=(("a",), None, None), failures=failures)
    every = MethodResult("ksg", "KSG", kept=(None, None), failures=failures)
    assert "2 of 3" in method_status(some)
    assert method_status(every) == describe_failure(failures[0])
    assert method_status(MethodResult("ksg", "KSG", kept=(("a",),))) == ""


def test_notes_name_the_measurement_that_failed():
    failure = Failure(FailureCode.ERROR, "diverged", step="information")
    (note,) = method_notes(MethodResult("ksg", "KSG", kept=(("a",),), failures=(failure,)))
    assert "information" in note
    assert "diverged" in note


@pytest.mark.parametrize(
    ("of_all", "part"),
    [
        (Estimate(0.016, 0.01, 0.02, n_rows=100), "0.0545 nats, all features 0.0160"),
        (Estimate(0.016, 0.01, 0.02, n_rows=100), "the estimate for all features failed"),
        (Estimate(0.05, 0.04, 0.06, n_rows=100), "within the interval"),
        (Estimate(0.0545, 0.04, 0.06, n_rows=100), None),
        (None, None),
    ],
)
def test_a_subset_above_all_features_is_noted(of_all, part):
    one = MethodResult("ksg", "KSG", kept=(("a",),), information=Estimate(0.0545, 0.04, 0.06, n_rows=100))
    every = MethodResult("all", "all features", kept=(("a", "b"),), information=of_all)
    notes = describe_notes(Comparison("y", ("a", "b"), 300, 100, "R2", (one,), every))
    assert len(notes) == (part is not None)
    assert all(part in note for note in notes)
