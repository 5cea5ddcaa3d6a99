"""What a model loses without the dropped columns, as a fit reports it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector, Selection
from minerva_select.codes import ScoreMetric
from minerva_select.config import ModelCostConfig
from minerva_select.errors import InputError
from minerva_select.selectors import model_cost

pytestmark = pytest.mark.usefixtures("use_small_fits")

N_ROWS = 900


def columns(n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.random((n_rows, 4)), columns=list("abcd")), rng


def fit(X, y, **options):
    parameters = {"random_state": 0, "device": "cpu", "keep": ["a"], "drop": [], **options.pop("parameters", {})}
    return MinervaSelector(**parameters).fit(X, y, **options).selection_


@pytest.fixture(scope="module")
def of_numbers():
    X, rng = columns()
    return fit(X, X["a"] + X["b"] + rng.normal(size=N_ROWS) / 10, parameters={"n_features_to_select": 1})


def test_the_loss_of_a_dropped_column_is_the_variance_that_it_explains(of_numbers):
    cost = of_numbers.cost
    assert cost.metric is ScoreMetric.R2
    assert (cost.n_usable, cost.n_columns, cost.n_kept, cost.n_rows) == (4, 4, 1, N_ROWS)
    # Each column has a variance of 1/12, the noise of 0.01: R2 is 0.94 with both and 0.47 with one, to 0.03
    assert cost.all_columns.value == pytest.approx(0.92, abs=0.04)
    assert cost.kept.value == pytest.approx(0.45, abs=0.06)
    assert cost.difference.value == pytest.approx(cost.kept.value - cost.all_columns.value)
    assert cost.difference.low < cost.difference.value < cost.difference.high < 0


def test_it_is_saved_and_left_out_for_another_number_of_features(of_numbers):
    assert Selection.from_json(of_numbers.to_json()).cost == of_numbers.cost
    assert of_numbers.with_n_features(2).cost is None
    with pytest.raises(InputError, match=r"cost\.n_kept"):
        Selection.from_json(of_numbers.to_json().replace('"n_kept": 1', '"n_kept": 9'))


def test_nothing_is_lost_where_all_columns_are_kept():
    X, _ = columns()
    y = np.where(X["a"] > 0.5, "yes", "no")
    selection = fit(X[["a"]], y)
    assert selection.cost.difference.value == 0
    assert selection.cost.kept == selection.cost.all_columns
    assert selection.cost.metric is ScoreMetric.ROC_AUC


def test_the_metric_follows_the_classes_of_the_target():
    X, rng = columns()
    rare = (X["a"] > 0.97).map({True: "fraud", False: "ok"})
    three = pd.cut(X["a"] + rng.normal(size=N_ROWS) / 10, 3, labels=["low", "middle", "high"]).astype(str)
    assert fit(X, rare).cost.metric is ScoreMetric.PR_AUC
    assert fit(X, three).cost.metric is ScoreMetric.MACRO_ROC_AUC
    many = (X["a"] * 40).astype(int).astype(str)
    assert fit(X, many).cost is None
    assert fit(X, pd.DataFrame({"y": rare, "z": three})).cost is None


def test_all_columns_are_those_that_a_model_could_use():
    X, rng = columns()
    y = (X["a"] + rng.normal(size=N_ROWS) / 3 > 0.5).astype(int)
    wide = X.assign(copy=X["a"] * 2, constant=1, other=X["b"])
    selection = fit(wide, y, parameters={"drop": ["other"]})
    assert {result.feature for result in selection.features} == {*wide.columns}
    assert selection.cost.n_usable == 5  # a to d, and the copy
    assert selection.cost.n_kept == len(selection.selected)


def test_copies_of_rows_do_not_make_the_interval_narrower():
    X, rng = columns(450)
    y = (X["a"] + rng.normal(size=450) / 3 > 0.5).astype(int)
    once = fit(X, y).cost.all_columns
    twice = fit(pd.concat([X, X], ignore_index=True), pd.concat([y, y], ignore_index=True)).cost.all_columns
    assert twice.high - twice.low > 0.8 * (once.high - once.low)


def test_rows_that_come_later_are_scored_where_rows_have_times():
    X, rng = columns()
    y = (X["a"] + rng.normal(size=N_ROWS) / 3 > 0.5).astype(int)
    cost = fit(X, y, times=np.arange(N_ROWS)).cost
    assert cost.n_rows < N_ROWS / 2


def test_rows_without_weight_are_neither_trained_on_nor_scored():
    X, _ = columns()
    weights, y = np.arange(N_ROWS) % 2.0, (X["a"] > 0.5).astype(int)
    y[weights == 0] = 1 - y
    cost = fit(X, y, sample_weight=weights).cost
    assert cost.n_rows == N_ROWS / 2
    assert cost.kept.value > 0.95


def test_the_order_of_the_columns_does_not_matter():
    X, rng = columns()
    y = (X["a"] + rng.normal(size=N_ROWS) / 3 > 0.5).astype(int)
    assert fit(X, y).cost == fit(X[["d", "b", "a", "c"]], y).cost


def test_of_many_rows_and_columns_a_sample_is_used(monkeypatch):
    X, rng = columns()
    y = (X["a"] + rng.normal(size=N_ROWS) / 3 > 0.5).astype(int)
    small = ModelCostConfig(max_cells=1200, min_rows=200, min_columns=2, max_held_out_rows=300)
    monkeypatch.setattr(model_cost, "MODEL_COST", small)
    cost = fit(X, y).cost
    assert (cost.n_usable, cost.n_columns) == (4, 3)
    assert 250 <= cost.n_rows <= 330  # strata are drawn at random
    assert cost.n_training_rows < 350


def test_a_fit_out_of_time_does_without(monkeypatch):
    X, _ = columns()
    monkeypatch.setattr(model_cost, "MODEL_COST", ModelCostConfig(seconds=1e6))
    selection = fit(X, (X["a"] > 0.5).astype(int), parameters={"time_limit": 60})
    assert selection.cost is None
    assert selection.selected


@pytest.mark.parametrize("largest", [1e3, 1e300])
def test_where_one_number_has_nearly_all_the_variance_there_is_no_r2(largest):
    X, rng = columns()
    y = (X["a"] + rng.normal(size=N_ROWS) / 3).to_numpy(copy=True)
    y[0] = largest  # of the folds that do not hold this row out, R2 would be far below -1
    assert fit(X, y).cost is None


def test_where_one_row_has_nearly_all_the_weight_there_is_no_r2():
    X, rng = columns()
    y = X["a"] + rng.normal(size=N_ROWS) / 3
    weights = np.where(np.arange(N_ROWS) == 0, 1e6, 1.0)  # next to this row, the others have no variance
    assert fit(X, y, sample_weight=weights).cost is None
    assert fit(X, y, sample_weight=np.sqrt(np.sqrt(weights))).cost is not None


def test_where_nothing_is_kept_the_score_is_that_of_chance():
    X, rng = columns()
    selection = fit(X, rng.integers(0, 2, N_ROWS), parameters={"keep": []})
    assert selection.selected == ()
    assert selection.cost.kept.value == pytest.approx(0.5)
    assert selection.cost.difference.low < 0.03
    assert selection.cost.difference.high > -0.03
