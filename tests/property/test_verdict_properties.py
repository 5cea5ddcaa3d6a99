"""What holds of verdicts on any two sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minerva_select.evaluation import Outcome, verdict

names = st.sets(st.sampled_from("abcdefgh"))


@given(names, names)
def test_outcome_follows_the_papers_definition(selected, relevant):
    outcome = verdict(selected, relevant).outcome
    assert (outcome is Outcome.EXACT) == (selected == relevant)
    assert (outcome is Outcome.TYPE_I) == (not relevant <= selected)
    assert (outcome is Outcome.TYPE_II) == (selected > relevant)


@given(names, names)
def test_counts_add_up_to_the_sizes_of_both_sets(selected, relevant):
    found = verdict(selected, relevant)
    assert found.n_hits + found.n_missed == len(relevant)
    assert found.n_hits + found.n_strays == len(selected)


@given(names, names)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(selected, relevant):
    found = verdict(selected, relevant)
    if found.n_hits:
        assert abs(found.f1 - 2 / (1 / found.precision + 1 / found.recall)) < 1e-12


@given(names, names)
def test_exchanging_selection_and_truth_exchanges_missed_and_strays(selected, relevant):
    one, other = verdict(selected, relevant), verdict(relevant, selected)
    assert set(one.missed) == set(other.strays)
    assert one.f1 == other.f1
