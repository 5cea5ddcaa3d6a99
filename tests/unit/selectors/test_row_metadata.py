"""Claims about rows that belong together, and about rows in order of time."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from minerva_select import MinervaSelector, mutual_information
from minerva_select.codes import WarningCode
from minerva_select.config import FitConfig
from minerva_select.data.frames import as_table, as_target
from minerva_select.errors import InputError
from minerva_select.mi.fold import held_out_clusters
from minerva_select.preprocessing.column_types import infer_column_types, infer_target_types
from minerva_select.results import SelectionWarning
from minerva_select.runtime.device import find_device
from minerva_select.selectors import PaperSelector
from minerva_select.selectors.fold_splits import encode, make_folds, split_into_folds
from minerva_select.selectors.row_metadata import RowMetadata, read_row_metadata

pytestmark = pytest.mark.usefixtures("use_small_fits")

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=(7 * k) % 60) for k in range(60)]
HALVES = pd.Series([0, 1] * 30, name="fraud")
LATE = pd.Series([0] * 48 + [1] * 12, name="fraud")


def select(X, y, **rows):
    return MinervaSelector(random_state=0).fit(X, y, **rows).selection_


@pytest.fixture(scope="module")
def customers():
    """40 customers with 40 rows each: what a customer has for good tells who it is, and nothing of other customers."""
    rng = np.random.default_rng(0)
    customer = np.repeat(np.arange(40), 40)
    lasting, habit, amount = rng.normal(size=40), rng.normal(size=40), rng.normal(size=1600)
    y = (amount + 2 * habit[customer] + rng.normal(size=1600) > 0).astype(int)
    return pd.DataFrame({"lasting": lasting[customer], "amount": amount}), y, customer


def test_what_tells_only_who_a_customer_is_is_selected_unless_customers_stay_together(customers):
    X, y, customer = customers
    assert "lasting" in select(X, y).selected
    assert select(X, y, groups=customer).selected == ("amount",)


def test_rows_that_come_four_times_are_worth_no_more_than_once():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1))
    y = (x[:, 0] + rng.normal(size=300) > 0).astype(int)
    once = mutual_information(x, y, random_state=0)
    again = mutual_information(np.tile(x, (4, 1)), np.tile(y, 4), random_state=0, groups=np.tile(np.arange(300), 4))
    # The lower half, which optimism does not widen; with the rows taken for independent ones it would be half as wide
    assert again.nats - again.low > 0.75 * (once.nats - once.low)


def test_what_held_only_in_early_rows_is_not_selected_in_order_of_time():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, size=(600, 3)), columns=["fad", "steady", "noise"])
    place = np.arange(600)
    y = np.where((place < 450) & (place % 2 == 0), X["fad"], X["steady"])
    shuffled = rng.permutation(600)
    X, y, times = X.iloc[shuffled], y[shuffled], place[shuffled]
    assert select(X, y).selected == ("fad", "steady")
    assert select(X, y, times=times).selected == ("steady",)


def test_later_rows_of_groups_that_were_met_before_are_left_out_and_counted(pair):
    # Half of the rows train, a quarter tunes and a quarter vets. Of sevens in a row, those from 196 and from 294 are
    # cut after 200 and 300 rows, so that rows 200 to 202, and row 300, come too late
    selection = select(pair.X, pair.y, groups=np.arange(400) // 7, times=np.arange(400))
    assert selection.n_rows == selection.mutual_information.n_rows == 396
    values = {"n_left_out": 4, "n_total": 400}
    assert SelectionWarning(WarningCode.ROWS_LEFT_OUT, values=values) in selection.warnings


def test_the_folds_know_the_group_of_every_row(customers):
    X, y, customer = customers
    table, target, origins = as_table(X), as_target(y, len(y)), RowMetadata(len(y), customer)
    target_types = infer_target_types(target)
    splits = split_into_folds(target, target_types, FitConfig.for_rows(1000), np.random.default_rng(0), origins)
    column_types, device = infer_column_types(table, "auto"), find_device("cpu")
    x = encode(table, column_types, splits, device)
    folds = make_folds(x, target, target_types, np.ones(len(y)), customer, splits, device)
    expected = np.concatenate([customer[split.held_out] for split in splits])
    assert held_out_clusters(folds).tolist() == expected.tolist()
    for fold, split in zip(folds, splits, strict=True):
        assert fold.clusters[fold.tune[0]].tolist() == customer[split.members[0][1]].tolist()


@pytest.mark.parametrize("rows", [{"groups": np.arange(60) // 6}, {"times": DAYS}], ids=["groups", "times"])
def test_the_solver_of_the_paper_holds_out_whole_groups_and_the_latest_rows(monkeypatch, rows):
    drawn = []

    def note(part, weights, rng):
        drawn.append(part)
        if len(drawn) == 2:
            raise InterruptedError
        return part

    monkeypatch.setattr("minerva_select.selectors.paper._draw", note)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    with pytest.raises(InterruptedError):
        PaperSelector(random_state=0).fit(X, HALVES, **rows)
    train, held_out = drawn
    assert len(held_out) == 12
    if "groups" in rows:
        assert {*rows["groups"][train]}.isdisjoint(rows["groups"][held_out])
    else:
        assert max(DAYS[k] for k in train) < min(DAYS[k] for k in held_out)


@pytest.mark.parametrize(
    "spell",
    [
        lambda days: days,
        lambda days: np.array(days, dtype="datetime64[ns]"),
        lambda days: pd.Series(pd.to_datetime(days), name="opened"),
        lambda days: pd.DataFrame({"opened": days}),
        lambda days: pl.Series("opened", days),
        pa.array,
        lambda days: pa.table({"opened": days}),
    ],
    ids=["list", "numpy", "pandas", "frame of one column", "polars", "Arrow", "Arrow table"],
)
def test_dates_are_times_from_every_kind_of_column(spell):
    seconds = [(day - datetime.date(1970, 1, 1)).days * 86400.0 for day in DAYS]
    assert read_row_metadata(None, spell(DAYS), 60).times.tolist() == seconds


@pytest.mark.parametrize(
    "labels", [list("babcd"), np.array([7, -2, 7, 90, 5]), pd.Categorical(list("xyxzw")), [9.5, 1, 9.5, 12, 2]]
)
def test_groups_may_have_labels_of_any_type(labels):
    numbers = read_row_metadata(pd.Series(labels), None, 5).groups.tolist()
    assert numbers[0] == numbers[2]
    assert {*numbers} == {0, 1, 2, 3}


def test_groups_of_some_rows_are_numbered_anew():
    some = RowMetadata(5, np.array([0, 1, 2, 2, 0]), np.arange(5.0)).take(np.array([2, 3, 4]))
    assert (some.n_rows, some.groups.tolist(), some.times.tolist()) == (3, [1, 1, 0], [2.0, 3.0, 4.0])
    assert some.n_independent == 2


REFUSED = {
    "a missing time": (HALVES, {"times": [None, *DAYS[1:]]}, "times has 1 missing value"),
    "a missing group": (HALVES, {"groups": pd.Series(["a", None] * 30, name="id")}, "groups 'id' has 30 miss"),
    "an infinite time": (HALVES, {"times": [np.inf] * 60}, "times has 60 infinite values"),
    "too few times": (HALVES, {"times": DAYS[:59]}, "times has 59 rows and X has 60"),
    "two columns": (HALVES, {"groups": np.ones((60, 2))}, "groups must be one column, got 2"),
    "a time in words": (HALVES, {"times": ["May"] * 60}, "holds text such as 'May'; convert it first"),
    "one time": (HALVES, {"times": np.ones(60)}, "at least 3 different times"),
    "one group": (HALVES, {"groups": np.ones(60)}, "groups has 1 distinct values, too few"),
    "nothing happens early": (LATE, {"times": np.arange(60)}, "earliest rows, but a split by time needs others"),
    "nothing happens late": (LATE, {"times": -np.arange(60)}, "next rows, but a split by time needs others"),
    "all frauds of one": (LATE, {"groups": np.arange(60) // 12}, "only one value in the groups to train on"),
}


@pytest.mark.parametrize("estimate", [select, mutual_information], ids=["select", "mutual_information"])
@pytest.mark.parametrize(("y", "rows", "sentence"), REFUSED.values(), ids=REFUSED)
def test_rows_that_cannot_be_divided_so_are_refused_in_a_sentence(estimate, y, rows, sentence):
    X = pd.DataFrame({"a": np.random.default_rng(0).normal(size=60)})
    with pytest.raises(InputError) as refused:
        estimate(X, y, **rows)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
