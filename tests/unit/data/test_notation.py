"""Detection of text that looks like numbers or dates."""

from __future__ import annotations

import numpy as np
import pytest

from minerva_select.codes import Conversion
from minerva_select.data.frames import as_table
from minerva_select.data.notation import has_unparsed_notation

DAYS = [(year, month) for year in (1999, 2023) for month in range(1, 13)]
WRITTEN = {
    "decimal commas": [f"{k},25" for k in range(30)],
    "percentages": [f"{k / 10}%" for k in range(30)],
    "prices, some below a thousand": [f"${k:,}" if k > 999 else str(k) for k in range(800, 1200, 10)],
    "euros after the amount": [f"{k}.200,50 €" for k in range(30)],
    "currency codes": [f"{k},25 EUR" for k in range(30)],
    "negative in brackets": [f"({k:,}.00)" for k in range(1000, 1030)],
    "days first": [f"31/{month}/{year}" for year, month in DAYS],
    "dots": [f"31.{month:02}.{year}" for year, month in DAYS],
    "months by name": [f"3-{name}-{year}" for name in ("Jan", "Feb", "May", "December") for year in range(1990, 2000)],
    "dates of a frame that are text": [f"{year}-{month:02}-01 12:30" for year, month in DAYS],
    "nearly all": [*(f"{k},25" for k in range(27)), "unknown", "none", "?"],
}
NAMES = {
    "plain numbers, as postal codes are": [f"{k:05}" for k in range(30)],
    "few": [f"{k},25" for k in range(20)],
    "hardly most": [*(f"{k},25" for k in range(26)), *"wxyz"],
    "names of models": [f"EURO {k}" for k in range(30)],
    "words": [f"name {k}" for k in range(30)],
    "addresses of machines": [f"10.0.{k}.17" for k in range(30)],
    "versions": [f"1.{k}.2" for k in range(30)],
    "ranges": [f"{k}-{k + 5}" for k in range(30)],
}


@pytest.mark.parametrize("values", WRITTEN.values(), ids=WRITTEN)
def test_formatted_numbers_and_dates_are_detected(values):
    column = as_table(np.array(values, dtype=object)[:, None]).columns[0]
    assert column.conversion == Conversion.UNPARSED
    assert column.levels is not None


@pytest.mark.parametrize("values", NAMES.values(), ids=NAMES)
def test_categories_are_not_taken_for_numbers(values):
    assert not has_unparsed_notation(np.array(sorted(values), dtype=object))


def test_a_few_hundred_of_many_levels_are_checked():
    levels = np.array([f"${k:,}" for k in range(100_000)], dtype=object)
    levels[1::2] = "odd"  # between the levels that are checked, every 334th
    assert has_unparsed_notation(levels)
