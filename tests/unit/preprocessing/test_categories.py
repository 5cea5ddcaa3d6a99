import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.schema import Column


def text(codes, *levels):
    return Column("fruit", np.array(codes), np.array(levels, dtype=object))


def test_codes_are_missing_other_then_levels_by_frequency():
    encoder = LevelEncoder().fit(text([0, 1, 1, 2, 2, 2, -1], "apple", "pear", "fig"))
    assert encoder.levels_.tolist() == ["fig", "pear", "apple"]
    assert encoder.n_levels == 5
    assert encoder.transform(text([0, 1, 2, -1, 3], "fig", "plum", "apple", "pear")).tolist() == [2, 1, 4, 0, 3]


def test_numbers_are_their_own_levels():
    encoder = LevelEncoder().fit(Column("grade", np.array([3.0, 1.0, 3.0, np.nan, 7.0, 7.0, 7.0])))
    assert encoder.levels_.tolist() == [7.0, 3.0, 1.0]
    assert encoder.transform(Column("grade", np.array([1.0, 7.0, 3.0, 2.0, 100.0, np.nan]))).tolist() == [
        4,
        2,
        3,
        1,
        1,
        0,
    ]


def test_equally_frequent_levels_are_sorted():
    one = LevelEncoder().fit(text([0, 1, 2], "b", "c", "a"))
    two = LevelEncoder().fit(text([2, 1, 0], "c", "a", "b"))
    assert one.levels_.tolist() == two.levels_.tolist() == ["a", "b", "c"]


def test_a_level_listed_twice_is_one_level():
    encoder = LevelEncoder().fit(text([0, 1, 2, 2, 2], "a", "a", "b"))
    assert encoder.levels_.tolist() == ["b", "a"]
    assert encoder.transform(text([0, 1], "a", "a")).tolist() == [3, 3]


def test_levels_that_no_row_has_get_no_code():
    encoder = LevelEncoder().fit(text([1, 1], "apple", "pear"))
    assert encoder.n_levels == 3
    assert encoder.transform(text([0], "apple")).tolist() == [1]


def test_the_rarest_levels_share_the_code_of_unseen_ones():
    encoder = LevelEncoder(max_levels=2).fit(text([0, 0, 0, 1, 1, 2, -1], "a", "b", "c"))
    assert encoder.n_levels == 4
    assert encoder.transform(text([0, 1, 2, -1], "a", "b", "c")).tolist() == [2, 3, 1, 0]


def test_by_default_all_codes_fit_a_byte():
    numbers = Column("id", np.arange(1000.0))
    encoder = LevelEncoder().fit(numbers)
    assert encoder.n_levels == 256
    assert encoder.transform(numbers).max() == 255
    assert encoder.transform(Column("id", np.array([253.0, 254.0]))).tolist() == [255, 1]


def test_a_column_without_training_values_has_only_the_shared_codes():
    encoder = LevelEncoder().fit(Column("a", np.full(3, np.nan)))
    assert encoder.n_levels == 2
    assert encoder.transform(Column("a", np.array([1.0, np.nan]))).tolist() == [1, 0]
    assert encoder.transform(Column("a", np.array([0, -1]), np.array(["x"], dtype=object))).tolist() == [1, 0]


def test_an_all_missing_column_may_arrive_as_numbers():
    encoder = LevelEncoder().fit(text([0, 1], "a", "b"))
    assert encoder.transform(Column("fruit", np.full(2, np.nan))).tolist() == [0, 0]


def test_text_in_place_of_numbers_is_refused():
    encoder = LevelEncoder().fit(Column("grade", np.array([1.0, 2.0])))
    with pytest.raises(InputError, match="'grade' had numbers"):
        encoder.transform(Column("grade", np.array([0]), np.array(["1"], dtype=object)))
    with pytest.raises(InputError, match="'fruit' had text"):
        LevelEncoder().fit(text([0], "a")).transform(Column("fruit", np.array([1.0])))


