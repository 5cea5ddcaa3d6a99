import numpy as np
import pandas as pd
import pytest

from minerva_select.data import frames, matrices
from minerva_select.data.frames import as_table
from minerva_select.data.matrices import columns_from_matrix, is_matrix_of_numbers, matrix_from_frame
from minerva_select.errors import InputError


def numbers(dtype, n_rows=1100, n_columns=70):
    """A matrix in the order of rows, larger than a tile."""
    return np.random.default_rng(0).integers(0, 100, (n_rows, n_columns)).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("tile", [8, 512])
def test_columns_have_the_values_of_the_matrix(dtype, order, tile, monkeypatch):
    monkeypatch.setattr(matrices, "_TILE_BYTES", tile)
    matrix = numbers(dtype)
    columns = columns_from_matrix(np.asarray(matrix, order=order), [f"x{k}" for k in range(70)])
    expected = "float32" if dtype == "float32" else "float64"
    for k, column in enumerate(columns):
        assert column.name == f"x{k}"
        assert column.values.flags.c_contiguous
        np.testing.assert_array_equal(column.values, matrix[:, k].astype(expected), strict=True)


def test_floats_are_not_copied_without_need_or_memory(monkeypatch):
    by_row, by_column = numbers("float32"), np.asfortranarray(numbers("float32"))
    names = [str(k) for k in range(70)]
    assert np.shares_memory(columns_from_matrix(by_column, names)[3].values, by_column)
    assert not np.shares_memory(columns_from_matrix(by_row, names)[3].values, by_row)
    monkeypatch.setattr(matrices, "available_memory", lambda: by_row.nbytes)
    assert np.shares_memory(columns_from_matrix(by_row, names)[3].values, by_row)


def test_a_frame_of_one_matrix_is_read_as_that_matrix():
    matrix = numbers("int16")
    found = matrix_from_frame(pd.DataFrame(matrix))
    np.testing.assert_array_equal(found, matrix, strict=True)
    assert np.shares_memory(found, matrix) or len(found) == len(matrix)


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"a": np.arange(3.0), "b": np.arange(3)}, id="two types"),
        pytest.param({"a": np.array([True, False, True])}, id="booleans"),
        pytest.param({"a": np.array(["u", "v", "w"])}, id="text"),
        pytest.param({"a": pd.array([1, None, 3], dtype="Int64")}, id="nullable integers"),
        pytest.param({"a": pd.date_range("2020-01-01", periods=3)}, id="dates"),
    ],
)
def test_other_frames_are_no_matrix(columns):
    assert matrix_from_frame(pd.DataFrame(columns)) is None


def test_arrays_that_are_no_matrix_of_numbers():
    assert is_matrix_of_numbers(numbers("uint8"))
    masked = np.ma.masked_array(numbers("float64"), numbers("float64") > 50)
    for array in (np.arange(3), masked, numbers("bool"), numbers("complex128"), numbers(">f8"), numbers("object")):
        assert not is_matrix_of_numbers(array)


def test_frames_are_read_the_same_way_with_and_without_a_matrix(monkeypatch):
    frame = pd.DataFrame(numbers("uint8"), columns=[f"x{k}" for k in range(70)])
    fast = as_table(frame)
    monkeypatch.setattr(frames, "matrix_from_frame", lambda _: None)
    slow = as_table(frame)
    assert fast.names == slow.names
    for one, two in zip(fast.columns, slow.columns, strict=True):
        np.testing.assert_array_equal(one.values, two.values, strict=True)
        assert (one.levels, one.conversion) == (two.levels, two.conversion)


def test_infinite_values_of_a_matrix_are_refused_by_column():
    matrix = numbers("float64")
    matrix[3, 5] = -np.inf
    with pytest.raises(InputError, match="'5' has 1 infinite value"):
        as_table(pd.DataFrame(matrix))
