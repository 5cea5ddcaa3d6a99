"""Pairs of features with more information together than separately."""

from __future__ import annotations

import pytest

from full_selection import interaction, kept, selection_of
from minerva_select.results import Estimate, Role
from minerva_select.text.interactions import describe_closest_pairs, synergies


def test_a_pair_that_is_silent_alone_is_named_although_others_have_more_synergy():
    # y is one sum if k1 equals k2 and another otherwise: the terms carry information alone, k1 and k2 do not
    terms = [kept(f"s{k}", 0.03 * k, 1.8, "k1 k2", role=Role.ALONE, marginal_low=0.02 * k) for k in (1, 2, 3)]
    rare = [kept(f"c{k}", 0.0, 0.5, "k1 k2") for k in (1, 2)]
    switch = [kept("k1", 0.002, 1.2, "k2 s1", marginal_low=0.0), kept("k2", 0.0, 1.2, "k1")]
    pairs = (
        *(interaction(names, 1.7) for names in ("s1 s2", "s1 s3", "s2 s3")),
        *(interaction(f"{key} {term}", 1.0) for key in ("k1", "k2") for term in ("s1", "s2", "s3")),
        interaction("k2 k1", 0.84),
        interaction("c1 c2", 0.4),
        interaction("c1 k1", 0.2),
    )
    selection = selection_of(*terms, *rare, *switch, found=Estimate(2.9, 2.8, 3.0, 1000), pairs=pairs)
    (sentence,) = describe_closest_pairs(selection, mentioned=[["k1", "k2", "c1", "c2"]])
    assert sentence.startswith("k1 and k2 ")
    assert "0.840 nats" in sentence
    assert "s1" not in sentence


@pytest.mark.parametrize(
    ("other", "nats", "stands_out", "names"),
    [
        ("a c", 0.17, True, "a b"),
        ("a c", 0.185, False, "a b"),  # the intervals of +- 0.01 overlap, and a is in both pairs
        ("d c", 0.185, False, "a b c d"),
    ],
)
def test_pairs_nearly_as_strong_are_named_too(other, nats, stands_out, names):
    features = [kept(name, 0.1, role=None) for name in "abcd"]
    pairs = (interaction(other, nats), interaction("b a", 0.2))
    (sentence,) = describe_closest_pairs(selection_of(*features, pairs=pairs))
    words = sentence.replace(",", "").split(":")[0].split()
    assert [word for word in words if word in "abcd"] == names.split()
    assert ("most" in words) == stands_out
    assert f"{nats if 'c' in names else 0.2:.3f} nats" in sentence


@pytest.mark.parametrize(
    "pair", [interaction("a b", 0.2, margin=0.3), interaction("a b", -0.2), interaction("a b", 0.009, margin=0.001)]
)
def test_an_uncertain_redundant_or_weak_pair_is_not_named(pair):
    features = [kept(name, 0.1, role=None) for name in "ab"]
    assert describe_closest_pairs(selection_of(*features, pairs=(pair,))) == []


def test_a_pair_that_another_sentence_names_is_not_repeated():
    features = [kept(name) for name in "ab"]
    selection = selection_of(*features, pairs=(interaction("a b", 0.2),))
    assert describe_closest_pairs(selection)
    assert describe_closest_pairs(selection, mentioned=[["a", "b"]]) == []


def test_synergies_are_sorted_by_strength():
    features = [kept(name) for name in "abc"]
    pairs = (interaction("a b", 0.1), interaction("a c", 0.3), interaction("b c", 0.2))
    assert [pair.nats for pair in synergies(selection_of(*features, pairs=pairs))] == [0.3, 0.2, 0.1]
