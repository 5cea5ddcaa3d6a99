"""Mutual information of each column alone, by nearest neighbors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from minerva_select.codes import ReasonCode, ScoreMeasure, ScoreRule
from minerva_select.errors import InputError
from minerva_select.selectors import KSGSelector
from minerva_select.selectors.parameters import as_generator


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "shape": rng.integers(0, 3, size=400),
            "size": rng.normal(size=400),
            "noise": rng.normal(size=400),
            "fixed": np.ones(400),
        }
    )


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_scores_are_those_of_scikit_learn(mixed, kind):
    rng = np.random.default_rng(1)
    total = mixed["shape"] + mixed["size"] + 0.5 * rng.normal(size=400)
    y, estimate = (
        ((total > 1).astype(int), mutual_info_classif) if kind == "classes" else (total, mutual_info_regression)
    )
    selector = KSGSelector(n_neighbors=4, random_state=5).fit(mixed, y)
    seed = int(as_generator(5).integers(2**31))
    used = mixed[["shape", "size", "noise"]]
    expected = estimate(used, y, discrete_features=[True, False, False], n_neighbors=4, random_state=seed)
    assert selector.scores_[:3] == pytest.approx(expected, abs=1e-6)
    assert [result.marginal_nats for result in selector.selection_.features[:3]] == pytest.approx(expected, abs=1e-6)


def test_a_constant_column_is_left_out(mixed):
    selection = KSGSelector(random_state=0).fit(mixed, mixed["size"] > 0).selection_
    assert selection.features[3].reason.code is ReasonCode.CONSTANT
    assert selection.features[3].marginal_nats is None


def test_no_column_has_more_information_than_the_entropy_of_the_target():
    y = (np.arange(2000) < 8).astype(int)
    X = y[:, None] + 1e-3 * np.random.default_rng(0).normal(size=(2000, 1))
    entropy = -0.004 * np.log(0.004) - 0.996 * np.log(0.996)
    seed = int(as_generator(0).integers(2**31))
    assert mutual_info_classif(X, y, discrete_features=False, random_state=seed)[0] > entropy
    assert KSGSelector(random_state=0).fit(X, y).scores_[0] == pytest.approx(entropy)


def test_columns_above_a_share_of_the_largest_are_selected(mixed):
    y = mixed["shape"] + mixed["size"]
    scores = KSGSelector(random_state=0).fit(mixed, y).scores_[:3]
    between = float(np.sort(scores)[1] / scores.max())  # the share of the second best
    assert 0.02 < between < 1
    assert len(KSGSelector(threshold=between - 0.01, random_state=0).fit(mixed, y).selection_.selected) == 2
    selection = KSGSelector(threshold=between + 0.01, random_state=0).fit(mixed, y).selection_
    assert selection.selected == ("size",)
    values = [result.reason.values for result in selection.features[:2]]
    assert [each["passed"] for each in values] == [False, True]
    assert values[0]["measure"] is ScoreMeasure.MARGINAL_NATS
    assert values[0]["rule"] is ScoreRule.ABOVE_SHARE
    assert values[0]["threshold"] == between + 0.01


def test_nothing_is_selected_if_no_column_has_information():
    # Two columns of two levels, balanced against y: the counts contain no information
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    y = np.repeat([0, 1], 40)
    assert KSGSelector(random_state=0).fit(X, y).selection_.selected == ()
    assert KSGSelector(1, random_state=0).fit(X, y).selection_.selected == ("x0",)


def test_the_requested_number_of_highest_scores_is_selected(mixed):
    y = mixed["shape"] + 0.5 * mixed["size"]
    assert KSGSelector(2, random_state=0).fit(mixed, y).selection_.selected == ("shape", "size")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors .* from 1 to 399"),
        ({"n_neighbors": 400}, "got 400"),
        ({"threshold": 1.5}, "threshold .* got 1.5"),
    ],
)
def test_parameters_out_of_range_are_refused(mixed, parameters, words):
    with pytest.raises(InputError, match=words):
        KSGSelector(**parameters).fit(mixed, mixed["size"])


def test_classes_of_one_row_each_are_measured_too():
    X = np.random.default_rng(0).normal(size=(20, 2))
    selection = KSGSelector(target_type="discrete", random_state=0).fit(X, [*range(18), 18, 18]).selection_
    assert all(0 <= result.marginal_nats <= np.log(20) for result in selection.features)
