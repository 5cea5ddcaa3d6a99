"""FOCI: known values of the coefficient, random ties, and the selected columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from minerva_select.codes import ScoreRule, WarningCode
from minerva_select.errors import InputError
from minerva_select.selectors import FOCISelector
from minerva_select.selectors.baselines.chatterjee import make_class_coefficient, make_ordered_coefficient
from minerva_select.selectors.baselines.nearest_neighbors import NeighborSearch, PointCloud


def column(*values):
    return np.array(values, dtype=float)[:, None]


def generator(seed=0):
    return np.random.default_rng(seed)


def find_neighbors(coordinates, rng):
    return NeighborSearch().find(PointCloud.from_coordinates(coordinates), rng)


def estimate_dependence(y, Z, rng):
    return make_ordered_coefficient(y)(find_neighbors(Z, rng))


def steps(selection):
    """Selected columns in the order in which they were added, and T after the last."""
    selected = [result for result in selection.features if result.selected]
    selected.sort(key=lambda result: result.reason.values["step"])
    return [result.feature for result in selected], selected[-1].reason.values["dependence"]


@pytest.mark.parametrize(
    ("y", "z", "expected"),
    [
        # Worked out by hand: ranks of y, neighbors along z, T = sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i))
        ([1, 2, 3, 4, 5], [7, 1, 11, 2, 4], -0.25),
        ([1, 2, 3, 4, 5], [1, 2, 4, 7, 11], 0.0),
        ([3, 1, 4, 1, 5, 9], [0, 1, 3, 6, 10, 15], -0.4),
    ],
)
def test_t_has_known_values(y, z, expected):
    assert estimate_dependence(np.array(y), column(*z), generator()) == pytest.approx(expected, abs=1e-12)


def test_t_equals_its_definition_also_with_ties_in_y():
    rng = generator(1)
    y, neighbors = rng.integers(0, 5, size=60), rng.permutation(60)
    n_rows = 60
    up = np.array([(y <= value).sum() for value in y])
    down = np.array([(y >= value).sum() for value in y])
    numerator = (n_rows * np.minimum(up, up[neighbors]) - down**2).sum()
    assert make_ordered_coefficient(y)(neighbors) == pytest.approx(
        numerator / (down * (n_rows - down)).sum(), abs=1e-12
    )


def test_t_of_two_classes_counts_positives_with_a_positive_neighbor():
    rng = generator(2)
    y, neighbors = rng.integers(0, 2, size=60), rng.permutation(60)
    n_pairs, n_ones = int((y & y[neighbors]).sum()), int(y.sum())
    expected = (60 * n_pairs - n_ones**2) / ((60 - n_ones) * n_ones)
    assert make_ordered_coefficient(y)(neighbors) == pytest.approx(expected, abs=1e-12)


def test_t_of_classes_is_the_weighted_mean_of_one_against_the_rest():
    rng = generator(3)
    classes, neighbors = rng.integers(0, 4, size=80), rng.permutation(80)
    shares = np.bincount(classes) / 80
    each = [make_ordered_coefficient((classes == k).astype(int))(neighbors) for k in range(4)]
    expected = np.average(each, weights=shares * (1 - shares))
    assert make_class_coefficient(classes)(neighbors) == pytest.approx(expected, abs=1e-12)


def test_t_of_an_independent_column_is_about_zero_also_if_rows_are_sorted_by_y():
    found = []
    for seed in range(20):
        rng = generator(seed)
        y = np.sort(rng.integers(0, 2, size=2000))
        found.append(estimate_dependence(y, rng.integers(0, 2, size=(2000, 1)).astype(float), rng))
    # The standard deviation of one is about 0.03, so that of the mean of 20 is 0.007
    assert abs(np.mean(found)) < 0.03
    assert np.std(found) < 0.06


def test_neighbors_are_nearest():
    rng = generator(4)
    Z = np.column_stack([rng.normal(size=300), rng.integers(0, 4, size=300), rng.normal(size=300)])
    distances = cdist(Z, Z)
    np.fill_diagonal(distances, np.inf)
    neighbors = find_neighbors(Z, rng)
    assert distances[np.arange(300), neighbors] == pytest.approx(distances.min(axis=1))


@pytest.mark.parametrize("n_columns", [4, 8])
def test_lists_find_the_same_neighbors_as_a_search(n_columns):
    rng = generator(5)
    Z = rng.normal(size=(400, n_columns))
    Z[:50] *= 5  # far from all others, where lists are too short
    fixed, last = PointCloud.from_coordinates(Z[:, :-1]), PointCloud.from_coordinates(Z[:, -1:])
    assert NeighborSearch(fixed).find(last, rng).tolist() == find_neighbors(Z, rng).tolist()


def test_rows_equally_near_are_equally_likely():
    # Row 0 is one step from two rows on its left and one on its right
    points = column(0.0, -1.0, -1.0, 1.0, 5.0)
    drawn = np.array([find_neighbors(points, generator(seed))[0] for seed in range(600)])
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] == counts[4] == 0
    # Binomial with mean 200 and standard deviation 11.5
    assert (np.abs(counts[1:4] - 200) < 50).all()


def test_rows_that_coincide_draw_from_each_other():
    points = column(3.0, 3.0, 3.0, 8.0, 8.0)
    drawn = np.array([find_neighbors(points, generator(seed)) for seed in range(400)])
    assert (drawn != np.arange(5)).all()
    assert set(drawn[:, 3]) == {4}
    # Binomial with mean 200 and standard deviation 10
    assert abs((drawn[:, 0] == 1).sum() - 200) < 45
    assert set(drawn[:, 0]) == {1, 2}


def test_ties_are_uniform_in_many_columns_too():
    # The middle of a grid in five columns, with a neighbor on either side along each
    grid = np.vstack([np.zeros(5), np.eye(5), -np.eye(5)])
    far = 100 + 10 * generator(6).normal(size=(60, 5))
    points = np.vstack([grid, far])
    search = NeighborSearch(PointCloud.from_coordinates(points[:, :-1]))
    last = PointCloud.from_coordinates(points[:, -1:])
    drawn = np.bincount([search.find(last, generator(seed))[0] for seed in range(600)], minlength=11)
    assert drawn[0] == drawn[11:].sum() == 0
    # Binomial with mean 60 and standard deviation 7.3
    assert (np.abs(drawn[1:11] - 60) < 33).all()


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
