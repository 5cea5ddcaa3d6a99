"""Reading and splitting a table for a comparison."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from minerva_select.codes import Conversion
from minerva_select.data.frames import as_table
from minerva_select.errors import InputError
from minerva_select.evaluation.dataset import as_arrow, read_arrow, read_dataset, write_arrow
from minerva_select.schema import Column


def read(X, y, **settings):
    defaults = {"categorical_features": "auto", "target_type": "auto", "n_splits": 1, "held_out": 0.33, "seed": 0}
    return read_dataset(X, y, **{**defaults, **settings})


@pytest.fixture
def mixed():
    """Floats, integers, text, booleans and an unused category, with missing values."""
    return pd.DataFrame(
        {
            "amount": [0.5, np.nan, 2.5, 3.5] * 10,
            "count": [1, 2, 2, 1] * 10,
            "text": ["b", None, "ä", "b"] * 10,
            "flag": [True, False, True, True] * 10,
            "level": pd.Categorical(["x", "y", None, "y"] * 10, categories=["z", "y", "x"]),
        }
    )


def test_splits_are_disjoint_complete_and_stratified(mixed):
    y = np.array([0] * 30 + [1] * 10)
    dataset = read(mixed, y, held_out=0.25, n_splits=3)
    for split in dataset.splits:
        assert sorted([*split.train, *split.held_out]) == list(range(40))
        assert np.bincount(y[split.held_out]).tolist() in ([7, 3], [8, 2])  # a quarter of 30 and of 10
    first, second = dataset.splits[0].held_out.tolist(), dataset.splits[1].held_out.tolist()
    assert first != second
    assert read(mixed, y, held_out=0.25).splits[0].held_out.tolist() == first


def test_a_numeric_target_is_stratified_by_deciles(mixed):
    y = np.arange(40.0) ** 2 + 0.5
    held_out = read(mixed, y, held_out=0.25).splits[0].held_out
    assert np.bincount(held_out // 4, minlength=10).tolist() == [1] * 10


def test_rows_written_for_another_process_are_read_as_the_same_columns(mixed, tmp_path):
    dataset = read(mixed, [0, 1] * 20)
    rows = dataset.splits[0].train
    features, target = write_arrow(dataset, rows, tmp_path / "split")
    again = as_table(read_arrow(features))
    direct = as_table(mixed.iloc[rows])
    for column, expected in zip(again.columns, direct.columns, strict=True):
        assert column.name == expected.name
        np.testing.assert_array_equal(column.values, expected.values)
        assert (column.levels is None) == (expected.levels is None)
        if expected.levels is not None:
            assert column.levels.tolist() == expected.levels.tolist()
    assert read_arrow(target).column_names == ["y"]


def test_times_stay_times_with_the_same_seconds():
    days = pd.Series(pd.date_range("2023-12-31", periods=40, freq="D")).where(np.arange(40) != 3)
    X = pd.DataFrame(
        {
            "created at": days,
            "precise": days + pd.Timedelta("123456us"),
            "last day": [datetime.date(9999, 12, 31), datetime.date(1, 1, 1)] * 20,
            "length": days - days[0],
            "hour": [datetime.time(23, 59, 59, 999_999), None] * 20,
        }
    )
    table = as_table(X)
    again = as_table(as_arrow(table.columns))
    for column, expected in zip(again.columns, table.columns, strict=True):
        assert column.conversion == expected.conversion is not None
        np.testing.assert_array_equal(column.values, expected.values)


def test_seconds_that_are_not_whole_microseconds_stay_numbers():
    third = Column("t", np.array([1 / 3, 0.5]), conversion=Conversion.DURATION)
    np.testing.assert_array_equal(as_table(as_arrow([third])).columns[0].values, third.values)


def test_column_types_are_determined_on_all_rows_and_given_ones_are_kept(mixed):
    assert read(mixed, [0, 1] * 20).categorical == ("count", "text", "flag", "level")
    dataset = read(mixed, [0, 1] * 20, categorical_features=["amount"])
    assert dataset.categorical == ("amount", "text", "flag", "level")
    assert dataset.given_categorical == {"amount"}


def test_target_type_decides_how_the_target_is_read():
    X, y = np.arange(40.0)[:, None], [0, 1] * 20
    assert (read(X, y).target_type, read(X, y).metric) == ("discrete", "ROC-AUC")
    assert (read(X, y, target_type="continuous").target_type, read(X, y, target_type="continuous").metric) == (
        "continuous",
        "R2",
    )


def test_any_change_of_a_value_a_name_or_a_level_changes_the_fingerprint(mixed):
    y = [0, 1] * 20
    other_value, other_level = mixed.copy(), mixed.copy()
    other_value.loc[3, "amount"] = 3.25
    other_level["text"] = other_level["text"].replace("ä", "c")
    tables = [mixed, other_value, other_level, mixed.rename(columns={"count": "number"})]
    digests = {read(table, y).fingerprint for table in tables} | {read(mixed, [1, 0] * 20).fingerprint}
    assert len(digests) == 5
    assert read(mixed.copy(), y).fingerprint in digests


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        (np.zeros((40, 2)) + [[0], [1]] * 20, {}, "2 columns"),
        ([0, 1] * 20, {"held_out": 0.1}, "leaves 4 held-out rows"),
        ([0] * 39 + [1], {}, "one value"),
        ([0, 1] * 20, {"categorical_features": ["amuont"]}, "did you mean 'amount'"),
        ([0, 1] * 20, {"target_type": "guess"}, "guess"),
        ([0] * 40, {}, "one value"),
    ],
)
def test_invalid_data_are_refused(mixed, y, settings, message):
    with pytest.raises(InputError, match=message):
        read(mixed, y, **settings)


def test_arrow_keeps_missing_text_missing(mixed):
    table = as_arrow(as_table(mixed).columns)
    assert table["text"].null_count == 10
    assert table["amount"].null_count == 0  # a missing number is NaN
