import numpy as np
import pytest

from minerva_select.config import COLUMN_TYPES
from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_column_type, infer_column_types, infer_target_types
from minerva_select.schema import Column, ColumnType, Table

CATEGORICAL, NUMERIC = ColumnType.CATEGORICAL, ColumnType.NUMERIC


def text(name, *values):
    levels, codes = np.unique(np.array(values, dtype=object), return_inverse=True)
    return Column(name, codes, levels)


def table(*columns):
    return Table(columns, len(columns[0].values))


def test_columns_with_levels_are_categorical():
    assert infer_column_type(text("name", *[f"customer {i}" for i in range(100)])) == CATEGORICAL


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_distinct_integers_are_categorical_also_with_missing_values(dtype):
    values = np.array([*np.tile([1, 2, 3], 10), np.nan], dtype=dtype)
    assert infer_column_type(Column("grade", values)) == CATEGORICAL


def test_one_fraction_makes_a_column_numeric():
    values = np.zeros(10_000)
    values[::2] = 1
    assert infer_column_type(Column("a", values)) == CATEGORICAL
    values[-1] = 0.5
    assert infer_column_type(Column("a", values)) == NUMERIC


def test_two_values_are_categorical_in_any_number_of_rows():
    assert infer_column_type(Column("flag", np.array([0.0, 1.0]))) == CATEGORICAL
    assert infer_column_type(Column("flag", np.array([0.0, 1.0, 2.0]))) == NUMERIC


def test_each_value_needs_a_minimum_of_rows():
    values = np.tile(np.arange(4.0), COLUMN_TYPES.min_rows_per_value)
    assert infer_column_type(Column("a", values)) == CATEGORICAL
    assert infer_column_type(Column("a", values[:-1])) == NUMERIC  # 39 rows allow 3 values


def test_more_than_the_maximum_of_values_is_numeric():
    assert (
        infer_column_type(Column("a", np.tile(np.arange(float(COLUMN_TYPES.max_categorical_values)), 100)))
        == CATEGORICAL
    )
    assert infer_column_type(Column("a", np.tile(np.arange(COLUMN_TYPES.max_categorical_values + 1.0), 100))) == NUMERIC


def test_values_in_late_rows_count():
    values = np.zeros(20_000)
    values[-40:] = np.arange(40)
    assert infer_column_type(Column("a", values)) == NUMERIC


@pytest.mark.parametrize("values", [np.full(5, np.nan), np.array([1e300, 2e300, 3e300]), np.array([])])
def test_columns_without_evidence_of_levels_are_numeric(values):
    assert infer_column_type(Column("a", values)) == NUMERIC


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.tile([0.0, 1e6], 20), CATEGORICAL),  # few, however far apart
        (np.tile([-1e300, 1e300], 20), CATEGORICAL),
        (np.tile([-7.0, -6.0, -2.0], 10), CATEGORICAL),
        (np.tile([-7.0, -6.0, -2.0], 10)[:-1], NUMERIC),  # 29 rows allow two values
        (np.full(30, 5.0), CATEGORICAL),
        (np.arange(60_000.0), NUMERIC),
        (np.arange(30.0) * 1e6, NUMERIC),
        (np.tile([-3.0, 1e-20], 20), NUMERIC),
        (np.tile([0.0, np.inf], 20), CATEGORICAL),
        (np.array([np.nan, 1.0, np.nan, 0.0]), CATEGORICAL),
        (np.tile([*np.arange(33.0), np.nan], 20), NUMERIC),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_integers_are_categorical_whatever_their_range(values, expected, dtype):
    if dtype == np.float32:
        values = np.clip(values, -1e30, None) if np.isinf(values).any() else np.clip(values, -1e30, 1e30)
    assert infer_column_type(Column("a", values.astype(dtype))) == expected


def test_only_named_columns_and_text_are_categorical():
    flag, share, name = (
        Column("flag", np.array([0.0, 1.0])),
        Column("share", np.array([0.1, 0.2])),
        text("name", "a", "b"),
    )
    column_types = infer_column_types(table(flag, share, name), categorical=["share"])
    assert column_types == {"flag": NUMERIC, "share": CATEGORICAL, "name": CATEGORICAL}


def test_an_unknown_categorical_column_is_refused():
    with pytest.raises(InputError, match=r"'shar'.*'share'"):
        infer_column_types(table(Column("share", np.array([0.1, 0.2]))), categorical=["shar"])


def test_categorical_must_be_auto_or_names():
    with pytest.raises(InputError, match="categorical_features"):
        infer_column_types(table(Column("share", np.array([0.1, 0.2]))), categorical="share")


def test_target_types_are_inferred_or_set():
    y = table(Column("a", np.array([0.0, 1.0])), Column("b", np.array([0.1, 0.2])))
    inferred, discrete, continuous = (infer_target_types(y, kind) for kind in ("auto", "discrete", "continuous"))
    assert inferred.column_types == {"a": CATEGORICAL, "b": NUMERIC}
    assert discrete.column_types == {"a": CATEGORICAL, "b": CATEGORICAL}
    assert continuous.column_types == {"a": NUMERIC, "b": NUMERIC}
    assert [types.is_discrete for types in (inferred, discrete, continuous)] == [False, True, False]
    assert infer_target_types(y.select(["a"])).is_discrete


def test_a_text_target_cannot_be_continuous():
    with pytest.raises(InputError, match="'label'"):
        infer_target_types(table(text("label", "a", "b")), "continuous")


def test_an_unknown_target_type_is_refused():
    with pytest.raises(InputError, match="target_type 'binary'"):
        infer_target_types(table(text("label", "a", "b")), "binary")


def test_a_mapping_gives_some_types_and_leaves_the_others_to_be_inferred():
    code, rating = Column("code", np.arange(100.0)), Column("rating", np.arange(100.0) % 5)
    levels = Column("levels", np.arange(100.0) % 3)
    text = Column("text", np.zeros(100, dtype=np.int64), np.array(["a"], dtype=object))
    found = infer_column_types(table(code, rating, levels, text), {"code": True, "rating": False})
    assert list(found.values()) == ["categorical", "numeric", "categorical", "categorical"]
    with pytest.raises(InputError, match=r"'text'.*cannot be numeric"):
        infer_column_types(table(text), {"text": False})
    with pytest.raises(InputError, match="'levels'"):
        infer_column_types(table(levels), {"level": True})
