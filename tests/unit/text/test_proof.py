"""Which kept features are proven, and which only support the others."""

from __future__ import annotations

from full_selection import HALF, dropped, full_selection, kept, selection_of, supported_selection
from minerva_select.results import FeatureResult, Reason, ReasonCode
from minerva_select.text.proof import count_by_proof, describe_proof, describe_supporting, has_proof


def supporting(name, high=None):
    return FeatureResult(name, True, Reason(ReasonCode.SUPPORTING), contribution_nats=0.01, contribution_high=high)


def test_the_proof_of_a_feature_follows_from_its_reason():
    proofs = {result.feature: describe_proof(result) for result in supported_selection().features}
    assert proofs["intl plan"] == "proven"
    assert proofs["total eve minutes"] == "supporting"
    assert proofs["state"] == "on request"
    assert proofs["account length"] == ""
    assert describe_proof(FeatureResult("a", True, Reason(ReasonCode.SCORE))) == ""


def test_proof_is_shown_if_the_fit_measured_what_is_left_behind_or_kept_supporting_features():
    assert has_proof(supported_selection())
    assert has_proof(selection_of(kept("a"), left_behind=HALF))
    assert has_proof(selection_of(kept("a"), supporting("b")))
    assert not has_proof(full_selection())


def test_features_are_counted_by_proof_if_some_are_supporting():
    assert count_by_proof(selection_of(kept("a"), supporting("b"), supporting("c"))) == "1 proven, 2 supporting"
    assert count_by_proof(selection_of(supporting("b"))) == "1 supporting"
    assert count_by_proof(selection_of(kept("a"), dropped("b"))) == ""


def test_supporting_features_are_named_with_the_most_that_one_adds():
    (both,) = describe_supporting(selection_of(kept("a"), supporting("b", 0.02), supporting("c", 0.03)))
    assert both.startswith("b and c ")
    assert "0.030 nats" in both
    (one,) = describe_supporting(selection_of(kept("a"), supporting("b")))
    assert one.startswith("b ")
    assert "nats" not in one
    assert describe_supporting(selection_of(kept("a"))) == []
