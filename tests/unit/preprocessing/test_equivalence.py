import time
import warnings

import numpy as np
import pytest
from scipy.stats import rankdata

from minerva_select.preprocessing import equivalence
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.equivalence import ColumnSample, find_equivalents
from minerva_select.schema import Column, ColumnType, Table

N_ROWS = 2000
LETTERS = np.array(list("abcdefgh"), dtype=object)


def make_table(**columns):
    """A table of arrays by name: strings are levels, everything else is numbers."""

    def read(name, values):
        values = np.asarray(values)
        if values.dtype == object:
            levels, codes = np.unique(values, return_inverse=True)
            return Column(name, codes, levels)
        return Column(name, values.astype(float))

    read_columns = tuple(read(name, values) for name, values in columns.items())
    return Table(read_columns, len(read_columns[0].values))


def find(classes, keep=(), **columns):
    """Equivalent columns, with inferred types."""
    table = make_table(**columns)
    return find_equivalents(table, infer_column_types(table), np.asarray(classes, dtype=np.int64), keep)


def logistic_classes(x, rng):
    """Two classes; the larger x, the more likely the second one."""
    return (rng.random(len(x)) < 1 / (1 + np.exp(-2 * x))).astype(np.int64)


@pytest.fixture
def rng():
    """Random numbers of one test."""
    return np.random.default_rng(0)


@pytest.fixture
def x(rng):
    """A normal column."""
    return rng.normal(size=N_ROWS)


# Near-copies

COPIES = {
    "exponential": np.exp,
    "logarithm": lambda x: np.log(x - x.min() + 1),
    "shifted": lambda x: 3 * x + 7,
    "reversed": lambda x: -x,
    "reversed exponential": lambda x: np.exp(-x),
    "rounded": lambda x: np.round(x, 2),
    "noisy": lambda x: x + 0.002 * np.ptp(x) * np.random.default_rng(1).normal(size=len(x)),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_a_near_copy_is_equivalent(copy, x, rng):
    assert len(find(logistic_classes(x, rng), x=x, copy=copy(x))) == 1
    assert len(find(rng.integers(0, 2, N_ROWS), x=x, copy=copy(x))) == 1


@pytest.mark.parametrize("copy", [COPIES["exponential"], COPIES["reversed"]], ids=["rising", "falling"])
@pytest.mark.parametrize("n_classes", [2, 8])
def test_an_exact_monotone_copy_is_equivalent_if_the_column_determines_the_target(copy, n_classes, x):
    classes = np.digitize(x, np.quantile(x, np.arange(1, n_classes) / n_classes))
    assert find(classes, x=x, copy=copy(x)) == {"copy": "x"}


@pytest.mark.parametrize("copy", [COPIES["rounded"], COPIES["noisy"]], ids=["rounded", "noisy"])
def test_an_inexact_copy_is_equivalent_if_the_column_determines_the_target(copy, x):
    classes = np.digitize(x, np.quantile(x, np.arange(1, 8) / 8))
    assert len(find(classes, x=x, copy=copy(x))) == 1


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.99])
def test_correlated_columns_stay_apart(correlation, x, rng):
    other = correlation * x + np.sqrt(1 - correlation**2) * rng.normal(size=N_ROWS)
    assert find(logistic_classes(x, rng), x=x, other=other, reversed=-other) == {"reversed": "other"}


def test_a_function_that_is_not_monotone_stays_apart(x, rng):
    assert find(rng.integers(0, 2, N_ROWS), x=x, square=x**2, wave=np.sin(3 * x)) == {}


def test_near_copies_whose_difference_determines_the_target_stay_apart(x, rng):
    other = x + 0.02 * rng.normal(size=N_ROWS)
    # The same pair is equivalent if the target is another one
    assert find(other > x, x=x, other=other) == {}
    assert find((other > x) ^ (x > 0), x=x, other=other) == {}
    assert len(find(rng.integers(0, 2, N_ROWS), x=x, other=other)) == 1


