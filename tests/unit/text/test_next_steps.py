"""What a reader of a selection can do next."""

from __future__ import annotations

from dataclasses import replace

from full_selection import dropped, full_selection, selection_of, supported_selection
from minerva_select.results import FeatureRanking, Reason, ReasonCode
from minerva_select.text.next_steps import next_steps

FULL = full_selection()  # f2 is a suspected leak
RANKED = replace(FULL, ranking=FeatureRanking(tuple((result.feature,) for result in FULL.features)))


def codes(selection):
    return [step.code for step in next_steps(selection)]


def test_a_leak_comes_first_and_is_named():
    first = next_steps(FULL)[0]
    assert "whether f2 is known" in first.text
    assert "leak" not in next_steps(replace(FULL, warnings=()))[0].text


def test_steps_are_commands_if_a_command_made_the_selection_and_python_otherwise():
    commands, python = codes(RANKED), codes(replace(RANKED, provenance=None))
    assert commands == ["", "minerva report selection.json --sql TABLE", "minerva report selection.json --n-features 5"]
    assert python == ["", "selector.transform(X)", "selection.with_n_features(5)"]


def test_the_number_in_the_example_is_another_one_and_possible():
    for n_features, n_selected, expected in ((12, 5, 4), (12, 4, 5), (4, 4, 1), (4, 1, 4), (2, 1, 2)):
        names = tuple((f"f{k}",) for k in range(n_features))
        made = replace(full_selection(n_features=12, n_selected=n_selected), provenance=None)
        selection = replace(made, features=made.features[:n_features], ranking=FeatureRanking(names))
        assert codes(selection)[-1] == f"selection.with_n_features({expected})"


def test_repeats_and_proven_features_alone_are_offered_where_they_would_change_something():
    assert "--repeats 10" in codes(replace(FULL, repeats=None))
    assert any("proven_only" in code for code in codes(supported_selection()))
    assert not any("proven" in code for code in codes(FULL))


def test_nothing_is_to_be_done_with_nothing():
    assert next_steps(selection_of(dropped("a", Reason(ReasonCode.NOISE)))) == []
