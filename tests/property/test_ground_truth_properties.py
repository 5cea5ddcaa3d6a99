"""Properties of the score of a selection, for any two sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minerva_select.evaluation import Outcome, score_selection

names = st.sets(st.sampled_from("abcdefgh"))


@given(names, names)
def test_outcome_follows_the_papers_definition(selected, relevant):
    outcome = score_selection(selected, relevant).outcome
    assert (outcome is Outcome.EXACT) == (selected == relevant)
    assert (outcome is Outcome.TYPE_I) == (not relevant <= selected)
    assert (outcome is Outcome.TYPE_II) == (selected > relevant)


@given(names, names)
def test_counts_add_up_to_the_sizes_of_both_sets(selected, relevant):
    found = score_selection(selected, relevant)
    assert len(found.true_positives) + len(found.false_negatives) == len(relevant)
    assert len(found.true_positives) + len(found.false_positives) == len(selected)


@given(names, names)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(selected, relevant):
    found = score_selection(selected, relevant)
    if found.true_positives:
        assert abs(found.f1 - 2 / (1 / found.precision + 1 / found.recall)) < 1e-12


@given(names, names)
def test_exchanging_selection_and_truth_exchanges_false_negatives_and_false_positives(selected, relevant):
    one, other = score_selection(selected, relevant), score_selection(relevant, selected)
    assert set(one.false_negatives) == set(other.false_positives)
    assert one.f1 == other.f1