def test_columns_with_different_missing_patterns_stay_apart(x, rng):
    classes = rng.integers(0, 2, N_ROWS)
    gaps = np.where(rng.random(N_ROWS) < 0.05, np.nan, x)
    assert find(classes, x=x, gaps=gaps) == {}
    assert find(classes, x=np.where(rng.random(N_ROWS) < 0.05, np.nan, x), gaps=gaps) == {}
    # The same missing values, and a single other one
    assert len(find(classes, gaps=gaps, copy=np.exp(gaps))) == 1
    assert find(classes, x=x, copy=np.where(np.arange(N_ROWS) == 7, np.nan, x)) == {"copy": "x"}


def test_of_two_near_copies_the_one_with_fewer_missing_values_is_the_representative(x, rng):
    classes = rng.integers(0, 2, N_ROWS)
    gaps = np.where(np.arange(N_ROWS) % 500 == 0, np.nan, x)
    assert find(classes, gaps=gaps, x=x) == find(classes, x=x, gaps=gaps) == {"gaps": "x"}


def test_of_two_near_copies_the_one_with_more_values_is_the_representative(x, rng):
    classes = rng.integers(0, 2, N_ROWS)
    rounded = np.round(x, 2)
    assert find(classes, rounded=rounded, x=x) == find(classes, x=x, rounded=rounded) == {"rounded": "x"}


# Recoded categories and coarser versions


def test_recoded_categories_are_equivalent(rng):
    codes = rng.integers(0, 5, N_ROWS)
    classes = rng.integers(0, 2, N_ROWS)
    renamed = LETTERS[rng.permutation(5)][codes]
    assert len(find(classes, number=codes, text=LETTERS[codes], renamed=renamed)) == 2
    # One row of a thousand differs
    typed = np.where(np.arange(N_ROWS) % 1000 == 0, "a", LETTERS[codes]).astype(object)
    assert len(find(classes, text=LETTERS[codes], typed=typed)) == 1


def test_independent_categories_stay_apart(rng):
    columns = {f"c{n}": LETTERS[rng.integers(0, n, N_ROWS)] for n in range(2, 9)}
    assert find(rng.integers(0, 2, N_ROWS), **columns) == {}


def test_categories_that_differ_in_one_row_of_ten_stay_apart(rng):
    codes = rng.integers(0, 5, N_ROWS)
    other = np.where(rng.random(N_ROWS) < 0.1, rng.integers(0, 5, N_ROWS), codes)
    assert find(rng.integers(0, 2, N_ROWS), one=LETTERS[codes], other=LETTERS[other]) == {}


@pytest.mark.parametrize("n_bins", [2, 4, 8, 20])
@pytest.mark.parametrize("as_text", [False, True], ids=["numbers", "text"])
def test_a_binned_version_is_represented_by_its_column(n_bins, as_text, x, rng):
    bins = np.digitize(x, np.quantile(x, np.arange(1, n_bins) / n_bins))
    binned = np.array([f"bin {k}" for k in range(n_bins)], dtype=object)[bins] if as_text else bins / 7
    assert find(rng.integers(0, 2, N_ROWS), binned=binned, x=x) == {"binned": "x"}
    # Even if the bins are all that matters for the target; 20 numbers are a near-copy, which may represent x
    found = find(bins % 2, binned=binned, x=x)
    assert found == {"binned": "x"} or (n_bins == 20 and found == {"x": "binned"})


def test_indicators_of_levels_are_represented_by_their_column(rng):
    codes = rng.integers(0, 5, N_ROWS)
    indicators = {f"is_{k}": codes == k for k in range(5)}
    found = find(codes == 2, level=LETTERS[codes], **indicators)
    assert found == dict.fromkeys(indicators, "level")


def test_indicators_of_intervals_are_represented_by_their_column(x, rng):
    found = find(rng.integers(0, 2, N_ROWS), high=x > 1, middle=np.abs(x) < 0.5, x=x)
    assert found == {"high": "x", "middle": "x"}


def test_an_indicator_of_another_column_stays_apart(x, rng):
    noisy = x + 0.5 * rng.normal(size=N_ROWS)
    assert find(rng.integers(0, 2, N_ROWS), x=x, high=noisy > 1, level=LETTERS[rng.integers(0, 5, N_ROWS)]) == {}


