"""Claims about the bound of a Gaussian density ratio without optimism."""

import numpy as np
import pytest

from known_information import as_side, correlated, gaussian_information, heavy_tailed
from minerva_select.mi.density_ratio.gaussian_bound import gaussian_bound, gaussian_optimism


def test_the_optimism_of_one_pair_is_half_a_parameter_per_row():
    assert gaussian_optimism(1, 1, 1000) == pytest.approx(1 / 2000, rel=0.01)


def test_the_optimism_grows_with_the_product_of_the_dimensions():
    assert gaussian_optimism(20, 30, 10_000) == pytest.approx(20 * 30 / 20_000, rel=0.01)


def test_the_optimism_is_what_independent_columns_show():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        values = np.corrcoef(rng.normal(size=(60, 20)).T)
        found.append(-0.5 * np.linalg.slogdet(values)[1])
        found[-1] += 0.5 * (np.linalg.slogdet(values[:10, :10])[1] + np.linalg.slogdet(values[10:, 10:])[1])
    # Three standard errors of 200 samples
    assert np.mean(found) == pytest.approx(gaussian_optimism(10, 10, 60), abs=3 * np.std(found) / 200**0.5)


def test_the_bound_is_unbiased_with_many_columns():
    found = [gaussian_bound(*(as_side(side) for side in correlated(400, 15, 15, 0.7, seed=seed))) for seed in range(5)]
    # The plug-in value is 0.28 too large; three standard errors of five samples
    assert np.mean(found) == pytest.approx(gaussian_information(0.7), abs=0.08)


def test_the_bound_of_heavy_tails_without_correlation_is_nothing():
    assert gaussian_bound(*(as_side(side) for side in heavy_tailed(2000, 2, 2, 1.0))) == pytest.approx(0.0, abs=0.01)


def test_more_columns_than_rows_have_no_bound():
    assert gaussian_bound(*(as_side(side) for side in correlated(20, 15, 15, 0.7))) is None
