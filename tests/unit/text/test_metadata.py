"""Key figures of a selection and facts about the fit."""

from __future__ import annotations

import dataclasses

from full_selection import ENTROPY, full_selection, selection_of, supported_selection
from minerva_select.codes import Conversion, EstimateNote
from minerva_select.results import Estimate, Reason, ReasonCode
from minerva_select.text.metadata import (
    cards,
    conversions,
    describe_conversion,
    describe_nats,
    estimate_notes,
    facts,
)

FULL = full_selection()


def test_cards_give_the_key_figures():
    found = {card.label: (card.figure, " ".join(card.notes)) for card in cards(FULL)}
    assert found["Features kept"][0] == "4"
    assert found["Information, at least"] == ("0.600", "0.590 to 0.610 (95%) 0.866 bits")  # 0.6 / ln 2
    assert found["Information kept"][0] == "98%"  # 0.60 / 0.61
    assert found["Target explained"][0] == "87%"  # 0.6 / ln 2
    assert found["Agreement"][0] == "90%"
    assert found["Rows"] == ("5,000", "the fit took 12.3 s")


def test_cards_count_the_features_by_proof_and_give_what_is_left_behind():
    found = {card.label: (card.figure, *card.notes) for card in cards(supported_selection())}
    assert found["Features kept"] == ("7", "4 proven, 2 supporting, 1 on request")
    assert found["Information kept"] == ("99%", "of 0.207 nats in all features")  # 0.2045 / 0.2075
    assert found["Left behind, at most"][0] == "0.007"
    above_zero = supported_selection(Estimate(0.004, 0.001, 0.007, n_rows=5000))
    (card,) = [card for card in cards(above_zero) if card.label == "Left behind"]
    assert (card.figure, *card.notes) == ("0.004", "0.001 to 0.007 (95%)", "in 8 dropped features")


def test_without_left_behind_the_share_is_not_said_to_be_of_all_features():
    labels = {card.label: " ".join(card.notes) for card in cards(FULL)}
    assert "all features" not in labels["Information kept"]
    assert not any(label.startswith("Left behind") for label in labels)


def test_notes_of_estimates_are_given_unless_a_card_has_the_entropy():
    capped = Estimate(0.5, 0.3, 0.8, n_rows=100, note=EstimateNote.CAPPED, entropy=ENTROPY)
    exceeds = dataclasses.replace(capped, note=EstimateNote.EXCEEDS)
    selection = selection_of(found=capped, total=exceeds)
    notes = list(estimate_notes(selection))
    assert len(notes) == 2
    assert all("0.693 nats" in note for note in notes)
    assert list(estimate_notes(dataclasses.replace(selection, target_entropy=ENTROPY))) == []


def test_the_unit_is_explained_by_the_entropy_of_the_target():
    assert describe_nats(FULL).endswith("0.693 nats, and is_fraud has 0.693.")
    assert describe_nats(dataclasses.replace(FULL, target_entropy=None)).endswith("0.693 nats.")
    assert describe_nats(dataclasses.replace(FULL, mutual_information=None)) == ""


def test_facts_say_how_to_repeat_the_fit():
    found = {label: value for label, value, _ in facts(FULL)}
    assert found["Command"] == FULL.provenance.command
    assert found["Shape"] == "5,000 rows, 13 columns"
    assert found["Fingerprint"] == "0f" * 16
    assert found["Seed"] == "0"
    assert found["Created"] == "2026-01-01 12:00:00 UTC"


def test_every_conversion_is_described():
    assert len({describe_conversion(conversion) for conversion in (*Conversion, None)}) == len(Conversion) + 1
    (line,) = conversions(FULL)
    assert line.endswith(": f6")
    on_request = Reason(ReasonCode.DROPPED_ON_REQUEST)
    features = [dataclasses.replace(result, reason=on_request) for result in FULL.features if not result.selected]
    assert conversions(selection_of(*features)) == []
