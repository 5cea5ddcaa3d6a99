import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import rankdata

from minerva_select.preprocessing.categories import LevelEncoder
from minerva_select.preprocessing.column_types import infer_column_types
from minerva_select.preprocessing.duplicates import find_duplicates
from minerva_select.preprocessing.quantiles import QuantileEncoder
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.preprocessing.target_bins import fit_target_bins
from minerva_select.schema import Column, ColumnType, Table

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)
NUMBERS = hnp.arrays(np.float64, st.integers(1, 40), elements=st.one_of(FINITE, st.just(np.nan)))
FEW_NUMBERS = st.one_of(st.sampled_from([-1.0, -0.0, 0.0, 2.5, 7.0, np.nan]))
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "ä", ""]), min_size=1, max_size=40)


def text(name, words, dictionary):
    """Text column with the levels in this order."""
    index = {word: i for i, word in enumerate(dictionary)}
    return Column(name, np.array([index.get(word, -1) for word in words]), np.array(dictionary, dtype=object))


@st.composite
def tables(draw, n_columns=None):
    """A table of one to five columns of numbers or text, with ties and missing values."""
    n_rows = draw(st.integers(2, 20))
    columns = []
    for i in range(n_columns or draw(st.integers(1, 5))):
        if draw(st.booleans()):
            columns.append(Column(f"c{i}", draw(hnp.arrays(np.float64, n_rows, elements=FEW_NUMBERS))))
        else:
            codes = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(-1, 2)))
            columns.append(Column(f"c{i}", codes, np.array(["x", "y", "z"], dtype=object)))
    return Table(tuple(columns), n_rows)


def fitted(values):
    """Encoder fitted on values in any order."""
    return QuantileEncoder().fit(*np.unique(values[~np.isnan(values)], return_counts=True))


def assert_same(one, two):
    np.testing.assert_array_equal(one.quantiles, two.quantiles)
    np.testing.assert_array_equal(one.codes, two.codes)
    assert one.n_levels == two.n_levels


@given(NUMBERS)
def test_quantiles_of_training_rows_are_average_ranks(values):
    present = ~np.isnan(values)
    expected = np.full(len(values), np.nan, dtype=np.float32)
    if present.any():
        expected[present] = (rankdata(values[present]) - 0.5) / present.sum()
    np.testing.assert_array_equal(fitted(values).transform(values), expected)
    np.testing.assert_array_equal(QuantileEncoder().fit_transform(values), expected)


@given(NUMBERS, NUMBERS, st.integers(0, 2**32 - 1))
def test_quantiles_ignore_monotone_maps(train, new, seed):
    # Increasing images of the values that occur
    distinct = np.unique(np.concatenate([train, new]))
    distinct = distinct[~np.isnan(distinct)]
    images = np.cumsum(np.random.default_rng(seed).uniform(0.1, 1e6, size=len(distinct)))

    def mapped(values):
        out = np.full(len(values), np.nan)
        present = ~np.isnan(values)
        out[present] = images[np.searchsorted(distinct, values[present])]
        return out

    np.testing.assert_array_equal(fitted(mapped(train)).transform(mapped(new)), fitted(train).transform(new))


@given(NUMBERS, NUMBERS)
def test_quantiles_are_monotone_and_strictly_between_zero_and_one(train, new):
    quantiles = fitted(train).transform(new)
    np.testing.assert_array_equal(np.isnan(quantiles), np.isnan(new))
    ordered = quantiles[np.argsort(new, kind="stable")]
    ordered = ordered[~np.isnan(ordered)]
    assert (np.diff(ordered) >= 0).all()
    assert ((ordered > 0) & (ordered < 1)).all()


@given(WORDS, st.permutations(["a", "b", "c", "d", "ä", ""]), st.randoms())
def test_codes_depend_on_neither_row_order_nor_dictionary_order(words, dictionary, random):
    shuffled = list(words)
    random.shuffle(shuffled)
    one = LevelEncoder().fit(text("w", words, sorted(dictionary)))
    two = LevelEncoder().fit(text("w", shuffled, dictionary))
    assert one.levels_.tolist() == two.levels_.tolist()
    asked = ["a", "new", "c", "", "d"]
    np.testing.assert_array_equal(
        one.transform(text("w", asked, ["new", *dictionary])), two.transform(text("w", asked, [*dictionary, "new"]))
    )


