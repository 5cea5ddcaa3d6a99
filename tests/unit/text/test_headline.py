"""The result in one sentence, and what it means if nothing was found."""

from __future__ import annotations

import pytest

from full_selection import HALF, NOTHING, dropped, kept, selection_of, supported_selection
from minerva_select import text
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode
from minerva_select.text.headline import describe_evidence, explain_nothing_found


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


ABOVE_ZERO, AROUND_ZERO = Estimate(0.003, 0.0004, 0.007, n_rows=1000), Estimate(0.001, -0.002, 0.004, n_rows=1000)


@pytest.mark.parametrize(
    ("n_selected", "left_behind", "rest"),
    [
        (4, ABOVE_ZERO, "; the other 210 together add 0.003 nats (0.000 to 0.007)."),
        (4, AROUND_ZERO, "; the other 210 together add nothing measurable (at most 0.004 nats)."),
        (4, Estimate(-0.01, -0.02, -0.001, n_rows=1000), "nothing measurable (at most 0.001 nats)."),
        (213, ABOVE_ZERO, "; the other one adds 0.003 nats (0.000 to 0.007)."),
        (0, AROUND_ZERO, "; together they carry nothing measurable (at most 0.004 nats)."),
        (0, ABOVE_ZERO, "; together they carry at least 0.003 nats (0.000 to 0.007)."),
    ],
)
def test_the_headline_ends_with_what_the_dropped_features_add(n_selected, left_behind, rest):
    found = Estimate(0.381, 0.36, 0.4, n_rows=1000) if n_selected else NOTHING
    total = Estimate(0.393, 0.37, 0.41, n_rows=1000)  # 0.381 / 0.393 = 97%
    selection = selection_of(*some(n_selected, 214), found=found, total=total, left_behind=left_behind)
    sentence = text.headline(selection)
    assert sentence.endswith(rest)
    assert ("carry 97% of the information about y (at least 0.381 nats)" in sentence) == (n_selected > 0)


@pytest.mark.parametrize(("n_selected", "left_behind"), [(4, None), (9, AROUND_ZERO)])
def test_the_headline_says_nothing_of_dropped_features_if_there_are_none_or_they_were_not_measured(
    n_selected, left_behind
):
    sentence = text.headline(selection_of(*some(n_selected, 9), left_behind=left_behind))
    assert "add" not in sentence
    assert "at least 0.500 nats about y" in sentence


def test_kept_features_without_information_do_not_hide_what_is_left_behind():
    requested = FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST))
    selection = selection_of(requested, dropped("b"), dropped("c"), found=NOTHING, left_behind=ABOVE_ZERO)
    assert text.headline(selection).endswith("the other 2 together add 0.003 nats (0.000 to 0.007).")


def test_the_headline_counts_proven_and_supporting_features():
    assert "7 of 15 features (4 proven, 2 supporting, 1 on request) carry 99%" in text.headline(supported_selection())
    supporting = FeatureResult("a", True, Reason(ReasonCode.SUPPORTING))
    assert text.headline(selection_of(supporting, dropped("b"))).startswith("1 of 2 features, a (supporting), carries")
    assert "proven" not in text.headline(selection_of(kept("a"), kept("b"), dropped("c"), left_behind=AROUND_ZERO))


def test_features_that_only_carry_information_together_are_not_said_to_be_useless():
    features = [dropped(f"f{k}", ReasonCode.TOO_WEAK, marginal_nats=0.0) for k in range(30)]
    selection = selection_of(*features, found=NOTHING, left_behind=ABOVE_ZERO, settings={"proven_only": True})
    sentence = explain_nothing_found(selection)
    assert "did not predict" not in sentence
    assert "500 rows" in sentence
    assert "proven_only" in sentence


def test_the_evidence_gives_the_share_of_the_entropy_if_the_headline_does_not():
    assert "50% of the entropy of churn" in describe_evidence(supported_selection())  # 0.2045 / 0.407
    assert "entropy" not in describe_evidence(selection_of(*some(2, 9), target_entropy=0.7))
