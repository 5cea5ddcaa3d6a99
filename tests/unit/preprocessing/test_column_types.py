import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing import find_kind, find_kinds, find_target_kind
from minerva_select.preprocessing.column_types import MAX_CATEGORICAL_VALUES, MIN_ROWS_PER_VALUE
from minerva_select.schema import Column, ColumnKind, Table

CATEGORICAL, CONTINUOUS = ColumnKind.CATEGORICAL, ColumnKind.CONTINUOUS


def text(name, *values):
    levels, codes = np.unique(np.array(values, dtype=object), return_inverse=True)
    return Column(name, codes, levels)


def table(*columns):
    return Table(columns, len(columns[0].values))


def test_columns_with_levels_are_categorical_whatever_their_number():
    assert find_kind(text("name", *[f"customer {i}" for i in range(100)])) == CATEGORICAL


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_whole_numbers_with_few_values_are_categorical_also_beside_missing_ones(dtype):
    values = np.array([*np.tile([1, 2, 3], 10), np.nan], dtype=dtype)
    assert find_kind(Column("grade", values)) == CATEGORICAL


def test_one_fraction_makes_a_column_continuous_wherever_it_stands():
    values = np.zeros(10_000)
    values[::2] = 1
    assert find_kind(Column("a", values)) == CATEGORICAL
    values[-1] = 0.5
    assert find_kind(Column("a", values)) == CONTINUOUS


def test_two_values_are_categorical_in_any_number_of_rows():
    assert find_kind(Column("flag", np.array([0.0, 1.0]))) == CATEGORICAL
    assert find_kind(Column("flag", np.array([0.0, 1.0, 2.0]))) == CONTINUOUS


def test_each_value_needs_ten_rows():
    values = np.tile(np.arange(4.0), MIN_ROWS_PER_VALUE)
    assert find_kind(Column("a", values)) == CATEGORICAL
    assert find_kind(Column("a", values[:-1])) == CONTINUOUS  # 39 rows allow 3 values


def test_thirty_two_values_are_the_most():
    assert find_kind(Column("a", np.tile(np.arange(float(MAX_CATEGORICAL_VALUES)), 100))) == CATEGORICAL
    assert find_kind(Column("a", np.tile(np.arange(MAX_CATEGORICAL_VALUES + 1.0), 100))) == CONTINUOUS


def test_late_values_count_too():
    values = np.zeros(20_000)
    values[-40:] = np.arange(40)
    assert find_kind(Column("a", values)) == CONTINUOUS


@pytest.mark.parametrize("values", [np.full(5, np.nan), np.array([1e300, 2e300, 3e300]), np.array([])])
def test_numbers_that_say_nothing_about_levels_are_continuous(values):
    assert find_kind(Column("a", values)) == CONTINUOUS


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.tile([0.0, 1e6], 20), CATEGORICAL),  # few, however far apart
        (np.tile([-1e300, 1e300], 20), CATEGORICAL),
        (np.tile([-7.0, -6.0, -2.0], 10), CATEGORICAL),
        (np.tile([-7.0, -6.0, -2.0], 10)[:-1], CONTINUOUS),  # 29 rows allow two values
        (np.full(30, 5.0), CATEGORICAL),
        (np.arange(60_000.0), CONTINUOUS),
        (np.arange(30.0) * 1e6, CONTINUOUS),
        (np.tile([-3.0, 1e-20], 20), CONTINUOUS),
        (np.tile([0.0, np.inf], 20), CATEGORICAL),
        (np.array([np.nan, 1.0, np.nan, 0.0]), CATEGORICAL),
        (np.tile([*np.arange(33.0), np.nan], 20), CONTINUOUS),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_whole_numbers_are_levels_when_few_whatever_their_range(values, kind, dtype):
    if dtype == np.float32:
        values = np.clip(values, -1e30, None) if np.isinf(values).any() else np.clip(values, -1e30, 1e30)
    assert find_kind(Column("a", values.astype(dtype))) == kind


def test_named_columns_and_text_are_categorical_and_no_others():
    flag, share, name = (
        Column("flag", np.array([0.0, 1.0])),
        Column("share", np.array([0.1, 0.2])),
        text("name", "a", "b"),
    )
    kinds = find_kinds(table(flag, share, name), categorical=["share"])
    assert kinds == {"flag": CONTINUOUS, "share": CATEGORICAL, "name": CATEGORICAL}


def test_an_unknown_categorical_column_is_named_with_the_nearest():
    with pytest.raises(InputError, match=r"There is no column 'shar'; did you mean 'share'\?"):
        find_kinds(table(Column("share", np.array([0.1, 0.2]))), categorical=["shar"])


def test_categorical_must_be_auto_or_names():
    with pytest.raises(InputError, match="categorical must be 'auto' or a list of column names, got 'share'"):
        find_kinds(table(Column("share", np.array([0.1, 0.2]))), categorical="share")


def test_target_kinds_are_found_or_set():
    y = table(Column("a", np.array([0.0, 1.0])), Column("b", np.array([0.1, 0.2])))
    assert find_target_kind(y) == {"a": CATEGORICAL, "b": CONTINUOUS}
    assert find_target_kind(y, "discrete") == {"a": CATEGORICAL, "b": CATEGORICAL}
    assert find_target_kind(y, "continuous") == {"a": CONTINUOUS, "b": CONTINUOUS}


def test_a_text_target_cannot_be_continuous():
    with pytest.raises(InputError, match="The target 'label' holds text or categories and cannot be continuous"):
        find_target_kind(table(text("label", "a", "b")), "continuous")


def test_an_unknown_target_kind_is_refused():
    with pytest.raises(
        InputError, match="There is no kind of target 'binary'; choose from 'auto', 'discrete', 'continuous'"
    ):
        find_target_kind(table(text("label", "a", "b")), "binary")
