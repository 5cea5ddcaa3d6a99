import numpy as np

from minerva_select.preprocessing import copies, unusable
from minerva_select.schema import Column, ColumnKind, Table


def number(name, *values):
    return Column(name, np.array(values, dtype=float))


def text(name, codes, *levels):
    return Column(name, np.array(codes), np.array(levels, dtype=object))


def table(*columns):
    return Table(columns, len(columns[0].values))


def test_constant_and_missing_columns_are_told_apart():
    columns = table(
        number("same", 2, 2, 2),
        number("gone", np.nan, np.nan, np.nan),
        number("half gone", 2, np.nan, 2),
        number("fine", 1, 2, 3),
        text("one word", [1, 1, 1], "a", "b"),
        text("no word", [-1, -1, -1], "a"),
        text("some words", [0, -1, 0], "a"),
    )
    assert unusable(columns) == {
        "same": "constant",
        "gone": "all values missing",
        "one word": "constant",
        "no word": "all values missing",
    }


def test_equal_numbers_are_copies_of_the_first():
    columns = table(number("a", 1.5, 0.0, np.nan), number("b", 1.5, 0.0, 3), number("c", 1.5, -0.0, np.nan))
    assert copies(columns) == {"c": "a"}


def test_every_copy_names_the_first_in_column_order():
    values = np.random.default_rng(0).normal(size=(2, 50))
    order = [0, 1, 1, 0, 0]
    assert copies(table(*[number(f"x{i}", *values[which]) for i, which in enumerate(order)])) == {
        "x2": "x1",
        "x3": "x0",
        "x4": "x0",
    }


def test_float32_and_float64_of_the_same_values_are_copies():
    values = np.array([0.5, 0.25, np.nan])
    assert copies(table(Column("a", values), Column("b", values.astype(np.float32)))) == {"b": "a"}


def test_a_difference_in_one_row_of_many_is_seen():
    values = np.tile([1.0, 2.0], 5000)
    other = values.copy()
    other[4321] = 3.0
    assert copies(table(Column("a", values), Column("b", other))) == {}


def test_levels_under_other_names_are_copies():
    english = text("english", [0, 1, 0, 1, -1], "no", "yes")
    german = text("german", [1, 0, 1, 0, -1], "ja", "nein")
    coarser = text("coarser", [0, 0, 0, 0, -1], "always")
    assert copies(table(english, german, coarser)) == {"german": "english"}


def test_missing_is_not_a_level():
    assert copies(table(text("a", [0, 1, 0, 1], "x", "y"), text("b", [0, -1, 0, -1], "x"))) == {}


def test_levels_that_hardly_repeat_are_copies_only_when_spelled_alike():
    names, mails = ["ann", "bob", "cy"], ["a@x", "b@x", "c@x"]
    columns = table(
        text("name", [0, 1, 2], *names), text("mail", [0, 1, 2], *mails), text("again", [2, 1, 0], *names[::-1])
    )
    assert copies(columns) == {"again": "name"}


def test_recodings_are_found_although_the_first_rows_hardly_repeat():
    # 1,500 levels in 6,000 rows: seen whole they repeat, in a sample of rows most do not.
    codes = np.random.default_rng(0).integers(0, 1500, size=6000)
    one = Column("one", codes, np.array([f"a{i}" for i in range(1500)], dtype=object))
    two = Column("two", 1499 - codes, np.array([f"b{i}" for i in range(1500)], dtype=object))
    assert copies(table(one, two)) == {"two": "one"}


def test_numbers_read_as_categories_may_copy_text():
    flag = number("flag", 1, 0, 1, 0)
    answer = text("answer", [1, 0, 1, 0], "no", "yes")
    assert copies(table(flag, answer)) == {}
    assert copies(table(flag, answer), {"flag": ColumnKind.CATEGORICAL, "answer": ColumnKind.CATEGORICAL}) == {
        "answer": "flag"
    }


def test_numbers_in_another_scale_are_no_copies():
    assert copies(table(number("a", 1.5, 2.5, 3.5), number("b", 3.0, 5.0, 7.0))) == {}


def test_columns_that_begin_alike_are_told_apart():
    late = [7.0] * 40 + [8.0]
    columns = table(
        number("late", *late),
        number("late missing", *[7.0] * 40, np.nan),
        number("constant", *[7.0] * 41),
        number("early missing", *[np.nan] * 40, 7.0),
        number("gone", *[np.nan] * 41),
    )
    assert unusable(columns) == {"constant": "constant", "gone": "all values missing"}


def test_recoded_numbers_are_copies_whether_counted_or_sorted():
    # Whole numbers close together, far apart, and fractions: the same three levels, missing in the same rows
    places = np.random.default_rng(0).integers(0, 4, size=3000)
    columns = [
        Column(name, np.array([*levels, np.nan])[places])
        for name, levels in (("near", [-1, 0, 1]), ("far", [0, 1e9, -1e9]), ("parts", [0.5, 0.1, 2.5]))
    ]
    kinds = dict.fromkeys(("near", "far", "parts"), ColumnKind.CATEGORICAL)
    assert copies(table(*columns), kinds) == {"far": "near", "parts": "near"}
    assert copies(table(*columns)) == {}
