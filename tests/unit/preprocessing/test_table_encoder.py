import pickle

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.schema import Column, ColumnType, Table

HEIGHT = Column("height", np.array([1.5, 1.9, np.nan, 1.7]))
COLOR = Column("color", np.array([0, 1, 1, -1]), np.array(["blue", "red"], dtype=object))
FLAG = Column("flag", np.array([0.0, 1.0, 1.0, 1.0]))
TRAIN = Table((COLOR, HEIGHT, FLAG), 4)


def encoder(table=TRAIN):
    return TableEncoder(infer_column_types(table)).fit(table)


def test_columns_are_encoded_by_type():
    encoded = encoder().transform(TRAIN)
    assert encoded.numeric == (1,)
    assert encoded.categorical == (0, 2)
    assert encoded.n_levels == (4, 4)
    assert (encoded.n_columns, encoded.n_rows) == (3, 4)
    assert encoded.codes.tolist() == [[3, 3], [2, 2], [2, 2], [0, 2]]  # red and 1 are the most frequent
    np.testing.assert_array_equal(encoded.quantiles, np.array([[1 / 6], [5 / 6], [np.nan], [1 / 2]], dtype=np.float32))
    assert encoded.quantiles.dtype == np.float32
    assert encoded.codes.dtype == np.uint8


def test_fit_transform_equals_fit_then_transform():
    one, two = encoder().transform(TRAIN), TableEncoder(infer_column_types(TRAIN)).fit_transform(TRAIN)
    np.testing.assert_array_equal(one.quantiles, two.quantiles)
    np.testing.assert_array_equal(one.codes, two.codes)
    assert one.n_levels == two.n_levels


def test_rows_can_be_taken_before_or_after_encoding():
    rows = np.array([3, 0, 0])
    after, before = encoder().transform(TRAIN).take(rows), encoder().transform(TRAIN.take(rows))
    np.testing.assert_array_equal(after.quantiles, before.quantiles)
    np.testing.assert_array_equal(after.codes, before.codes)
    assert after.n_rows == 3


def test_columns_are_found_by_name():
    shuffled = Table((FLAG, Column("more", np.zeros(4)), HEIGHT, COLOR), 4)
    np.testing.assert_array_equal(encoder().transform(shuffled).codes, encoder().transform(TRAIN).codes)


def test_a_table_may_have_columns_of_one_type_only():
    numbers = encoder(Table((HEIGHT,), 4)).transform(Table((HEIGHT,), 4))
    assert (numbers.quantiles.shape, numbers.codes.shape, numbers.n_levels) == ((4, 1), (4, 0), ())
    text = encoder(Table((COLOR,), 4)).transform(Table((COLOR,), 4))
    assert (text.quantiles.shape, text.codes.shape, text.n_rows) == ((4, 0), (4, 1), 4)


def test_a_missing_column_is_refused():
    with pytest.raises(InputError, match="'flag'"):
        encoder().transform(Table((COLOR, HEIGHT), 4))


def test_text_in_a_numeric_column_is_refused():
    with pytest.raises(InputError, match="'color'"):
        TableEncoder({"color": ColumnType.NUMERIC}).fit(Table((COLOR,), 4))
    height = Column("height", np.array([0]), np.array(["tall"], dtype=object))
    with pytest.raises(InputError, match="'height' had numbers"):
        encoder(Table((HEIGHT,), 4)).transform(Table((height,), 1))


def test_an_all_missing_numeric_column_may_be_text():
    height = Column("height", np.array([-1, -1]), np.array([], dtype=object))
    assert np.isnan(encoder(Table((HEIGHT,), 4)).transform(Table((height,), 2)).quantiles).all()


def test_an_encoder_can_be_pickled():
    copy = pickle.loads(pickle.dumps(encoder()))
    np.testing.assert_array_equal(copy.transform(TRAIN).quantiles, encoder().transform(TRAIN).quantiles)


def test_more_than_256_codes_are_64_bit_integers():
    many = Column("many", np.arange(300.0))
    few = Column("few", np.arange(300.0) % 3)
    column_types = dict.fromkeys(("many", "few"), ColumnType.CATEGORICAL)
    table = Table((many, few), 300)
    short, long = (TableEncoder(column_types, max_levels).fit_transform(table) for max_levels in (254, 255))
    assert (short.codes.dtype, short.codes.max(), short.n_levels) == (np.uint8, 255, (256, 5))
    assert (long.codes.dtype, long.codes.max(), long.n_levels) == (np.int64, 256, (257, 5))
    np.testing.assert_array_equal(short.codes[:254], long.codes[:254])
    np.testing.assert_array_equal(TableEncoder(column_types, 255).fit(table).transform(table).codes, long.codes)


@pytest.mark.parametrize("n_columns", [1, 255, 256, 257, 520])
def test_columns_of_a_wide_table_keep_their_order(n_columns):
    # Column j is 1 in row j and 0 elsewhere: codes 3 and 2, quantiles above and below 1/2
    values = np.eye(n_columns + 3)[:, :n_columns]
    table = Table(tuple(Column(f"c{j}", values[:, j]) for j in range(n_columns)), n_columns + 3)
    codes = TableEncoder(dict.fromkeys(table.names, ColumnType.CATEGORICAL)).fit_transform(table).codes
    quantiles = TableEncoder(dict.fromkeys(table.names, ColumnType.NUMERIC)).fit_transform(table).quantiles
    np.testing.assert_array_equal(codes, 2 + values)
    np.testing.assert_array_equal(quantiles > 0.5, values == 1)
    assert codes.flags.c_contiguous
    assert quantiles.flags.c_contiguous


def test_fitting_on_rows_equals_fitting_on_a_table_of_these_rows():
    rng = np.random.default_rng(0)
    age = Column("age", np.where(rng.random(300) < 0.1, np.nan, rng.integers(0, 90, 300)))
    height = Column("height", rng.normal(size=300))
    color = Column("color", rng.integers(-1, 4, 300), np.array(["d", "c", "b", "a"], dtype=object))
    grade = Column("grade", rng.integers(-2, 3, 300).astype(float))
    table, rows = Table((age, height, color, grade), 300), rng.permutation(300)[:40]
    column_types = infer_column_types(table)
    assert list(column_types.values()) == [ColumnType.NUMERIC] * 2 + [ColumnType.CATEGORICAL] * 2
    one = TableEncoder(column_types).fit(table, rows).transform(table)
    two = TableEncoder(column_types).fit(table.take(rows)).transform(table)
    np.testing.assert_array_equal(one.quantiles, two.quantiles)
    np.testing.assert_array_equal(one.codes, two.codes)
    assert one.n_levels == two.n_levels


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantiles_are_the_same_with_and_without_a_dictionary(dtype):
    rng = np.random.default_rng(0)
    train, new = rng.integers(-50, 50, 200).astype(dtype), rng.integers(-80, 80, 500).astype(dtype)
    train[::9], new[::9] = np.nan, np.nan
    encoder = TableEncoder({"age": ColumnType.NUMERIC}).fit(Table((Column("age", train),), 200))
    encoded = encoder.transform(Table((Column("age", new),), 500))
    by_value = QuantileEncoder().fit(*np.unique(train[~np.isnan(train)], return_counts=True))
    np.testing.assert_array_equal(encoded.quantiles[:, 0], by_value.transform(new))
