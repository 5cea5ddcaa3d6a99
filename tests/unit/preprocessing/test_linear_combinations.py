import numpy as np
import pandas as pd
import pytest

from minerva_select.data.frames import as_table
from minerva_select.preprocessing.linear_combinations import find_determined, find_linear_combinations

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


def find_before(frame, order, target=None):
    classes = np.random.default_rng(5).integers(0, 2, len(frame)) if target is None else target
    return find_determined(as_table(frame), {name: -0.1 * place for place, name in enumerate(order)}, classes)


def test_the_last_of_a_total_and_its_parts_is_determined_by_the_others(frame):
    assert find_before(frame, ["total", *PARTS, "other"]) == {"night": ("total", "day", "evening")}
    assert find_before(frame, [*PARTS, "other", "total"]) == {"total": tuple(PARTS)}


def test_a_rounded_total_is_left_out_unless_the_rounding_matters(frame):
    rounded = frame.assign(total=frame["total"].round())
    order = [*PARTS, "total"]
    assert find_before(rounded, order) == {"total": tuple(PARTS)}
    error = rounded["total"] - frame["total"]
    assert find_before(rounded, order, (error > 0).to_numpy().astype(np.int64)) == {}


def test_a_column_that_is_nearly_a_sum_stays(frame):
    near = frame.assign(total=frame["total"] + np.random.default_rng(1).normal(0, 0.3, 500))
    assert find_before(near, [*PARTS, "total"]) == {}
    wave = np.linspace(0, 3, 30)
    phases = np.random.default_rng(2).normal(size=(500, 3))
    spectrum = (
        np.cos(phases[:, :1] + wave)
        + phases[:, 1:2] * np.exp(-wave)
        + 0.003 * np.random.default_rng(3).normal(size=(500, 30))
    )
    channels = pd.DataFrame(spectrum, columns=[f"c{k}" for k in range(30)])
    assert find_before(channels, list(channels)) == {}


def test_columns_that_say_equally_little_alone_stay(frame):
    classes = np.zeros(len(frame), dtype=np.int64)
    assert find_determined(as_table(frame), dict.fromkeys(["total", *PARTS], 0.0), classes) == {}


def test_of_two_sums_each_loses_one_column(frame):
    rng = np.random.default_rng(4)
    more = frame.assign(u=rng.normal(size=500), v=rng.normal(size=500))
    more["w"] = more["u"] - 2 * more["v"]
    found = find_before(more, ["total", *PARTS, "u", "w", "v"])
    assert set(found) == {"night", "v"}
    assert set(found["v"]) == {"u", "w"}


def test_missing_values_and_few_rows_leave_sums_in(frame):
    frame.loc[::3, "total"] = np.nan
    assert find_before(frame, [*PARTS, "total"]) == {}
    assert (
        find_before(frame.drop(columns="total").assign(total=frame[PARTS].sum(axis=1)).iloc[:20], [*PARTS, "total"])
        == {}
    )
