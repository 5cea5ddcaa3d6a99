"""switching, gaussian, additive and redundant agree with their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minerva_select.errors import InputError
from minerva_select.problems import additive, gaussian, redundant, switching


def gaussian_information(covariance, n_left):
    """Mutual information of the first n_left jointly normal variables and the others, from determinants."""
    left, right = covariance[:n_left, :n_left], covariance[n_left:, n_left:]
    return (np.linalg.slogdet(left)[1] + np.linalg.slogdet(right)[1] - np.linalg.slogdet(covariance)[1]) / 2


def test_switching_follows_the_authors_coefficients():
    problem = switching(n_samples=300)
    x = problem.X
    sines = (
        -0.3980448127663869 * np.sin(2 * np.pi * x["f14"])
        + 0.8571356339640301 * np.sin(2 * np.pi * x["f18"])
        - 0.4096834727715364 * np.sin(2 * np.pi * x["f20"])
        - 0.6941827744989786 * np.sin(2 * np.pi * x["f28"])
    )
    cosines = (
        0.5603483755491454 * np.cos(2 * np.pi * x["f19"])
        - 0.21299698496263209 * np.cos(2 * np.pi * x["f23"])
        - 0.40715691455861536 * np.cos(2 * np.pi * x["f24"])
        - 0.6467713146785634 * np.cos(2 * np.pi * x["f31"])
    )
    equal = x["f6"] == x["f8"]
    assert 0 < equal.sum() < len(equal)
    np.testing.assert_allclose(problem.y[equal], cosines[equal], atol=1e-12)
    np.testing.assert_allclose(problem.y[~equal], sines[~equal], atol=1e-12)
    assert problem.relevant == ("f6", "f8", "f14", "f18", "f19", "f20", "f23", "f24", "f28", "f31")
    assert problem.mutual_information is None


def test_switching_has_ten_categorical_columns_followed_by_uniform_ones():
    x = switching(n_samples=2_000, n_features=35, n_levels=3).X
    assert list(x.dtypes) == [np.dtype(np.int8)] * 10 + [np.dtype(np.float64)] * 25
    assert all(set(x[f"f{k}"]) == {1, 2, 3} for k in range(10))
    uniform = x.iloc[:, 10:].to_numpy()
    assert uniform.min() >= 0
    assert uniform.max() < 1
    # Five standard deviations, each 0.0065 for a mean of 2,000 uniform draws.
    np.testing.assert_allclose(uniform.mean(axis=0), 0.5, atol=0.033)


@pytest.mark.parametrize("seed", range(3))
def test_random_switching_has_four_strong_sines_and_four_strong_cosines(seed):
    problem = switching(n_samples=400, n_features=25, coefficients="random", random_state=seed)
    first, second, *waves = problem.relevant
    assert {first, second} <= {f"f{k}" for k in range(10)}
    assert set(waves) <= {f"f{k}" for k in range(10, 25)}
    equal = (problem.X[first] == problem.X[second]).to_numpy()
    angles = 2 * np.pi * problem.X[waves].to_numpy()
    found = []
    for rows, wave in ((equal, np.cos), (~equal, np.sin)):
        # y has no noise, so least squares recovers the coefficients, 0 for irrelevant columns.
        fit = np.linalg.lstsq(wave(angles[rows]), problem.y[rows].to_numpy(), rcond=None)[0]
        np.testing.assert_allclose(wave(angles[rows]) @ fit, problem.y[rows], atol=1e-9)
        found.append(np.abs(fit) > 1e-9)
        assert found[-1].sum() == 4
        assert np.all((np.abs(fit[found[-1]]) >= 0.2) & (np.abs(fit[found[-1]]) <= 1))
    assert not (found[0] & found[1]).any()


def test_random_switching_depends_on_the_seed():
    assert len({switching(n_samples=10, coefficients="random", random_state=seed).relevant for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_features": 31}, r"^n_features .*\b32\b"),
        ({"n_features": 17, "coefficients": "random"}, r"^n_features .*\b18\b"),
        ({"coefficients": "papr"}, "coefficients 'papr'.* 'paper'"),
        ({"n_levels": 1}, "^n_levels "),
    ],
)
def test_switching_rejects_invalid_parameters(arguments, message):
    with pytest.raises(InputError, match=message):
        switching(n_samples=10, **arguments)


@pytest.mark.parametrize("correlation", [-0.9, 0.3, 0.6])
@pytest.mark.parametrize("n_features", [1, 3])
def test_gaussian_information_is_that_of_its_covariance(correlation, n_features):
    covariance = np.eye(2 * n_features)
    for k in range(n_features):
        covariance[k, n_features + k] = covariance[n_features + k, k] = correlation
    problem = gaussian(n_samples=10, n_features=n_features, correlation=correlation)
    assert problem.mutual_information == pytest.approx(gaussian_information(covariance, n_features))


def test_gaussian_information_at_correlation_six_tenths():
    # -log(1 - 0.36) / 2 = -log(0.64) / 2 = log(1.25)
    assert gaussian(n_samples=10, correlation=0.6).mutual_information == pytest.approx(math.log(1.25))


def test_gaussian_rows_have_the_requested_covariance():
    problem = gaussian(n_samples=40_000, n_features=2, correlation=-0.7, n_noise=2)
    expected = np.eye(6)
    expected[[0, 1, 4, 5], [4, 5, 0, 1]] = -0.7
    rows = np.hstack([problem.X, problem.y])
    # Five standard deviations, each at most sqrt(2 / 40,000) = 0.007.
    np.testing.assert_allclose(np.cov(rows.T), expected, atol=0.035)
    assert problem.relevant == ("f0", "f1")


def test_gaussian_without_correlation_has_nothing_relevant():
    problem = gaussian(n_samples=10, n_features=2, correlation=0)
    assert problem.relevant == ()
    assert problem.mutual_information == 0


@pytest.mark.parametrize("correlation", [1, -1.0, math.nan, "high"])
def test_gaussian_rejects_correlations_without_finite_information(correlation):
    with pytest.raises(InputError, match=r"^correlation .* above -1 and below 1"):
        gaussian(n_samples=10, correlation=correlation)


def test_additive_is_friedmans_function_of_its_first_five_columns():
    problem = additive(n_samples=50, n_features=8, noise=0)
    for row, y in zip(problem.X.to_numpy(), problem.y, strict=True):
        a, b, c, d, e = row[:5]
        assert y == pytest.approx(10 * math.sin(math.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e)
    assert problem.relevant == ("f0", "f1", "f2", "f3", "f4")


def test_additive_noise_has_the_requested_standard_deviation():
    noisy, clean = additive(n_samples=5_000, noise=2.0), additive(n_samples=5_000, noise=0)
    # Same seed, same columns. The standard error of a standard deviation of 5,000 draws is 1%; the tolerance is four.
    assert float((noisy.y - clean.y).std()) == pytest.approx(2.0, rel=0.04)


@pytest.mark.parametrize("arguments", [{"n_features": 4}, {"noise": -1.0}, {"noise": math.inf}])
def test_additive_rejects_invalid_parameters(arguments):
    with pytest.raises(InputError, match=rf"^{next(iter(arguments))} "):
        additive(n_samples=10, **arguments)


@pytest.fixture(scope="module")
def table():
    """Originals f0-f2, copies f3-f6 of f0, f1, f2, f0, noisy copies f7-f8 of f0, f1, mixes f9-f11, noise f12-f15."""
    return redundant(n_samples=20_000, n_relevant=3, n_copies=4, n_noisy_copies=2, n_mixes=3, n_noise=4)


def test_redundant_lists_the_proxies_of_every_original(table):
    mixes = ("f9", "f10", "f11")
    assert table.relevant == ("f0", "f1", "f2")
    assert table.proxies == {"f0": ("f3", "f6", "f7", *mixes), "f1": ("f4", "f8", *mixes), "f2": ("f5", *mixes)}


def test_redundant_copies_are_exact_and_noisy_ones_are_not(table):
    for copy, original in {"f3": "f0", "f4": "f1", "f5": "f2", "f6": "f0"}.items():
        assert table.X[copy].equals(table.X[original])
    for copy, original in {"f7": "f0", "f8": "f1"}.items():
        # Signal 1 and noise 0.5 give correlation 1 / sqrt(1.25) = 0.894; five standard errors of 0.0014.
        assert np.corrcoef(table.X[copy], table.X[original])[0, 1] == pytest.approx(1 / math.sqrt(1.25), abs=0.007)


def test_redundant_mixes_are_sums_of_the_originals_at_an_angle_to_y(table):
    originals = table.X[["f0", "f1", "f2"]].to_numpy()
    weights = np.linalg.lstsq(originals, table.y.to_numpy(), rcond=None)[0]
    for name in ("f9", "f10", "f11"):
        mix = np.linalg.lstsq(originals, table.X[name].to_numpy(), rcond=None)[0]
        np.testing.assert_allclose(originals @ mix, table.X[name], atol=1e-9)
        assert np.linalg.norm(mix) == pytest.approx(1)
        # 45 degrees or more; the error of the fitted weights is about 0.5 / sqrt(20,000) = 0.004.
        assert abs(mix @ weights) / np.linalg.norm(weights) < math.cos(math.pi / 4) + 0.02


def test_redundant_columns_are_uninformative_given_the_originals(table):
    originals = table.X[list(table.relevant)].to_numpy()
    residual = table.y - originals @ np.linalg.lstsq(originals, table.y.to_numpy(), rcond=None)[0]
    for name in table.X.columns:
        # Five standard deviations, each 1 / sqrt(20,000) = 0.007 for independent columns.
        assert abs(np.corrcoef(table.X[name], residual)[0, 1]) < 0.035


def test_redundant_mutual_information_agrees_with_the_covariance_of_its_rows(table):
    rows = np.column_stack([table.X[list(table.relevant)], table.y])
    # Half the log of a variance ratio: four standard errors of about 1 / sqrt(20,000) = 0.007.
    assert gaussian_information(np.cov(rows.T), 3) == pytest.approx(table.mutual_information, abs=0.03)


def test_redundant_noise_is_independent_of_everything(table):
    correlations = np.corrcoef(np.column_stack([table.X, table.y]).T)[12:16]
    others = np.delete(correlations, np.s_[12:16], axis=1)
    assert np.abs(others).max() < 0.035  # five standard deviations of 0.007


def test_redundant_works_without_copies_mixes_and_noise():
    problem = redundant(n_samples=10, n_relevant=1, n_copies=0, n_noisy_copies=0, n_mixes=0, n_noise=0)
    assert list(problem.X.columns) == ["f0"]
    assert problem.proxies == {"f0": ()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_relevant": 1}, "n_relevant=1; .* n_mixes=0"),
        ({"n_relevant": 0}, "^n_relevant "),
        ({"n_copies": -1}, "^n_copies "),
        ({"noise": 0}, "^noise .* above 0"),
        ({"copy_noise": 0.0}, "^copy_noise .* above 0"),
    ],
)
def test_redundant_rejects_invalid_parameters(arguments, message):
    with pytest.raises(InputError, match=message):
        redundant(n_samples=10, **arguments)
