import numpy as np
import pytest

from minerva_select.codes import Conversion
from minerva_select.preprocessing import find_kinds, identifiers
from minerva_select.schema import Column, ColumnKind, Table


def find(column, **kinds):
    """The identifier that a table of this column alone has, or None."""
    table = Table((column,), len(column.values))
    return identifiers(table, kinds or find_kinds(table)).get(column.name)


def text(n_levels, n_rows=None, n_missing=0, seed=0):
    """Levels in random order, the first ones repeated up to the number of rows."""
    codes = np.random.default_rng(seed).permutation(np.arange(n_rows or n_levels) % n_levels)
    codes = np.append(codes, np.full(n_missing, -1))
    return Column("a", codes.astype(np.int32), np.array([f"{i:06d}" for i in range(n_levels)], dtype=object))


def number(values, note=None):
    return Column("a", np.asarray(values, dtype=np.float64), note=note)


def test_text_that_never_repeats_is_an_identifier_from_which_nothing_is_learned():
    found = find(text(50))
    assert found.reason == "identifier: every value occurs once"
    assert not found.learnable


def test_missing_values_among_identifiers_may_tell_something():
    found = find(text(50, n_missing=10))
    assert found.reason == "identifier: every value occurs once, but some are missing"
    assert found.learnable


@pytest.mark.parametrize(
    ("n_levels", "n_rows"),
    [(19, 19), (49, 50), (994, 999), (1989, 2000), (2, 1000), (32, 64)],
    ids=["few rows", "one repeat", "few repeats in a short table", "too many repeats", "two levels", "pairs"],
)
def test_text_that_repeats_is_no_identifier(n_levels, n_rows):
    assert find(text(n_levels, n_rows)) is None


def test_a_few_repeats_in_a_long_table_still_make_an_identifier():
    found = find(text(1992, 2000))
    assert found.reason == "identifier: nearly every value occurs once (1,992 values in 2,000 rows)"


def test_levels_that_no_row_has_count_for_nothing():
    column = text(1000)
    repeated = Column("a", np.repeat(column.values[:500], 2), column.levels)
    assert find(repeated) is None


def test_numbers_that_the_user_calls_categorical_are_names():
    found = find(number(np.arange(50) * 7.5), a=ColumnKind.CATEGORICAL)
    assert found.reason == "identifier: every value occurs once"
    assert not found.learnable


@pytest.mark.parametrize(("start", "step"), [(0, 1), (1, 1), (-40, 1), (1000, 10), (10**12, 1)])
@pytest.mark.parametrize("n_rows", [20, 5000])
def test_regular_steps_in_any_order_are_a_row_number(start, step, n_rows):
    values = np.random.default_rng(0).permutation(start + step * np.arange(n_rows))
    found = find(number(values))
    assert found.reason == f"row number: whole numbers in steps of {step}, each once"
    assert found.learnable


def test_a_row_number_with_missing_values_is_one_still():
    assert find(number([*range(40), np.nan])).learnable


def test_whole_numbers_that_all_differ_are_an_identifier_if_they_are_many():
    values = np.cumsum(np.random.default_rng(0).integers(1, 1000, size=200))
    assert find(number(values)).reason == "identifier: whole numbers, each once"
    assert find(number(values[:99])) is None


def test_whole_numbers_of_which_one_repeats_are_an_amount():
    values = np.cumsum(np.random.default_rng(0).integers(1, 1000, size=5000)).astype(float)
    values[1] = values[0]
    assert find(number(values)) is None


def test_measurements_that_all_differ_are_amounts():
    values = np.random.default_rng(0).normal(size=5000)
    assert find(number(values)) is None
    assert find(number(np.append(np.arange(4999.0), 0.5))) is None  # one fraction, beyond any probe of the first rows
    assert find(number(values * 1e30)) is None  # floats of this size are all whole


@pytest.mark.parametrize("note", [Conversion.DATE, Conversion.TIME, Conversion.DURATION])
def test_times_that_all_differ_are_amounts(note):
    assert find(number(86_400 * np.arange(500), note=note)) is None


def test_decimals_may_be_identifiers():
    assert find(number(np.arange(500), conversion=Conversion.DECIMAL)).learnable


@pytest.mark.parametrize("values", [np.full(50, np.nan), np.zeros(50), np.array([1.0])], ids=["nothing", "same", "one"])
def test_columns_without_much_in_them_are_no_identifiers(values):
    assert find(number(values)) is None


def test_identifiers_are_found_in_the_order_of_the_columns():
    columns = [Column(name, np.arange(30.0)) for name in "cab"]
    table = Table(tuple(columns), 30)
    assert list(identifiers(table, find_kinds(table))) == ["c", "a", "b"]
