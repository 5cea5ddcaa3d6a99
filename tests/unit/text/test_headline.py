"""The result in one sentence, and what it means if nothing was found."""

from __future__ import annotations

import pytest

from full_selection import HALF, NOTHING, dropped, selection_of
from minerva_select import text
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode
from minerva_select.text.headline import explain_nothing_found


def some(n_selected, n_features):
    return [FeatureResult(f"f{k}", k < n_selected, Reason(ReasonCode.CONTRIBUTES)) for k in range(n_features)]


@pytest.mark.parametrize(
    ("n_selected", "n_features", "subject"),
    [
        (4, 1214, "4 of 1,214 features carry"),
        (1, 30, "1 of 30 features, f0, carries"),
        (1, 1, "The only feature, f0, carries"),
        (2, 2, "Both features carry"),
        (5, 5, "All 5 features carry"),
        (0, 30, "None of the 30 features"),
        (0, 1, "The only feature was not"),
        (0, 0, "There is no feature"),
    ],
)
def test_the_headline_counts_the_kept_features(n_selected, n_features, subject):
    sentence = text.headline(selection_of(*some(n_selected, n_features)))
    assert sentence.startswith(subject)
    assert ("0.500 nats about y" in sentence) == (n_selected > 0)


def test_the_headline_gives_the_share_of_all_information_if_features_were_dropped():
    total = Estimate(0.625, 0.6, 0.65, n_rows=1000)  # 0.5 / 0.625 = 80%
    assert "80%" in text.headline(selection_of(*some(2, 9), total=total))
    assert "%" not in text.headline(selection_of(*some(2, 2), total=total))


@pytest.mark.parametrize(("entropy", "share"), [(0.625, "80%"), (0.4, "100%"), (0.0, None), (None, None)])
def test_the_headline_gives_the_share_of_the_entropy_if_it_is_known(entropy, share):
    sentence = text.headline(selection_of(*some(2, 2), target_entropy=entropy))
    assert ("entropy" in sentence) == (share is not None)
    assert (share or "nats about y.") in sentence


@pytest.mark.parametrize("n_selected", range(4))
def test_without_measured_information_no_sentence_mentions_any(n_selected):
    selection = selection_of(*some(n_selected, 3), found=None)
    assert "kept for y" in text.headline(selection)
    assert "nats" not in " ".join(part.text for part in text.explain(selection))


def test_a_feature_kept_on_request_is_not_said_to_carry_information():
    asked = FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST), marginal_nats=0.0)
    selection = selection_of(asked, dropped("b"), found=NOTHING)
    assert "no information" in text.headline(selection)
    assert [part.kind for part in text.explain(selection)] == ["headline", "nothing", "dropped"]


def test_few_nats_are_given_with_three_significant_digits():
    rare = Estimate(0.0087, 0.008, 0.009, n_rows=9000)
    assert "0.00870 nats" in text.headline(selection_of(*some(2, 2), found=rare))


def test_nothing_found_gives_what_the_rows_could_have_shown():
    # The upper 0.05 / 30 of the normal distribution is above z = 2.935, and z * z / (2 * 500) = 0.0086
    noise = selection_of(*(dropped(f"f{k}", marginal_nats=0.0) for k in range(30)), found=NOTHING)
    sentence = explain_nothing_found(noise)
    assert "0.009 nats" in sentence
    assert "500 rows" in sentence
    assert "30 features" in sentence


def test_nothing_found_does_not_claim_a_measurement_that_was_not_made():
    unusable = selection_of(dropped("a", ReasonCode.CONSTANT), found=NOTHING)
    baseline = selection_of(dropped("a"), found=None)
    stopped = selection_of(dropped("a", marginal_nats=0.0), found=NOTHING, converged=False)
    sentences = [explain_nothing_found(selection) for selection in (unusable, baseline, stopped)]
    assert len(set(sentences)) == 3
    assert not any("held-out" in sentence for sentence in sentences)


def test_the_headline_property_is_the_same_sentence():
    selection = selection_of(*some(1, 3), found=HALF)
    assert selection.headline == text.headline(selection)
