"""Which features carry information alone, and which only together."""

from __future__ import annotations

from full_selection import dropped, interaction, kept, selection_of
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode, Role
from minerva_select.text.roles import (
    describe_groups,
    describe_marginals,
    describe_proven_role,
    describe_role,
    describe_role_or_reason,
)


def test_the_group_that_is_the_whole_selection_carries_all_information():
    features = [kept("f3", adds=0.5, partners="f8"), kept("f8", adds=0.5, partners="f3"), dropped("f0")]
    (sentence,) = describe_groups(selection_of(*features))
    assert sentence.startswith("f3 and f8 matter only together")
    assert "0.000 nats" in sentence
    assert "0.500" in sentence


def test_a_pair_adds_both_contributions_minus_their_synergy():
    # I(a,b;y|c) = I(a;y|b,c) + I(b;y|a,c) - synergy = 0.3 + 0.25 - 0.2
    features = [kept("a", adds=0.3, partners="b"), kept("b", 0.004, 0.25), kept("c", 0.1, role=Role.ALONE)]
    selection = selection_of(*features, pairs=(interaction("a b", 0.2), interaction("a c", -0.01)))
    (sentence,) = describe_groups(selection)
    assert "at most 0.004 nats" in sentence
    assert "0.350" in sentence


def test_partners_of_partners_are_one_group_and_pairs_come_first():
    triple = [kept("a", adds=0.4, partners="b c"), kept("b", adds=0.4, partners="a"), kept("c", adds=0.3)]
    pair = [kept("d", partners="e"), kept("e", partners="d")]
    pairs = (*(interaction(names, 0.3) for names in ("a b", "a c", "b c")), interaction("d e", 0.1))
    first, second = describe_groups(selection_of(*triple, *pair, pairs=pairs))
    assert first.startswith("d and e matter only together")
    assert second.startswith("a, b and c matter only together")
    assert "at least 0.300" in second


def test_a_feature_that_needs_features_that_matter_alone_is_named_with_them():
    selection = selection_of(kept("a", 0.3, role=Role.ALONE), kept("b", partners="a"))
    (sentence,) = describe_groups(selection)
    assert sentence.startswith("b matters only with a")
    assert "0.100" in sentence


def test_without_partners_the_strongest_certain_synergy_links_features():
    pairs = (interaction("a b", 0.2), interaction("b c", 0.05, margin=0.06))
    first, second = describe_groups(selection_of(kept("a"), kept("b"), kept("c"), pairs=pairs))
    assert first.startswith("a and b ")
    assert second.startswith("c ")


def test_a_pair_with_a_dropped_feature_links_nothing():
    features = kept("a"), kept("b"), dropped("c", ReasonCode.NOISE)
    with_pair = describe_groups(selection_of(*features, pairs=(interaction("a c", 0.2),)))
    assert with_pair == describe_groups(selection_of(*features))


def test_groups_beyond_the_first_four_are_counted():
    *_, last = describe_groups(selection_of(*(kept(f"f{k}") for k in range(7))))
    assert last.startswith("3 more features")


def test_the_strongest_features_alone_come_first_and_the_rest_are_counted():
    features = [kept(f"f{k}", k / 100, role=Role.ALONE) for k in range(1, 9)]
    (sentence,) = describe_marginals(selection_of(*features))
    assert sentence.index("f8") < sentence.index("f7") < sentence.index("f4")
    assert "0.080 nats" in sentence
    assert "3 more" in sentence


def test_few_nats_alone_are_given_with_three_significant_digits():
    rare = Estimate(0.0087, 0.008, 0.009, n_rows=9000)
    features = [kept("a", 0.0041, role=Role.ALONE), kept("b", 0.002, role=Role.ALONE)]
    (sentence,) = describe_marginals(selection_of(*features, found=rare))
    assert "0.00410 nats" in sentence
    assert "0.00200" in sentence


def test_a_single_kept_feature_is_left_to_the_headline():
    assert describe_marginals(selection_of(kept("a", 0.3, role=Role.ALONE))) == []


def test_redundant_features_that_are_kept_are_named():
    copy = FeatureResult("copy", True, Reason(ReasonCode.ON_REQUEST), marginal_nats=0.1, role=Role.SUBSTITUTE)
    *_, last = describe_marginals(selection_of(kept("a", 0.1, role=Role.ALONE), copy))
    assert "copy" in last
    assert "a" not in last.split()


def test_every_role_has_its_own_words():
    assert len({describe_role(role) for role in (*Role, None)}) == len(Role) + 1
    assert describe_role(None) == ""


def test_supporting_features_are_not_said_to_matter():
    supporting = FeatureResult("a", True, Reason(ReasonCode.SUPPORTING), role=Role.TOGETHER, partners=("b",))
    assert describe_groups(selection_of(supporting, kept("b", 0.1, role=Role.ALONE))) == []


def test_a_supporting_feature_shows_its_role_only_next_to_its_proof():
    supporting = FeatureResult("a", True, Reason(ReasonCode.SUPPORTING), role=Role.ALONE)
    assert describe_role_or_reason(supporting, brief=True) == "supporting"
    assert describe_role_or_reason(supporting, with_proof=True) == describe_role(Role.ALONE)
    assert describe_proven_role(supporting, with_proof=True) == describe_role(Role.ALONE)
    assert describe_proven_role(kept("b"), with_proof=True) == f"proven, {describe_role(Role.TOGETHER)}"


def test_a_kept_feature_is_shown_as_one_of_its_equivalents():
    shown = describe_role_or_reason(kept("minutes", role=Role.ALONE), ("charge", "two\nlines"))
    assert shown.endswith(r"; one of {minutes, charge, two\nlines}")
    many = describe_role_or_reason(kept("f0"), [f"f{k}" for k in range(1, 9)])
    assert many.endswith("{f0, f1, f2, f3, 5 more}")