def slow_codes(encoder, values):
    """Codes of numbers by the definition, one at a time."""
    code_of = {float(level): 2 + i for i, level in enumerate(encoder.levels_)}
    return [0 if np.isnan(value) else code_of.get(float(value), 1) for value in values]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("train", "new"),
    [
        ([1, 2, 2, 3], [0, 1, 2, 3, 4, -1]),
        ([-5, -5, -4, 3], [-6, -5, -4, 0, 3, 1000]),
        ([7, 7, 7], [7, 6, 8]),
        ([0, 1e6, 1e6], [0, 1e6, 1, 999_999]),
        ([1, 2, 2], [1e30, -1e30, 1, 2]),
        ([1, 2, 2], [1.5, 2, 1]),
        ([0.25, 0.5, 0.5], [0, 1, 0.5, 0.25]),
        ([0.25, 1, 1], [0, 1, 2]),
        ([1, 2, np.nan], [np.nan, 2, 1]),
        ([1, np.nan], [np.nan, np.nan]),
        ([0.0, 1], [-0.0, 1]),
        ([1, 2], [-np.inf, 1, np.inf]),
    ],
    ids=[
        "integers",
        "negative",
        "one level",
        "large range",
        "unseen far from the levels",
        "unseen fraction among integers",
        "fractions",
        "fractions only in training",
        "missing",
        "all missing",
        "minus zero",
        "infinite range",
    ],
)
def test_numbers_get_the_codes_of_their_levels(train, new, dtype):
    encoder = LevelEncoder().fit(Column("a", np.array(train, dtype=dtype)))
    new = np.array(new, dtype=dtype)
    assert encoder.transform(Column("a", new)).tolist() == slow_codes(encoder, new)


def test_a_float32_level_differs_from_its_neighbor_in_float64():
    encoder = LevelEncoder().fit(Column("a", np.array([2**24, 2**24 + 2], dtype=np.float32)))
    assert encoder.transform(Column("a", np.array([2.0**24, 2.0**24 + 1, 2.0**24 + 2]))).tolist() == [2, 1, 3]


def test_booleans_get_the_codes_of_their_levels():
    flag = Column("flag", np.array([0, 1, 1, -1], dtype=np.int32), np.array(["False", "True"], dtype=object))
    encoder = LevelEncoder().fit(flag)
    assert encoder.transform(flag).tolist() == [3, 2, 2, 0]
    only_false = Column("flag", np.array([0, 0], dtype=np.int32), np.array(["False"], dtype=object))
    assert encoder.transform(only_false).tolist() == [3, 3]


def test_codes_are_bytes_if_they_fit():
    numbers = Column("id", np.arange(300.0))
    assert LevelEncoder().fit(numbers).transform(numbers).dtype == np.uint8
    long = LevelEncoder(max_levels=255).fit(numbers).transform(numbers)
    assert (long.dtype, long.max()) == (np.int64, 256)


def test_fitting_on_rows_equals_fitting_on_a_column_of_these_rows():
    fruit, rows = text([0, 1, 1, 2, -1], "apple", "pear", "fig"), np.array([1, 3, 4])
    assert LevelEncoder().fit(fruit, rows).levels_.tolist() == ["fig", "pear"]
    grade = Column("grade", np.array([3.0, 1.0, 2.0, 1.0]))
    assert LevelEncoder().fit(grade, rows[:2]).levels_.tolist() == [1.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_levels", [2, 254, 400])
def test_codes_of_a_dictionary_are_those_of_its_values(dtype, max_levels):
    values = np.random.default_rng(0).integers(-3, 300, 900).astype(dtype) % 290
    values[::9] = np.nan
    column, rows = Column("grade", values), np.arange(0, 900, 2)
    one, two = LevelEncoder(max_levels), LevelEncoder(max_levels).fit(column, rows)
    codes = one.fit_codes(column, rows)
    np.testing.assert_array_equal(one.levels_, two.levels_, strict=True)
    np.testing.assert_array_equal(codes.take(column.dictionary.indices), two.transform(column), strict=True)
    np.testing.assert_array_equal(one.transform(column), two.transform(column), strict=True)


def test_lists_of_levels_and_other_numbers_have_no_codes_of_indices():
    for column in (text([0, 1, 1], "apple", "apple"), Column("size", np.array([0.5, 1.5, 0.5]))):
        encoder = LevelEncoder()
        assert encoder.fit_codes(column, np.arange(3)) is None
        np.testing.assert_array_equal(encoder.levels_, LevelEncoder().fit(column).levels_)
