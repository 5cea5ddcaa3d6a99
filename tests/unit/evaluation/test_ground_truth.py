"""Selections held against the truth."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError
from minerva_select.evaluation import Outcome, verdict

TRUTH = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("selected", "outcome", "counts", "scores"),
    [
        # counts: hits, missed, strays; scores: precision, recall, f1 = 2 hits / (size of selection + size of truth)
        (("d", "c", "b", "a"), Outcome.EXACT, (4, 0, 0), (1, 1, 1)),
        (("a", "b", "c", "d", "e"), Outcome.TYPE_II, (4, 0, 1), (4 / 5, 1, 8 / 9)),
        (("a", "b"), Outcome.TYPE_I, (2, 2, 0), (1, 1 / 2, 2 / 3)),
        (("a", "x", "y", "z"), Outcome.TYPE_I, (1, 3, 3), (1 / 4, 1 / 4, 1 / 4)),
        (("x",), Outcome.TYPE_I, (0, 4, 1), (0, 0, 0)),
        ((), Outcome.TYPE_I, (0, 4, 0), (1, 0, 0)),
    ],
)
def test_selections_fall_into_the_papers_classes(selected, outcome, counts, scores):
    found = verdict(selected, TRUTH)
    assert found.outcome is outcome
    assert (found.n_hits, found.n_missed, found.n_strays) == counts
    assert (found.precision, found.recall, found.f1) == pytest.approx(scores)
    assert found.is_exact == (outcome is Outcome.EXACT)


def test_nothing_is_exact_when_nothing_is_relevant():
    silent, noisy = verdict([], []), verdict(["a"], [])
    assert silent.is_exact
    assert (silent.precision, silent.recall, silent.f1) == (1, 1, 1)
    assert noisy.outcome is Outcome.TYPE_II
    assert (noisy.precision, noisy.recall, noisy.f1) == (0, 1, 0)


def test_names_are_kept_in_order():
    found = verdict(["z", "b", "y", "a"], TRUTH)
    assert (found.hits, found.missed, found.strays) == (("a", "b"), ("c", "d"), ("z", "y"))


def test_outcomes_are_the_papers_words():
    assert [str(outcome) for outcome in Outcome] == [
        "exact",
        "type I (misses relevant)",
        "type II (keeps irrelevant)",
    ]
    assert str(verdict(["a", "x"], ["a"])) == "type II (keeps irrelevant): 1 found, 0 missed, 1 too many"


@pytest.mark.parametrize(
    "selected", [["a", "b"], {"a", "b"}, np.array(["a", "b"]), pd.Index(["a", "b"]), iter("ab"), ["a", "b", "b"]]
)
def test_any_iterable_of_names_will_do(selected):
    assert verdict(selected, relevant=("a", "b")).is_exact


def test_a_single_string_is_refused():
    with pytest.raises(InputError, match=r"^selected is the string 'f3'; pass a list of names, such as \['f3'\]\.$"):
        verdict("f3", ["f3"])
    with pytest.raises(InputError, match=r"^relevant is the string"):
        verdict(["f3"], "f3")


def test_a_verdict_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict([], []).hits = ("a",)
