"""Claims about FOCI: the coefficient's known values, fair ties, and what is selected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from minerva_select.errors import InputError
from minerva_select.selectors import FOCISelector
from minerva_select.selectors.baselines.chatterjee import (
    class_measure,
    codependence,
    conditional_codependence,
    ordered_measure,
)
from minerva_select.selectors.baselines.nearest_neighbors import NeighbourSearch, Points, nearest_neighbours


def column(*values):
    return np.array(values, dtype=float)[:, None]


def generator(seed=0):
    return np.random.default_rng(seed)


def steps(selection):
    """The kept columns in the order they were added, and T after the last."""
    ranked = sorted((result for result in selection.features if result.selected), key=lambda result: -result.weight)
    reached = float(ranked[-1].reason.split("T = ")[1].split(",")[0])
    return [result.feature for result in ranked], reached


@pytest.mark.parametrize(
    ("y", "z", "expected"),
    [
        # Worked by hand: ranks of y, neighbours along z, T = sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i))
        ([1, 2, 3, 4, 5], [7, 1, 11, 2, 4], -0.25),
        ([1, 2, 3, 4, 5], [1, 2, 4, 7, 11], 0.0),
        ([3, 1, 4, 1, 5, 9], [0, 1, 3, 6, 10, 15], -0.4),
    ],
)
def test_t_has_its_known_values(y, z, expected):
    assert codependence(np.array(y), column(*z), generator()) == pytest.approx(expected, abs=1e-12)


def test_conditional_t_has_its_known_value():
    y, x, z = np.array([3, 1, 4, 1, 5, 9]), column(0, 2, 5, 9, 14, 20), column(3, -1, 4, 1, -5, 9)
    assert conditional_codependence(y, z, x, generator()) == pytest.approx(-3 / 7, abs=1e-12)


def test_nothing_is_left_to_tell_where_the_condition_tells_all():
    y = np.array([0, 0, 1, 1])
    assert np.isnan(conditional_codependence(y, column(1, 2, 3, 4), column(0, 0, 1, 1), generator()))


def test_t_is_its_definition_also_with_ties_in_y():
    rng = generator(1)
    y, neighbours = rng.integers(0, 5, size=60), rng.permutation(60)
    n_rows = 60
    up = np.array([(y <= value).sum() for value in y])
    down = np.array([(y >= value).sum() for value in y])
    numerator = (n_rows * np.minimum(up, up[neighbours]) - down**2).sum()
    assert ordered_measure(y)(neighbours) == pytest.approx(numerator / (down * (n_rows - down)).sum(), abs=1e-12)


def test_t_of_two_classes_counts_positives_with_a_positive_neighbour():
    rng = generator(2)
    y, neighbours = rng.integers(0, 2, size=60), rng.permutation(60)
    n_pairs, n_ones = int((y & y[neighbours]).sum()), int(y.sum())
    expected = (60 * n_pairs - n_ones**2) / ((60 - n_ones) * n_ones)
    assert ordered_measure(y)(neighbours) == pytest.approx(expected, abs=1e-12)


def test_t_of_classes_is_the_weighted_mean_of_one_against_the_rest():
    rng = generator(3)
    classes, neighbours = rng.integers(0, 4, size=80), rng.permutation(80)
    shares = np.bincount(classes) / 80
    each = [ordered_measure((classes == k).astype(int))(neighbours) for k in range(4)]
    expected = np.average(each, weights=shares * (1 - shares))
    assert class_measure(classes)(neighbours) == pytest.approx(expected, abs=1e-12)


def test_an_independent_column_has_t_about_zero_also_with_rows_sorted_by_y():
    found = []
    for seed in range(20):
        rng = generator(seed)
        y = np.sort(rng.integers(0, 2, size=2000))
        found.append(codependence(y, rng.integers(0, 2, size=(2000, 1)).astype(float), rng))
    # The standard deviation of one is about 0.03, so that of the mean of 20 is 0.007
    assert abs(np.mean(found)) < 0.03
    assert np.std(found) < 0.06


def test_neighbours_are_nearest():
    rng = generator(4)
    Z = np.column_stack([rng.normal(size=300), rng.integers(0, 4, size=300), rng.normal(size=300)])
    distances = cdist(Z, Z)
    np.fill_diagonal(distances, np.inf)
    neighbours = nearest_neighbours(Points.of(Z), rng)
    assert distances[np.arange(300), neighbours] == pytest.approx(distances.min(axis=1))


@pytest.mark.parametrize("n_columns", [4, 8])
def test_lists_find_the_same_neighbours_as_a_search(n_columns):
    rng = generator(5)
    Z = rng.normal(size=(400, n_columns))
    Z[:50] *= 5  # far from all others, where lists are too short
    shared, last = Points.of(Z[:, :-1]), Points.of(Z[:, -1:])
    neighbours = NeighbourSearch(shared).nearest(last, rng)
    assert neighbours.tolist() == nearest_neighbours(Points.of(Z), rng).tolist()


def test_rows_equally_near_are_equally_likely():
    # Row 0 lies alone, one step from two rows on its left and from one on its right
    points = Points.of(column(0.0, -1.0, -1.0, 1.0, 5.0))
    drawn = np.array([nearest_neighbours(points, generator(seed))[0] for seed in range(600)])
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] == counts[4] == 0
    # Binomial with mean 200 and standard deviation 11.5
    assert (np.abs(counts[1:4] - 200) < 50).all()


def test_rows_that_coincide_draw_among_each_other():
    points = Points.of(column(3.0, 3.0, 3.0, 8.0, 8.0))
    drawn = np.array([nearest_neighbours(points, generator(seed)) for seed in range(400)])
    assert (drawn != np.arange(5)).all()
    assert set(drawn[:, 3]) == {4}
    # Binomial with mean 200 and standard deviation 10
    assert abs((drawn[:, 0] == 1).sum() - 200) < 45
    assert set(drawn[:, 0]) == {1, 2}


def test_ties_are_fair_in_many_columns_too():
    # The middle of a grid in five columns, with a neighbour on either side along each
    grid = np.vstack([np.zeros(5), np.eye(5), -np.eye(5)])
    far = 100 + 10 * generator(6).normal(size=(60, 5))
    points = np.vstack([grid, far])
    search, last = NeighbourSearch(Points.of(points[:, :-1])), Points.of(points[:, -1:])
    drawn = np.bincount([search.nearest(last, generator(seed))[0] for seed in range(600)], minlength=11)
    assert drawn[0] == drawn[11:].sum() == 0
    # Binomial with mean 60 and standard deviation 7.3
    assert (np.abs(drawn[1:11] - 60) < 33).all()


@pytest.fixture(scope="module")
def curves():
    """Y = X1 X2 + sin(X1 X3) + X4^2, the example of its authors."""
    X = generator(0).normal(size=(2000, 7))
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(1, 8)])
    return frame, X[:, 0] * X[:, 1] + np.sin(X[:, 0] * X[:, 2]) + X[:, 3] ** 2


def test_columns_come_in_the_authors_order_and_then_no_more(curves):
    order, reached = steps(FOCISelector(random_state=0).fit(*curves).selection_)
    assert order == ["x4", "x1", "x2", "x3"]
    assert reached == pytest.approx(0.76, abs=0.03)  # over tables of 2,000 rows the standard deviation is about 0.01


def test_scores_fall_in_the_order_of_addition(curves):
    selector = FOCISelector(random_state=0).fit(*curves)
    assert selector.scores_.tolist() == [0.75, 0.5, 0.25, 1.0, 0.0, 0.0, 0.0]
    reasons = {result.feature: result.reason for result in selector.selection_.features}
    assert reasons["x1"].startswith("added 2nd, T = ")
    assert reasons["x7"] == "not added, T would not grow"


def test_asked_for_more_it_goes_on_after_t_has_stopped_growing(curves):
    selection = FOCISelector(n_features_to_select=6, random_state=0).fit(*curves).selection_
    assert len(selection.selected) == 6
    assert steps(selection)[0][:4] == ["x4", "x1", "x2", "x3"]


@pytest.mark.parametrize("seed", range(5))
def test_a_remainder_is_told_exactly_by_its_two_columns(seed):
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


def test_text_is_spread_over_its_levels():
    rng = generator(0)
    colour = rng.choice(["red", "green", "blue", "grey"], size=800)
    X = pd.DataFrame({"noise": rng.normal(size=800), "colour": colour})
    # Neither "blue", between "green" and "grey" by letters, nor any other level is between two others
    selection = FOCISelector(random_state=0).fit(X, np.isin(colour, ["blue", "red"])).selection_
    assert selection.selected == ("colour",)
    assert steps(selection)[1] == 1.0


def test_names_of_many_levels_are_read_without_a_column_for_each():
    rng = generator(0)
    X = pd.DataFrame({"name": [f"n{row}" for row in range(500)], "amount": rng.normal(size=500)})
    assert FOCISelector(random_state=0).fit(X, X["amount"] ** 2).selection_.selected == ("amount",)


def test_classes_need_no_order():
    rng = generator(0)
    X = rng.normal(size=(600, 4))
    classes = np.array(["a", "c", "b"])[np.digitize(X[:, 2], [-0.4, 0.4])]
    assert FOCISelector(n_features_to_select=1, random_state=0).fit(X, classes).selection_.selected == ("x2",)


def test_rows_with_a_missing_value_are_left_out_and_counted():
    X = generator(0).normal(size=(300, 3))
    y = X[:, 1] ** 2
    holes = X.copy()
    holes[:20, 0] = np.nan
    holes[10:30, 2] = np.nan
    selector = FOCISelector(random_state=0).fit(holes, y)
    assert selector.selection_.warnings == ("30 of 300 rows have a missing value, and FOCI left them out.",)
    assert selector.scores_.tolist() == FOCISelector(random_state=0).fit(X[30:], y[30:]).scores_.tolist()


def test_a_column_that_varies_only_beside_missing_values_is_said_to_be_constant():
    X = generator(0).normal(size=(100, 3))
    X[:10, 0] = np.nan
    X[10:, 2] = 7.0
    selection = FOCISelector(n_features_to_select=3, random_state=0).fit(X, X[:, 1]).selection_
    assert selection.selected == ("x0", "x1")
    assert selection.features[2].reason.startswith("constant in the rows used")


@pytest.mark.parametrize(
    ("n_present", "words"), [(4, "here 4 of 40, and at least 6"), (20, "here 20 of 40, all of one")]
)
def test_too_few_rows_without_missing_values_are_refused(n_present, words):
    X = generator(0).normal(size=(40, 2))
    X[n_present:, 0] = np.nan
    with pytest.raises(InputError, match=words):
        FOCISelector().fit(X, np.arange(40) >= 20)


def test_same_seed_same_answer():
    rng = generator(0)
    X, y = rng.integers(0, 3, size=(300, 6)), rng.integers(0, 2, size=300)
    first, second = (FOCISelector(3, random_state=7).fit(X, y).selection_ for _ in range(2))
    assert first.features == second.features
