"""Claims about answers: the same rows give the same selection, whatever they come in and however they are read."""

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

pytestmark = pytest.mark.usefixtures("small_plan")

N_ROWS = 400
Y = np.random.default_rng(1).integers(2, size=N_ROWS)


def draw_frame():
    """Text and booleans, whole and broken numbers, some missing; the target shows in the text and in an amount."""
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
NUMBERS = FRAME[["amount", "count"]].astype(float).set_axis(["x0", "x1"], axis=1)  # names as an array's columns have


def answer(X):
    """All that a selection says, but for the time that it took and what was asked.

    Trainings of 25 steps are enough to see any difference between two tables.
    """
    plan = FitConfig.for_rows(N_ROWS)
    plan = dataclasses.replace(plan, schedule=dataclasses.replace(plan.schedule, max_steps=25))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FitConfig, "for_rows", classmethod(lambda cls, *n_rows: plan))
        selection = MinervaSelector(random_state=0).fit(X, Y).selection_
    return {**json.loads(selection.to_json()), "seconds": None, "settings": None, "provenance": None}


@pytest.fixture(scope="module")
def expected(small_plan):
    return answer(FRAME)


@pytest.fixture(scope="module")
def expected_of_numbers(small_plan):
    return answer(NUMBERS)


def in_chunks(folder):
    return pa.concat_tables([ARROW.slice(0, 123), ARROW.slice(123)])


def as_categories(folder):
    return FRAME.astype({"country": pd.CategoricalDtype(["unused", "NL", "IT", "FR"])})


def written_parquet(folder):
    parquet.write_table(ARROW, folder / "rows.parquet", row_group_size=77)
    return folder / "rows.parquet"


def written_csv(folder, name="rows.csv"):
    with pa.output_stream(str(folder / name)) as file:  # packs what is called .gz
        csv.write_csv(ARROW, file)
    return read_table(folder / name)


def written_feather(folder):
    feather.write_feather(ARROW, str(folder / "rows.feather"))
    return read_table(folder / "rows.feather")


FORMS = {
    "arrow": lambda folder: ARROW,
    "arrow in chunks": in_chunks,
    "pandas categories": as_categories,
    "polars": lambda folder: pl.from_arrow(ARROW),
    "polars, lazy": lambda folder: pl.from_arrow(ARROW).lazy(),
    "arrow dataset": lambda folder: dataset.dataset(written_parquet(folder)),
    "generator of batches": lambda folder: (batch for batch in ARROW.to_batches(max_chunksize=50)),
    "csv": written_csv,
    "packed csv": lambda folder: written_csv(folder, "rows.csv.gz"),
    "parquet": lambda folder: read_table(written_parquet(folder)),
    "parquet as a source": lambda folder: open_source(written_parquet(folder)),
    "feather": written_feather,
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_table_gives_the_same_selection_to_the_last_bit(make, expected, tmp_path):
    assert answer(make(tmp_path)) == expected


@pytest.mark.parametrize(
    "make", [pd.DataFrame.to_numpy, pa.Table.from_pandas, pl.from_pandas], ids=["numpy", "arrow", "polars"]
)
def test_an_array_gives_the_selection_of_a_frame_to_the_last_bit(make, expected_of_numbers):
    assert answer(make(NUMBERS)) == expected_of_numbers


def test_other_rows_give_another_answer(expected):
    changed = FRAME.assign(amount=FRAME["amount"].shift(fill_value=0.0))
    assert answer(changed)["features"] != expected["features"]
    assert any(result["selected"] for result in expected["features"])


def test_a_table_that_is_streamed_keeps_the_features_of_one_in_memory(tmp_path):
    # 3,000 x 12 cells take 32 bytes each in a fit, which is just above 1 MiB
    problem = equality(n_samples=3000, n_features=12, n_levels=3, relevant=(0, 3), random_state=0)
    streamed = MinervaSelector(random_state=0, max_memory="1MiB", cache_dir=tmp_path).fit(problem.X, problem.y)
    assert any(tmp_path.glob("rows*/store.json"))
    whole = MinervaSelector(random_state=0).fit(problem.X, problem.y)
    assert streamed.selection_.selected == whole.selection_.selected == ("f0", "f3")
