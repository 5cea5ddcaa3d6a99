import numpy as np
import pytest
from scipy.stats import rankdata

from minerva_select.preprocessing.quantiles import QuantileEncoder, encode_quantiles


def fitted(values):
    """Encoder fitted on values in any order."""
    return QuantileEncoder().fit(*np.unique(values[~np.isnan(values)], return_counts=True))


def expected_quantiles(values):
    """Independent formula, from average ranks of the present values."""
    expected = np.full(len(values), np.nan, dtype=np.float32)
    present = ~np.isnan(values)
    expected[present] = (rankdata(values[present], method="average") - 0.5) / present.sum()
    return expected


def with_ties_and_missing(n_rows, dtype=np.float64):
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=n_rows - n_rows // 3), rng.integers(-2, 3, size=n_rows // 3)])
    values[rng.random(n_rows) < 0.1] = np.nan
    return rng.permutation(values).astype(dtype)


# 40,000 rows use the code for many distinct values
@pytest.mark.parametrize("n_rows", [50, 40_000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantiles_of_training_rows_are_average_ranks(n_rows, dtype):
    values = with_ties_and_missing(n_rows, dtype)
    np.testing.assert_array_equal(fitted(values).transform(values), expected_quantiles(values), strict=True)
    np.testing.assert_array_equal(QuantileEncoder().fit_transform(values), expected_quantiles(values), strict=True)


def test_fit_transform_fits_like_fit():
    values = with_ties_and_missing(300)
    one, two = fitted(values), QuantileEncoder()
    two.fit_transform(values)
    np.testing.assert_array_equal(one.values_, two.values_)
    np.testing.assert_array_equal(one.quantiles_, two.quantiles_)


def test_new_values_are_interpolated_and_clipped():
    # 1, 2, 2, 5: quantiles 1/8, 1/2, 7/8; 1 of 4 values lies below 1.5 and 3 of 4 below 3.
    encoder = fitted(np.array([5.0, 2.0, 1.0, 2.0]))
    new = np.array([-1e300, 1.0, 1.5, 2.0, 3.0, 5.0, 5.1, np.nan])
    np.testing.assert_array_equal(
        encoder.transform(new), np.array([1 / 8, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 7 / 8, np.nan], dtype=np.float32)
    )


@pytest.mark.parametrize("scale", [1e30, 1e300, 1e-300])
def test_quantiles_are_the_same_at_any_scale(scale):
    values = np.array([-1.5, 0.0, 0.25, 1.0, np.nan])
    np.testing.assert_array_equal(fitted(values * scale).transform(values * scale), expected_quantiles(values))


def test_the_largest_and_smallest_numbers_keep_their_order():
    extreme = np.array([-np.finfo(float).max, -5e-324, 0.0, 5e-324, np.finfo(float).max])
    expected = np.array([0.1, 0.3, 0.5, 0.7, 0.9], dtype=np.float32)
    np.testing.assert_array_equal(fitted(extreme).transform(extreme), expected)


def test_minus_zero_equals_zero():
    assert QuantileEncoder().fit_transform(np.array([-0.0, 0.0])).tolist() == [0.5, 0.5]
    assert fitted(np.array([-0.0, 1.0])).transform(np.array([0.0])).tolist() == [0.25]


def test_with_one_training_value_all_quantiles_are_one_half():
    encoder = fitted(np.array([7.0]))
    np.testing.assert_array_equal(encoder.transform(np.array([7.0, 6.0, 8.0, np.nan])), [0.5, 0.5, 0.5, np.nan])


def test_without_training_values_all_quantiles_are_one_half():
    missing, transformed = np.full(3, np.nan), QuantileEncoder()
    transformed.fit_transform(missing)
    for encoder in (fitted(missing), transformed):
        np.testing.assert_array_equal(
            encoder.transform(np.array([1.0, np.nan])), np.array([0.5, np.nan], dtype=np.float32)
        )


def test_quantiles_stay_below_one_in_float32():
    # The highest quantile is 1 - 2**-31, which float32 rounds to 1
    encoder = QuantileEncoder().fit(np.array([0.0, 1.0]), np.array([1 << 30, 1]))
    top = encoder.transform(np.array([1.0, 2.0]))
    assert (top < 1).all()
    assert (top > 0.999).all()


def pack(quantiles):
    return np.where(np.isnan(quantiles), -1, np.nan_to_num(quantiles) * 100).astype(np.int16)


@pytest.mark.parametrize("n_rows", [40, 20_000])
@pytest.mark.parametrize("n_missing", [0, 9])
@pytest.mark.parametrize("n_values", [3, None])
def test_a_single_sort_gives_the_quantiles_of_an_encoder(n_rows, n_missing, n_values):
    rng = np.random.default_rng(0)
    values = rng.normal(size=n_rows) if n_values is None else rng.integers(n_values, size=n_rows) - 1.0
    values[:n_missing] = np.nan
    values[-2] = -0.0
    values = rng.permutation(values)
    folds = [rng.random(n_rows) < share for share in (0.0, 0.03, 0.8, 1.0)]  # few leave others out of their range
    found, packed = encode_quantiles(values, folds), encode_quantiles(values, folds, pack)
    for one, other, in_training in zip(found, packed, folds, strict=True):
        encoder = fitted(values[in_training])
        np.testing.assert_array_equal(one, encoder.transform(values), strict=True)
        np.testing.assert_array_equal(other, encoder.packed(pack).transform(values), strict=True)


def test_a_column_without_values_has_missing_quantiles_only():
    assert np.isnan(encode_quantiles(np.full(3, np.nan), [np.ones(3, dtype=bool)])[0]).all()
