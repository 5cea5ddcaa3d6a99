"""The same rows give the same selection in every container and file format."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, dataset, feather, parquet

from minerva_select import MinervaSelector, open_source
from minerva_select.config import FitConfig
from minerva_select.data.loading import read_table
from minerva_select.problems import equality

pytestmark = pytest.mark.usefixtures("use_small_fits")

N_ROWS = 400
Y = np.random.default_rng(1).integers(2, size=N_ROWS)


def draw_frame():
    """Strings, booleans, integers and floats with missing values; ``country`` and ``amount`` depend on the target."""
    rng = np.random.default_rng(0)
    amount = np.round(rng.normal(size=N_ROWS) + Y, 3)
    amount[rng.random(N_ROWS) < 0.1] = np.nan
    country = np.where(rng.random(N_ROWS) < 0.8, np.where(Y == 1, "NL", "IT"), "FR")
    return pd.DataFrame(
        {
            "country": country,
            "amount": amount,
            "count": rng.integers(0, 100, N_ROWS),
            "member": rng.random(N_ROWS) < 0.3,
        }
    )


FRAME = draw_frame()
ARROW = pa.Table.from_pandas(FRAME, preserve_index=False)
NUMERIC_FRAME = FRAME[["amount", "count"]].astype(float).set_axis(["x0", "x1"], axis=1)  # the names of array columns


def fit_result(X):
    """A selection as a dictionary, without running times, settings and provenance.

    25 training steps are enough to show any difference between two tables.
    """
    config = FitConfig.for_rows(N_ROWS)
    config = dataclasses.replace(config, schedule=dataclasses.replace(config.schedule, max_steps=25))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: config))
        selection = MinervaSelector(random_state=0).fit(X, Y).selection_
    return {**json.loads(selection.to_json()), "seconds": None, "settings": None, "provenance": None}


@pytest.fixture(scope="module")
def expected(use_small_fits):
    return fit_result(FRAME)


@pytest.fixture(scope="module")
def expected_numeric(use_small_fits):
    return fit_result(NUMERIC_FRAME)


def in_chunks(folder):
    return pa.concat_tables([ARROW.slice(0, 123), ARROW.slice(123)])


def with_categories(folder):
    return FRAME.astype({"country": pd.CategoricalDtype(["unused", "NL", "IT", "FR"])})


def write_parquet(folder):
    parquet.write_table(ARROW, folder / "rows.parquet", row_group_size=77)
    return folder / "rows.parquet"


def write_csv(folder, name="rows.csv"):
    with pa.output_stream(str(folder / name)) as file:  # compresses if the name ends in .gz
        csv.write_csv(ARROW, file)
    return read_table(folder / name)


def write_feather(folder):
    feather.write_feather(ARROW, str(folder / "rows.feather"))
    return read_table(folder / "rows.feather")


CONTAINERS = {
    "arrow": lambda folder: ARROW,
    "arrow in chunks": in_chunks,
    "pandas categories": with_categories,
    "polars": lambda folder: pl.from_arrow(ARROW),
    "polars, lazy": lambda folder: pl.from_arrow(ARROW).lazy(),
    "arrow dataset": lambda folder: dataset.dataset(write_parquet(folder)),
    "generator of batches": lambda folder: (batch for batch in ARROW.to_batches(max_chunksize=50)),
    "csv": write_csv,
    "compressed csv": lambda folder: write_csv(folder, "rows.csv.gz"),
    "parquet": lambda folder: read_table(write_parquet(folder)),
    "parquet as a source": lambda folder: open_source(write_parquet(folder)),
    "feather": write_feather,
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_every_container_gives_bit_for_bit_the_same_selection(make, expected, tmp_path):
    assert fit_result(make(tmp_path)) == expected


@pytest.mark.parametrize(
    "make", [pd.DataFrame.to_numpy, pa.Table.from_pandas, pl.from_pandas], ids=["numpy", "arrow", "polars"]
)
def test_an_array_gives_bit_for_bit_the_selection_of_a_frame(make, expected_numeric):
    assert fit_result(make(NUMERIC_FRAME)) == expected_numeric


def test_other_rows_give_another_result(expected):
    changed = FRAME.assign(amount=FRAME["amount"].shift(fill_value=0.0))
    assert fit_result(changed)["features"] != expected["features"]
    assert any(result["selected"] for result in expected["features"])


def test_streamed_and_in_memory_fits_select_the_same_features(tmp_path):
    # a fit needs 32 bytes per cell: 3,000 x 12 cells are just above 1 MiB
    problem = equality(n_samples=3000, n_features=12, n_levels=3, relevant=(0, 3), random_state=0)
    streamed = MinervaSelector(random_state=0, max_memory="1MiB", cache_dir=tmp_path).fit(problem.X, problem.y)
    assert any(tmp_path.glob("rows*/store.json"))
    in_memory = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    assert streamed.selection_.selected == in_memory.selection_.selected == ("f0", "f3")
