"""Claims about targets and columns of every kind: text, truth values, amounts, several at once, missing values."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("use_small_fits")


def select(X, y, **parameters):
    return MinervaSelector(random_state=0, **parameters).fit(X, y).selection_


@pytest.mark.parametrize(
    "spell",
    [
        lambda y: y.map({0: "no", 1: "yes"}),
        lambda y: y.astype(bool),
        lambda y: pd.Series(pd.Categorical(y), name="y"),
        lambda y: y.to_frame(),
        lambda y: y.tolist(),
    ],
    ids=["text", "boolean", "category", "frame of one column", "list"],
)
def test_a_target_can_be_spelled_in_many_ways(fitted, pair, spell):
    selection = select(pair.X, spell(pair.y))
    assert selection.selected == pair.relevant
    assert selection.target == "y"
    # The classes are counted, whatever they are called
    assert selection.target_entropy == pytest.approx(fitted.selection_.target_entropy, abs=1e-6)


def test_several_targets_are_read_together(pair):
    y = pair.X[["f1", "f4"]].rename(columns={"f1": "first", "f4": "second"})
    selection = select(pair.X, y)
    assert selection.selected == ("f1", "f4")
    assert selection.target == "first, second"
    # Nine combinations, about equally frequent; the sample's own entropy is a little less
    assert math.log(9) - 0.05 < selection.target_entropy <= math.log(9)
    # Everything about the target is known; the rest is what two small critics of 400 rows leave over
    assert selection.mutual_information.nats > 0.9 * selection.target_entropy


def test_a_continuous_target_has_no_entropy_and_finds_its_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    selection = select(X, X[:, 1] + 0.5 * rng.normal(size=400))
    assert selection.selected == ("x1",)
    assert selection.target_entropy is None
    # Signal to noise 2, so the correlation is 2 / sqrt(5) and I = -log(1 - 0.8) / 2 = 0.805 nats, of which 128
    # quantile levels and critics of 200 rows leave most
    assert 0.4 < selection.mutual_information.nats < 0.95


def test_a_discrete_target_can_be_read_as_an_amount(pair):
    y = pair.X["f1"]
    assert select(pair.X, y, target_type="continuous").selected == ("f1",)


@pytest.mark.parametrize("text", [False, True], ids=["numbers", "text"])
def test_missing_values_can_be_the_signal(text):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    if text:
        X["b"] = rng.choice(["u", "v", "w"], size=400)
    X["b"] = X["b"].mask(rng.random(400) < 0.3)
    X["c"] = X["c"].mask(rng.random(400) < 0.3)
    selection = select(X, X["b"].isna())
    assert selection.selected == ("b",)
    assert selection.mutual_information.nats == pytest.approx(selection.target_entropy, rel=0.05)


def test_dates_and_booleans_are_columns_too():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, size=400), unit="D")
    X = pd.DataFrame({"day": days, "flag": rng.random(400) < 0.5, "noise": rng.normal(size=400)})
    y = (X["day"] > pd.Timestamp("2024-07-01")) ^ X["flag"]
    assert select(X, y).selected == ("day", "flag")


def test_one_positive_among_fifty_rows_is_no_reason_to_fail():
    rng = np.random.default_rng(0)
    y = np.zeros(50)
    y[7] = 1
    selection = select(rng.normal(size=(50, 2)), y)
    assert selection.selected == ()
    assert 0 <= selection.mutual_information.nats <= selection.target_entropy


@pytest.mark.parametrize("kind", [MinervaSelector, PaperSelector])
def test_the_fewest_rows_that_can_be_split_give_an_answer(kind, brief_paper):
    rng = np.random.default_rng(0)
    selection = kind(random_state=0).fit(rng.normal(size=(6, 2)), [0, 1, 0, 1, 0, 1]).selection_
    assert len(selection.features) == 2
    assert math.isfinite(selection.mutual_information.low)
    assert math.isfinite(selection.mutual_information.high)
    assert selection.to_json()


def test_one_column_is_enough_for_a_table(pair):
    assert select(pair.X[["f2"]], pair.X["f2"]).selected == ("f2",)
    assert select(pair.X[["f2"]], pair.y).selected == ()
