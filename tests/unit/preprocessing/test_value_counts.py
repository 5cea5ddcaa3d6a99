import numpy as np
import pytest

from minerva_select.preprocessing.value_counts import count_values
from minerva_select.schema import Column

RNG = np.random.default_rng(0)
NUMBERS = {
    "few integers": RNG.integers(0, 5, 200).astype(float),
    "many integers": RNG.integers(0, 60, 200).astype(float),
    "negative integers": RNG.integers(-40, -3, 200).astype(float),
    "integers of large range": RNG.choice([0.0, 1e6, 1e300], 200),
    "more numbers than rows": RNG.integers(0, 5000, 200).astype(float),
    "fractions": RNG.choice([0.25, 0.5, 3.0], 200),
    "infinite range": RNG.choice([-np.inf, 0.0, np.inf], 200),
    "one number": np.full(200, 7.0),
    "short floats": RNG.integers(0, 300, 200).astype(np.float32),
}


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with missing values"])
@pytest.mark.parametrize("name", NUMBERS)
def test_counts_equal_those_of_numpy(name, missing):
    values = NUMBERS[name].copy()
    if missing:
        values[::7] = np.nan
    column, rows = Column("a", values), np.arange(3, 190, 2)
    for found, part in ((count_values(column), values), (count_values(column, rows), values[rows])):
        expected = np.unique(part[~np.isnan(part)], return_counts=True)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
        assert found[0].dtype == values.dtype


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_missing_values_are_not_counted(values):
    found, counts = count_values(Column("a", np.array(values, dtype=float)))
    assert (len(found), len(counts)) == (0, 0)


def test_levels_are_sorted_and_merged():
    column = Column("a", np.array([3, 0, 1, 0, -1]), np.array(["b", "a", "never", "b"], dtype=object))
    found, counts = count_values(column)
    assert (found.tolist(), counts.tolist()) == (["a", "b"], [1, 3])
    found, counts = count_values(column, np.array([2, 4]))
    assert (found.tolist(), counts.tolist()) == (["a"], [1])


def test_booleans_count_like_any_levels():
    flag = Column("a", np.array([0, 1, 1], dtype=np.int32), np.array(["False", "True"], dtype=object))
    found, counts = count_values(flag)
    assert (found.tolist(), counts.tolist()) == (["False", "True"], [1, 2])
