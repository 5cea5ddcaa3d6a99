"""Block HSIC Lasso: the selected columns, and blocks for rare classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import WarningCode
from minerva_select.errors import InputError
from minerva_select.problems import additive, independent
from minerva_select.selectors import HSICLassoSelector
from minerva_select.selectors.baselines.hsic import (
    compute_products,
    find_last_knot,
    fit_path,
)


@pytest.fixture
def example():
    """The table of the published values: y = X0 * X1 + X2^2, and the class X0 + X1 > 0."""
    X = np.random.default_rng(0).normal(size=(200, 8))
    return X, X[:, 0] * X[:, 1] + X[:, 2] ** 2, X[:, 0] + X[:, 1] > 0


def test_the_columns_of_a_sum_are_found():
    problem = additive(n_samples=2000, random_state=0)
    selector = HSICLassoSelector(random_state=0).fit(problem.X, problem.y)
    assert selector.selection_.selected == problem.relevant
    assert np.array_equal(selector.scores_ > 0, selector.get_support())


def test_nothing_is_selected_from_noise():
    problem = independent(n_samples=3000, random_state=0)
    assert HSICLassoSelector(random_state=0).fit(problem.X, problem.y).selection_.selected == ()


def test_the_requested_number_is_selected(example):
    X, y, _ = example
    for count in range(1, 9):
        assert HSICLassoSelector(count, random_state=0).fit(X, y).get_support().sum() == count


def test_columns_without_weight_fill_up_the_requested_number_with_a_warning(example):
    X, _, labels = example
    selector = HSICLassoSelector(8, random_state=0).fit(X, labels)
    n_weighted = int(np.count_nonzero(selector.scores_))
    assert n_weighted < 8
    (warning,) = selector.selection_.warnings
    assert warning.code is WarningCode.FILLED_UP
    assert warning.values == {"n_scored": n_weighted}


def test_columns_of_many_levels_are_not_selected_first():
    # The published products of noise grow with its levels: 12 levels exceed a weak numeric column in blocks of 20
    rng = np.random.default_rng(3)
    X = pd.DataFrame({f"level{k}": rng.integers(0, 12, 4000).astype(str) for k in range(3)})
    X["size"] = rng.normal(size=4000)
    y = 0.6 * X["size"] + rng.normal(size=4000)
    assert HSICLassoSelector(1, random_state=0).fit(X, y).selection_.selected == ("size",)


def test_rare_classes_are_in_every_block_with_a_warning():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 6))
    y = np.zeros(4000, dtype=int)
    y[:20] = 1
    X[:20, 3] += 2.0  # 0.5% positives
    selector = HSICLassoSelector(random_state=0).fit(X, y)
    assert np.flatnonzero(selector.get_support()).tolist() == [3]
    (warning,) = selector.selection_.warnings
    assert warning.code is WarningCode.BALANCED_CLASSES
    assert warning.values == {"n_rarest": 20, "n_total": 4000, "block_size": 20, "n_per_class": 10}


def test_frequent_classes_are_not_balanced(example):
    X, _, labels = example
    assert HSICLassoSelector(2, random_state=0).fit(X, labels).selection_.warnings == ()


def test_a_class_of_one_row_is_not_cross_validated():
    X = np.random.default_rng(5).normal(size=(100, 3))
    selector = HSICLassoSelector(random_state=0).fit(X, np.arange(100) == 7)
    assert selector.selection_.warnings[-1].code is WarningCode.NOT_CROSS_VALIDATED


def test_fewer_rows_than_a_block_make_one_block():
    X = np.random.default_rng(6).normal(size=(15, 3))
    y = X[:, 1]
    selector = HSICLassoSelector(1, random_state=0).fit(X, y)
    found = compute_products([*X.T, y], [False] * 4, [np.arange(15)[None, :]])
    np.testing.assert_allclose(selector.scores_, find_last_knot(fit_path(found.products), 1), rtol=1e-9)


def test_text_and_missing_values_are_accepted():
    rng = np.random.default_rng(7)
    color = rng.choice(["red", "green", "blue"], size=1000)
    size = np.where(rng.random(1000) < 0.1, np.nan, rng.normal(size=1000))
    X = pd.DataFrame({"color": pd.Series(color).mask(rng.random(1000) < 0.1), "size": size, "noise": size[::-1]})
    selector = HSICLassoSelector(random_state=0).fit(X, color == "red")
    assert selector.selection_.selected == ("color",)


def test_an_exact_copy_gets_no_weight(example):
    X, y, _ = example
    selector = HSICLassoSelector(3, random_state=0).fit(np.column_stack([X, X[:, 2]]), y)
    assert (selector.scores_[[2, 8]] > 0).sum() == 1


def test_the_same_seed_gives_the_same_weights(example):
    X, y, _ = example
    first, again, other = (HSICLassoSelector(random_state=seed).fit(X, y).scores_ for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("name", "value", "least"), [("block_size", 1, 2), ("n_permutations", 0, 1), ("block_size", 2.5, 2)]
)
def test_a_parameter_out_of_range_is_refused(example, name, value, least):
    X, y, _ = example
    with pytest.raises(InputError, match=rf"{name} .* from {least} .* got {value}"):
        HSICLassoSelector(**{name: value}).fit(X, y)
