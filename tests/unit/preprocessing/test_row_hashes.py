"""Claims about hashes of columns."""

import numpy as np

from minerva_select.preprocessing.row_hashes import hash_column, hash_integers
from minerva_select.schema import Column


def levels(codes, names):
    return Column("a", np.array(codes, dtype=np.int32), np.array(names, dtype=object))


def test_equal_numbers_have_equal_hashes():
    other_nan = np.array([0x7FF8000000000001], dtype=np.int64).view(np.float64)[0]
    hashes = hash_column(Column("a", np.array([0.0, -0.0, np.nan, other_nan, 1.5, 1.5])), 0)
    assert hashes[0] == hashes[1]
    assert hashes[2] == hashes[3]
    assert hashes[4] == hashes[5]
    assert len(set(hashes.tolist())) == 3


def test_floats_of_either_width_have_equal_hashes():
    values = np.array([1.5, 2.25, -3.0])
    wide, narrow = (hash_column(Column("a", values.astype(dtype)), 0) for dtype in (np.float64, np.float32))
    np.testing.assert_array_equal(wide, narrow)


def test_a_level_that_is_listed_twice_has_one_hash():
    hashes = hash_column(levels([0, 1, 2, -1], ["x", "y", "x"]), 0)
    assert hashes[0] == hashes[2]
    assert len(set(hashes.tolist())) == 3


def test_columns_with_the_same_values_have_different_hashes():
    column = Column("a", np.arange(100.0))
    assert not np.intersect1d(hash_column(column, 0), hash_column(column, 1)).size


def test_sums_of_hashes_do_not_collide():
    grid = np.indices((100, 100, 100)).reshape(3, -1)  # a million rows of small integers
    rows = sum(hash_integers(values, seed) for seed, values in enumerate(grid))
    assert len(np.unique(rows)) == grid.shape[1]


def test_a_column_is_not_changed():
    values = np.array([-0.0, np.nan, 1.0])
    hash_column(Column("a", values), 0)
    assert np.signbit(values[0])


def test_integers_have_the_hashes_of_other_numbers():
    values = np.array([3.0, -0.0, np.nan, -7.0, 3.0])
    integers, numbers = Column("a", values), Column("a", np.append(values, 0.5))
    assert integers.dictionary is not None
    assert numbers.dictionary is None
    np.testing.assert_array_equal(hash_column(integers, 4), hash_column(numbers, 4)[:5], strict=True)
