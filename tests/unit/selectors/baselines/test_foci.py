"""FOCI: the order of the columns, and the tables it accepts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import ScoreRule, WarningCode
from minerva_select.errors import InputError
from minerva_select.selectors import FOCISelector


def generator(seed=0):
    return np.random.default_rng(seed)


def steps(selection):
    """Selected columns in the order in which they were added, and T after the last."""
    selected = [result for result in selection.features if result.selected]
    selected.sort(key=lambda result: result.reason.values["step"])
    return [result.feature for result in selected], selected[-1].reason.values["dependence"]


@pytest.fixture(scope="module")
def curves():
    """Y = X1 X2 + sin(X1 X3) + X4^2, the authors' example."""
    X = generator(0).normal(size=(2000, 7))
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(1, 8)])
    return frame, X[:, 0] * X[:, 1] + np.sin(X[:, 0] * X[:, 2]) + X[:, 3] ** 2


def test_columns_are_added_in_the_authors_order_until_t_stops_rising(curves):
    order, dependence = steps(FOCISelector(random_state=0).fit(*curves).selection_)
    assert order == ["x4", "x1", "x2", "x3"]
    assert dependence == pytest.approx(0.76, abs=0.03)  # the standard deviation is about 0.01


def test_scores_fall_in_the_order_of_addition(curves):
    selector = FOCISelector(random_state=0).fit(*curves)
    assert selector.scores_.tolist() == [0.75, 0.5, 0.25, 1.0, 0.0, 0.0, 0.0]
    values = {result.feature: result.reason.values for result in selector.selection_.features}
    assert values["x1"]["step"] == 2
    assert values["x1"]["dependence"] > 0
    assert "step" not in values["x7"]
    assert {each["rule"] for each in values.values()} == {ScoreRule.RAISES_DEPENDENCE}


def test_a_requested_number_is_reached_after_t_has_stopped_rising(curves):
    selection = FOCISelector(n_features_to_select=6, random_state=0).fit(*curves).selection_
    assert len(selection.selected) == 6
    assert steps(selection)[0][:4] == ["x4", "x1", "x2", "x3"]


@pytest.mark.parametrize("seed", range(5))
def test_a_target_that_is_a_function_of_two_columns_has_t_of_one(seed):
    X = generator(seed).integers(0, 3, size=(1500, 6))
    selection = FOCISelector(random_state=seed).fit(X, (X[:, 0] + X[:, 1]) % 2).selection_
    assert selection.selected == ("x0", "x1")
    assert steps(selection)[1] == 1.0


def test_scale_does_not_matter():
    X = generator(0).normal(size=(2000, 5))
    y = X[:, 0] * X[:, 1]
    scaled = X * [1, 1e4, 1, 1, 1]
    plain, large = (FOCISelector(random_state=0).fit(table, y).selection_ for table in (X, scaled))
    assert plain.selected == large.selected == ("x0", "x1")
    assert steps(large)[1] == pytest.approx(0.96, abs=0.02)  # the standard deviation is below 0.005


def test_text_is_one_hot_encoded():
    rng = generator(0)
    color = rng.choice(["red", "green", "blue", "gray"], size=800)
    X = pd.DataFrame({"noise": rng.normal(size=800), "color": color})
    # As codes in alphabetical order, "blue" and "red" would be farthest apart
    selection = FOCISelector(random_state=0).fit(X, np.isin(color, ["blue", "red"])).selection_
    assert selection.selected == ("color",)
    assert steps(selection)[1] == 1.0


def test_text_of_many_levels_is_merged():
    rng = generator(0)
    X = pd.DataFrame({"name": [f"n{row}" for row in range(500)], "size": rng.normal(size=500)})
    assert FOCISelector(random_state=0).fit(X, X["size"] ** 2).selection_.selected == ("size",)


def test_classes_need_no_order():
    rng = generator(0)
    X = rng.normal(size=(600, 4))
    classes = np.array(["a", "c", "b"])[np.digitize(X[:, 2], [-0.4, 0.4])]
    assert FOCISelector(n_features_to_select=1, random_state=0).fit(X, classes).selection_.selected == ("x2",)


def test_rows_with_missing_values_are_left_out_and_counted():
    X = generator(0).normal(size=(300, 3))
    y = X[:, 1] ** 2
    holes = X.copy()
    holes[:20, 0] = np.nan
    holes[10:30, 2] = np.nan
    selector = FOCISelector(random_state=0).fit(holes, y)
    (warning,) = selector.selection_.warnings
    assert warning.code is WarningCode.ROWS_WITH_MISSING_VALUES
    assert warning.values == {"n_rows": 30, "n_total": 300}
    assert selector.scores_.tolist() == FOCISelector(random_state=0).fit(X[30:], y[30:]).scores_.tolist()


def test_a_column_that_is_constant_in_the_complete_rows_is_not_selected():
    X = generator(0).normal(size=(100, 3))
    X[:10, 0] = np.nan
    X[10:, 2] = 7.0
    selection = FOCISelector(n_features_to_select=3, random_state=0).fit(X, X[:, 1]).selection_
    assert selection.selected == ("x0", "x1")
    assert selection.features[2].reason.values["is_constant"]


@pytest.mark.parametrize(("n_present", "words"), [(4, "4 of 40"), (20, "same target value")])
def test_too_few_complete_rows_are_refused(n_present, words):
    X = generator(0).normal(size=(40, 2))
    X[n_present:, 0] = np.nan
    with pytest.raises(InputError, match=words):
        FOCISelector().fit(X, np.arange(40) >= 20)


def test_the_same_seed_gives_the_same_result():
    rng = generator(0)
    X, y = rng.integers(0, 3, size=(300, 6)), rng.integers(0, 2, size=300)
    first, second = (FOCISelector(3, random_state=7).fit(X, y).selection_ for _ in range(2))
    assert first.features == second.features
