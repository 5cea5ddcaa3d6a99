"""Another number of features for a selection, without another fit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from full_selection import full_selection, selection_of, supported_selection
from minerva_select.errors import InputError
from minerva_select.report import render
from minerva_select.report.figures import has
from minerva_select.results import FeatureRanking, PathPoint, RankedSet, ReasonCode, Selection, WarningCode
from minerva_select.text.captions import has_weights

NAMES = [f"f{k}" for k in range(12)]
RANKING = FeatureRanking(tuple((name,) for name in NAMES), small_sets=(RankedSet(1, ("f3",)),))
FULL = replace(full_selection(), ranking=RANKING)  # f0 to f3 are selected


def by_name(selection):
    return {result.feature: result for result in selection.features}


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 6, 12])
def test_the_best_features_of_any_number_are_those_of_the_ranking(n_features):
    expected = ("f3",) if n_features == 1 else tuple(NAMES[:n_features])
    selection = FULL.with_n_features(n_features)
    assert selection.selected == expected
    assert selection.settings["n_features_to_select"] == n_features
    assert selection.with_n_features(4).selected == FULL.selected
    assert Selection.from_json(selection.to_json()) == selection
    assert render(selection)
    assert str(selection)


def test_the_number_of_the_fit_leaves_everything_as_it_was_measured():
    same = FULL.with_n_features(4)
    assert replace(same, settings=FULL.settings) == FULL


def test_groups_count_as_one_and_stay_together():
    ranking = FeatureRanking((("f5",), ("f0", "f1"), *((name,) for name in NAMES[2:5])), n_required=1)
    selection = replace(FULL, ranking=ranking)
    assert selection.with_n_features(1).selected == ("f5",)
    assert selection.with_n_features(2).selected == ("f0", "f1", "f5")


def test_what_depends_on_the_other_features_is_left_out_for_another_set():
    fewer = FULL.with_n_features(2)
    assert fewer.pairs == ()
    assert fewer.left_behind is None
    assert all(result.contribution_nats is None and result.partners == () for result in fewer.features)
    assert [result.marginal_nats for result in fewer.features] == [result.marginal_nats for result in FULL.features]
    assert fewer.path == FULL.path
    assert not has_weights(fewer)
    assert not has(fewer, "contributions")
    (warning,) = (one for one in fewer.warnings if one.code is WarningCode.CHOSEN_AFTER_FIT)
    assert warning.values == {"n_features": 2, "n_fitted": 4}


def test_effects_stay_as_observed():
    fewer, none = FULL.with_n_features(1).effects, replace(FULL, effects=None).with_n_features(1).effects
    assert none is None
    assert [one.feature for one in fewer.features] == ["f3"]
    of_fit, now = FULL.effects.of("f3").curves[0], fewer.features[0].curves[0]
    assert now.observed == of_fit.observed
    assert (now.adjusted, now.shape) == ((), None)
    assert fewer.pair is None
    assert FULL.with_n_features(6).effects.pair == FULL.effects.pair


def test_every_feature_has_a_reason_that_holds_for_the_new_set():
    fewer, more = by_name(FULL.with_n_features(1)), by_name(FULL.with_n_features(6))
    assert fewer["f3"].reason.code is ReasonCode.AMONG_BEST
    assert fewer["f0"].reason.code is ReasonCode.BEYOND_COUNT
    assert fewer["f4"].reason.code is ReasonCode.BEYOND_COUNT  # redundant given f0, which is dropped
    assert fewer["f4"].replaced_by == ()
    assert fewer["f9"].reason == by_name(FULL)["f9"].reason
    assert {more[name].reason.code for name in NAMES[:6]} == {ReasonCode.AMONG_BEST}
    supported = supported_selection()
    order = [("state",), *((name,) for name in supported.selected if name != "state")]
    kept = replace(supported, ranking=FeatureRanking(tuple(order), n_required=1)).with_n_features(2)
    assert by_name(kept)["state"].reason.code is ReasonCode.ON_REQUEST
    assert by_name(kept)["day cost"].reason.code is ReasonCode.EQUIVALENT


def test_the_information_is_the_most_that_was_measured_in_features_of_the_set():
    points = {len(point.features): point for point in FULL.path}
    assert FULL.with_n_features(2).mutual_information.nats == points[2].nats
    assert FULL.with_n_features(9).mutual_information.nats == max(points[7].nats, FULL.mutual_information.nats)
    assert replace(FULL, path=()).with_n_features(2).mutual_information is None
    only = PathPoint(1, ("f1",), 0.2, 0.1, 0.3)
    assert replace(FULL, path=(only,)).with_n_features(3).mutual_information.nats == 0.2


def test_more_features_than_can_be_used_come_with_a_warning():
    ranking = FeatureRanking(RANKING.order[:6])
    selection = replace(FULL, ranking=ranking).with_n_features(8)
    assert selection.selected == tuple(NAMES[:6])
    warnings = {one.code: one.values for one in selection.warnings}
    assert warnings[WarningCode.FEWER_COLUMNS_THAN_REQUESTED] == {"n_usable": 6}
    assert WarningCode.FEWER_COLUMNS_THAN_REQUESTED not in {one.code for one in selection.with_n_features(3).warnings}


@pytest.mark.parametrize(
    ("n_features", "message"),
    [
        (0, "n_features must be a whole number above 0, got 0"),
        (2.5, "got 2.5"),
        (True, "got True"),
        (13, "n_features is 13, but there are 12 columns; request at most that many"),
        (1, "n_features is 1, but keep names 2"),
    ],
)
def test_impossible_numbers_are_refused(n_features, message):
    selection = replace(FULL, ranking=replace(RANKING, n_required=2, small_sets=()))
    with pytest.raises(InputError, match=message):
        selection.with_n_features(n_features)


def test_a_selection_without_a_ranking_says_so():
    with pytest.raises(InputError, match="no ranking"):
        full_selection().with_n_features(2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_required": 13}, "n_required"),
        ({"order": [["f0"], ["f0"]]}, "each feature once"),
        ({"order": [["f0"], []]}, "each feature once"),
        ({"order": [["f0"], ["nobody"]]}, "'nobody'"),
        ({"small_sets": [{"n_features": 2, "features": ["f0"]}]}, "small_sets"),
    ],
)
def test_a_file_whose_ranking_does_not_hold_together_is_refused(change, message):
    document = json.loads(FULL.to_json())
    document["ranking"] = {**document["ranking"], **change}
    with pytest.raises(InputError, match=message):
        Selection.from_json(json.dumps(document))


def test_a_selection_of_nothing_can_be_given_features():
    nothing = selection_of(*(replace(result, selected=False) for result in FULL.features), ranking=RANKING, found=None)
    assert nothing.with_n_features(2).selected == ("f0", "f1")
