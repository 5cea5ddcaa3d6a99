import datetime
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from minerva_select.data.frames import as_table, as_target
from minerva_select.errors import InputError, InputTypeError


def only(X):
    """Return the only column of a table."""
    (column,) = as_table(X).columns
    return column


def objects(*values):
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    return array


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float64, np.int64, ">f8"])
def test_numbers_become_float64(dtype):
    column = only(np.array([[1], [2]], dtype=dtype))
    assert column.values.dtype == np.float64
    assert column.values.tolist() == [1.0, 2.0]


def test_float32_stays_float32_in_every_container():
    values = np.array([0.1, np.nan], dtype=np.float32)
    for X in (values[:, None], pd.DataFrame({"a": values}), pl.DataFrame({"a": values}), pa.table({"a": values})):
        assert only(X).values.dtype == np.float32
        np.testing.assert_array_equal(only(X).values, values)


def test_array_columns_are_named_as_in_scikit_learn():
    assert as_table(np.zeros((2, 3))).names == ("x0", "x1", "x2")


@pytest.mark.parametrize("order", ["C", "F"])
def test_array_columns_keep_their_values_in_either_layout(order):
    X = np.asarray(np.arange(12.0).reshape(4, 3), order=order)
    for i, column in enumerate(as_table(X).columns):
        np.testing.assert_array_equal(column.values, X[:, i])


def test_other_names_become_strings():
    assert as_table(pd.DataFrame([[1, 2, 3]], columns=[0, "b", (1, 2)])).names == ("0", "b", "(1, 2)")


def test_booleans_are_categorical():
    column = only(np.array([[True], [False]]))
    assert (column.values.tolist(), column.levels.tolist()) == ([1, 0], ["False", "True"])


@pytest.mark.parametrize(
    "X", [np.array([["b"], ["a"]]), np.array([[b"b"], [b"a"]]), objects("b", "a"), objects(b"b", "a")]
)
def test_levels_of_text_are_sorted(X):
    column = only(X)
    assert (column.values.tolist(), column.levels.tolist()) == ([1, 0], ["a", "b"])


def test_objects_that_are_all_numbers_are_numeric():
    column = only(objects(1, np.float32(0.5), None, fractions.Fraction(1, 4), True, np.nan, pd.NA))
    np.testing.assert_array_equal(column.values, [1, 0.5, np.nan, 0.25, 1, np.nan, np.nan])


def test_mixed_objects_are_levels_of_their_text():
    column = only(objects("a", 1, 2.5, None, np.nan, pd.NaT))
    assert column.levels.tolist() == ["1", "2.5", "a"]
    assert column.values.tolist() == [2, 0, 1, -1, -1, -1]


def test_values_with_equal_text_are_one_level():
    column = only(objects("1", 1, "x"))
    assert (column.values.tolist(), column.levels.tolist()) == ([0, 0, 1], ["1", "x"])


def test_bytes_that_are_not_utf_8_are_text():
    assert only(pd.DataFrame({"a": ["\ud800", "b"]}, dtype=object)).levels.tolist() == ["\\ud800", "b"]


def test_an_empty_string_is_a_value():
    assert only(objects("", "a", None)).values.tolist() == [0, 1, -1]


def test_objects_that_are_all_booleans_are_categorical():
    assert only(objects(True, None, np.bool_(False))).levels.tolist() == ["False", "True"]


def test_categories_of_any_type_become_text():
    assert only(pd.DataFrame({"a": pd.Categorical([3, 1, None])})).levels.tolist() == ["1", "3"]
    assert only(pd.DataFrame({"a": pd.cut([1, 5], [0, 2, 6])})).levels.tolist() == ["(0, 2]", "(2, 6]"]


def test_a_missing_category_is_missing():
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))
    assert only(pa.table({"a": dictionary})).values.tolist() == [0, -1, -1]


def test_times_of_any_time_zone_are_seconds_since_1970():
    noon = pd.Timestamp("1970-01-01 12:00", tz="Europe/Amsterdam")  # an hour ahead of UTC
    aware = datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.UTC)
    assert only(pd.DataFrame({"t": [noon]})).values.tolist() == [11 * 3600.0]
    assert only(objects(aware, None)).values[0] == 1.0
    assert only(np.array([["1970-01-02"]], dtype="datetime64[D]")).values.tolist() == [86_400.0]
    assert only(np.array([["1970-01-02", "NaT"]], dtype="datetime64[ns]").T).values[0] == 86_400.0


def test_durations_and_times_of_day_are_seconds():
    assert only(np.array([[90], [60]], dtype="timedelta64[m]")).values.tolist() == [5400.0, 3600.0]
    assert only(objects(np.timedelta64(5, "ms"), np.timedelta64("NaT"))).values[0] == 0.005
    assert only(pl.DataFrame({"t": [datetime.time(1, 2, 3), None]})).values[0] == 3723.0


def test_masked_values_are_missing():
    X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    first, second = as_table(X).columns
    assert first.values.tolist() == [1.0, 3.0]
    np.testing.assert_array_equal(second.values, [np.nan, 4.0])


def test_pandas_sparse_columns_are_filled():
    assert only(pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 2.0])})).values.tolist() == [0.0, 2.0]


def test_a_null_character_in_a_name_is_read():
    assert as_table(pl.DataFrame({"a\0b": ["x", "y", "x"]})).names == ("a\0b",)


def test_128_bit_integers_of_polars_are_numeric():
    assert only(pl.DataFrame({"a": pl.Series([2**100, None], dtype=pl.Int128)})).values[0] == 2.0**100


def test_objects_with_an_array_method_are_arrays():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.ones((2, 1))

    assert only(Wrapped()).values.tolist() == [1.0, 1.0]


