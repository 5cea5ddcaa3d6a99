"""Block HSIC Lasso on arrays: published values, a slow implementation with whole kernels, and blocks."""

from __future__ import annotations

import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from sklearn.linear_model import lars_path

from minerva_select.selectors.baselines.hsic import (
    choose_within_one_error,
    compute_products,
    compute_test_errors,
    draw_blocks,
    find_last_knot,
    fit_path,
    pool_products,
)


@pytest.fixture
def example():
    """The table of the published values: y = X0 * X1 + X2^2, and the class X0 + X1 > 0."""
    X = np.random.default_rng(0).normal(size=(200, 8))
    return X, X[:, 0] * X[:, 1] + X[:, 2] ** 2, X[:, 0] + X[:, 1] > 0


def published_blocks(n_rows, size, n_permutations):
    """Every round permutes the order of the previous round, with its number as seed."""
    order = np.arange(n_rows)
    for seed in range(n_permutations):
        order = np.random.RandomState(seed).permutation(order)
        yield order[: n_rows // size * size].reshape(-1, size)


def whole_kernel(values, is_categorical):
    """One kernel by its definition: pair by pair, centered by the matrix I - 1/n, norm 1."""
    n = len(values)
    if is_categorical:
        kernel = np.array([[(a == b) / np.sum(values == a) for b in values] for a in values])
    else:
        kernel = np.array([[np.exp(-((a - b) ** 2) / 2) for b in values] for a in values])
    centering = np.eye(n) - 1 / n
    kernel = centering @ kernel @ centering
    return kernel / (np.linalg.norm(kernel) + 1e-9)


def slow_path(columns, is_categorical, blocks):
    """The path from all kernels at once: n_rows * block_size * n_permutations values per column."""
    scaled = [c if flag else c / np.std(c) for c, flag in zip(columns, is_categorical, strict=True)]
    long = [
        np.concatenate([whole_kernel(column[rows], flag).ravel() for portion in blocks for rows in portion])
        for column, flag in zip(scaled, is_categorical, strict=True)
    ]
    _, _, path = lars_path(np.array(long[:-1]).T, long[-1], method="lasso", positive=True)
    return path.T


@pytest.mark.parametrize(
    ("classes", "size", "n_permutations", "features", "weights"),
    [
        (False, 20, 3, [2, 0, 1], [0.226057, 0.031583, 0.015231]),
        (True, 20, 3, [1, 0, 7], [0.246702, 0.220146, 0.011902]),
        (False, 200, 1, [2, 0, 1], [0.221805, 0.021434, 0.014305]),
    ],
)
def test_published_values(example, classes, size, n_permutations, features, weights):
    X, numbers, labels = example
    columns = [*X.T, labels if classes else numbers]
    found = compute_products(columns, [False] * 8 + [classes], published_blocks(200, size, n_permutations))
    weights_found = find_last_knot(fit_path(found.products), 3)
    assert np.argsort(-weights_found)[:3].tolist() == features
    assert np.count_nonzero(weights_found) == 3
    np.testing.assert_allclose(weights_found[features], weights, atol=1e-6)  # six digits were published


def test_products_give_the_same_path_as_whole_kernels():
    rng = np.random.default_rng(1)
    x, levels = rng.normal(size=(60, 3)), rng.integers(0, 3, size=60)
    y = x[:, 0] + (levels == 1)
    columns, is_categorical = [*x.T, levels, y], [False, False, False, True, False]
    blocks = list(published_blocks(60, 12, 2))
    found = fit_path(compute_products(columns, is_categorical, blocks).products)
    expected = slow_path(columns, is_categorical, blocks)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_products_do_not_depend_on_the_number_of_blocks_in_memory(example, monkeypatch):
    X, y, _ = example
    whole = compute_products([*X.T, y], [False] * 9, published_blocks(200, 20, 2))
    monkeypatch.setattr("minerva_select.selectors.baselines.hsic._MAX_KERNEL_VALUES", 1)
    one_by_one = compute_products([*X.T, y], [False] * 9, published_blocks(200, 20, 2))
    np.testing.assert_allclose(one_by_one.products, whole.products, rtol=1e-12)  # another order of summation
    np.testing.assert_allclose(one_by_one.bias, whole.bias, rtol=1e-12)


def test_pooled_parts_equal_the_whole(example):
    X, y, _ = example
    blocks = next(published_blocks(200, 20, 1))
    whole, first, second = (
        compute_products([*X.T, y], [False] * 9, [part]) for part in (blocks, blocks[:3], blocks[3:])
    )
    np.testing.assert_allclose(pool_products([first, second]).products, whole.products, rtol=1e-12)
    assert pool_products([first, second]).n_blocks == 10


def test_unbiased_products_of_independent_columns_are_zero_over_all_orders():
    # Over all 24 orders of a block of 4 the mean of <K, L> is exactly the bias computed from the traces
    x, y = np.array([0.3, 1.0, -2.0, 0.1]), np.array([0, 0, 1, 1])
    found = [
        compute_products([x, y[list(order)]], [False, True], [np.array([[0, 1, 2, 3]])]).unbiased[0, 1]
        for order in permutations(range(4))
    ]
    assert np.mean(found) == pytest.approx(0, abs=1e-12)
    assert max(found) > 0.04  # but not 0 for each order


def test_noise_does_not_lower_the_test_error():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4000, 3)), rng.normal(size=4000)
    halves = [compute_products([*x.T, y], [False] * 4, [rows.reshape(-1, 20)]) for rows in np.split(np.arange(4000), 2)]
    errors = compute_test_errors(fit_path(halves[0].products), *halves)
    assert errors[3] > errors[0]


def test_the_one_standard_error_rule_compares_fold_by_fold():
    # Choice 1 is 0.01 worse than choice 2 in both folds, without noise, though the folds differ by 10
    assert choose_within_one_error(np.array([[3.0, 1.01, 1.0], [13.0, 11.01, 11.0]])) == 2
    # Here it is worse by 0.02 and better by 0.01: 0.005 on average, with a standard error of 0.015
    assert choose_within_one_error(np.array([[3.0, 1.02, 1.0], [13.0, 10.99, 11.0]])) == 1


def test_blocks_have_distinct_rows_of_every_group():
    common, rare = np.arange(100), np.array([200, 201, 202])
    blocks = draw_blocks([common, rare], [8, 2], 12, np.random.default_rng(0))
    assert blocks.shape == (12, 10)
    assert np.isin(blocks[:, :8], common).all()
    assert np.isin(blocks[:, 8:], rare).all()
    assert all(len(set(block)) == 10 for block in blocks.tolist())
    assert len(np.unique(blocks[:, :8])) == 96  # no row repeats before all were drawn


def test_memory_does_not_grow_with_rows():
    def peak(n_rows):
        X = np.random.default_rng(0).normal(size=(n_rows, 8))
        blocks = (rows for rows in [np.arange(n_rows).reshape(-1, 20)])
        tracemalloc.start()
        compute_products([*X.T], [False] * 8, blocks)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # Four times the rows; whole kernels would take 160 bytes per row and column, 13 MB and 51 MB
    assert peak(40_000) < 1.1 * peak(10_000)
