"""Why features were dropped, in sentences."""

from __future__ import annotations

import pytest

from full_selection import dropped, kept, selection_of, supported_selection
from minerva_select.results import ReasonCode, Role, Suspect, SuspectKind
from minerva_select.text.dropped import describe_dropped

EQUIVALENT, REDUNDANT, CONSTANT = ReasonCode.EQUIVALENT, ReasonCode.REDUNDANT, ReasonCode.CONSTANT


def test_a_dropped_feature_is_named_with_the_features_that_carry_its_information():
    selected = [kept(name, 0.1, role=Role.ALONE) for name in ("A0", "A1", "B0", "B1")]
    gone = [dropped("Correlated", REDUNDANT, "A0", marginal_nats=0.2, replaced_by=("A0", "B1")), dropped("Irrelevant")]
    first, second = describe_dropped(selection_of(*selected, *gone))
    assert first.startswith("Correlated is dropped")
    assert "A0 and B1" in first
    assert second.startswith("Irrelevant is dropped")


def test_features_with_the_same_replacement_share_a_sentence():
    features = [
        kept("amount", substitutes=("eur", "usd", "log")),
        dropped("eur", EQUIVALENT, "amount"),
        dropped("usd", EQUIVALENT, "amount"),
        dropped("log", REDUNDANT, "amount"),
        dropped("cents", REDUNDANT, "amount", replaced_by=("amount",)),
        dropped("rounded", REDUNDANT, "amount", replaced_by=("amount",)),
        dropped("rest", REDUNDANT, role=Role.SUBSTITUTE),
    ]
    near = Suspect("rounded", SuspectKind.NEAR_COPY, share=0.98, of="amount")
    sentences = describe_dropped(selection_of(*features, suspects=(near,)))
    subjects = [sentence.split(" dropped")[0] for sentence in sentences]
    assert subjects == ["eur and usd are", "rounded is", "log and cents are", "rest is"]
    assert ["equivalent" in sentence for sentence in sentences] == [True, True, False, False]
    assert ["amount" in sentence for sentence in sentences] == [True, True, True, False]


def test_a_copy_of_a_dropped_feature_is_counted_with_the_others():
    features = [kept("a"), dropped("noise"), dropped("noise_2", EQUIVALENT, "noise"), dropped("noise_3")]
    (sentence,) = describe_dropped(selection_of(*features, dropped("flat", CONSTANT)))
    assert sentence.startswith("4 features are dropped")
    assert "no information found (2)" in sentence
    assert "equivalent to noise (1)" in sentence
    assert "constant (1)" in sentence


def test_many_replacements_share_one_sentence():
    pairs = [("hour_utc", "hour"), ("score", "grade"), ("amount_eur", "amount"), ("account", "card"), ("town", "city")]
    copies = [dropped(name, EQUIVALENT, original) for name, original in pairs]
    (sentence,) = describe_dropped(selection_of(*(kept(original) for _, original in pairs), *copies))
    assert sentence.startswith("5 features are dropped")
    assert "{hour, hour_utc}, {grade, score}, {amount, amount_eur}, {card, account} and 1 more" in sentence


def test_many_reasons_are_counted_together():
    odd = [dropped(f"x{k}", EQUIVALENT, f"z{k}") for k in range(20)]
    (sentence,) = describe_dropped(selection_of(kept("a"), *odd, dropped("y1", CONSTANT), dropped("y2", CONSTANT)))
    assert sentence.startswith("22 features are dropped: constant (2)")
    assert "(18)" in sentence


def test_features_beyond_the_requested_number_are_said_to_add_information():
    features = [
        kept("a"),
        dropped("b", ReasonCode.BEYOND_COUNT, contribution_nats=0.1),
        dropped("c", ReasonCode.BEYOND_COUNT, contribution_nats=0.08, replaced_by=("a",)),
    ]
    (sentence,) = describe_dropped(selection_of(*features))
    assert sentence.startswith("b and c would add")
    assert "0.100 nats" in sentence


def test_a_baseline_gives_its_scores_as_reasons_instead():
    assert describe_dropped(selection_of(dropped("a", ReasonCode.SCORE), found=None)) == []


def test_near_misses_come_first_with_the_most_that_one_may_add():
    first, *rest = describe_dropped(supported_selection())
    assert first.startswith("voice messages and account length are too weak to prove with 5,000 rows")
    assert "0.006 nats" in first
    assert not any("account length" in sentence or "voice messages" in sentence for sentence in rest)


def test_equivalents_are_named_as_a_choice_and_several_columns_as_determining():
    sentences = describe_dropped(supported_selection())
    assert any("one of {total day minutes, total day charge, day cost}" in sentence for sentence in sentences)
    (determined,) = [sentence for sentence in sentences if "determine" in sentence]
    assert determined.startswith("total minutes is dropped: total day minutes, total eve minutes and total night")


@pytest.mark.parametrize("code", [ReasonCode.TOO_WEAK, ReasonCode.NOISE, ReasonCode.NO_INFORMATION])
def test_only_redundant_features_are_said_to_be_carried_by_others(code):
    gone = dropped("b", code, role=Role.SUBSTITUTE, replaced_by=("a",))
    (sentence,) = describe_dropped(selection_of(kept("a"), gone))
    assert "a carries its information" not in sentence
    redundant = dropped("b", REDUNDANT, "a")
    assert "a carries its information" in describe_dropped(selection_of(kept("a"), redundant))[0]


def test_an_equivalent_without_its_column_is_not_said_to_be_determined():
    (sentence,) = describe_dropped(selection_of(kept("a"), dropped("b", EQUIVALENT)))
    assert sentence.startswith("b is dropped: equivalent to")
