import numpy as np
import pandas as pd
import pytest

from minerva_select.data.frames import as_table
from minerva_select.preprocessing.linear_combinations import find_linear_combinations

PARTS = ["day", "evening", "night"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.gamma(2, 10, 500).round(2) for name in PARTS})
    return frame.assign(total=frame.sum(axis=1), other=rng.normal(size=500))


def find(frame, names, of):
    return find_linear_combinations(as_table(frame), names, of)


def test_a_total_is_determined_by_its_parts(frame):
    assert find(frame, ["total", "other"], [*PARTS, "other"]) == {"total": tuple(PARTS)}


def test_a_part_is_determined_by_the_total_and_the_other_parts(frame):
    assert find(frame, ["night"], ["total", "day", "evening"]) == {"night": ("total", "day", "evening")}


def test_a_rounded_total_is_determined_and_a_noisy_one_is_not(frame):
    rounded = frame.assign(total=frame["total"].round())  # the variance of the rounding is 1/12, of the total 600
    assert find(rounded, ["total"], PARTS) == {"total": tuple(PARTS)}
    noisy = frame.assign(total=frame["total"] + np.random.default_rng(1).normal(size=500))
    assert find(noisy, ["total"], PARTS) == {}


def test_a_missing_part_determines_nothing(frame):
    assert find(frame, ["total"], PARTS[:2]) == {}
    assert find(frame, ["total"], []) == {}


def test_missing_values_are_left_out(frame):
    frame.loc[::3, "total"] = np.nan
    frame.loc[1::3, "day"] = np.nan
    assert find(frame, ["total"], PARTS) == {}  # a third of the rows is too few
    frame.loc[1::6, "day"] = 1.0
    frame["total"] = frame[PARTS].sum(axis=1, skipna=False)
    assert find(frame, ["total"], PARTS) == {"total": tuple(PARTS)}


def test_categories_and_constants_are_no_sums(frame):
    mixed = frame.assign(word=np.resize(["a", "b"], 500), constant=1.0)
    assert find(mixed, ["word", "constant"], [*PARTS, "word"]) == {}
