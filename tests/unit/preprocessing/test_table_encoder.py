import pickle

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing import RankEncoder, TableEncoder, find_kinds
from minerva_select.schema import Column, ColumnKind, Table

HEIGHT = Column("height", np.array([1.5, 1.9, np.nan, 1.7]))
COLOUR = Column("colour", np.array([0, 1, 1, -1]), np.array(["blue", "red"], dtype=object))
FLAG = Column("flag", np.array([0.0, 1.0, 1.0, 1.0]))
TRAIN = Table((COLOUR, HEIGHT, FLAG), 4)


def encoder(table=TRAIN):
    return TableEncoder(find_kinds(table)).fit(table)


def test_ranks_and_codes_know_their_place_in_the_table():
    encoded = encoder().transform(TRAIN)
    assert encoded.continuous == (1,)
    assert encoded.categorical == (0, 2)
    assert encoded.n_levels == (4, 4)
    assert (encoded.n_columns, encoded.n_rows) == (3, 4)
    assert encoded.codes.tolist() == [[3, 3], [2, 2], [2, 2], [0, 2]]  # red and 1 are the most frequent: code 2
    np.testing.assert_array_equal(encoded.ranks, np.array([[1 / 6], [5 / 6], [np.nan], [1 / 2]], dtype=np.float32))
    assert encoded.ranks.dtype == np.float32
    assert encoded.codes.dtype == np.uint8


def test_fit_transform_equals_fit_then_transform():
    one, two = encoder().transform(TRAIN), TableEncoder(find_kinds(TRAIN)).fit_transform(TRAIN)
    np.testing.assert_array_equal(one.ranks, two.ranks)
    np.testing.assert_array_equal(one.codes, two.codes)
    assert one.n_levels == two.n_levels


def test_taking_rows_before_or_after_encoding_is_the_same():
    rows = np.array([3, 0, 0])
    after, before = encoder().transform(TRAIN).take(rows), encoder().transform(TRAIN.take(rows))
    np.testing.assert_array_equal(after.ranks, before.ranks)
    np.testing.assert_array_equal(after.codes, before.codes)
    assert after.n_rows == 3


def test_columns_are_found_by_name():
    shuffled = Table((FLAG, Column("more", np.zeros(4)), HEIGHT, COLOUR), 4)
    np.testing.assert_array_equal(encoder().transform(shuffled).codes, encoder().transform(TRAIN).codes)


def test_a_table_of_one_kind_has_no_columns_of_the_other():
    numbers = encoder(Table((HEIGHT,), 4)).transform(Table((HEIGHT,), 4))
    assert (numbers.ranks.shape, numbers.codes.shape, numbers.n_levels) == ((4, 1), (4, 0), ())
    text = encoder(Table((COLOUR,), 4)).transform(Table((COLOUR,), 4))
    assert (text.ranks.shape, text.codes.shape, text.n_rows) == ((4, 0), (4, 1), 4)


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="There is no column 'flag'"):
        encoder().transform(Table((COLOUR, HEIGHT), 4))


def test_text_in_a_continuous_column_is_refused_in_training_and_later():
    with pytest.raises(InputError, match="Column 'colour' holds text or categories and cannot be continuous"):
        TableEncoder({"colour": ColumnKind.CONTINUOUS}).fit(Table((COLOUR,), 4))
    height = Column("height", np.array([0]), np.array(["tall"], dtype=object))
    with pytest.raises(InputError, match="Column 'height' held numbers when fitted and holds text or categories now"):
        encoder(Table((HEIGHT,), 4)).transform(Table((height,), 1))


def test_an_all_missing_continuous_column_may_arrive_as_text():
    height = Column("height", np.array([-1, -1]), np.array([], dtype=object))
    assert np.isnan(encoder(Table((HEIGHT,), 4)).transform(Table((height,), 2)).ranks).all()


def test_an_encoder_survives_pickling():
    copy = pickle.loads(pickle.dumps(encoder()))
    np.testing.assert_array_equal(copy.transform(TRAIN).ranks, encoder().transform(TRAIN).ranks)


def test_codes_are_bytes_up_to_256_of_them_and_long_beyond():
    many = Column("many", np.arange(300.0))
    few = Column("few", np.arange(300.0) % 3)
    kinds = dict.fromkeys(("many", "few"), ColumnKind.CATEGORICAL)
    table = Table((many, few), 300)
    short, long = (TableEncoder(kinds, max_levels).fit_transform(table) for max_levels in (254, 255))
    assert (short.codes.dtype, short.codes.max(), short.n_levels) == (np.uint8, 255, (256, 5))
    assert (long.codes.dtype, long.codes.max(), long.n_levels) == (np.int64, 256, (257, 5))
    np.testing.assert_array_equal(short.codes[:254], long.codes[:254])
    np.testing.assert_array_equal(TableEncoder(kinds, 255).fit(table).transform(table).codes, long.codes)


@pytest.mark.parametrize("n_columns", [1, 255, 256, 257, 520])
def test_every_column_of_a_wide_table_lies_in_its_place(n_columns):
    # Column j holds 1 in row j and 0 elsewhere: codes 3 and 2, ranks above and below 1/2
    values = np.eye(n_columns + 3)[:, :n_columns]
    table = Table(tuple(Column(f"c{j}", values[:, j]) for j in range(n_columns)), n_columns + 3)
    codes = TableEncoder(dict.fromkeys(table.names, ColumnKind.CATEGORICAL)).fit_transform(table).codes
    ranks = TableEncoder(dict.fromkeys(table.names, ColumnKind.CONTINUOUS)).fit_transform(table).ranks
    np.testing.assert_array_equal(codes, 2 + values)
    np.testing.assert_array_equal(ranks > 0.5, values == 1)
    assert codes.flags.c_contiguous
    assert ranks.flags.c_contiguous


def test_fitting_on_rows_is_fitting_on_a_table_of_these_rows():
    rng = np.random.default_rng(0)
    age = Column("age", np.where(rng.random(300) < 0.1, np.nan, rng.integers(0, 90, 300)))
    height = Column("height", rng.normal(size=300))
    colour = Column("colour", rng.integers(-1, 4, 300), np.array(["d", "c", "b", "a"], dtype=object))
    grade = Column("grade", rng.integers(-2, 3, 300).astype(float))
    table, rows = Table((age, height, colour, grade), 300), rng.permutation(300)[:40]
    kinds = find_kinds(table)
    assert list(kinds.values()) == [ColumnKind.CONTINUOUS] * 2 + [ColumnKind.CATEGORICAL] * 2
    one = TableEncoder(kinds).fit(table, rows).transform(table)
    two = TableEncoder(kinds).fit(table.take(rows)).transform(table)
    np.testing.assert_array_equal(one.ranks, two.ranks)
    np.testing.assert_array_equal(one.codes, two.codes)
    assert one.n_levels == two.n_levels


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ranks_of_whole_numbers_are_those_of_their_values(dtype):
    rng = np.random.default_rng(0)
    train, new = rng.integers(-50, 50, 200).astype(dtype), rng.integers(-80, 80, 500).astype(dtype)
    train[::9], new[::9] = np.nan, np.nan
    kinds = {"age": ColumnKind.CONTINUOUS}
    encoded = TableEncoder(kinds).fit(Table((Column("age", train),), 200)).transform(Table((Column("age", new),), 500))
    np.testing.assert_array_equal(encoded.ranks[:, 0], RankEncoder().fit(train).transform(new))
