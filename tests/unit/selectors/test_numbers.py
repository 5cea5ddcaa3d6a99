"""Claims about numbers of any size: the same answer or one sentence, never NaN, and no training that fails unseen."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest

from minerva_select import MinervaSelector, mutual_information
from minerva_select.config import FitConfig, PaperSettings
from minerva_select.errors import DivergenceError, InputError
from minerva_select.selectors import PaperSelector

pytestmark = pytest.mark.usefixtures("use_small_fits")

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N_ROWS, 4)), columns=["a", "b", "c", "d"])
CLASSES = (X["a"] > 0).astype(int).rename("y")
AMOUNTS = (X["a"] + X["b"]).rename("y")
# 30 classes without an order are too many for trees and additive models: only networks learn them
MANY_CLASSES = pd.cut(X["a"].rank(), 30).cat.codes.map("class {}".format).rename("y")
LEARNING_RATE = 5e-3  # of small fits
DIVERGED = r"^Training diverged in stage '\w+' at step \d+ .* lower learning_rate\.$"
ON_ROW_0 = np.arange(N_ROWS) == 0


# Effects are in the units of the columns and the target, and boosted trees of raw targets differ in the last digits
IN_UNITS = ("effects", "cost")


def select(X, y, sample_weight=None, kind=MinervaSelector, **parameters):
    """All that a selection says in nats, but for when and of what; writing it refuses NaN and infinity."""
    selection = kind(random_state=0, **parameters).fit(X, y, sample_weight=sample_weight).selection_
    answer = json.loads(selection.to_json())
    return {
        name: value for name, value in answer.items() if name not in ("seconds", "provenance", "settings", *IN_UNITS)
    }


def kept(answer):
    return [result["feature"] for result in answer["features"] if result["selected"]]


def codes_of_warnings(answer):
    return {warning["code"] for warning in answer["warnings"]}


@contextlib.contextmanager
def changed_schedule(**numbers):
    """Set numbers of the schedule of all trainings."""
    plan = FitConfig.for_rows(N_ROWS)
    changed = dataclasses.replace(plan, schedule=dataclasses.replace(plan.schedule, **numbers))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: changed))
        yield


def select_briefly(X, y, sample_weight=None):
    """As :func:`select`, by trainings of 25 steps: enough to see any difference, not to be right."""
    with changed_schedule(max_steps=25):
        return select(X, y, sample_weight)


@pytest.fixture(scope="module")
def of_classes(use_small_fits):
    return select_briefly(X, CLASSES)


@pytest.fixture(scope="module")
def of_amounts(use_small_fits):
    return select_briefly(X, AMOUNTS)


@pytest.fixture
def short_paper(monkeypatch):
    settings = PaperSettings(batch_size=100, max_steps_learn=100, max_steps_sparsify=100)
    monkeypatch.setattr("minerva_select.selectors.paper.PaperSettings", lambda: settings)


# Targets


@pytest.mark.parametrize("scale", [1e9, 1e-9, 1e300])
def test_the_scale_of_a_target_changes_no_bit(of_amounts, scale):
    assert select_briefly(X, AMOUNTS * scale) == of_amounts


def test_a_shift_of_a_target_changes_no_bit(of_amounts):
    assert (
        select_briefly(X, AMOUNTS + 1e6) == of_amounts
    )  # 1e6 leaves ten digits after the point: no two rows fall together


def test_an_outlier_of_a_target_is_its_largest_value_and_no_more(of_amounts):
    largest = int(AMOUNTS.argmax())
    assert select_briefly(X, AMOUNTS.where(np.arange(N_ROWS) != largest, 1e300)) == of_amounts


def test_a_target_whose_numbers_differ_beyond_2_to_the_53_alone_is_one_value():
    with pytest.raises(InputError, match="only one value"):
        select(X, np.array([2**60 + row % 2 for row in range(N_ROWS)]))


# Columns


@pytest.fixture
def in_column_order(monkeypatch):
    """Fit columns in the order given. Else what they hold decides, so that other numbers mean other random draws."""
    monkeypatch.setattr("minerva_select.selectors.solver_selector.canonical_order", lambda table: list(table.names))


@pytest.mark.usefixtures("in_column_order")
def test_the_scale_of_columns_changes_no_bit_where_they_are_fitted_in_the_same_order():
    expected = select_briefly(X, CLASSES)
    for scale in (1e30, np.array([1e300, 1e-300, 1.0, 1e-30])):
        assert select_briefly(X * scale, CLASSES) == expected


ODD_COLUMNS = {
    "one outlier in noise": {"c": X["c"].where(~ON_ROW_0, 1e300)},
    "outliers in what matters": {"a": X["a"].where(np.abs(X["a"]) < 2, np.sign(X["a"]) * 1e300)},
    "heavy tails": {"a": np.tan(np.clip(X["a"] / 3, -1.57, 1.57)) ** 9, "c": RNG.standard_cauchy(N_ROWS) ** 9},
    "subnormal numbers": {"a": X["a"] * 1e-310, "c": X["c"] * 1e-310},
    "huge and tiny in one column": {"a": X["a"] * 10.0 ** RNG.uniform(-300, 300, N_ROWS)},
    "whole numbers beyond 2**53": {"c": RNG.integers(2**53, 2**63 - 1, N_ROWS), "d": 2**53 + np.arange(N_ROWS)},
    "whole numbers that are one float": {"c": 2**60 + np.arange(N_ROWS) % 7},
}


@pytest.mark.parametrize("columns", ODD_COLUMNS.values(), ids=ODD_COLUMNS.keys())
def test_odd_numbers_in_columns_keep_what_matters_and_nothing_else(columns):
    assert kept(select(X.assign(**columns), CLASSES)) == ["a"]


def test_an_estimate_knows_no_scale():
    with changed_schedule(max_steps=25):
        before, after = (mutual_information(X[["a"]] * scale, AMOUNTS, random_state=0) for scale in (1.0, 1e30))
    assert after == before


# Weights of rows


@pytest.mark.parametrize("weight", [5e-324, 1.7e308])
def test_equal_weights_of_any_size_change_no_bit(of_classes, weight):
    assert select_briefly(X, CLASSES, np.full(N_ROWS, weight)) == of_classes


def test_weights_that_add_up_beyond_all_numbers_are_as_good_as_others():
    light = np.where(np.arange(N_ROWS) % 2, 1.0, 0.5)
    assert select_briefly(X, CLASSES, light * 1.5e308) == select_briefly(X, CLASSES, light)


def test_rows_of_next_to_no_weight_are_left_out():
    counted = np.arange(N_ROWS) % 3 > 0
    assert select_briefly(X, CLASSES, np.where(counted, 1.0, 1e-300)) == select_briefly(X[counted], CLASSES[counted])


@pytest.mark.parametrize("y", [CLASSES, AMOUNTS], ids=["classes", "amounts"])
@pytest.mark.parametrize("heaviest", [1e6, 1e12])
def test_one_row_that_outweighs_all_others_proves_nothing(y, heaviest):
    assert kept(select(X, y, np.where(ON_ROW_0, heaviest, 1.0))) == []


@pytest.mark.usefixtures("short_paper")
@pytest.mark.parametrize("kind", [MinervaSelector, PaperSelector])
def test_weights_over_600_powers_of_ten_give_finite_numbers(kind):
    weights = 10.0 ** np.random.default_rng(1).uniform(-300, 300, N_ROWS)
    assert len(select(X, AMOUNTS, weights, kind=kind)["features"]) == 4


def test_a_group_that_outweighs_all_others_proves_nothing():
    groups = np.arange(N_ROWS) % 30
    selector = MinervaSelector(random_state=0)
    selector.fit(X, CLASSES, sample_weight=np.where(groups == 0, 1e12, 1.0), groups=groups)
    assert selector.selection_.selected == ()
    assert "Infinity" not in selector.selection_.to_json()


# Steps


@pytest.mark.parametrize("batch_size", [32, N_ROWS])
@pytest.mark.parametrize(("y", "relevant"), [(CLASSES, ["a"]), (AMOUNTS, ["a", "b"])], ids=["classes", "amounts"])
def test_batches_of_any_size_keep_the_same_columns(batch_size, y, relevant):
    with changed_schedule(batch_size=batch_size):
        assert kept(select(X, y)) == relevant


def test_a_batch_is_never_larger_than_the_rows_to_learn_from(of_classes):
    with changed_schedule(batch_size=10**9):
        assert select_briefly(X, CLASSES) == of_classes


@pytest.mark.parametrize(("y", "relevant"), [(CLASSES, ["a"]), (AMOUNTS, ["a", "b"])], ids=["classes", "amounts"])
def test_steps_far_too_small_change_neither_the_columns_nor_their_information(y, relevant):
    expected = select(X, y)["mutual_information"]["nats"]
    for times in (1e-2, 1e-6):
        with changed_schedule(learning_rate=LEARNING_RATE * times):
            answer = select(X, y)
        assert kept(answer) == relevant
        # Trees and additive models find it without the networks; the standard error is 2 to 3%
        assert answer["mutual_information"]["nats"] == pytest.approx(expected, rel=0.05)
        assert not {"still_rising", "undertrained"} & codes_of_warnings(answer)


def test_where_only_networks_can_learn_steps_a_hundred_times_too_small_say_that_more_is_to_come():
    with changed_schedule(learning_rate=LEARNING_RATE / 100):
        answer = select(X, MANY_CLASSES)
    assert kept(answer) == ["a"]
    assert {"still_rising", "undertrained"} <= codes_of_warnings(answer)


@pytest.mark.parametrize(("y", "relevant"), [(CLASSES, ["a"]), (AMOUNTS, ["a", "b"])], ids=["classes", "amounts"])
def test_steps_a_hundred_times_too_large_keep_the_same_columns_or_end_in_one_sentence(y, relevant):
    with changed_schedule(learning_rate=LEARNING_RATE * 100):
        try:
            answer = select(X, y)
        except DivergenceError as error:
            assert re.match(DIVERGED, str(error))  # noqa: PT017 - either is right
        else:
            assert kept(answer) == relevant


@pytest.mark.parametrize("times", [1e4, 1e12])
@pytest.mark.parametrize("y", [CLASSES, AMOUNTS], ids=["classes", "amounts"])
def test_steps_that_are_far_too_large_end_in_one_sentence(times, y):
    with changed_schedule(learning_rate=LEARNING_RATE * times), pytest.raises(DivergenceError, match=DIVERGED):
        select(X, y)


def test_networks_that_find_less_than_counting_one_column_does_are_doubted():
    with changed_schedule(learning_rate=LEARNING_RATE / 1e6):  # they stay what they were drawn as
        [warning] = [one for one in select(X, MANY_CLASSES)["warnings"] if one["code"] == "undertrained"]
    assert warning["columns"] == ["a"]
    assert warning["values"]["marginal_nats"] > 0.5 > warning["values"]["total_nats"]


@pytest.mark.usefixtures("short_paper")
@pytest.mark.parametrize("learning_rate", [1e-1, 1e-300])  # the default is 1e-3
def test_a_network_of_the_paper_that_learned_nothing_says_so(learning_rate):
    assert "nothing_learned" in [
        one["code"] for one in select(X, CLASSES, kind=PaperSelector, learning_rate=learning_rate)["warnings"]
    ]


@pytest.mark.usefixtures("short_paper")
def test_a_network_of_the_paper_that_learned_something_is_not_doubted():
    assert "nothing_learned" not in [one["code"] for one in select(X, CLASSES, kind=PaperSelector)["warnings"]]


@pytest.mark.parametrize("name", ["sparsity", "norm_drift", "target_norm", "learning_rate", "threshold"])
def test_coefficients_beyond_single_precision_are_refused(name):
    with pytest.raises(InputError, match=rf"^{name} must be at most 1e\+30, got 1e\+300; give a smaller one\.$"):
        select(X, CLASSES, kind=PaperSelector, **{name: 1e300})


@pytest.mark.usefixtures("short_paper")
@pytest.mark.parametrize("name", ["target_norm", "learning_rate"])
def test_the_largest_coefficients_end_in_one_sentence(name):
    with pytest.raises(DivergenceError, match=DIVERGED):
        select(X, CLASSES, kind=PaperSelector, **{name: 1e30})


@pytest.mark.usefixtures("short_paper")
def test_the_largest_sparsity_gives_finite_numbers():
    answer = select(X, CLASSES, kind=PaperSelector, sparsity=1e30)  # the step of a weight is limited
    assert np.isfinite([result["weight"] for result in answer["features"] if result.get("weight") is not None]).all()
