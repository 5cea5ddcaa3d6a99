import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from minerva_select.schema import Column, Table


def number(*values, dtype=np.float64):
    return Column("a", np.array(values, dtype=dtype))


def decoded(column):
    """Values from the dictionary encoding, NaN where missing."""
    return np.append(np.nan, column.dictionary.values)[column.dictionary.indices]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 2, 2],
        [-7, -200, 5, 0],
        [np.nan, 4, np.nan, -2],
        [5, 5, 5],
        [-0.0, 0.0, 1],
        [2**20, 2**20 + 200],
        [2.0**24, 2.0**24 + 2],
    ],
    ids=["positive", "negative", "missing", "one value", "minus zero", "far from zero", "largest exact float32"],
)
def test_indices_decode_to_the_integers(values, dtype):
    column = number(*values, dtype=dtype)
    np.testing.assert_array_equal(decoded(column), column.values)
    np.testing.assert_array_equal(column.dictionary.indices == 0, column.missing)
    assert (np.diff(column.dictionary.values) > 0).all()


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1.0],
        [1.0] * 5000 + [0.5],
        [-3.0, 1e-20],  # their difference rounds to an integer
        [0.0, 1e6],
        [-1e308, 1e308],
        [0.0, np.inf],
        [-np.inf, np.inf],
        [2.0**54, 2.0**54 + 4],
        [np.nan, np.nan],
        [],
    ],
)
def test_fractions_and_numbers_of_large_range_have_no_dictionary(values):
    assert number(*values).dictionary is None


def test_a_dictionary_of_numbers_is_no_longer_than_the_column_or_a_byte():
    few, many = np.array([0.0, 1000.0]), np.array([0.0, 1000.0] * 501)
    assert Column("a", few).dictionary is None
    assert Column("a", many).dictionary.indices.dtype == np.uint16
    assert number(0, 254).dictionary.indices.tolist() == [1, 255]
    assert number(0, 254).dictionary.indices.dtype == np.uint8
    assert number(0, 255).dictionary is None


@pytest.mark.parametrize("n_levels", [2, 255, 256, 70_000])
def test_levels_are_their_own_dictionary(n_levels):
    codes = np.array([0, -1, n_levels - 1], dtype=np.int32)
    column = Column("a", codes, np.array([str(i) for i in range(n_levels)], dtype=object))
    assert column.dictionary.indices.tolist() == [1, 0, n_levels]
    assert column.dictionary.values is column.levels


def test_short_codes_of_levels_do_not_overflow():
    levels = np.array([str(i) for i in range(128)], dtype=object)
    assert Column("a", np.array([127, -1], dtype=np.int8), levels).dictionary.indices.tolist() == [128, 0]


def test_names_and_dictionaries_are_cached():
    table = Table((number(1, 2), Column("b", np.array([0.5, 1.5]))), 2)
    assert table.names is table.names
    assert table.names == ("a", "b")
    assert table.columns[0].dictionary is table.columns[0].dictionary
    assert table.select(["a"]).columns[0].dictionary is table.columns[0].dictionary


def test_columns_and_tables_are_frozen():
    table = Table((number(1, 2),), 2)
    assert table.names == ("a",)
    with pytest.raises(FrozenInstanceError):
        table.names = ("b",)
    with pytest.raises(FrozenInstanceError):
        table.columns[0].dictionary = None


def test_taken_rows_have_their_own_dictionary():
    column = number(1, 2, 300)
    assert column.dictionary is None  # 300 numbers for 3 rows
    assert column.take(np.array([0, 1])).dictionary.values.tolist() == [1, 2]


def test_a_table_can_be_pickled_with_its_dictionaries():
    table = Table((number(1, np.nan, 3),), 3)
    indices = table.columns[0].dictionary.indices
    copy = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(copy.columns[0].dictionary.indices, indices)