def test_rare_indicators_do_not_match_by_chance(rng):
    classes = rng.integers(0, 2, N_ROWS)
    numbers = {f"x{k}": rng.normal(size=N_ROWS) for k in range(20)}
    levels = {f"c{k}": LETTERS[rng.integers(0, 8, N_ROWS)] for k in range(5)}
    rare = {f"r{k}": np.isin(np.arange(N_ROWS), rng.choice(N_ROWS, 1 + k, replace=False)) for k in range(15)}
    assert find(classes, **numbers, **levels, **rare) == {}


def test_categories_that_are_constant_in_the_compared_rows_stay_apart(rng):
    # Only 5,000 of the rows are compared; positives of both indicators are in none of them
    n_rows = 20_000
    first, second = np.zeros((2, n_rows))
    first[1:400:40] = 1
    second[2:400:40] = 1
    columns = {"first": first, "second": second, "level": LETTERS[rng.integers(0, 3, n_rows)]}
    assert find(rng.integers(0, 2, n_rows), **columns) == {}


def test_a_column_without_values_in_the_compared_rows_is_left_alone(rng):
    n_rows = 20_000
    sparse = np.full(n_rows, np.nan)
    sparse[1:400:40] = rng.normal(size=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find(rng.integers(0, 2, n_rows), sparse=sparse, x=rng.normal(size=n_rows)) == {}


# Keep


def test_kept_columns_are_never_represented_by_others(x, rng):
    codes = rng.integers(0, 5, N_ROWS)
    columns = {"x": x, "copy": np.exp(x), "high": x > 1, "level": LETTERS[codes], "renamed": LETTERS[4 - codes]}
    classes = logistic_classes(x, rng)
    assert find(classes, keep=columns, **columns) == {}
    # A kept copy represents the column that would represent it
    assert find(classes, keep=["copy"], **columns)["x"] == "copy"
    found = find(classes, keep=["high", "renamed"], **columns)
    assert "high" not in found
    assert found["level"] == "renamed"


def test_a_kept_pair_represents_the_others(x, rng):
    columns = {"x": x, "double": 2 * x, "minus": -x}
    assert find(rng.integers(0, 2, N_ROWS), keep=["x", "minus"], **columns).keys() == {"double"}


# Many columns


def test_of_columns_that_are_all_equivalent_one_is_left(x, rng):
    columns = {f"x{k}": np.sinh((k + 1) * x / 10) for k in range(20)}
    found = find(rng.integers(0, 2, N_ROWS), **columns)
    assert len(found) == 19
    assert len({*columns} - {*found}) == 1
    assert {*found.values()} == {*columns} - {*found}


def test_every_representative_represents_itself(x, rng):
    bins = np.digitize(x, np.linspace(-1, 1, 7))
    found = find(rng.integers(0, 2, N_ROWS), high=bins > 5, text=LETTERS[bins], bins=bins, copy=-x, x=x)
    assert set(found.values()).isdisjoint(found)
    assert len(found) == 4


def timed(classes, columns):
    start = time.process_time()
    found = find(classes, **columns)
    return found, time.process_time() - start


def test_thousands_of_equivalent_columns_take_seconds(rng):
    x = rng.normal(size=600)
    found, seconds = timed(rng.integers(0, 2, 600), {f"x{k}": x * (k + 1) for k in range(2500)})
    assert len(found) == 2499
    assert seconds < 10  # 2.4 on one core


def test_hundreds_of_independent_binary_columns_take_seconds(rng):
    found, seconds = timed(rng.integers(0, 2, 600), {f"x{k}": rng.integers(0, 2, 600) for k in range(600)})
    assert found == {}
    assert seconds < 2.5  # comparing every pair by itself takes 5


def test_a_column_that_follows_the_order_of_the_rows_is_no_coarser_version_of_one_with_many_equal_values(rng):
    amount = np.where(rng.random(N_ROWS) < 0.05, rng.exponential(size=N_ROWS), 0)
    part = np.where(np.arange(N_ROWS) < 0.6 * N_ROWS, "first", "second").astype(object)
    assert find(rng.integers(2, size=N_ROWS), amount=amount, part=part) == {}


def test_a_rare_count_of_many_values_is_no_coarser_version_of_an_unrelated_column(rng):
    count = np.where(rng.random(N_ROWS) < 0.03, rng.integers(1, 60, size=N_ROWS), 0)
    assert find(rng.integers(2, size=N_ROWS), count=count, length=rng.normal(size=N_ROWS)) == {}


# The sample

CONTENTS = {
    "numbers": lambda rng: rng.normal(size=300).round(1),
    "unique numbers": lambda rng: rng.normal(size=300),
    "integers": lambda rng: rng.integers(-3, 40, 300).astype(float),
    "integers in a wide range": lambda rng: rng.integers(0, 5000, 300).astype(float),
    "zeros": lambda rng: rng.choice([-0.0, 0.0, 0.5], 300),
    "levels": lambda rng: rng.integers(0, 4, 300),
}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("n_missing", [0, 1, 40, 300])
def test_a_sampled_column_has_codes_and_ranks(kind, n_missing, rng):
    values = CONTENTS[kind](rng)
    values[:n_missing] = -1 if kind == "levels" else np.nan
    values = rng.permutation(values)
    column = Column("a", values, LETTERS[:4] if kind == "levels" else None)
    (found,) = ColumnSample(
        Table((column,), 300), {"a": ColumnType.CATEGORICAL}, rng.integers(0, 2, 300), n_columns=1
    ).in_order(["a"], ())
    numbers = np.where(column.missing, np.nan, values)
    _, codes = np.unique(numbers, return_inverse=True)
    np.testing.assert_array_equal(found.codes, codes)
    assert (found.n_codes, found.n_missing) == (codes.max() + 1, n_missing)
    present = ~column.missing
    expected = np.full(300, np.nan, dtype=np.float32)
    expected[present] = (rankdata(numbers[present]) - 0.5) / max(1, present.sum())
    np.testing.assert_array_equal(found.ranks, expected, strict=True)


def test_columns_are_ranked_by_information_then_by_what_is_missing(rng, x):
    classes = (x > 0).astype(np.int64)
    gaps = np.where(rng.random(N_ROWS) < 0.01, np.nan, 0.3 * x + rng.normal(size=N_ROWS))
    table = make_table(noise=rng.normal(size=N_ROWS), gaps=gaps, best=x, kept=rng.normal(size=N_ROWS))
    ranked = ColumnSample(table, infer_column_types(table), classes).rank(table.names, {"kept"})
    assert list(ranked) == ["kept", "best", "gaps", "noise"]
    # All but one of the 16 bins determine the sign, ln 2 nats
    assert np.log(2) * 14 / 16 < ranked["best"] < np.log(2)
    assert ranked["noise"] == pytest.approx(0.0, abs=0.011)
    assert list(ColumnSample(table, infer_column_types(table), classes).rank(["noise", "gaps"])) == ["gaps", "noise"]


def test_many_columns_have_a_sample_of_their_own():
    table = make_table(a=np.arange(6000.0))
    sample = ColumnSample(table, {"a": ColumnType.NUMERIC}, np.zeros(6000, dtype=np.int64))
    assert sample.has_rows_for(6000, 2000)
    assert not sample.has_rows_for(6000, 2001)
    assert not sample.has_rows_for(5999, 1)


def test_a_sketch_of_many_columns_excludes_no_copy(rng, monkeypatch):
    base = rng.normal(size=(N_ROWS, 40))
    base[rng.random(base.shape) < 0.02] = np.nan
    noise = rng.normal(size=base.shape)
    kinds = {"base": base, "rising": np.exp(base), "falling": -base, "near": base + 0.05 * noise, "far": base + noise}
    columns = {f"{kind}{k}": values[:, k] for k in range(40) for kind, values in kinds.items()}
    columns["constant but one"] = np.arange(N_ROWS) == 7
    classes = rng.integers(0, 2, N_ROWS)
    expected = find(classes, keep=["base0", "falling0"], **columns)
    assert len(expected) > 2 * 39
    monkeypatch.setattr(equivalence, "_SKETCHED_FROM", 2)
    monkeypatch.setattr(equivalence, "_BLOCK", 64)
    assert find(classes, keep=["base0", "falling0"], **columns) == expected