@given(WORDS, st.integers(1, 6))
def test_codes_decode_to_the_levels(words, max_levels):
    encoder = LevelEncoder(max_levels).fit(text("w", words, sorted(set(words))))
    codes = encoder.transform(text("w", words, sorted(set(words))))
    assert len(encoder.levels_) == min(max_levels, len(set(words)))
    for word, code in zip(words, codes, strict=True):
        assert encoder.levels_[code - 2] == word if code > 1 else word not in encoder.levels_.tolist()


@given(WORDS)
def test_numbers_and_text_of_the_same_levels_get_the_same_codes(words):
    levels = sorted(set(words))
    numbers = Column("w", np.array([levels.index(word) for word in words], dtype=float))
    named = text("w", words, levels)
    np.testing.assert_array_equal(
        LevelEncoder().fit(numbers).transform(numbers), LevelEncoder().fit(named).transform(named)
    )


@given(tables(), st.randoms())
def test_permuting_columns_permutes_the_encoding(table, random):
    column_types = infer_column_types(table)
    order = list(range(len(table.columns)))
    random.shuffle(order)
    moved = Table(tuple(table.columns[i] for i in order), table.n_rows)
    one, two = TableEncoder(column_types).fit_transform(table), TableEncoder(column_types).fit_transform(moved)
    for i, place in enumerate(two.numeric):
        np.testing.assert_array_equal(two.quantiles[:, i], one.quantiles[:, one.numeric.index(order[place])])
    for i, place in enumerate(two.categorical):
        source = one.categorical.index(order[place])
        np.testing.assert_array_equal(two.codes[:, i], one.codes[:, source])
        assert two.n_levels[i] == one.n_levels[source]


@given(tables(), st.integers(0, 2**32 - 1))
def test_permuting_rows_permutes_the_encoding(table, seed):
    order = np.random.default_rng(seed).permutation(table.n_rows)
    column_types = infer_column_types(table)
    moved = TableEncoder(column_types).fit_transform(table.take(order))
    assert_same(moved, TableEncoder(column_types).fit_transform(table).take(order))


@given(tables(), st.data())
def test_encoders_depend_on_training_rows_only(table, data):
    n_train = data.draw(st.integers(1, table.n_rows - 1))
    train, rest = np.arange(n_train), np.arange(n_train, table.n_rows)
    encoder = TableEncoder(infer_column_types(table.take(train))).fit(table.take(train))
    whole = encoder.transform(table)
    # The encoding of a row depends only on that row and the training rows
    assert_same(whole.take(train), encoder.transform(table.take(train)))
    for row in rest:
        assert_same(whole.take(np.array([row])), encoder.transform(table.take(np.array([row]))))
    for codes in whole.codes.T:
        assert set(codes[rest]) - set(codes[train]) <= {0, 1}  # unseen levels share a code


@given(tables())
def test_codes_stay_below_the_number_of_levels(table):
    encoded = TableEncoder(dict.fromkeys(table.names, ColumnType.CATEGORICAL), max_levels=2).fit_transform(table)
    assert (encoded.codes < np.array(encoded.n_levels)).all()
    assert (encoded.codes >= 0).all()


@given(tables(), st.data())
def test_only_appended_duplicates_are_found(table, data):
    original = data.draw(st.sampled_from(table.columns))
    again = Column("again", original.values.copy(), original.levels)
    before = find_duplicates(table)
    after = find_duplicates(Table((*table.columns, again), table.n_rows))
    assert after.pop("again") == before.get(original.name, original.name)
    assert after == before


@settings(max_examples=50, deadline=None)  # the first clusters load scipy
@given(tables(), st.integers(2, 12))
def test_bins_cover_every_target(table, max_bins):
    encoded = TableEncoder(infer_column_types(table)).fit_transform(table)
    bins = fit_target_bins(encoded, max_bins=max_bins, random_state=0)
    assigned = bins.assign(encoded)
    assert bins.n_bins <= max_bins
    np.testing.assert_allclose(np.bincount(assigned, minlength=bins.n_bins) / table.n_rows, bins.prior)
    assert (bins.prior > 0).all()
    np.testing.assert_array_equal(bins.assign(bins.representatives), np.arange(bins.n_bins))
    assert 0 <= bins.entropy <= np.log(bins.n_bins) + 1e-9  # rounding of a sum of 12 terms
    if bins.is_discrete:  # only equal rows share a bin
        rows = np.hstack([np.nan_to_num(encoded.quantiles, nan=-1), encoded.codes])
        same_row = (rows[:, None] == rows[None]).all(axis=2)
        np.testing.assert_array_equal(same_row, assigned[:, None] == assigned[None])
