import numpy as np
import pytest

from minerva_select.codes import Conversion, IdentifierPattern
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.identifiers import find_identifiers
from minerva_select.schema import Column, ColumnType, Table


def find(column, **column_types):
    """Identifier in a table with only this column, or None."""
    table = Table((column,), len(column.values))
    return find_identifiers(table, column_types or infer_column_types(table)).get(column.name)


def text(n_levels, n_rows=None, n_missing=0, seed=0):
    """Levels in random order, the first ones repeated up to the number of rows."""
    codes = np.random.default_rng(seed).permutation(np.arange(n_rows or n_levels) % n_levels)
    codes = np.append(codes, np.full(n_missing, -1))
    return Column("a", codes.astype(np.int32), np.array([f"{i:06d}" for i in range(n_levels)], dtype=object))


def number(values, conversion=None):
    return Column("a", np.asarray(values, dtype=np.float64), conversion=conversion)


def test_unique_text_is_an_identifier_to_leave_out():
    found = find(text(50))
    assert found.pattern == IdentifierPattern.UNIQUE
    assert not found.learnable


def test_missing_values_make_an_identifier_learnable():
    found = find(text(50, n_missing=10))
    assert (found.pattern, found.values) == (IdentifierPattern.UNIQUE, {"some_missing": True})
    assert found.learnable


@pytest.mark.parametrize(
    ("n_levels", "n_rows"),
    [(19, 19), (49, 50), (994, 999), (1989, 2000), (2, 1000), (32, 64)],
    ids=["few rows", "one repeat", "few repeats in a short table", "too many repeats", "two levels", "pairs"],
)
def test_repeated_text_is_not_an_identifier(n_levels, n_rows):
    assert find(text(n_levels, n_rows)) is None


def test_a_few_repeats_in_a_long_table_are_allowed():
    found = find(text(1992, 2000))
    assert found.pattern == IdentifierPattern.NEARLY_UNIQUE
    assert found.values == {"n_distinct": 1992, "n_rows": 2000}


def test_levels_that_no_row_has_do_not_count():
    column = text(1000)
    repeated = Column("a", np.repeat(column.values[:500], 2), column.levels)
    assert find(repeated) is None


def test_categorical_numbers_are_treated_like_text():
    found = find(number(np.arange(50) * 7.5), a=ColumnType.CATEGORICAL)
    assert found.pattern == IdentifierPattern.UNIQUE
    assert not found.learnable


@pytest.mark.parametrize(("start", "step"), [(0, 1), (1, 1), (-40, 1), (1000, 10), (10**12, 1)])
@pytest.mark.parametrize("n_rows", [20, 5000])
def test_equal_steps_in_any_order_are_a_row_number(start, step, n_rows):
    values = np.random.default_rng(0).permutation(start + step * np.arange(n_rows))
    found = find(number(values))
    assert (found.pattern, found.values) == (IdentifierPattern.ROW_NUMBER, {"step": step})
    assert found.learnable


def test_a_row_number_may_have_missing_values():
    assert find(number([*range(40), np.nan])).learnable


def test_many_unique_integers_are_an_identifier():
    values = np.cumsum(np.random.default_rng(0).integers(1, 1000, size=200))
    assert find(number(values)).pattern == IdentifierPattern.UNIQUE_INTEGERS
    assert find(number(values[:99])) is None


def test_integers_with_one_repeat_are_not_an_identifier():
    values = np.cumsum(np.random.default_rng(0).integers(1, 1000, size=5000)).astype(float)
    values[1] = values[0]
    assert find(number(values)) is None


def test_unique_measurements_are_not_an_identifier():
    values = np.random.default_rng(0).normal(size=5000)
    assert find(number(values)) is None
    assert find(number(np.append(np.arange(4999.0), 0.5))) is None  # one fraction, outside of a probe
    assert find(number(values * 1e30)) is None  # floats of this size are integers


@pytest.mark.parametrize("conversion", [Conversion.DATE, Conversion.TIME, Conversion.DURATION])
def test_unique_times_are_not_an_identifier(conversion):
    assert find(number(86_400 * np.arange(500), conversion=conversion)) is None


def test_decimals_may_be_identifiers():
    assert find(number(np.arange(500), conversion=Conversion.DECIMAL)).learnable


@pytest.mark.parametrize(
    "values", [np.full(50, np.nan), np.zeros(50), np.array([1.0])], ids=["missing", "constant", "one row"]
)
def test_nearly_empty_columns_are_not_identifiers(values):
    assert find(number(values)) is None


def test_identifiers_are_in_the_order_of_the_columns():
    columns = [Column(name, np.arange(30.0)) for name in "cab"]
    table = Table(tuple(columns), 30)
    assert list(find_identifiers(table, infer_column_types(table))) == ["c", "a", "b"]
