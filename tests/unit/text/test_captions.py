"""Headings, remarks and descriptions of the charts."""

from __future__ import annotations

import dataclasses

import pytest

from full_selection import full_selection, interaction, kept, selection_of, supported_selection
from minerva_select.results import FeatureResult, PathPoint, Reason, ReasonCode
from minerva_select.text.captions import chart_heading, describe_chart, remark

FULL = full_selection()
KINDS = ("contributions", "path", "pairs", "training", "stability")


def test_every_chart_has_its_own_heading():
    assert len({chart_heading(FULL, kind).title for kind in KINDS}) == len(KINDS)


def test_without_contributions_the_chart_is_one_of_weights():
    weighted = selection_of(FeatureResult("a", True, Reason(ReasonCode.SCORE), weight=0.3), found=None)
    assert chart_heading(weighted, "contributions").link == "Weights"
    assert chart_heading(FULL, "contributions").link == "Contributions"


def test_kept_features_that_carry_much_alone_but_add_little_are_named():
    twins = [kept("a", 0.44, 0.005), kept("b", 0.44, 0.003)]
    both = selection_of(*twins, kept("c", 0.1, 0.1))
    assert remark(both, "contributions").startswith("a and b repeat other kept features")
    assert "0.440 and 0.440 nats" in remark(both, "contributions")
    assert "0.005" in remark(both, "contributions")
    redundant = dataclasses.replace(both, pairs=(interaction("a b", -0.43),))
    assert remark(redundant, "contributions").startswith("a and b repeat each other")
    one = selection_of(twins[0], kept("c", 0.1, 0.1))
    assert remark(one, "contributions").startswith("a repeats other features")
    assert remark(FULL, "contributions") == ""


def test_a_path_of_one_set_is_described_instead_of_drawn():
    selection = selection_of(path=(PathPoint(1, ("a",), 0.5, 0.48, 0.52),))
    assert "1 feature with 0.500 nats" in remark(selection, "path")
    assert remark(FULL, "path") == ""


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("contributions", ["4 features", "f0 adds most, 0.500 nats (0.480 to 0.520)", "substitute: 2"]),
        ("path", ["0.150 nats with 1 feature", "0.600 nats with 7 features", "selected: 0.600 nats with 4", "0.693"]),
        ("pairs", ["synergy: f0 and f1, 0.500 nats (0.490 to 0.510)", "redundancy: f0 and f2, -0.050"]),
        ("training", ["learn, sparsify and vet", "held-out rows", "0.500 nats"]),
        ("stability", ["10 fits", "1 always", "f0 (100%)"]),
    ],
)
def test_descriptions_give_the_main_numbers(kind, parts):
    description = describe_chart(FULL, kind)
    assert [part for part in parts if part not in description] == []
    assert description.endswith(".")


def test_captions_say_what_is_hatched_and_what_is_left_behind():
    supported = supported_selection()
    assert "Hatched" in chart_heading(supported, "contributions").caption
    assert "at most 0.007 nats" in chart_heading(supported, "path").caption
    assert "4 proven, 2 supporting" in describe_chart(supported, "contributions")
    assert "at most 0.007 nats" in describe_chart(supported, "path")
    for kind in ("contributions", "path"):
        assert chart_heading(FULL, kind).caption != chart_heading(supported, kind).caption
