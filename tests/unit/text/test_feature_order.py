"""Order of the features, lengths of their bars, digits of their numbers."""

from __future__ import annotations

import pytest

from full_selection import selection_of
from minerva_select.results import Estimate, FeatureResult, Reason, ReasonCode
from minerva_select.text.feature_order import bar_lengths, digits_for, sort_features

KEPT = Reason(ReasonCode.CONTRIBUTES)


def names(*features):
    return [result.feature for result in sort_features(features)]


def test_a_dropped_copy_comes_before_dropped_noise():
    noise = FeatureResult("noise", False, KEPT, contribution_nats=0.001, marginal_nats=0.0)
    copy = FeatureResult("copy", False, KEPT, marginal_nats=0.3)
    assert names(noise, copy) == ["copy", "noise"]


def test_weights_decide_if_nothing_was_measured():
    light, heavy = FeatureResult("light", True, KEPT, weight=0.1), FeatureResult("heavy", True, KEPT, weight=-0.7)
    assert names(light, heavy) == ["heavy", "light"]


def test_bars_show_contributions_or_weights():
    measured = FeatureResult("a", True, KEPT, 1.0, contribution_nats=0.2)
    assert bar_lengths([measured, FeatureResult("b", True, KEPT, 1.0)]) == {"a": 1.0, "b": 0.0}
    weighted = [FeatureResult("a", True, KEPT, -0.5), FeatureResult("b", True, KEPT, 0.25)]
    assert bar_lengths(weighted) == {"a": 1.0, "b": 0.5}
    assert bar_lengths([FeatureResult("a", True, KEPT, contribution_nats=-0.1)]) == {"a": 0.0}


@pytest.mark.parametrize(("nats", "digits"), [(0.0, 3), (2.0, 3), (0.5, 3), (0.05, 4), (0.0093, 5), (1e-9, 6)])
def test_numbers_have_three_significant_digits(nats, digits):
    assert digits_for(selection_of(found=Estimate(nats, nats, nats, n_rows=10))) == digits


def test_near_misses_come_first_among_the_dropped_by_what_they_may_add():
    weak, beyond = Reason(ReasonCode.TOO_WEAK), Reason(ReasonCode.BEYOND_COUNT)
    features = [
        FeatureResult("copy", False, Reason(ReasonCode.EQUIVALENT), marginal_nats=0.3),
        FeatureResult("unmeasured", False, weak),
        FeatureResult("narrow", False, weak, contribution_nats=0.004, contribution_high=0.005),
        FeatureResult("wide", False, weak, contribution_nats=0.002, contribution_high=0.02),
        FeatureResult("estimate", False, weak, contribution_nats=0.01),
        FeatureResult("beyond", False, beyond, contribution_nats=0.1),
        FeatureResult("kept", True, KEPT, contribution_nats=0.001),
    ]
    assert names(*features) == ["kept", "beyond", "wide", "estimate", "narrow", "unmeasured", "copy"]
