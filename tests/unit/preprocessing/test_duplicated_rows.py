"""Claims about copies of rows, and about equal rows that are a coincidence."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minerva_select.data.frames import as_table, as_target
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.duplicated_rows import TableRows, find_copies


def find(X, y):
    table = as_table(X)
    return find_copies(TableRows(table, infer_column_types(table)), as_target(y, table.n_rows))


def n_copies(X, y):
    found = find(X, y)
    return 0 if found is None else len(found) - len(set(found.tolist()))


def noise(n_rows, n_columns=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), rng.integers(0, 2, size=n_rows)


def categories(n_rows, n_levels, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_levels, size=(n_rows, n_columns)), rng.integers(0, 2, size=n_rows)


def test_copies_have_the_number_of_their_row():
    X, y = noise(20)
    rows = [*range(20), 3, 17, 3]
    assert find(X[rows], y[rows]).tolist() == rows


def test_a_table_without_equal_rows_has_no_copies():
    assert find(*noise(1000)) is None


@pytest.mark.parametrize("n_again", [1, 10, 300])
def test_equal_rows_of_continuous_columns_are_copies(n_again):
    X, y = noise(300)
    rows = np.append(np.arange(300), np.arange(n_again))
    assert n_copies(X[rows], y[rows]) == n_again


def test_rows_with_another_target_are_not_copies():
    X, y = noise(300)
    rows = np.append(np.arange(300), np.arange(40))
    y = y[rows]
    y[300:320] = 1 - y[300:320]  # half of the repeated rows, as often as any two rows differ
    assert find(X[rows], y) is None


def test_a_few_rows_with_another_target_do_not_hide_copies():
    X, y = noise(300)
    rows = np.append(np.arange(300), np.arange(40))
    y = y[rows]
    y[300:304] = 1 - y[300:304]
    assert n_copies(X[rows], y) == 36


def test_missing_values_and_text_are_compared_too():
    X, y = noise(200)
    frame = pd.DataFrame(X).rename(columns=str)
    frame.loc[::3, "0"] = np.nan
    frame["text"] = np.where(X[:, 1] > 0, "high", "low")
    both = pd.concat([frame, frame[:50]])
    assert n_copies(both, np.append(y, y[:50])) == 50


def test_rounded_columns_are_told_from_coincidences_together():
    X, y = noise(1500, n_columns=6)
    rows = np.append(np.arange(1500), np.arange(150))
    assert n_copies(X.round(2)[rows], y[rows]) == 150


def test_rows_that_differ_in_one_column_do_not_hide_copies():
    # Most repeated transactions of a day have another time of day
    X, y = noise(2000, n_columns=8)
    rows = np.append(np.arange(2000), np.arange(120))
    X = X[rows]
    X[2020:, 0] += 1.0
    assert n_copies(X, y[rows]) == 20


def test_long_categorical_rows_are_copies():
    X, y = categories(2000, n_levels=4, n_columns=60)
    rows = np.append(np.arange(2000), np.arange(100))
    assert n_copies(X[rows], y[rows]) == 100


@pytest.mark.parametrize(
    ("n_rows", "n_levels", "n_columns"), [(10_000, 2, 3), (1600, 3, 8), (3000, 2, 20), (500, 4, 6), (20_000, 10, 5)]
)
def test_coincidences_of_categories_are_not_copies(n_rows, n_levels, n_columns):
    X, y = categories(n_rows, n_levels, n_columns)
    assert len(np.unique(np.column_stack([X, y]), axis=0)) < n_rows
    assert find(X, y) is None


@pytest.mark.parametrize("seed", range(5))
def test_coincidences_are_not_copies_though_the_columns_determine_the_target(seed):
    X, _ = categories(1000, n_levels=2, n_columns=8, seed=seed)
    assert find(X, X[:, :5].sum(axis=1) % 2) is None


def test_one_hot_columns_are_not_copies():
    X, _ = categories(3000, n_levels=5, n_columns=3)
    one_hot = np.concatenate([level == X for level in range(5)], axis=1)
    assert find(one_hot, X[:, 0]) is None


def test_recodings_of_columns_are_not_evidence_of_copies():
    X, _ = categories(3000, n_levels=8, n_columns=3)
    assert find(np.column_stack([X, 2 * X, 100 - X]), X.sum(axis=1) % 2) is None


def test_attributes_of_a_city_are_not_copies():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 300, size=5000)
    X = pd.DataFrame(
        {"city": city.astype(str), "state": (city // 10).astype(str), "country": (city // 100).astype(str)}
    )
    assert find(X, city % 3) is None


def test_one_categorical_column_has_no_copies():
    x = np.repeat(np.arange(50), 20)
    assert find(pd.DataFrame({"x": x.astype(str)}), x % 2) is None


def test_a_designed_experiment_with_replicates_has_no_copies():
    X = np.array(list(itertools.product(range(2), repeat=7)) * 4)
    assert find(X, X.sum(axis=1) % 2) is None


@pytest.mark.parametrize("n_times", [2, 3, 12])
@pytest.mark.parametrize(("n_levels", "n_columns"), [(2, 6), (4, 6), (3, 20)])
def test_categorical_tables_appended_to_themselves_are_split_into_copies(n_times, n_levels, n_columns):
    X, y = categories(300, n_levels, n_columns)
    found = find(np.tile(X, (n_times, 1)), np.tile(y, n_times))
    assert (np.unique(found, return_counts=True)[1] >= n_times).all()
    # Coincidences of the original table stay apart if the categories are too coarse to tell
    assert len(set(found.tolist())) <= 300
    np.testing.assert_array_equal(found[:300], found[300:600])


def test_a_table_appended_to_itself_is_found_though_some_rows_are_not():
    X, y = categories(400, n_levels=4, n_columns=6)
    rows = np.append(np.arange(400), np.arange(380))
    found = find(X[rows], y[rows])
    # Rows that occur twice in the original table may be paired with each other
    assert np.mean(found[400:] == found[:380]) > 0.9


def test_one_continuous_column_appended_to_itself_is_copied():
    X, y = noise(300, n_columns=1)
    assert n_copies(np.tile(X, (2, 1)), np.tile(y, 2)) == 300


def test_a_frequent_row_is_a_frequent_value():
    X, y = noise(1000)
    X[:200], y[:200] = np.nan, 0
    rows = np.append(np.arange(1000), np.arange(500, 540))
    found = find(X[rows], y[rows])
    assert len(set(found[:200].tolist())) == 200
    np.testing.assert_array_equal(found[1000:], found[500:540])


def test_few_rows_prove_nothing():
    X, y = noise(8)
    assert find(np.tile(X, (4, 1)), np.tile(y, 4)) is None


def test_the_order_of_rows_does_not_matter():
    X, y = noise(300)
    rows = np.random.default_rng(1).permutation(np.append(np.arange(300), np.arange(30)))
    found = find(X[rows], y[rows])
    np.testing.assert_array_equal(found[:, None] == found, rows[:, None] == rows)


@settings(deadline=None, max_examples=50)
@given(st.integers(20, 200), st.integers(2, 6), st.data())
def test_copies_of_continuous_rows_are_never_separated(n_rows, n_columns, data):
    X, y = noise(n_rows, n_columns)
    again = data.draw(st.lists(st.integers(0, n_rows - 1), min_size=1, max_size=20))
    rows = np.array([*range(n_rows), *again])
    found = find(X[rows], y[rows])
    np.testing.assert_array_equal(found[n_rows:], found[again])
    assert len(set(found.tolist())) == n_rows
