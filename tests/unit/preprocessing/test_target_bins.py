import math
import pickle

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.preprocessing.column_types import infer_target_types
from minerva_select.preprocessing.table_encoder import TableEncoder
from minerva_select.preprocessing.target_bins import fit_target_bins
from minerva_select.schema import Column, Table


def encode(*columns, target="auto"):
    table = Table(
        tuple(Column(f"y{i}", np.asarray(values, dtype=float)) for i, values in enumerate(columns)), len(columns[0])
    )
    encoder = TableEncoder(infer_target_types(table, target).column_types).fit(table)
    return encoder, encoder.transform(table)


def encode_new(encoder, *columns):
    named = zip(encoder.names_, columns, strict=True)
    return encoder.transform(Table(tuple(Column(n, np.asarray(v, dtype=float)) for n, v in named), len(columns[0])))


def check_bins(bins, encoded):
    """What holds for every target."""
    assigned = bins.assign(encoded)
    np.testing.assert_array_equal(np.bincount(assigned, minlength=bins.n_bins) / encoded.n_rows, bins.prior)
    assert (bins.prior > 0).all()
    assert math.isclose(bins.prior.sum(), 1.0)
    np.testing.assert_array_equal(bins.assign(bins.representatives), np.arange(bins.n_bins))
    assert bins.representatives.n_levels == encoded.n_levels
    assert bins.representatives.numeric == encoded.numeric
    assert bins.representatives.n_columns == encoded.n_columns


def test_classes_are_the_bins_of_a_discrete_target():
    _, encoded = encode(np.repeat([5.0, 8.0, 9.0], [50, 30, 20]))
    bins = fit_target_bins(encoded, max_bins=256)
    check_bins(bins, encoded)
    assert bins.is_discrete
    assert bins.prior.tolist() == [0.5, 0.3, 0.2]
    assert bins.representatives.codes.ravel().tolist() == [2, 3, 4]
    expected = -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2))
    assert math.isclose(bins.entropy, expected)


def test_an_unseen_class_goes_to_the_most_frequent_bin():
    encoder, encoded = encode(np.repeat([5.0, 8.0, 9.0], [20, 50, 30]))
    bins = fit_target_bins(encoded, max_bins=256)
    assert bins.assign(encode_new(encoder, [7.0, 9.0, np.nan])).tolist() == [0, 1, 0]


def test_combinations_are_the_bins_of_several_discrete_columns():
    a, b = np.repeat([0, 0, 1], 20), np.repeat([0, 1, 1], 20)
    encoder, encoded = encode(a, b)
    bins = fit_target_bins(encoded, max_bins=256)
    check_bins(bins, encoded)
    assert bins.is_discrete
    assert bins.n_bins == 3  # (1, 0) never occurs
    assert len({tuple(row) for row in bins.representatives.codes}) == 3
    # (1, 0) agrees in one column with (0, 0) and with (1, 1), equally frequent; (7, 1) with (0, 1) and (1, 1).
    nearest = bins.assign(encode_new(encoder, [1, 7], [0, 1]))
    same = (bins.representatives.codes[nearest] == encode_new(encoder, [1, 7], [0, 1]).codes).sum(axis=1)
    assert same.tolist() == [1, 1]


def test_of_equally_near_combinations_the_most_frequent_is_chosen():
    a, b = np.repeat([0, 1, 1], [20, 20, 60]), np.repeat([0, 1, 2], [20, 20, 60])
    encoder, encoded = encode(a, b)
    bins = fit_target_bins(encoded, max_bins=256)
    new = bins.assign(encode_new(encoder, [1, 0], [0, 1]))
    seen = bins.assign(encode_new(encoder, [0, 1, 1], [0, 1, 2]))
    assert new[0] == seen[2]  # (1, 0) agrees with all three in one column; (1, 2) has 60 rows
    assert new[1] in (seen[0], seen[1])  # (0, 1) shares nothing with (1, 2)


def test_the_rarest_levels_of_one_discrete_column_share_a_bin():
    values = np.repeat(np.arange(6.0), [60, 50, 40, 30, 20, 10])
    encoder, encoded = encode(values)
    bins = fit_target_bins(encoded, max_bins=4)
    assert not bins.is_discrete
    check_bins(bins, encoded)
    assert bins.n_bins == 4
    own, other = bins.assign(encode_new(encoder, [0, 1, 2])), bins.assign(encode_new(encoder, [3, 4, 5, 77]))
    assert len(set(own)) == 3
    assert len(set(other)) == 1
    assert not set(own) & set(other)
    assert bins.representatives.codes[other[0], 0] == 1  # the code of rare and unseen levels


@pytest.mark.parametrize("n_rows", [1000, 1024, 5003])
def test_a_continuous_target_has_bins_of_equal_frequency(n_rows):
    values = np.random.default_rng(0).normal(size=n_rows)
    _, encoded = encode(values)
    bins = fit_target_bins(encoded, max_bins=16)
    check_bins(bins, encoded)
    counts = np.bincount(bins.assign(encoded))
    assert bins.n_bins == 16
    assert counts.max() - counts.min() <= 1
    assert not bins.is_discrete
    # The mean quantile of bin i of 16 is its middle, up to one row
    np.testing.assert_allclose(bins.representatives.quantiles.ravel(), (np.arange(16) + 0.5) / 16, atol=1 / n_rows)
    order = np.argsort(values)
    assert (np.diff(bins.assign(encoded)[order]) >= 0).all()


