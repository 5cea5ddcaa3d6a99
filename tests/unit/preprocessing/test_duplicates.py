import numpy as np

from minerva_select.codes import ReasonCode
from minerva_select.preprocessing.duplicates import find_duplicates, find_unusable
from minerva_select.schema import Column, ColumnType, Table


def number(name, *values):
    return Column(name, np.array(values, dtype=float))


def text(name, codes, *levels):
    return Column(name, np.array(codes), np.array(levels, dtype=object))


def table(*columns):
    return Table(columns, len(columns[0].values))


def test_constant_and_missing_columns_are_unusable():
    columns = table(
        number("same", 2, 2, 2),
        number("gone", np.nan, np.nan, np.nan),
        number("half gone", 2, np.nan, 2),
        number("fine", 1, 2, 3),
        text("one word", [1, 1, 1], "a", "b"),
        text("no word", [-1, -1, -1], "a"),
        text("some words", [0, -1, 0], "a"),
    )
    assert find_unusable(columns) == {
        "same": ReasonCode.CONSTANT,
        "gone": ReasonCode.ALL_MISSING,
        "one word": ReasonCode.CONSTANT,
        "no word": ReasonCode.ALL_MISSING,
    }


def test_equal_numbers_are_duplicates():
    columns = table(number("a", 1.5, 0.0, np.nan), number("b", 1.5, 0.0, 3), number("c", 1.5, -0.0, np.nan))
    assert find_duplicates(columns) == {"c": "a"}


def test_every_duplicate_names_the_first_column():
    values = np.random.default_rng(0).normal(size=(2, 50))
    order = [0, 1, 1, 0, 0]
    assert find_duplicates(table(*[number(f"x{i}", *values[which]) for i, which in enumerate(order)])) == {
        "x2": "x1",
        "x3": "x0",
        "x4": "x0",
    }


def test_float32_and_float64_of_equal_values_are_duplicates():
    values = np.array([0.5, 0.25, np.nan])
    assert find_duplicates(table(Column("a", values), Column("b", values.astype(np.float32)))) == {"b": "a"}


def test_a_difference_in_one_row_is_found():
    values = np.tile([1.0, 2.0], 5000)
    other = values.copy()
    other[4321] = 3.0
    assert find_duplicates(table(Column("a", values), Column("b", other))) == {}


def test_renamed_levels_are_duplicates():
    english = text("english", [0, 1, 0, 1, -1], "no", "yes")
    german = text("german", [1, 0, 1, 0, -1], "ja", "nein")
    coarser = text("coarser", [0, 0, 0, 0, -1], "always")
    assert find_duplicates(table(english, german, coarser)) == {"german": "english"}


def test_missing_is_not_a_level():
    assert find_duplicates(table(text("a", [0, 1, 0, 1], "x", "y"), text("b", [0, -1, 0, -1], "x"))) == {}


def test_levels_that_hardly_repeat_must_be_equal():
    names, mails = ["ann", "bob", "cy"], ["a@x", "b@x", "c@x"]
    columns = table(
        text("name", [0, 1, 2], *names), text("mail", [0, 1, 2], *mails), text("again", [2, 1, 0], *names[::-1])
    )
    assert find_duplicates(columns) == {"again": "name"}


def test_renamed_levels_are_found_if_they_hardly_repeat_in_a_probe():
    # 1,500 levels repeat in 6,000 rows, but most do not in a probe of them
    codes = np.random.default_rng(0).integers(0, 1500, size=6000)
    one = Column("one", codes, np.array([f"a{i}" for i in range(1500)], dtype=object))
    two = Column("two", 1499 - codes, np.array([f"b{i}" for i in range(1500)], dtype=object))
    assert find_duplicates(table(one, two)) == {"two": "one"}


def test_categorical_numbers_may_duplicate_text():
    flag = number("flag", 1, 0, 1, 0)
    answer = text("answer", [1, 0, 1, 0], "no", "yes")
    assert find_duplicates(table(flag, answer)) == {}
    assert find_duplicates(table(flag, answer), {"flag": ColumnType.CATEGORICAL, "answer": ColumnType.CATEGORICAL}) == {
        "answer": "flag"
    }


def test_rescaled_numbers_are_not_duplicates():
    assert find_duplicates(table(number("a", 1.5, 2.5, 3.5), number("b", 3.0, 5.0, 7.0))) == {}


def test_unusable_columns_are_recognized_by_all_rows():
    late = [7.0] * 40 + [8.0]
    columns = table(
        number("late", *late),
        number("late missing", *[7.0] * 40, np.nan),
        number("constant", *[7.0] * 41),
        number("early missing", *[np.nan] * 40, 7.0),
        number("gone", *[np.nan] * 41),
    )
    assert find_unusable(columns) == {"constant": ReasonCode.CONSTANT, "gone": ReasonCode.ALL_MISSING}


def test_recoded_numbers_are_duplicates_with_and_without_a_dictionary():
    # Integers of small and large range, and fractions: three levels, missing in the same rows
    indices = np.random.default_rng(0).integers(0, 4, size=3000)
    columns = [
        Column(name, np.array([*levels, np.nan])[indices])
        for name, levels in (("near", [-1, 0, 1]), ("far", [0, 1e9, -1e9]), ("parts", [0.5, 0.1, 2.5]))
    ]
    column_types = dict.fromkeys(("near", "far", "parts"), ColumnType.CATEGORICAL)
    assert find_duplicates(table(*columns), column_types) == {"far": "near", "parts": "near"}
    assert find_duplicates(table(*columns)) == {}


def test_recodings_are_found_among_few_and_many_values():
    # The values of the second are in a list longer than 32, those of the third have no list
    codes = np.random.default_rng(0).integers(0, 5, 300).astype(float)
    codes[::50] = np.nan
    columns = table(number("few", *codes), number("wide", *(40 - 9 * codes)), number("fractions", *(codes / 4)))
    types = dict.fromkeys(columns.names, ColumnType.CATEGORICAL)
    assert find_duplicates(columns, types) == {"wide": "few", "fractions": "few"}
    assert find_duplicates(table(*columns.columns[:2], number("more", *codes[::-1])), types) == {"wide": "few"}
