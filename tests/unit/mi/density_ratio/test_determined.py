"""Claims about columns that are functions of others, up to the resolution of the rows."""

import numpy as np
import pytest

from known_information import as_side
from minerva_select.mi.density_ratio.determined import find_determined, find_sums, has_equal_variables
from minerva_select.mi.density_ratio.local_residuals import fit_locally

N_ROWS = 2000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N_ROWS, 3))
NOISE = RNG.normal(size=N_ROWS)

FUNCTIONS = {
    "sum": X[:, 0] + X[:, 1],
    "product": X[:, 0] * X[:, 1],
    "largest": X.max(axis=1),
    "scaled": X[:, 0] * np.exp(X[:, 1]),
}


@pytest.mark.parametrize("y", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_of_several_columns_is_determined_and_with_noise_it_is_not(y):
    noisy = y + 0.1 * y.std() * NOISE
    found = find_determined(as_side(X), as_side(np.column_stack([NOISE, y, noisy])))
    assert found.tolist() == [False, True, False]


def test_no_more_is_found_by_neighbors_than_there_is():
    noisy = X[:, 0] + X[:, 1] + 0.3 * NOISE
    truth = np.log(2 / 0.3**2 + 1) / 2
    fit = fit_locally(as_side(X), as_side(np.column_stack([noisy, NOISE])))
    # The fits to few neighbors leave a little more than the noise
    assert truth - 0.4 < fit.information[0] < truth + 0.1
    assert fit.information[1] < 0.1


def test_a_relation_that_few_rows_do_not_resolve_is_known_to_be_one():
    y = np.sin(5 * X[:, 0]) + X[:, 1]
    assert fit_locally(as_side(X[:, :2]), as_side(y[:, None])).is_unresolved(2.0)
    assert not fit_locally(as_side(X[:, :2]), as_side((y + NOISE)[:, None])).is_unresolved(0.5)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_copies_of_rows_determine_nothing(n_columns):
    rows = np.tile(np.column_stack([X, NOISE])[:500], (4, 1))
    assert not find_determined(as_side(rows[:, :n_columns]), as_side(rows[:, 3:])).any()


def test_the_order_of_the_rows_determines_nothing():
    half = RNG.integers(0, 2, size=(N_ROWS, 1)).astype(float)
    assert not find_determined(as_side(half), as_side(np.sort(NOISE)[:, None])).any()


def test_levels_determine_no_number():
    y = np.rint(2 * X[:, :1] + X[:, 1:2])  # far fewer values than rows: their information is finite
    assert not find_determined(as_side(X), as_side(y)).any()


def test_equal_combinations_are_equal_variables():
    assert has_equal_variables(as_side(X), as_side(np.column_stack([NOISE, X[:, 1]])))
    assert not has_equal_variables(as_side(X), as_side(NOISE[:, None]))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_a_sum_of_many_columns_is_exact(scale):
    x = RNG.normal(size=(N_ROWS, 40))
    y = np.column_stack([x.sum(axis=1), x[:, 0] - x[:, 1], x.sum(axis=1) + 1e-3 * NOISE, np.rint(x[:, 0])])
    assert find_sums(x * scale, y / scale).tolist() == [True, True, False, False]


def test_rows_without_missing_values_show_a_sum():
    x, y = X.copy(), X[:, :2].sum(axis=1, keepdims=True)
    x[::3, 0] = np.nan
    assert find_sums(x, y).all()
    assert not find_sums(x, NOISE[:, None]).any()


@pytest.mark.parametrize("n_columns", [0, 1, 600])
def test_as_many_columns_as_rows_prove_nothing(n_columns):
    assert not find_sums(RNG.normal(size=(N_ROWS, n_columns)), NOISE[:, None]).any()