def test_a_value_with_the_weight_of_several_bins_has_its_own():
    values = np.concatenate([np.zeros(500), np.random.default_rng(0).uniform(1, 2, size=500)])
    encoder, encoded = encode(values)
    bins = fit_target_bins(encoded, max_bins=8)
    zero = bins.assign(encode_new(encoder, [0.0]))[0]
    assert bins.prior[zero] == 0.5
    assert bins.n_bins == 5


def test_few_distinct_numbers_are_bins():
    values = np.repeat([0.5, 1.5, 2.5], [10, 20, 70])
    encoder, encoded = encode(values)
    bins = fit_target_bins(encoded, max_bins=256)
    check_bins(bins, encoded)
    assert bins.is_discrete
    assert bins.prior.tolist() == [0.1, 0.2, 0.7]
    np.testing.assert_allclose(bins.representatives.quantiles.ravel(), [0.05, 0.2, 0.65])
    assert bins.assign(encode_new(encoder, [-9.0, 9.0])).tolist() == [0, 2]


def test_unique_values_are_not_a_discrete_target():
    _, encoded = encode(np.random.default_rng(0).normal(size=100))
    assert not fit_target_bins(encoded, max_bins=256).is_discrete


def test_missing_numbers_have_their_own_bin():
    values = np.append(np.random.default_rng(0).normal(size=90), np.full(10, np.nan))
    _, encoded = encode(values)
    bins = fit_target_bins(encoded, max_bins=10)
    check_bins(bins, encoded)
    assert bins.n_bins == 10
    assert bins.prior[-1] == 0.1
    assert np.isnan(bins.representatives.quantiles[-1, 0])


def test_missing_numbers_unseen_in_training_go_to_the_largest_bin():
    encoder, encoded = encode(np.repeat([0.5, 1.5, 2.5], [10, 70, 20]))
    assert fit_target_bins(encoded, max_bins=256).assign(encode_new(encoder, [np.nan])).tolist() == [1]


def test_several_continuous_columns_are_clustered():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=2000), rng.normal(size=2000))
    bins = fit_target_bins(encoded, max_bins=64, random_state=0)
    check_bins(bins, encoded)
    assert not bins.is_discrete
    assert 32 <= bins.n_bins <= 64
    # 64 cells of width 1/8 fill the square of quantiles; their points are 0.05 from the middle on average
    away = encoded.quantiles - bins.representatives.quantiles[bins.assign(encoded)]
    assert np.hypot(*away.T).mean() < 2 * 0.05


def test_clusters_of_mixed_columns_have_one_class_each():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, size=1000)
    _, encoded = encode(label, rng.normal(size=1000))
    bins = fit_target_bins(encoded, max_bins=32, random_state=0)
    check_bins(bins, encoded)
    np.testing.assert_array_equal(bins.representatives.codes[bins.assign(encoded)], encoded.codes)


def test_clusters_separate_missing_values():
    rng = np.random.default_rng(0)
    first = rng.normal(size=400)
    first[:100] = np.nan
    _, encoded = encode(first, rng.normal(size=400))
    bins = fit_target_bins(encoded, max_bins=16, random_state=0)
    check_bins(bins, encoded)
    gone = np.isnan(encoded.quantiles[:, 0])
    np.testing.assert_array_equal(np.isnan(bins.representatives.quantiles[bins.assign(encoded), 0]), gone)


def test_clusters_are_fitted_on_a_sample_and_assign_all_rows():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=25_000), rng.normal(size=25_000))
    bins = fit_target_bins(encoded, max_bins=4, random_state=0)
    check_bins(bins, encoded)


def test_too_many_combinations_are_clustered():
    rng = np.random.default_rng(0)
    _, encoded = encode(*rng.integers(0, 6, size=(4, 2000)))
    bins = fit_target_bins(encoded, max_bins=64, random_state=0)
    check_bins(bins, encoded)
    assert not bins.is_discrete
    assert bins.n_bins <= 64


def test_a_target_of_identical_rows_is_one_cluster():
    _, encoded = encode(np.full(40, 0.5), np.full(40, 1.5))
    bins = fit_target_bins(encoded, max_bins=256, random_state=0)
    assert bins.prior.tolist() == [1.0]
    assert bins.entropy == 0.0


def test_the_same_seed_gives_the_same_clusters():
    rng = np.random.default_rng(0)
    _, encoded = encode(rng.normal(size=500), rng.normal(size=500))
    one, two = (fit_target_bins(encoded, max_bins=16, random_state=3).assign(encoded) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_bins_can_be_pickled():
    _, encoded = encode(np.repeat([5.0, 8.0], 20))
    bins = fit_target_bins(encoded, max_bins=256)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(bins)).assign(encoded), bins.assign(encoded))


def test_fewer_than_two_bins_are_refused():
    _, encoded = encode(np.repeat([5.0, 8.0], 20))
    with pytest.raises(InputError, match="max_bins"):
        fit_target_bins(encoded, max_bins=1)
