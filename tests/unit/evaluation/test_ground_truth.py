"""Selections scored against the relevant features."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from minerva_select.errors import InputError
from minerva_select.evaluation import Outcome, score_selection

TRUTH = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("selected", "outcome", "counts", "scores"),
    [
        # counts: true positives, false negatives, false positives; scores: precision, recall, F1
        (("d", "c", "b", "a"), Outcome.EXACT, (4, 0, 0), (1, 1, 1)),
        (("a", "b", "c", "d", "e"), Outcome.TYPE_II, (4, 0, 1), (4 / 5, 1, 8 / 9)),
        (("a", "b"), Outcome.TYPE_I, (2, 2, 0), (1, 1 / 2, 2 / 3)),
        (("a", "x", "y", "z"), Outcome.TYPE_I, (1, 3, 3), (1 / 4, 1 / 4, 1 / 4)),
        (("x",), Outcome.TYPE_I, (0, 4, 1), (0, 0, 0)),
        ((), Outcome.TYPE_I, (0, 4, 0), (1, 0, 0)),
    ],
)
def test_outcomes_and_scores_of_hand_worked_selections(selected, outcome, counts, scores):
    found = score_selection(selected, TRUTH)
    assert found.outcome is outcome
    assert (len(found.true_positives), len(found.false_negatives), len(found.false_positives)) == counts
    assert (found.precision, found.recall, found.f1) == pytest.approx(scores)
    assert found.is_exact == (outcome is Outcome.EXACT)


def test_an_empty_selection_is_exact_if_nothing_is_relevant():
    silent, noisy = score_selection([], []), score_selection(["a"], [])
    assert silent.is_exact
    assert (silent.precision, silent.recall, silent.f1) == (1, 1, 1)
    assert noisy.outcome is Outcome.TYPE_II
    assert (noisy.precision, noisy.recall, noisy.f1) == (0, 1, 0)


def test_names_are_kept_in_order():
    found = score_selection(["z", "b", "y", "a"], TRUTH)
    assert (found.true_positives, found.false_negatives, found.false_positives) == (("a", "b"), ("c", "d"), ("z", "y"))


def test_a_printed_score_counts_found_missed_and_irrelevant_features():
    assert re.findall(r"\d", str(score_selection(["a", "x", "y"], ["a"]))) == ["1", "0", "2"]


@pytest.mark.parametrize(
    "selected", [["a", "b"], {"a", "b"}, np.array(["a", "b"]), pd.Index(["a", "b"]), iter("ab"), ["a", "b", "b"]]
)
def test_any_iterable_of_names_is_accepted(selected):
    assert score_selection(selected, relevant=("a", "b")).is_exact


def test_a_single_string_is_refused():
    with pytest.raises(InputError, match="selected"):
        score_selection("f3", ["f3"])
    with pytest.raises(InputError, match="relevant"):
        score_selection(["f3"], "f3")


def test_a_score_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        score_selection([], []).true_positives = ("a",)
