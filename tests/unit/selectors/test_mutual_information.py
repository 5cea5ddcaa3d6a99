"""Claims about ``mutual_information``: known values of small tables, and bounds that always hold."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from minerva_select import mutual_information
from minerva_select.codes import EstimateNote
from minerva_select.config import FitConfig
from minerva_select.mi.inference import MeanEstimate
from minerva_select.selectors.estimation import as_estimate


@pytest.fixture(scope="module", autouse=True)
def _short_training(use_small_fits):
    plan = FitConfig.for_rows(1000)
    schedule = dataclasses.replace(plan.schedule, max_steps=75, patience=2, patience_at_zero=2)
    short = dataclasses.replace(plan, schedule=schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: short))
        yield


TABLES = {
    "independent": [[0.15, 0.35], [0.15, 0.35]],
    "a noisy channel": [[0.45, 0.05], [0.05, 0.45]],
    "three by two": [[0.3, 0.0], [0.2, 0.2], [0.05, 0.25]],
    "a rare class": [[0.5, 0.01], [0.43, 0.06]],
}


def draw(joint, n_rows, seed=0):
    """Rows in exactly the proportions of a table of probabilities, shuffled."""
    joint = np.array(joint)
    cells = np.repeat(np.arange(joint.size), np.round(joint.ravel() * n_rows).astype(int))
    np.random.default_rng(seed).shuffle(cells)
    return cells // joint.shape[1], cells % joint.shape[1]


def information(joint):
    """Mutual information of a table of probabilities, by its definition."""
    joint = np.array(joint)
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    inside = joint > 0
    return float((joint[inside] * np.log(joint[inside] / product[inside])).sum())


@pytest.mark.parametrize("joint", TABLES.values(), ids=TABLES)
def test_the_information_of_small_tables_is_known(joint):
    x, y = draw(joint, n_rows=1000)
    estimate = mutual_information(x[:, None], y, random_state=0)
    truth = information(joint)
    # The rows have the table's own proportions, so sampling adds nothing; critics of 600 rows cost 0.02 nats at most
    assert estimate.nats == pytest.approx(truth, abs=0.02)
    assert estimate.low <= truth + 0.005
    assert estimate.high >= truth - 0.005
    assert estimate.n_rows == 1000


@pytest.fixture(scope="module")
def exclusive():
    """1,000 rows of two bits x and z, and y = x xor z, each combination equally frequent."""
    x, z = draw(np.full((2, 2), 0.25), n_rows=1000)
    return pd.DataFrame({"x": x, "z": z, "y": x ^ z})


def test_one_side_of_an_exclusive_or_says_nothing(exclusive):
    assert mutual_information(exclusive[["x"]], exclusive["y"], random_state=0).nats == pytest.approx(0.0, abs=0.01)


def test_one_side_of_an_exclusive_or_says_everything_once_the_other_is_known(exclusive):
    estimate = mutual_information(exclusive[["x"]], exclusive["y"], given=exclusive[["z"]], random_state=0)
    assert estimate.nats == pytest.approx(math.log(2), rel=0.05)
    assert estimate.bits == pytest.approx(1.0, rel=0.05)


def test_what_is_already_known_adds_nothing(exclusive):
    X = exclusive[["x", "z"]]
    estimate = mutual_information(X, exclusive["y"], given=X, random_state=0)  # with the same names, too
    assert estimate.nats == pytest.approx(0.0, abs=0.01)


def test_the_condition_may_be_constant(exclusive):
    constant = pd.DataFrame({"one": np.ones(1000)})
    estimate = mutual_information(exclusive[["x", "z"]], exclusive["y"], given=constant, random_state=0)
    assert estimate.nats == pytest.approx(math.log(2), rel=0.05)


def test_columns_that_hold_nothing_have_no_information(exclusive):
    X = pd.DataFrame({"one": np.ones(1000), "gone": np.full(1000, np.nan)})
    for given in (None, exclusive[["z"]]):
        estimate = mutual_information(X, exclusive["y"], given=given, random_state=0)
        assert (estimate.nats, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("n_rows", [6, 7, 20, 150])
def test_an_estimate_is_finite_and_between_nothing_and_the_entropy(n_rows):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 3
    estimate = mutual_information(rng.normal(size=(n_rows, 2)), y, target_type="discrete", random_state=0)
    assert 0 <= estimate.low <= estimate.nats <= estimate.high < math.inf
    # At most log 3, with a rounding in single precision
    assert estimate.nats <= math.log(3) + 1e-6


def test_the_same_seed_gives_the_same_estimate(exclusive):
    X, y = exclusive[["x", "z"]][:300], exclusive["y"][:300]
    first = mutual_information(X, y, random_state=3)
    assert mutual_information(X, y, random_state=3) == first
    assert mutual_information(pl.from_pandas(X), y.tolist(), random_state=3) == first


def test_columns_of_an_array_are_named_as_categorical_by_place():
    # 40 levels in 400 rows are amounts by default, and odd against even is a wave of twenty crests
    x = np.random.default_rng(0).integers(0, 40, size=(400, 1))
    named = mutual_information(x, x[:, 0] % 2, given=np.zeros((400, 1)), categorical_features=[0], random_state=0)
    assert named.nats > 0.5


@pytest.mark.parametrize(
    ("mean", "error", "optimism"),
    [(-0.2, 0.1, 0.0), (-5.0, 0.1, 3.0), (0.3, 0.01, 0.0), (0.3, 0.5, 0.2), (0.69, 0.1, 0.0), (0.9, 0.01, 0.0)],
)
def test_what_rows_say_is_brought_between_nothing_and_the_entropy(mean, error, optimism):
    estimate = as_estimate(MeanEstimate(mean, error), math.log(2), optimism, 100)
    assert 0 <= estimate.low <= estimate.nats <= estimate.high
    assert estimate.nats == min(max(mean, 0), math.log(2))
    assert (estimate.note is EstimateNote.CAPPED) is (mean > math.log(2))
    assert bool(estimate.note) or estimate.high <= math.log(2)
