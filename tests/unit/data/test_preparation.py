"""Prepared tables: the same in memory and streamed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from minerva_select.data.memory_budget import MemoryBudget
from minerva_select.data.open_table import open_source
from minerva_select.data.preparation import Preparation, prepare_source, prepare_table
from minerva_select.data.row_filter import parse_conditions
from minerva_select.errors import InputError

N_ROWS = 40_000
NAMES = ["when", "price", "x", "y"]


@pytest.fixture(scope="module")
def table():
    days = [f"{1 + k % 28:02}/{1 + k // 28 % 12:02}/2023" for k in range(N_ROWS)]
    prices = [f"{k % 1000},{k % 100:02}" for k in range(N_ROWS)]
    labels = [None if k % 7 == 0 else k % 2 for k in range(N_ROWS)]
    return pa.table({"when": days, "price": prices, "x": np.arange(N_ROWS, dtype=float), "y": labels})


@pytest.fixture(scope="module")
def streamed(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    parquet.write_table(table, path, row_group_size=3_000)
    return replace(open_source(path), fits_in_memory=False)


PREPARATIONS = {
    "dates": Preparation(dates={"when": "%d/%m/%Y"}),
    "recognized dates": Preparation(dates={"when": None}),
    "numbers": Preparation(numbers=("price",)),
    "where": Preparation(where=parse_conditions(["x >= 1000 and x < 30000"], NAMES)),
    "where on a date": Preparation(dates={"when": "%d/%m/%Y"}, where=parse_conditions(["when >= 2023-06-01"], NAMES)),
    "present": Preparation(present=("y",)),
    "sample": Preparation(n_rows=20_000, seed=3),
    "few rows": Preparation(n_rows=500, seed=3),
    "everything": Preparation(
        dates={"when": None},
        numbers=("price",),
        where=parse_conditions(["price > 10"], NAMES),
        present=("y",),
        n_rows=20_000,
        seed=1,
    ),
}


@pytest.mark.parametrize("name", PREPARATIONS)
def test_a_streamed_table_has_the_same_rows_as_one_in_memory(table, streamed, name, tmp_path):
    expected = prepare_table(table, PREPARATIONS[name])
    found = prepare_source(streamed, PREPARATIONS[name], MemoryBudget(1 << 20), tmp_path)
    assert found.fits_in_memory == (name == "few rows")
    assert found.read().cast(expected.schema).equals(expected)
    again = prepare_source(streamed, PREPARATIONS[name], MemoryBudget(1 << 20), tmp_path)
    assert again.fingerprint == found.fingerprint


def test_nothing_to_prepare_leaves_the_source_as_it_is(streamed):
    assert prepare_source(streamed, Preparation(), MemoryBudget(1 << 20)) is streamed


def test_a_sample_has_the_requested_number_of_rows_in_order_and_depends_on_the_seed(table):
    first, second = (prepare_table(table, Preparation(n_rows=1_000, seed=seed))["x"].to_pylist() for seed in (0, 1))
    assert len(first) == len(second) == 1_000
    assert first == sorted(first) != second
    assert prepare_table(table, Preparation(n_rows=10**6)).num_rows == N_ROWS


def test_rows_with_missing_values_are_left_out(table):
    assert prepare_table(table, Preparation(present=("y",))).num_rows == N_ROWS - len(range(0, N_ROWS, 7))
    missing = pa.table({"y": [1.0, float("nan"), None]})
    assert prepare_table(missing, Preparation(present=("y",))).num_rows == 1


def test_rows_of_text_views_are_chosen():  # polars writes them
    table = pa.table({"x": pa.array(["a", None, "b"], pa.string_view())})
    found = prepare_table(table, Preparation(where=parse_conditions(["x != 'a'"], ["x"])))
    assert found.column("x").to_pylist() == [None, "b"]


@pytest.mark.parametrize("kind", ["in memory", "streamed"])
def test_conditions_that_no_row_fulfills_are_refused(table, streamed, kind):
    none = Preparation(where=parse_conditions(["x > 1e9"], NAMES))
    with pytest.raises(InputError, match="No row is left"):
        prepare_table(table, none) if kind == "in memory" else prepare_source(streamed, none, MemoryBudget(1 << 20))
