"""Claims about ``mutual_information`` of continuous targets; with 300 rows no critic is trained, so they are fast."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from known_information import correlated, gaussian_information, heavy_tailed
from minerva_select import mutual_information
from minerva_select.codes import EstimateDoubt
from minerva_select.text.metadata import describe_estimate_doubt

N_ROWS = 300


def estimate(x, y, **settings):
    return mutual_information(x, y, random_state=0, **settings)


@pytest.mark.parametrize(("n_x", "n_y"), [(1, 1), (3, 1), (2, 5)])
def test_gaussian_information_is_in_the_interval(n_x, n_y):
    found = estimate(*correlated(N_ROWS, n_x, n_y, 0.8))
    assert found.low <= gaussian_information(0.8) <= found.high
    # Two standard errors of 300 rows
    assert found.nats == pytest.approx(gaussian_information(0.8), abs=0.1)
    assert found.reliable


def test_heavy_tails_hold_information_without_correlation():
    found = estimate(*heavy_tailed(N_ROWS, 2, 2, 1.0, seed=1))
    assert found.low > 0.1
    assert found.low <= 0.432 <= found.high


@pytest.mark.parametrize("seed", range(5))
def test_independent_columns_have_no_information(seed):
    found = estimate(*correlated(N_ROWS, 2, 2, 0.0, seed=seed))
    assert found.low == 0.0
    assert found.nats < 0.05


def test_no_monotone_map_of_any_column_changes_the_estimate():
    x, y = correlated(N_ROWS, 2, 2, 0.8)
    changed = estimate(
        np.column_stack([np.exp(x[:, 0]), -x[:, 1]]), np.column_stack([y[:, 0] ** 3, np.arctan(-y[:, 1])])
    )
    assert changed == estimate(x, y)


def test_nothing_is_left_given_a_common_cause():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(N_ROWS, 1))
    x, y = z + rng.normal(size=z.shape), z + rng.normal(size=z.shape)
    alone, given = estimate(x, y), estimate(x, y, given=z)
    # Two standard errors of the difference of two estimates from 300 rows
    assert given.nats < 0.05
    assert given.low < 0.02
    assert alone.low <= gaussian_information(0.5) <= alone.high


@pytest.mark.usefixtures("use_small_fits")
def test_a_single_category_changes_places_with_the_target():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=1000)
    x = pd.DataFrame({"c": np.where(codes == 1, "high", "low")})
    found = estimate(x, 10.0 * codes + rng.normal(size=1000))
    # Small fits cost a little; with the sides as they are, a critic of 1,000 rows costs 0.04
    assert found.nats == pytest.approx(math.log(2), abs=0.02)


@pytest.mark.parametrize("transform", [np.positive, np.negative, np.exp, np.square])
def test_a_function_of_one_column_is_reported_as_infinite_information(transform):
    x, _ = correlated(N_ROWS, 1, 1, 0.0)
    found = estimate(x, transform(x))
    assert found.doubt is EstimateDoubt.DETERMINED
    assert not found.reliable
    assert found.high > 100
    assert 0 < found.low <= found.nats < math.inf


def test_what_is_known_already_does_not_determine_anything():
    x, y = correlated(N_ROWS, 1, 1, 0.8)
    found = estimate(x, y, given=y)
    assert found.doubt is EstimateDoubt.NOTHING_LEFT
    assert found.nats == found.low == 0.0


@pytest.mark.parametrize("n_noise", [0, 20])
def test_a_sum_of_columns_is_reported_as_infinite_information(n_noise):
    x, _ = correlated(N_ROWS, 2 + n_noise, 1, 0.0)
    total = x[:, 0] + x[:, 1]
    for found in (estimate(x, total), estimate(x[:, 1:], total, given=x[:, :1]), estimate(total[:, None], x[:, :2])):
        assert found.doubt is EstimateDoubt.DETERMINED
        assert found.high > 100
    assert estimate(x, total + 0.3 * np.random.default_rng(1).normal(size=N_ROWS)).reliable


def test_copies_of_rows_are_not_neighbors():
    x, y = correlated(N_ROWS, 1, 1, 0.0)
    found = estimate(np.tile(x, (4, 1)), np.tile(y, (4, 1)))
    assert found.nats < 0.05
    assert found.low == 0.0


@pytest.mark.parametrize("n_rows", [6, 7, 12, 50])
def test_few_rows_give_a_finite_interval_and_say_so(n_rows):
    found = estimate(*correlated(n_rows, 2, 1, 0.0))
    assert found.doubt is EstimateDoubt.FEW_ROWS
    assert 0 <= found.low <= found.nats <= found.high < math.inf


def test_more_columns_than_rows_are_limited_and_reported():
    found = estimate(*correlated(120, 200, 3, 0.5))
    assert found.doubt is EstimateDoubt.COLUMNS_LEFT_OUT
    assert 0 <= found.low <= found.nats <= found.high < math.inf


@pytest.mark.parametrize(
    "x",
    [
        pd.DataFrame({"mostly zero": np.arange(N_ROWS) % 10 // 9 * np.arange(N_ROWS) * 1.5}),
        pd.DataFrame({"one row each": [f"v{k}" for k in range(N_ROWS)]}),
        pd.DataFrame({"half missing": np.where(np.arange(N_ROWS) % 2, np.nan, np.arange(N_ROWS) * 0.37 % 1)}),
    ],
    ids=lambda x: x.columns[0],
)
def test_odd_columns_without_information_have_none(x):
    found = estimate(x, np.random.default_rng(0).normal(size=N_ROWS))
    assert found.low == 0.0
    assert found.nats < 0.05


def test_a_target_may_have_columns_of_both_types():
    x, y = correlated(N_ROWS, 1, 1, 0.8)
    found = estimate(x, pd.DataFrame({"number": y[:, 0], "class": np.arange(N_ROWS) % 3}))
    assert found.low <= gaussian_information(0.8) <= found.high


def test_later_rows_alone_are_held_out_with_times():
    x, y = correlated(N_ROWS, 1, 1, 0.8)
    found = estimate(x, y, times=np.arange(N_ROWS))
    assert found.low <= gaussian_information(0.8) <= found.high


@pytest.mark.parametrize("doubt", EstimateDoubt)
def test_every_doubt_has_words(doubt):
    x, y = correlated(N_ROWS, 1, 1, 0.8)
    found = estimate(x, y)
    assert describe_estimate_doubt(found) == ""
    assert describe_estimate_doubt(dataclasses.replace(found, doubt=doubt))