BAD_TABLES = {
    "no rows": (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
    "no columns": (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
    "no columns in pandas": (pd.DataFrame(index=[1, 2]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    "no rows in polars": (pl.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
    "one dimension": (np.ones(3), "Reshape your data"),
    "a series": (pd.Series([1, 2]), r"Reshape your data with X\.to_frame\(\)"),
    "a polars series": (pl.Series([1, 2]), r"Reshape your data with X\.to_frame\(\)"),
    "a list of numbers": ([1, 2], "Reshape your data"),
    "no dimension": (np.array(3.0), "two dimensions.*got 0"),
    "three dimensions": (np.ones((2, 2, 2)), "two dimensions.*got 3"),
    "ragged rows": ([[1, 2], [3]], "The rows of X differ in length"),
    "complex": (np.ones((2, 2)) * 1j, "Complex data not supported"),
    "complex objects": (objects(1j, 2), "Complex data not supported: column 'x0'"),
    "complex pandas": (pd.DataFrame({"a": [1j]}), "Complex data not supported: column 'a'"),
    "infinite": (
        pd.DataFrame({"amount": [np.inf, -np.inf, np.inf, 1]}),
        r"^Column 'amount' has 3 infinite values; replace them or drop the column\.$",
    ),
    "infinite once": (np.array([[np.inf]]), "Column 'x0' has 1 infinite value; replace it"),
    "infinite object": (objects(1, float("inf")), "Column 'x0' has 1 infinite value;"),
    "too large for float64": (np.array([["1e400"]], dtype=np.longdouble), "Column 'x0' has 1 infinite value;"),
    "too large": (objects(10**400, 1), "Column 'x0' .*1e308"),
    "duplicate names": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
    "duplicate Arrow names": (pa.table([[1], [2]], names=["a", "a"]), "'a' occurs more than once"),
    "duplicates as text": (pd.DataFrame([[1, 2]], columns=[1, "1"]), "'1' occurs more than once"),
}


@pytest.mark.parametrize(("X", "message"), BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_bad_tables_are_refused_in_one_sentence(X, message):
    with pytest.raises(InputError, match=message) as caught:
        as_table(X)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


BAD_TYPES = {
    "dict cells": (
        objects({"foo": "bar"}, 1),
        "'x0' has dict values; an argument must be .* string.* number",
    ),
    "list cells": (
        pd.DataFrame({"a": [[1], [2]]}),
        "'a' has list values; an argument must be .* string.* number",
    ),
    "record cells": (np.zeros((2, 1), dtype=[("a", float), ("b", float)]), "'x0' has record values"),
    "tuple cells": (objects((1, 2), None), "'x0' has tuple values"),
    "array cells": (objects(np.ones(2), np.ones(3)), "'x0' has ndarray values"),
    "polars lists": (
        pl.DataFrame({"a": [[1], [2]]}),
        "'a' has List values",
    ),
    "polars structs": (pl.DataFrame({"a": [{"b": 1}]}), "'a' has Struct values"),
    "arrow lists": (pa.table({"a": [[1], [2]]}), "'a' has list values"),
    "path": (
        "data.csv",
        r"X has type str, .*open_source",
    ),
    "number": (3, "X has type int"),
    "none": (None, "X has type NoneType"),
    "dict": ({"a": [1]}, "X has type dict"),
}


@pytest.mark.parametrize(("X", "message"), BAD_TYPES.values(), ids=BAD_TYPES.keys())
def test_unsupported_types_raise_a_type_error(X, message):
    with pytest.raises(InputTypeError, match=message):
        as_table(X)


BAD_TARGETS = {
    "none": (None, "requires y to be passed, but the target y is None"),
    "length": ([1, 2, 3], r"Found input variables with inconsistent numbers of samples: \[4, 3\]"),
    "missing": (
        [1, None, np.nan, 0],
        r"'y' has 2 missing values \(NaN\)",
    ),
    "missing text": (pd.Series(["a", None, "b", "a"], name="label"), "'label' has 1 missing value "),
    "infinite": ([1, np.inf, -np.inf, 0], "'y' has 2 infinite values"),
    "constant": ([7.5] * 4, r"'y' has only one value \(7\.5 in all 4 samples\)"),
    "constant whole number": ([1] * 4, r"'y' has only one value \(1 in all"),
    "constant text": (["a"] * 4, r"'y' has only one value \('a' in"),
    "constant text with a line break": ([b"\n"] * 4, r"has only one value \('\\n' in"),
    "constant column": (np.array([[1, 2]] * 3 + [[1, 3]]), "'y0' has only one value"),
    "three dimensions": (np.ones((4, 1, 1)), "y .*two dimensions.*got 3"),
    "no columns": (np.ones((4, 0)), r"0 feature\(s\)"),
    "complex": (np.ones(4) * 1j, "Complex data not supported"),
}


@pytest.mark.parametrize(("y", "message"), BAD_TARGETS.values(), ids=BAD_TARGETS.keys())
def test_bad_targets_are_refused_in_one_sentence(y, message):
    with pytest.raises(InputError, match=message):
        as_target(y, n_rows=4)


@pytest.mark.parametrize("y", [3, "ab", {1, 2}])
def test_a_target_that_is_not_a_column_raises_a_type_error(y):
    with pytest.raises(InputTypeError, match=f"y has type {type(y).__name__}"):
        as_target(y, n_rows=2)


def test_a_target_of_lists_raises_a_type_error():
    y = np.empty(2, dtype=object)
    y[:] = [[1], [2, 3]]
    with pytest.raises(InputTypeError, match="'y' has list values"):
        as_target(y, n_rows=2)


def test_the_input_array_is_not_modified():
    X = np.array([[1.0, 2.0], [np.nan, 4.0]])
    before = X.copy()
    as_table(X)
    np.testing.assert_array_equal(X, before)
